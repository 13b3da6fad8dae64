# SPDX-License-Identifier: Apache-2.0
"""Draws samples from the mixture of data sets and packs them into batches of nearly equal length."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import random
import re

import torch
from torch import Tensor

from records import Record, is_development, labelled_files, read_names, read_raw, read_records, set_name
from samples import ANSWER, Sample, SampleMaker
from vary import Variations

# Characters of a text that is trained on, and of a piece of raw text.
_MAX_TEXT, _RAW_PIECE = 340, 240
# Samples that are sorted by length together.
_POOL = 1000
# The share of prompt tokens whose loss is computed; their weight is raised accordingly.
_PROMPT_SHARE = 0.3
# Resume records and joined resume documents overlap in text.
_LINKED = ("ner_resume", "ie_resume_docs")
# In these sets several records are pieces of one document: firms of a held-out piece are not trained on.
_PIECES_OF_DOCUMENTS = ("ie_finqa_announcement", "cls_finqa_event")
_STOCK_CODE = re.compile(r"(?<!\d)\d{6}(?!\d)")
# A key in more records than this is no sign of a common document.
_COMMON_KEY = 12


@dataclasses.dataclass(frozen=True)
class Batch:
    """ids [rows, tokens], what each token may see, and the flat positions to predict from, their targets and weights.

    `distances` [rows, tokens, tokens] counts how far back a token lies, leaving out other questions; -inf where it must not
    be seen. None: one question a row, so the plain causal order holds.
    """

    ids: Tensor
    distances: Tensor | None
    positions: Tensor
    targets: Tensor
    weights: Tensor
    is_answer: Tensor


class Corpus:
    """All records and raw pieces of the data folder, in a training and a development part."""

    def __init__(self, data: pathlib.Path | None, generated: list[pathlib.Path]) -> None:
        self.train: dict[str, list[Record]] = {}
        self.dev: dict[str, list[Record]] = {}
        self.raw: list[str] = []
        if data is not None:
            for path in labelled_files(data):
                self._add(set_name(path), read_records(path))
            for path in sorted(p for p in data.iterdir() if p.name.startswith("raw_")):
                self.raw += [piece for text in read_raw(path) for piece in _pieces(text)]
            self._unlink()
            self._unlink_documents(read_names(data / "gaz_listed_company_names.txt"))
        for path in generated:
            self._add("generated", read_records(path))

    def _add(self, name: str, records: list[Record]) -> None:
        usable = [r for r in records if r.label or r.labels]
        self.dev.setdefault(name, []).extend(r for r in usable if is_development(r.text))
        kept = [r for r in usable if not is_development(r.text) and len(r.text) <= _MAX_TEXT + 200 * (name == "generated")]
        self.train.setdefault(name, []).extend(kept)

    def _unlink(self) -> None:
        for name, other in (_LINKED, _LINKED[::-1]):
            if name in self.train:
                held = [r.text for r in self.dev[other]]
                self.train[name] = [r for r in self.train[name] if not any(r.text in t or t in r.text for t in held)]

    def _unlink_documents(self, firms: list[str]) -> None:
        """Drops training records that name a firm or stock code of a held-out record of these sets."""
        names = [name for name in _PIECES_OF_DOCUMENTS if name in self.train]
        keys = {r.text: _document_keys(r, firms) for name in names for r in self.train[name] + self.dev[name]}
        count = collections.Counter(key for found in keys.values() for key in found)
        held = {key for name in names for r in self.dev[name] for key in keys[r.text] if count[key] <= _COMMON_KEY}
        for name in names:
            self.train[name] = [r for r in self.train[name] if not held & keys[r.text]]


def _document_keys(record: Record, firms: list[str]) -> set[str]:
    """What tells a document: firms of at least four characters, stock codes, and the asked values without figures."""
    values = {v for values in record.gold.values() for v in values if len(v) >= 4 and not any(c.isdigit() for c in v)}
    return values | {firm for firm in firms if len(firm) >= 4 and firm in record.text} | set(_STOCK_CODE.findall(record.text))


def _pieces(text: str) -> list[str]:
    return [text[i : i + _RAW_PIECE] for i in range(0, len(text), _RAW_PIECE) if len(text) - i > 30]


class Sampler:
    """An endless, resumable stream of batches: pool n depends on the seed and n alone."""

    def __init__(self, corpus: Corpus, maker: SampleMaker, mixture: dict[str, float], tokens: int, seed: int) -> None:
        self.corpus, self.maker, self.tokens, self.seed = corpus, maker, tokens, seed
        self.variations = Variations(corpus.train)
        full = {name: corpus.raw if name == "raw" else corpus.train.get(name) for name in mixture}
        self.names = [name for name, items in full.items() if items]
        self.shares = [mixture[name] for name in self.names]
        self.pool, self.position = 0, 0
        self._batches: list[Batch] = []

    def state(self) -> dict[str, int]:
        """What `restore` needs to go on at the same batch."""
        return {"pool": self.pool, "position": self.position}

    def restore(self, state: dict[str, int]) -> None:
        """Goes on where `state` was taken."""
        self.pool, self.position = state["pool"], state["position"]
        self._batches = self._fill() if self.position else []

    def next(self) -> Batch:
        """The next batch."""
        if self.position >= len(self._batches):
            self.pool, self.position = self.pool + (1 if self._batches else 0), 0
            self._batches = self._fill()
        self.position += 1
        return self._batches[self.position - 1]

    def _fill(self) -> list[Batch]:
        rng = random.Random(f"{self.seed}-{self.pool}")
        samples = sorted((self._draw(rng) for _ in range(_POOL)), key=lambda s: len(s.ids))
        groups: list[list[Sample]] = [[]]
        for sample in samples:
            if groups[-1] and len(sample.ids) * (len(groups[-1]) + 1) > self.tokens:
                groups.append([])
            groups[-1].append(sample)
        rng.shuffle(groups)
        return [collate(group, rng) for group in groups]

    def _draw(self, rng: random.Random) -> Sample:
        name = rng.choices(self.names, self.shares)[0]
        if name == "raw":
            return self.maker.raw(rng.choice(self.corpus.raw))
        record = self.variations.vary(rng.choice(self.corpus.train[name]), name, rng)
        return self.maker.make(record, name, rng)


def collate(samples: list[Sample], rng: random.Random | None) -> Batch:
    """Pads samples on the right; without `rng` every weighted token is kept."""
    width = max(len(s.ids) for s in samples)
    ids = torch.full((len(samples), width), 3)
    positions, targets, weights = [], [], []
    for row, sample in enumerate(samples):
        ids[row, : len(sample.ids)] = torch.tensor(sample.ids)
        for i in range(1, len(sample.ids)):
            weight = sample.weights[i]
            if weight and rng is not None and weight < ANSWER:
                weight = weight / _PROMPT_SHARE if rng.random() < _PROMPT_SHARE else 0.0
            if weight:
                positions.append(row * width + i - 1)
                targets.append(sample.ids[i])
                weights.append(weight)
    answer = [w >= ANSWER for w in weights]
    return Batch(ids, _distances(samples, width), torch.tensor(positions), torch.tensor(targets), torch.tensor(weights), torch.tensor(answer))


def _distances(samples: list[Sample], width: int) -> Tensor | None:
    if all(max(s.questions) <= 1 for s in samples):
        return None
    questions, places = torch.zeros(len(samples), width), torch.zeros(len(samples), width)
    for row, sample in enumerate(samples):
        count, text = len(sample.ids), sample.questions.count(0)
        questions[row, :count] = torch.tensor(sample.questions, dtype=torch.float)
        starts = {0: 0} | {q: sample.questions.index(q) - text for q in set(sample.questions) if q}
        places[row, :count] = torch.tensor([float(i - starts[q]) for i, q in enumerate(sample.questions)])
    same = (questions[:, None, :] == 0) | (questions[:, None, :] == questions[:, :, None])
    seen = same & torch.ones(width, width, dtype=torch.bool).tril()
    return (places[:, None, :] - places[:, :, None]).masked_fill(~seen, float("-inf"))
