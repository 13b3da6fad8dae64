# SPDX-License-Identifier: Apache-2.0
"""The optimisers: Muon for the matrices of the layers, AdamW for embedding, norms and biases."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor, nn

# Coefficients of the quintic Newton-Schulz iteration, and how often it is applied.
_NS = (3.4445, -4.7750, 2.0315)
_NS_STEPS = 4


def orthogonalise(g: Tensor) -> Tensor:
    """Brings every singular value of a matrix near one, in bfloat16."""
    x = g.to(torch.bfloat16)
    flipped = x.shape[0] > x.shape[1]
    x = x.T if flipped else x
    x = x / (x.norm() + 1e-7)
    a, b, c = _NS
    for _ in range(_NS_STEPS):
        gram = x @ x.T
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return (x.T if flipped else x).float()


class Muon(torch.optim.Optimizer):
    """Momentum whose update is orthogonalised; a fused matrix is treated as `parts` interleaved ones."""

    def __init__(self, params: Iterable[dict[str, object]], lr: float = 0.02, momentum: float = 0.95, weight_decay: float = 0.01, threads: int = 1) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "heads": 0})
        self._workers = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Applies one update to every parameter that has a gradient, a core for each parameter."""
        jobs = [(p, group) for group in self.param_groups for p in group["params"] if p.grad is not None]
        list(self._workers.map(lambda job: self._update(*job), jobs))

    @torch.no_grad()
    def _update(self, p: Tensor, group: dict[str, float]) -> None:
        state = self.state[p]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(p)
        grad = p.grad
        assert grad is not None
        state["momentum"].lerp_(grad, 1 - group["momentum"])
        update = grad.lerp(state["momentum"], group["momentum"])
        p.mul_(1 - group["lr"] * group["weight_decay"])
        p.add_(self._direction(update, int(group["heads"])), alpha=-group["lr"])

    @staticmethod
    def _direction(update: Tensor, heads: int) -> Tensor:
        if heads == 0:
            return orthogonalise(update) * max(1.0, update.shape[0] / update.shape[1]) ** 0.5
        parts = update.view(heads, 3, -1, update.shape[1]).transpose(0, 1)
        done = [orthogonalise(part.reshape(-1, update.shape[1])).view_as(part) for part in parts]
        return torch.stack(done, 1).reshape_as(update)


def make_optimisers(model: nn.Module, heads: int, muon_lr: float, adam_lr: float, threads: int) -> list[torch.optim.Optimizer]:
    """Splits the parameters between the two optimisers and notes each one's base rate."""
    fused, matrices, rest = [], [], []
    for name, p in model.named_parameters():
        if "query_key_value.weight" in name:
            fused.append(p)
        elif p.dim() == 2 and "word_embeddings" not in name:
            matrices.append(p)
        else:
            rest.append(p)
    muon = Muon([{"params": fused, "heads": heads}, {"params": matrices}], lr=muon_lr, threads=threads)
    adam = torch.optim.AdamW(rest, lr=adam_lr, betas=(0.9, 0.98), weight_decay=0.0, foreach=True)
    optimisers: list[torch.optim.Optimizer] = [muon, adam]
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["base_lr"] = group["lr"]
    return optimisers


def scale_rates(optimisers: list[torch.optim.Optimizer], factor: float) -> None:
    """Sets every learning rate to its base times a factor."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["lr"] = group["base_lr"] * factor
