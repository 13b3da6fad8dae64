# SPDX-License-Identifier: Apache-2.0
"""Measures the product itself on gold files: `seqgpt batch` over each; strict micro figures, per field, per group of labels, calibration."""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import tempfile
from typing import Any

from generate import read_skeletons
from samples import HERE, UNSEEN

_BINS = 10
Line = dict[str, Any]


@dataclasses.dataclass
class Tally:
    """Counts of distinct (label, value) pairs."""

    right: int = 0
    given: int = 0
    wanted: int = 0

    def add(self, gold: set[str], mine: set[str]) -> None:
        """Counts the values of one label of one text."""
        self.right += len(gold & mine)
        self.given += len(mine)
        self.wanted += len(gold)

    def figures(self) -> dict[str, float]:
        """Precision, recall and F1, and how many values there are."""
        precision, recall = self.right / max(self.given, 1), self.right / max(self.wanted, 1)
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        return {"values": self.wanted, "precision": precision, "recall": recall, "f1": f1}


def read_lines(path: pathlib.Path) -> list[Line]:
    """The JSON objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def run_batch(program: list[str], model: str, gold: list[Line], task: str) -> list[Line]:
    """The program's answers to the gold texts, in order."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in.jsonl"), pathlib.Path(folder, "out.jsonl")
        lines = ({"text": line["text"], "labels": line["labels"]} for line in gold)
        source.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        multi = ["--multi"] if any("\t" in str(line.get("label", "")) for line in gold) else []
        command = [*program[:1], "batch", "--model", model, "--task", task, "--values", "list", *multi, *program[1:]]
        done = subprocess.run([*command, "--input", str(source), "--output", str(target)], check=False, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
        return read_lines(target)


def trained_labels(data: pathlib.Path | None) -> set[str]:
    """Every label that training may have asked: the generator's, their other names, those of the data sets."""
    sources = [json.loads((HERE / f"{name}.json").read_text(encoding="utf-8")) for name in ("synonyms", "forms", "words")]
    labels = {label for source in sources for key, values in source.items() for label in (key, *values)}
    roles: dict[str, str] = json.loads((HERE / "roles.json").read_text(encoding="utf-8"))
    labels |= set(roles) | {role for names in roles.values() for role in names.split()}
    for path in (HERE / "skeletons").glob("*.txt"):
        labels |= {slot.partition("=")[0].strip("!_x0123456789") for _, text in read_skeletons(path) for slot in re.findall(r"{([^{}]+)}", text)}
    if data is not None:
        labels |= {label for names in json.loads((data / "labels.json").read_text(encoding="utf-8")).values() for label in names}
    return labels - UNSEEN


class Report:
    """Collects the figures of all files."""

    def __init__(self, trained: set[str]) -> None:
        self.trained = trained
        fields = json.loads((HERE / "standard_fields.json").read_text(encoding="utf-8"))
        self.standard = {field for names in fields.values() for field in names}
        self.sets: dict[str, dict[str, float]] = {}
        self.fields: dict[str, Tally] = collections.defaultdict(Tally)
        self.groups: dict[str, Tally] = collections.defaultdict(Tally)
        self.bins = [[0, 0.0, 0] for _ in range(_BINS)]

    def extraction(self, name: str, gold: list[Line], answers: list[Line], grouped: bool) -> None:
        """Strict figures over the verbatim texts; a refused text has no values."""
        whole = Tally()
        for line, answer in zip(gold, answers, strict=True):
            for label in line["labels"]:
                wanted = set(line["gold"].get(label, ()))
                mine = {entity["text"] for entity in answer.get("entities", ()) if entity["label"] == label}
                for tally in (whole, *(self._tallies(label) if grouped else ())):
                    tally.add(wanted, mine)
            if grouped:
                self._calibrate(line, answer)
        self.sets[name] = {"lines": len(gold), **whole.figures()}

    def _tallies(self, label: str) -> list[Tally]:
        groups = ["all", *(["standard"] if label in self.standard else []), *(["unseen"] if label not in self.trained else [])]
        return [self.fields[label], *(self.groups[name] for name in groups)]

    def _calibrate(self, line: Line, answer: Line) -> None:
        for entity in answer.get("entities", ()):
            cell = self.bins[min(int(entity["confidence"] * _BINS), _BINS - 1)]
            cell[0] += 1
            cell[1] += entity["confidence"]
            cell[2] += entity["text"] in line["gold"].get(entity["label"], ())

    def classification(self, name: str, gold: list[Line], answers: list[Line]) -> None:
        """The whole set of labels right."""
        right = sum(_classes(a.get("result")) == _classes(g["label"]) for a, g in zip(answers, gold, strict=True))
        self.sets[name] = {"lines": len(gold), "accuracy": right / len(gold)}

    def as_json(self) -> dict[str, object]:
        """Everything, for the model card."""
        count = max(sum(cell[0] for cell in self.bins), 1)
        error = sum(abs(cell[1] - cell[2]) for cell in self.bins) / count
        return {
            "sets": self.sets, "groups": {k: t.figures() for k, t in self.groups.items()}, "fields": {k: t.figures() for k, t in sorted(self.fields.items())},
            "bins": self.bins, "calibration_error": error,
        }  # fmt: skip


def _classes(value: object) -> set[str]:
    if isinstance(value, str):
        return set(value.split("\t"))
    return {str(v["label"]) if isinstance(v, dict) else str(v) for v in value} if isinstance(value, list) else set()


def row(name: str, figures: dict[str, float]) -> str:
    """A table row."""
    if "accuracy" in figures:
        return f"| {name} | {figures['lines']:.0f} | {100 * figures['accuracy']:.1f} |"
    count = figures.get("lines", figures["values"])
    return f"| {name} | {count:.0f} | " + " | ".join(f"{100 * figures[key]:.1f}" for key in ("precision", "recall", "f1")) + " |"


def main() -> None:
    """Prints one table row for each gold file, and the groups of the held-out documents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=shlex.split, default=["../build/release/seqgpt"], help="the program and options for every call, in one string")
    parser.add_argument("--model", default="../models/seqgpt-mini")
    parser.add_argument("--data", type=pathlib.Path, help="the data folder, to know which labels its sets ask")
    parser.add_argument("--lines", type=int, help="at most this many lines a file")
    parser.add_argument("--grouped", default="heldout", help="files of a folder of this name are also counted per field and group")
    parser.add_argument("--out", type=pathlib.Path, help="all figures as JSON")
    parser.add_argument("gold", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    report = Report(trained_labels(args.data))
    for path in args.gold:
        gold = read_lines(path)[: args.lines]
        extract = "gold" in gold[0]
        answers = run_batch(args.program, args.model, gold, "extract" if extract else "classify")
        if extract:
            report.extraction(path.stem, gold, answers, path.parent.name == args.grouped)
        else:
            report.classification(path.stem, gold, answers)
        print(row(path.stem, report.sets[path.stem]), flush=True)
    figures = report.as_json()
    for name, tally in report.groups.items():
        print(row(f"held-out, {name}", tally.figures()), flush=True)
    if args.out:
        args.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
