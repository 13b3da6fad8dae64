# SPDX-License-Identifier: Apache-2.0
"""A small BLOOM network for training: the same mathematics as the published one, packed for speed on a CPU."""

from __future__ import annotations

import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# A key and value tensor per layer, each [batch, heads, tokens, head size].
Cache = list[tuple[Tensor, Tensor]]


@dataclasses.dataclass(frozen=True)
class BloomConfig:
    """The sizes of a network; head size is hidden / heads."""

    vocab: int
    hidden: int = 320
    layers: int = 8
    heads: int = 5
    eps: float = 1e-5


def alibi_slopes(heads: int) -> list[float]:
    """One slope per head, by the rule of Hugging Face's BLOOM for any head count."""
    closest = 2 ** math.floor(math.log2(heads))
    base = 2.0 ** (-(2.0 ** -(math.log2(closest) - 3)))
    slopes = [base ** (i + 1) for i in range(closest)]
    if closest != heads:
        extra = 2.0 ** (-(2.0 ** -(math.log2(2 * closest) - 3)))
        slopes += [extra ** (2 * i + 1) for i in range(heads - closest)]
    return slopes


def causal_alibi(heads: int, queries: int, keys: int) -> Tensor:
    """The additive mask [heads, queries, keys]; the last query sees the last key."""
    q = torch.arange(keys - queries, keys)[:, None]
    k = torch.arange(keys)[None, :]
    distance = (k - q).float()
    slopes = torch.tensor(alibi_slopes(heads))[:, None, None]
    return (slopes * distance).masked_fill(k > q, float("-inf"))


class Attention(nn.Module):
    """Self-attention with a fused query, key and value per head."""

    def __init__(self, config: BloomConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query_key_value = nn.Linear(config.hidden, 3 * config.hidden)
        self.dense = nn.Linear(config.hidden, config.hidden)

    def forward(self, x: Tensor, mask: Tensor, past: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the output and the keys and values so far."""
        batch, tokens, hidden = x.shape
        fused = self.query_key_value(x).view(batch, tokens, self.heads, 3, hidden // self.heads)
        q, k, v = (part.transpose(1, 2) for part in fused.unbind(3))
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        # On a CPU and at these lengths plain products train a fifth faster than the fused attention.
        scores = torch.matmul(q * q.shape[-1] ** -0.5, k.transpose(-1, -2)) + mask.to(q.dtype)
        mixed = torch.matmul(torch.softmax(scores, -1, dtype=q.dtype), v)
        return self.dense(mixed.transpose(1, 2).reshape(batch, tokens, hidden)), k, v


class Mlp(nn.Module):
    """The feed-forward part: four times as wide, GELU in its tanh form."""

    def __init__(self, config: BloomConfig) -> None:
        super().__init__()
        self.dense_h_to_4h = nn.Linear(config.hidden, 4 * config.hidden)
        self.dense_4h_to_h = nn.Linear(4 * config.hidden, config.hidden)

    def forward(self, x: Tensor) -> Tensor:
        """[.., hidden] to [.., hidden]."""
        return self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(x), approximate="tanh"))


class Block(nn.Module):
    """One layer: attention and feed-forward, each behind a LayerNorm and added to the stream."""

    def __init__(self, config: BloomConfig) -> None:
        super().__init__()
        self.input_layernorm = nn.LayerNorm(config.hidden, config.eps)
        self.self_attention = Attention(config)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden, config.eps)
        self.mlp = Mlp(config)

    def forward(self, x: Tensor, mask: Tensor, past: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Returns the stream and this layer's keys and values."""
        mixed, k, v = self.self_attention(self.input_layernorm(x), mask, past)
        x = x + mixed
        return x + self.mlp(self.post_attention_layernorm(x)), (k, v)


class Bloom(nn.Module):
    """The network up to the final LayerNorm; `logits` applies the tied embedding."""

    def __init__(self, config: BloomConfig) -> None:
        super().__init__()
        self.config = config
        self.word_embeddings = nn.Embedding(config.vocab, config.hidden)
        self.word_embeddings_layernorm = nn.LayerNorm(config.hidden, config.eps)
        self.h = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.ln_f = nn.LayerNorm(config.hidden, config.eps)
        self._masks: dict[int, Tensor] = {}
        self._initialise()

    def _initialise(self) -> None:
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif parameter.dim() == 2:
                residual = "dense.weight" in name or "4h_to_h" in name
                scale = math.sqrt(2 * self.config.layers) if residual else 1.0
                nn.init.normal_(parameter, std=0.02 / scale)

    def training_mask(self, tokens: int) -> Tensor:
        """The causal ALiBi mask [1, heads, tokens, tokens], made once per length."""
        if tokens not in self._masks:
            mask = causal_alibi(self.config.heads, tokens, tokens)[None]
            self._masks[tokens] = mask.clamp(min=-1e4).to(torch.bfloat16)
        return self._masks[tokens]

    def distance_mask(self, distances: Tensor) -> Tensor:
        """The ALiBi mask [batch, heads, tokens, tokens] of given distances."""
        slopes = torch.tensor(alibi_slopes(self.config.heads))[None, :, None, None]
        return (slopes * distances[:, None]).clamp(min=-1e4).to(torch.bfloat16)

    def forward(self, ids: Tensor, distances: Tensor | None = None) -> Tensor:
        """[batch, tokens] to hidden states [batch, tokens, hidden]; `distances` as in `batches.Batch`."""
        mask = self.training_mask(ids.shape[1]) if distances is None else self.distance_mask(distances)
        x = self.word_embeddings_layernorm(self.word_embeddings(ids))
        for block in self.h:
            x, _ = block(x, mask)
        return self.ln_f(x)

    def step(self, ids: Tensor, mask: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        """A decoding step with keys and values kept; `mask` is [batch or 1, heads, tokens, keys]."""
        x = self.word_embeddings_layernorm(self.word_embeddings(ids))
        kept: Cache = []
        for index, block in enumerate(self.h):
            x, pair = block(x, mask, None if cache is None else cache[index])
            kept.append(pair)
        return self.ln_f(x), kept

    def logits(self, hidden: Tensor) -> Tensor:
        """The scores of every token of the vocabulary."""
        return F.linear(hidden, self.word_embeddings.weight)
