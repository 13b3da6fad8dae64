# SPDX-License-Identifier: Apache-2.0
"""Reads labelled files and raw text, and splits off the development lines."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import lzma
import pathlib
from collections.abc import Iterator

# One line in this many is kept for development.
_DEV_ONE_IN = 25


@dataclasses.dataclass(frozen=True)
class Record:
    """A text with the labels that may be asked; `gold` holds values for extraction, `label` the answer for classification."""

    text: str
    labels: tuple[str, ...]
    gold: dict[str, tuple[str, ...]]
    label: tuple[str, ...] = ()

    @property
    def is_extraction(self) -> bool:
        """Whether fields are asked for, rather than a class."""
        return not self.label


def read_lines(path: pathlib.Path) -> Iterator[str]:
    """The lines of a plain or xz-compressed file."""
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as stream:
        for line in stream:
            yield line.rstrip("\n")


def is_development(text: str) -> bool:
    """Whether a text belongs to the development split, by its hash."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") % _DEV_ONE_IN == 0


def _distinct(entities: list[list[object]]) -> tuple[str, ...]:
    ordered = sorted(entities, key=lambda e: (int(str(e[1])), int(str(e[2]))))
    values = dict.fromkeys(str(e[0]) for e in ordered)
    return tuple(v for v in values if v and "\t" not in v and "\n" not in v and "\r" not in v)


def parse_record(line: str) -> Record:
    """A line of either kind, in span form or in gold form."""
    row = json.loads(line)
    labels = tuple(row["labels"])
    if "label" in row:
        return Record(row["text"], labels, {}, tuple(row["label"].replace("，", "\t").split("\t")))
    if "gold" in row:
        return Record(row["text"], labels, {k: tuple(v) for k, v in row["gold"].items()})
    return Record(row["text"], labels, {k: _distinct(v) for k, v in row["entities"].items()})


def read_records(path: pathlib.Path) -> list[Record]:
    """All records of a file."""
    return [parse_record(line) for line in read_lines(path) if line]


def set_name(path: pathlib.Path) -> str:
    """The name of a data set: its file name without suffixes."""
    return path.name.split(".")[0]


def labelled_files(data: pathlib.Path) -> list[pathlib.Path]:
    """The labelled files of a data folder, in name order."""
    return sorted(p for p in data.iterdir() if ".jsonl" in p.name)


def read_raw(path: pathlib.Path) -> list[str]:
    """The documents of a raw text file, which an empty line separates."""
    documents, current = [], []
    for line in read_lines(path):
        if line:
            current.append(line)
        elif current:
            documents.append("\n".join(current))
            current = []
    return documents + (["\n".join(current)] if current else [])


def read_names(path: pathlib.Path) -> list[str]:
    """The entries of a gazetteer, none if there is no such file."""
    return [line for line in read_lines(path) if line and "\\" not in line] if path.exists() else []
