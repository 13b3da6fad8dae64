# SPDX-License-Identifier: Apache-2.0
"""Tests of exporting the mean of checkpoints."""

from __future__ import annotations

import pathlib

import pytest
import torch
from safetensors.torch import load_file

from bloom import Bloom, BloomConfig
from export import export


def test_export_of_several_checkpoints_is_their_mean(tmp_path: pathlib.Path) -> None:
    """Weights lie half way; networks of different sizes are refused."""
    paths = []
    for seed, hidden in ((0, 16), (1, 16), (2, 32)):
        torch.manual_seed(seed)
        config = BloomConfig(50, hidden=hidden, layers=1, heads=2)
        paths.append(tmp_path / f"{seed}.pt")
        torch.save({"config": config.__dict__, "ema": Bloom(config).state_dict()}, paths[-1])
    export(paths[:2], tmp_path / "both")
    name = "word_embeddings.weight"
    first, second = (torch.load(path, weights_only=True)["ema"][name] for path in paths[:2])
    mean = load_file(tmp_path / "both" / "model.safetensors")[f"transformer.{name}"]
    assert torch.equal(mean, ((first + second) / 2).to(torch.bfloat16))
    with pytest.raises(SystemExit):
        export(paths, tmp_path / "all")
