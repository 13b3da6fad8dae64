# SPDX-License-Identifier: Apache-2.0
"""Writes a BLOOM of SeqGPT-560M's shape with random bfloat16 weights, to time programs on; it answers nothing of use."""

from __future__ import annotations

import argparse
import json
import pathlib

import torch
from safetensors.torch import save_file

_VOCABULARY, _HIDDEN, _LAYERS, _HEADS = 250_880, 1024, 24, 16
_SPREAD = 0.02


def random_tensors(seed: int) -> dict[str, torch.Tensor]:
    """Names as in Hugging Face's checkpoints."""
    generator, d = torch.Generator().manual_seed(seed), _HIDDEN
    tensors: dict[str, torch.Tensor] = {}

    def matrix(name: str, rows: int, columns: int) -> None:
        tensors[f"{name}.weight"] = (torch.randn(rows, columns, generator=generator) * _SPREAD).bfloat16()

    def norm(name: str) -> None:
        tensors[f"{name}.weight"] = torch.ones(d, dtype=torch.bfloat16)
        tensors[f"{name}.bias"] = torch.zeros(d, dtype=torch.bfloat16)

    matrix("transformer.word_embeddings", _VOCABULARY, d)
    norm("transformer.word_embeddings_layernorm")
    for layer in range(_LAYERS):
        h = f"transformer.h.{layer}"
        norm(f"{h}.input_layernorm")
        norm(f"{h}.post_attention_layernorm")
        for name, rows, columns in (
            ("self_attention.query_key_value", 3 * d, d),
            ("self_attention.dense", d, d),
            ("mlp.dense_h_to_4h", 4 * d, d),
            ("mlp.dense_4h_to_h", d, 4 * d),
        ):
            matrix(f"{h}.{name}", rows, columns)
            tensors[f"{h}.{name}.bias"] = torch.zeros(rows, dtype=torch.bfloat16)
    norm("transformer.ln_f")
    return tensors


def write_random_model(folder: pathlib.Path, seed: int = 1) -> None:
    """config.json and model.safetensors; there is no tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "architectures": ["BloomForCausalLM"],
        "model_type": "bloom",
        "vocab_size": _VOCABULARY,
        "hidden_size": _HIDDEN,
        "n_layer": _LAYERS,
        "n_head": _HEADS,
        "layer_norm_epsilon": 1e-5,
        "apply_residual_connection_post_layernorm": False,
        "attention_dropout": 0.0,
        "hidden_dropout": 0.0,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 3,
        "unk_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2))
    save_file(random_tensors(seed), folder / "model.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    write_random_model(parser.parse_args().out)
