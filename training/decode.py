# SPDX-License-Identifier: Apache-2.0
"""Loads an exported model folder and decodes greedily, without any constraint, many prompts at a time."""

from __future__ import annotations

import json
import pathlib

import torch
from safetensors.torch import load_file
from torch import Tensor

from bloom import Bloom, BloomConfig, Cache, alibi_slopes
from samples import EOS, Encoder

_PAD = 3


def _read_weights(folder: pathlib.Path) -> dict[str, Tensor]:
    """All tensors of a model folder, whole or in shards, safetensors or PyTorch's own."""
    files = sorted(path for path in folder.glob("*.safetensors") if path.name != "boundary_head.safetensors")
    if files:
        return {name: tensor for path in files for name, tensor in load_file(path).items()}
    files = sorted(folder.glob("pytorch_model*.bin"))
    if not files:
        raise FileNotFoundError(f"{folder}: neither *.safetensors nor pytorch_model*.bin")
    return {name: tensor for path in files for name, tensor in torch.load(path, map_location="cpu", weights_only=True).items()}


def load_model(folder: pathlib.Path) -> Bloom:
    """The network of a BLOOM model folder, in single precision."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    hidden, layers, heads = (
        next(config[name] for name in names if name in config)
        for names in (("hidden_size", "n_embed"), ("n_layer", "num_hidden_layers"), ("n_head", "num_attention_heads"))
    )
    weights = {name.removeprefix("transformer."): w.float() for name, w in _read_weights(folder).items()}
    weights.pop("lm_head.weight", None)
    model = Bloom(BloomConfig(len(weights["word_embeddings.weight"]), hidden, layers, heads, config.get("layer_norm_epsilon", 1e-5)))
    model.load_state_dict(weights)
    return model.eval()


def padded_mask(heads: int, pads: Tensor, queries: int, keys: int) -> Tensor:
    """The ALiBi mask [batch, heads, queries, keys] of rows padded on the left."""
    q = torch.arange(keys - queries, keys)[:, None]
    k = torch.arange(keys)[None, :]
    mask = torch.tensor(alibi_slopes(heads))[:, None, None] * (k - q).float()
    mask = mask.masked_fill(k > q, float("-inf"))[None].repeat(len(pads), 1, 1, 1)
    hidden = (k < pads[:, None])[:, None, None, :] & (k != q)[None, None]
    return mask.masked_fill(hidden, float("-inf"))


@torch.no_grad()
def decode_batch(model: Bloom, prompts: list[list[int]], limit: int) -> list[list[int]]:
    """The greedy answers, without the end token."""
    width = max(len(p) for p in prompts)
    pads = torch.tensor([width - len(p) for p in prompts])
    ids = torch.tensor([[_PAD] * (width - len(p)) + p for p in prompts])
    cache: Cache | None = None
    answers: list[list[int]] = [[] for _ in prompts]
    open_rows = set(range(len(prompts)))
    for step in range(limit):
        mask = padded_mask(model.config.heads, pads, ids.shape[1], width + step)
        hidden, cache = model.step(ids, mask, cache)
        ids = model.logits(hidden[:, -1]).argmax(-1, keepdim=True)
        for row in list(open_rows):
            token = int(ids[row])
            answers[row].append(token)
            if token == EOS:
                answers[row].pop()
                open_rows.remove(row)
        if not open_rows:
            break
    return answers


def decode(model: Bloom, encoder: Encoder, prompts: list[str], batch: int = 16, limit: int = 256) -> list[str]:
    """The answers to prompts that end before `[GEN]`, in their order."""
    ids = [[*encoder.encode(p), encoder.gen] for p in prompts]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    out = [""] * len(ids)
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        for row, answer in zip(rows, decode_batch(model, [ids[r] for r in rows], limit), strict=True):
            out[row] = encoder.decode(answer)
    return out
