# SPDX-License-Identifier: Apache-2.0
"""Measures the product itself on gold files: `seqgpt batch` over each, strict micro-F1 or accuracy as a Markdown table."""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import tempfile
from typing import Any

from evaluate import score_extraction
from records import Record


def read_lines(path: pathlib.Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def run_batch(program: str, model: str, gold: list[dict[str, Any]], task: str) -> list[dict[str, Any]]:
    """The program's answers to the gold texts, in order."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in.jsonl"), pathlib.Path(folder, "out.jsonl")
        lines = ({"text": line["text"], "labels": line["labels"]} for line in gold)
        source.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        command = [program, "batch", "--model", model, "--task", task, "--values", "list"]
        done = subprocess.run([*command, "--input", str(source), "--output", str(target)], check=False)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
        return read_lines(target)


def measure_extraction(gold: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, float]:
    """Strict micro figures over distinct (label, value) pairs; a refused text has no values."""
    records = [Record(g["text"], tuple(g["labels"]), {k: list(v) for k, v in g["gold"].items()}) for g in gold]
    return score_extraction(records, [answer.get("result", {}) for answer in answers])


def main() -> None:
    """Prints one table row for each gold file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="../build/release/seqgpt")
    parser.add_argument("--model", default="../models/seqgpt-mini")
    parser.add_argument("gold", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    for path in args.gold:
        gold = read_lines(path)
        extract = "gold" in gold[0]
        answers = run_batch(args.program, args.model, gold, "extract" if extract else "classify")
        if extract:
            scores = measure_extraction(gold, answers)
            figures = " | ".join(f"{100 * scores[key]:.1f}" for key in ("precision", "recall", "f1"))
        else:
            right = sum(a.get("result") == g["label"] for a, g in zip(answers, gold, strict=True))
            figures = f"{100 * right / len(gold):.1f}"
        print(f"| {path.stem} | {len(gold)} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
