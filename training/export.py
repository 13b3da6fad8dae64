# SPDX-License-Identifier: Apache-2.0
"""Writes a checkpoint as a Hugging Face BLOOM folder: config.json and model.safetensors in bfloat16."""

from __future__ import annotations

import argparse
import json
import pathlib

import torch
from safetensors.torch import save_file
from torch import Tensor

from bloom import BloomConfig


def hub_config(config: BloomConfig) -> dict[str, object]:
    """config.json of the published layout."""
    return {
        "architectures": ["BloomForCausalLM"], "model_type": "bloom", "vocab_size": config.vocab, "hidden_size": config.hidden,
        "n_layer": config.layers, "n_head": config.heads, "layer_norm_epsilon": config.eps, "initializer_range": 0.02,
        "apply_residual_connection_post_layernorm": False, "attention_dropout": 0.0, "hidden_dropout": 0.0,
        "attention_softmax_in_fp32": True, "masked_softmax_fusion": True, "bias_dropout_fusion": True, "slow_but_exact": False,
        "pretraining_tp": 1, "seq_length": 2048, "tie_word_embeddings": True, "use_cache": True, "torch_dtype": "bfloat16",
        "unk_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 3,
    }  # fmt: skip


def hub_weights(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights under their published names, in bfloat16; the output shares the embedding."""
    return {f"transformer.{name}": tensor.to(torch.bfloat16).contiguous() for name, tensor in state.items()}


def mean_weights(states: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of several states of one network."""
    return {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}


def export(checkpoint: pathlib.Path | list[pathlib.Path], out: pathlib.Path, averaged: bool = True) -> BloomConfig:
    """Writes the two files; the tokenizer's files are already there. Of several checkpoints of one size the mean is written."""
    paths = checkpoint if isinstance(checkpoint, list) else [checkpoint]
    saved = [torch.load(path, weights_only=True) for path in paths]
    config = BloomConfig(**saved[0]["config"])
    if any(BloomConfig(**s["config"]) != config for s in saved):
        raise SystemExit("checkpoints of different sizes have no mean")
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(hub_config(config), indent=2) + "\n", encoding="utf-8")
    partial = out / "model.safetensors.part"
    weights = mean_weights([s["ema" if averaged else "model"] for s in saved])
    save_file(hub_weights(weights), partial, metadata={"format": "pt"})
    partial.chmod(0o644)
    partial.replace(out / "model.safetensors")
    return config


def main() -> None:
    """Exports as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=pathlib.Path, nargs="+", required=True, help="of several the mean is written")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--last", action="store_true", help="the last weights instead of their running average")
    args = parser.parse_args()
    print(export(args.checkpoint, args.out, not args.last))


if __name__ == "__main__":
    main()
