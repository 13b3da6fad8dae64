# SPDX-License-Identifier: Apache-2.0
"""Draws the training curve of a run folder as a PNG picture."""

from __future__ import annotations

import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402


def draw(run: pathlib.Path, out: pathlib.Path) -> None:
    """Losses over tokens, the development loss as dots."""
    rows = [json.loads(line) for line in (run / "curve.jsonl").read_text(encoding="utf-8").splitlines()]
    figure, axes = plt.subplots(figsize=(8, 4.5))
    for key, style in (("answer", "-"), ("prompt", ":"), ("dev", "o")):
        points = [(row["tokens"] / 1e6, row[key]) for row in rows if key in row]
        if points:
            axes.plot(*zip(*points, strict=True), style, label=key, markersize=4)
    axes.set(xlabel="million tokens", ylabel="loss per token (nats)", yscale="log")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(out, dpi=110)


def main() -> None:
    """Draws as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    draw(args.run, args.out)


if __name__ == "__main__":
    main()
