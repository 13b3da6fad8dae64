# SPDX-License-Identifier: Apache-2.0
"""Varies records as they are drawn: names change for others of their kind, sentences are left out, characters are lost."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterable

from records import Record

# Sets whose values are names that can stand for each other, and how often they do; which share of a record's values changes.
_NAMES = frozenset({"ner_msra", "ner_cluener", "ner_bdci_privacy", "ner_resume", "ner_peoples_daily98", "ner_weibo", "ie_person_position"})
_CHANGE, _CHANGED = 0.35, 0.6
_LONGEST_NAME = 30
# How often sentences are left out, of generated documents and of others.
_SHORTEN = {"generated": 0.3}
_SHORTEN_OTHERS = 0.12
_SENTENCE = re.compile(r"[^。！？；\n]*[。！？；\n]+|[^。！？；\n]+$")
# How often characters of a text to classify are lost, and which share of them; how often a piece of it is, and how long at most.
_LOSE, _LOST = 0.4, 0.1
_CROP, _CROPPED = 0.25, 0.3
_SHORTEST = 8


class Variations:
    """What names the training records of each set have under each label, and how a record is varied with them."""

    def __init__(self, train: dict[str, list[Record]]) -> None:
        self.names = {name: _names(records) for name, records in train.items() if name in _NAMES}

    def vary(self, record: Record, source: str, rng: random.Random) -> Record:
        """The record, or one like it whose gold is as true."""
        if not record.is_extraction:
            return dataclasses.replace(record, text=_worn(record.text, rng))
        if rng.random() < _SHORTEN.get(source, _SHORTEN_OTHERS):
            record = shortened(record, source == "generated", rng)
        if source in self.names and rng.random() < _CHANGE:
            record = renamed(record, self.names[source], rng)
        return record


def _names(records: Iterable[Record]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for record in records:
        for label, values in record.gold.items():
            found.setdefault(label, {}).update(dict.fromkeys(v for v in values if 1 < len(v) <= _LONGEST_NAME))
    return {label: list(values) for label, values in found.items()}


def renamed(record: Record, names: dict[str, list[str]], rng: random.Random) -> Record:
    """Most values become others of their label, wherever they stand; unchanged where values lie in one another or share labels."""
    values = [v for vs in record.gold.values() for v in vs]
    if any(a in b for i, a in enumerate(values) for j, b in enumerate(values) if i != j):
        return record
    change = {
        value: rng.choice(names[label])
        for label, vs in record.gold.items() for value in vs
        if label in names and value in record.text and rng.random() < _CHANGED
    }  # fmt: skip
    change = {old: new for old, new in change.items() if new not in record.text and not any(v in new or new in v for v in values)}
    if not change or len(set(change.values())) < len(change) or any(a != b and a in b for a in change.values() for b in change.values()):
        return record
    text = re.sub("|".join(map(re.escape, change)), lambda m: change[m.group()], record.text)
    gold = {label: tuple(change.get(v, v) for v in vs) for label, vs in record.gold.items()}
    return dataclasses.replace(record, text=text, gold=gold)


def shortened(record: Record, roles: bool, rng: random.Random) -> Record:
    """One or two sentences of three or more are left out, and what only they held. Where labels are `roles`, one whose value also
    stands in what is left is no longer asked: it may have lost its reason."""
    pieces = _SENTENCE.findall(record.text)
    if len(pieces) < 3:
        return record
    gone = set(rng.sample(range(len(pieces)), 1 if len(pieces) < 6 or rng.random() < 0.5 else 2))
    text = "".join(piece for i, piece in enumerate(pieces) if i not in gone)
    left_out = [pieces[i] for i in sorted(gone)]
    gold = {label: tuple(v for v in vs if v in text) for label, vs in record.gold.items()}
    if not any(gold.values()):
        return record
    unsure = {label for label, vs in gold.items() if roles and any(v in piece for v in vs for piece in left_out)}
    labels = tuple(label for label in record.labels if label not in unsure)
    return dataclasses.replace(record, text=text, gold=gold, labels=labels) if labels else record


def _worn(text: str, rng: random.Random) -> str:
    """A text to classify that lost characters here and there, or a piece."""
    if len(text) >= _SHORTEST and rng.random() < _CROP:
        length = rng.randint(1, max(1, int(len(text) * _CROPPED)))
        start = rng.randint(0, len(text) - length)
        text = text[:start] + text[start + length :]
    if len(text) >= _SHORTEST and rng.random() < _LOSE:
        text = "".join(c for c in text if rng.random() >= _LOST)
    return text if text.strip() else "。"
