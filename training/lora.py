# SPDX-License-Identifier: Apache-2.0
"""Low-rank adapters (LoRA) for the linear layers of a BLOOM: few trainable weights, merged before export."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LoraLinear(nn.Module):
    """A frozen linear layer plus a trained product of two thin matrices."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / rank**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x: Tensor) -> Tensor:
        """[.., in] to [.., out]."""
        return self.base(x) + self.scale * nn.functional.linear(nn.functional.linear(x, self.down), self.up)

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """The base layer with the product added to its weight."""
        self.base.weight += self.scale * (self.up @ self.down)
        return self.base


def add_adapters(model: nn.Module, rank: int, alpha: float) -> list[nn.Parameter]:
    """Freezes a model, wraps the linear layers of its blocks; returns what is to be trained."""
    for p in model.parameters():
        p.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and not isinstance(parent, LoraLinear):
                setattr(parent, name, LoraLinear(child, rank, alpha))
    return [p for p in model.parameters() if p.requires_grad]


def merge_adapters(model: nn.Module) -> None:
    """Puts plain linear layers back."""
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, LoraLinear):
                setattr(parent, name, child.merged())
