# SPDX-License-Identifier: Apache-2.0
"""Writes the development split as gold files and measures a model on gold files, without any constraint."""

from __future__ import annotations

import argparse
import json
import pathlib
from collections.abc import Iterable

import torch

from batches import Corpus
from bloom import Bloom
from decode import decode, load_model
from records import Record, read_records, set_name
from samples import MAX_LABELS, NONE, Encoder, prompt_text

# Longer development texts are left out.
_MAX_TEXT = 450
# Tokens of an answer; only a run-away repetition is longer.
_MAX_ANSWER = 160


def chunks(labels: tuple[str, ...]) -> list[list[str]]:
    """Near-equal runs of at most six labels."""
    count = -(-len(labels) // MAX_LABELS)
    size, extra = divmod(len(labels), count)
    bounds = [i * size + min(i, extra) for i in range(count + 1)]
    return [list(labels[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)]


def parse_answer(answer: str, labels: Iterable[str]) -> dict[str, list[str]]:
    """The values of each label in an unconstrained answer."""
    lines = dict(line.split(": ", 1) for line in answer.split("\n") if ": " in line)
    return {label: [v for v in lines.get(label, NONE).split("\t") if v and v != NONE] for label in labels}


def predict(model: Bloom, encoder: Encoder, records: list[Record]) -> list[dict[str, list[str]]]:
    """The values of every label of extraction records."""
    jobs = [(i, part) for i, r in enumerate(records) for part in chunks(r.labels)]
    answers = decode(model, encoder, [prompt_text(records[i].text, part, True) for i, part in jobs], limit=_MAX_ANSWER)
    out: list[dict[str, list[str]]] = [{} for _ in records]
    for (i, part), answer in zip(jobs, answers, strict=True):
        out[i] |= parse_answer(answer, part)
    return out


def score_extraction(records: list[Record], found: list[dict[str, list[str]]]) -> dict[str, float]:
    """Strict micro precision, recall and F1 over distinct (label, value) pairs."""
    right = given = wanted = 0
    for record, values in zip(records, found, strict=True):
        gold = {(label, v) for label, vs in record.gold.items() for v in vs if label in record.labels}
        mine = {(label, v) for label, vs in values.items() for v in vs}
        right, given, wanted = right + len(gold & mine), given + len(mine), wanted + len(gold)
    precision, recall = right / max(given, 1), right / max(wanted, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {"precision": precision, "recall": recall, "f1": f1}


def evaluate(model: Bloom, encoder: Encoder, records: list[Record]) -> dict[str, float]:
    """F1 for extraction, accuracy (the whole label set right) for classification."""
    if records[0].is_extraction:
        return {"lines": len(records)} | score_extraction(records, predict(model, encoder, records))
    answers = decode(model, encoder, [prompt_text(r.text, list(r.labels), False) for r in records], limit=40)
    right = sum(set(a.split("\t")) == set(r.label) for a, r in zip(answers, records, strict=True))
    return {"lines": len(records), "accuracy": right / len(records)}


def gold_line(index: int, record: Record) -> dict[str, object]:
    """A line of a gold file."""
    line: dict[str, object] = {"id": str(index), "text": record.text, "labels": list(record.labels)}
    if record.is_extraction:
        return line | {"gold": {k: list(v) for k, v in record.gold.items() if v}}
    return line | {"label": "\t".join(record.label)}


def write_dev(corpus: Corpus, folder: pathlib.Path, most: int) -> None:
    """One gold file for each set of the development split."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in sorted(corpus.dev.items()):
        kept = [r for r in records if len(r.text) <= _MAX_TEXT][:most]
        for suffix, extraction in (("", kept[0].is_extraction), ("_kind", not kept[0].is_extraction)):
            same = [r for r in kept if r.is_extraction == extraction]
            lines = [json.dumps(gold_line(i, r), ensure_ascii=False) + "\n" for i, r in enumerate(same)]
            if lines:
                (folder / f"{name}{suffix}.jsonl").write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Writes gold files, or measures a model on them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, help="write the development split of this folder and stop")
    parser.add_argument("--generated", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--dev", type=pathlib.Path, required=True, help="folder of gold files")
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=150, help="at most this many lines a set")
    parser.add_argument("--sets", nargs="*", help="only these sets")
    parser.add_argument("--out", type=pathlib.Path, help="the figures as JSON")
    args = parser.parse_args()
    if args.data:
        write_dev(Corpus(args.data, args.generated), args.dev, args.lines)
        return
    model, encoder, figures = load_model(args.model), Encoder(args.model / "tokenizer.json"), {}
    for path in sorted(args.dev.glob("*.jsonl")):
        if not args.sets or set_name(path) in args.sets:
            with torch.autocast("cpu", torch.bfloat16):
                figures[set_name(path)] = evaluate(model, encoder, read_records(path)[: args.lines])
            print(set_name(path), {k: round(v, 4) for k, v in figures[set_name(path)].items()}, flush=True)
    if args.out:
        args.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
