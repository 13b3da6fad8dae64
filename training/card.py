# SPDX-License-Identifier: Apache-2.0
"""Writes the model card: `card.md` with the tables of the data folder, the mixture, the run and the product's figures."""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import string
from typing import Any

from measure import row
from samples import HERE

# A field of the held-out documents with fewer values has no row of its own.
_FEWEST_VALUES = 8
Figures = dict[str, Any]


def source_rows(data: pathlib.Path) -> list[list[str]]:
    """The table rows of the data folder's README: name, source, licence, kind, lines, …"""
    rows = []
    for line in (data / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) >= 5 and re.match(r"(cls|ie|ner|raw|gaz)_\w+\.", cells[0]):
            rows.append([cells[0].split(".")[0], *cells[1:]])
    return rows


def source_tables(data: pathlib.Path) -> dict[str, str]:
    """The tables of labelled sets with their share, of raw text and of gazetteers."""
    mixture: dict[str, float] = json.loads((HERE / "mixture.json").read_text(encoding="utf-8"))
    labelled, raw, gazetteers = [], [], []

    def share(name: str) -> str:
        return f"{100 * mixture.get(name, 0) / sum(mixture.values()):.2g}"

    for name, source, licence, _, lines, *_ in source_rows(data):
        if name.startswith("raw"):
            raw.append(f"| {name} | {source} | {licence} |")
        elif name.startswith("gaz"):
            gazetteers.append(f"| {name} | {source} | {licence} |")
        else:
            labelled.append(f"| {name} | {source} | {licence} | {lines} | {share(name)} |")
    return {"labelled": "\n".join(labelled), "raw": "\n".join(raw), "gazetteers": "\n".join(gazetteers), "generated": share("generated")}


def run_facts(run: pathlib.Path) -> dict[str, str]:
    """Steps, tokens, minutes and losses of a run's curve."""
    lines = [json.loads(line) for line in (run / "curve.jsonl").read_text(encoding="utf-8").splitlines()]
    dev = [line for line in lines if "dev" in line]
    last = lines[-1]
    shown = sorted({round(i * (len(dev) - 1) / 11) for i in range(12)})
    curve = "\n".join(f"| {dev[i]['tokens'] / 1e6:.1f} | {dev[i]['dev']:.2f} |" for i in shown)
    return {
        "steps": str(last["step"]),
        "tokens": f"{last['tokens'] / 1e6:.1f}",
        "minutes": f"{last['minutes']:.0f}",
        "loss": f"{dev[-1]['dev']:.2f}",
        "curve": curve,
    }


def figure_tables(figures: Figures, held_out: set[str]) -> dict[str, str]:
    """The tables of held-out documents, development sets, classes, fields and calibration."""
    sets: Figures = figures["sets"]
    groups = {"all": "**all labels**", "standard": "the 87 standard fields", "unseen": "labels never seen in training"}
    total = [row(groups[name], figures["groups"][name]) for name in groups if name in figures["groups"]]
    fields = {k: v for k, v in figures["fields"].items() if v["values"] >= _FEWEST_VALUES}
    bins = [(i, *cell) for i, cell in enumerate(figures["bins"]) if cell[0]]
    return {
        "documents": "\n".join([*(row(k, v) for k, v in sets.items() if k in held_out), *total]),
        "extraction": "\n".join(row(k, v) for k, v in sorted(sets.items()) if k not in held_out and "f1" in v),
        "classes": "\n".join(row(k, v) for k, v in sorted(sets.items()) if "accuracy" in v),
        "fields": "\n".join(row(k, v) for k, v in sorted(fields.items(), key=lambda item: -item[1]["f1"])),
        "bins": "\n".join(f"| {i / 10:.1f}–{(i + 1) / 10:.1f} | {n} | {total / n:.2f} | {right / n:.2f} |" for i, n, total, right in bins),
        "calibration": f"{figures['calibration_error']:.2f}",
    }


def weight_tables(figures: Figures, quantised: dict[str, Figures]) -> dict[str, str]:
    """The figures of the measured weights side by side, where all of them have the set."""

    def cell(of: Figures, name: str) -> str:
        found = of["groups"]["all"] if name == "held-out" else of["sets"][name]
        return f"{100 * (found['f1'] if 'f1' in found else found['accuracy']):.1f}"

    columns = {"bf16": figures} | quantised
    names = ["held-out", *sorted(name for name in figures["sets"] if "_" in name and all(name in of["sets"] for of in columns.values()))]
    head = f"| | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}\n"
    return {"weights": head + "\n".join(f"| {name} | {' | '.join(cell(of, name) for of in columns.values())} |" for name in names)}


def main() -> None:
    """Writes the card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the data folder, with its README.md")
    parser.add_argument("--run", type=pathlib.Path, required=True, help="the run folder, with curve.jsonl")
    parser.add_argument("--figures", type=pathlib.Path, required=True, help="what measure.py wrote")
    parser.add_argument("--quantised", nargs="*", default=[], help="int8=FILE int4=FILE: what measure.py wrote with those weights")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    held_out = {path.stem for path in (HERE / "heldout").glob("*.jsonl")}
    figures = json.loads(args.figures.read_text(encoding="utf-8"))
    quantised = {name: json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for name, _, path in (item.partition("=") for item in args.quantised)}
    values = source_tables(args.data) | run_facts(args.run) | figure_tables(figures, held_out) | weight_tables(figures, quantised)
    template = string.Template((HERE / "card.md").read_text(encoding="utf-8"))
    args.out.write_text(template.substitute(values), encoding="utf-8")


if __name__ == "__main__":
    main()
