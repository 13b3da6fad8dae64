# SPDX-License-Identifier: Apache-2.0
"""Turns records into training samples: the prompt, its labels and the exact answer, as token ids with loss weights."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import random

from tokenizers import Tokenizer

from records import Record

HERE = pathlib.Path(__file__).parent
EOS = 2
MAX_LABELS = 6
MAX_CLASSES = 15
NONE = "None"
# Loss weights: a token of an answer, of a class (answers of very few tokens), of the prompt, of raw text.
ANSWER, CLASS, PROMPT, RAW = 1.0, 5.0, 0.15, 0.3
# How often a label is renamed, the share of absent labels asked, and how often as many labels as possible are asked.
RENAMED, ABSENT, FULL = 0.3, 0.33, 0.4
# How often all classes of a record are candidates, and how often classes go by other names.
ALL_CLASSES, CLASSES_RENAMED = 0.65, 0.15
# Questions on one text, and the fewest labels of any but the first.
TURNS, _FEWEST_AGAIN = 3, 2
# Labels that are never asked, so that labels never seen can be measured.
UNSEEN = frozenset(json.loads((HERE / "unseen_labels.json").read_text(encoding="utf-8")))
# In these sets a missing value does not mean absence.
INCOMPLETE = frozenset({"ner_finre_company", "ie_person_position", "ie_finnsp_negative"})


@dataclasses.dataclass(frozen=True)
class Sample:
    """Token ids and, for each, the weight of predicting it, and which question on the text it belongs to (0: the text)."""

    ids: list[int]
    weights: list[float]
    questions: list[int]


class Encoder:
    """The tokenizer with added tokens off, and the id of `[GEN]`."""

    def __init__(self, path: pathlib.Path) -> None:
        content = json.loads(path.read_text(encoding="utf-8"))
        self.gen = next(t["id"] for t in content["added_tokens"] if t["content"] == "[GEN]")
        content["added_tokens"] = []
        self._plain = Tokenizer.from_str(json.dumps(content, ensure_ascii=False))
        self.vocab_size = self.gen + 1

    def encode(self, text: str) -> list[int]:
        """The ids of a text; a `[GEN]` written in it stays text."""
        return self._plain.encode(text, add_special_tokens=False).ids

    def encode_with_offsets(self, text: str) -> list[tuple[int, int, int]]:
        """Of each token its id, and where the characters it holds begin and end."""
        encoded = self._plain.encode(text, add_special_tokens=False)
        return [(token, *offsets) for token, offsets in zip(encoded.ids, encoded.offsets, strict=True)]

    def decode(self, ids: list[int]) -> str:
        """The text of ids below the added ones."""
        return self._plain.decode([i for i in ids if i != self.gen], skip_special_tokens=False)


def text_part(text: str) -> str:
    """The part of the prompt that all questions on a text share."""
    return f"输入: {text.strip()}\n"


def question_part(labels: list[str], extraction: bool) -> str:
    """The rest of the prompt up to `[GEN]`; a comma in a label becomes a pause mark."""
    task = "抽取" if extraction else "分类"
    asked = "，".join(label.replace(",", "、").replace("，", "、") for label in labels)
    return f"{task}: {asked}\n输出: "


def prompt_text(text: str, labels: list[str], extraction: bool) -> str:
    """The prompt up to `[GEN]`."""
    return text_part(text) + question_part(labels, extraction)


def extraction_answer(asked: list[tuple[str, str]], gold: dict[str, tuple[str, ...]]) -> str:
    """One line for each (name in the prompt, label of the record)."""
    return "".join(f"{name}: {chr(9).join(gold.get(label) or (NONE,))}\n" for name, label in asked)


class SampleMaker:
    """Draws labels for a record and encodes the result."""

    def __init__(self, encoder: Encoder, renamed: float = RENAMED, turns: int = TURNS) -> None:
        self.encoder, self.renamed, self.turns = encoder, renamed, turns
        self.synonyms: dict[str, list[str]] = json.loads((HERE / "synonyms.json").read_text(encoding="utf-8"))
        self.class_synonyms: dict[str, list[str]] = json.loads((HERE / "class_synonyms.json").read_text(encoding="utf-8"))

    def make(self, record: Record, source: str, rng: random.Random) -> Sample:
        """A sample with freshly drawn labels."""
        if record.is_extraction:
            turns: list[tuple[list[str], str]] = []
            for fields in self._draw_turns(record, source, rng):
                asked = self._rename(fields, rng)
                turns.append(([n for n, _ in asked], extraction_answer(asked, record.gold)))
            return self.encode(record.text, turns, True)
        classes = self._draw_classes(record, rng)
        names = self._rename_classes(classes, rng)
        answer = "\t".join(name for name, c in zip(names, classes, strict=True) if c in record.label)
        return self.encode(record.text, [(names, answer)], False)

    def raw(self, text: str) -> Sample:
        """A piece of plain text."""
        ids = self.encoder.encode(text)
        return Sample(ids, [RAW] * len(ids), [0] * len(ids))

    def encode(self, text: str, turns: list[tuple[list[str], str]], extraction: bool) -> Sample:
        """The text once, then for each (labels, answer) the question, `[GEN]`, answer and end, as ids."""
        head = self.encoder.encode(text_part(text))
        ids, weights, questions = [*head], [PROMPT] * len(head), [0] * len(head)
        for number, (labels, answer) in enumerate(turns, 1):
            question = self.encoder.encode(question_part(labels, extraction))
            reply = [*self.encoder.encode(answer), EOS]
            ids += [*question, self.encoder.gen, *reply]
            weights += [PROMPT] * len(question) + [0.0] + [ANSWER if extraction else CLASS] * len(reply)
            questions += [number] * (len(question) + 1 + len(reply))
        return Sample(ids, weights, questions)

    def _draw_turns(self, record: Record, source: str, rng: random.Random) -> list[list[str]]:
        """The labels of one to three questions on a text; no label is asked twice."""
        left = record.labels
        turns: list[list[str]] = []
        for _ in range(rng.randint(1, self.turns) if self.turns > 1 else 1):
            part = dataclasses.replace(record, labels=left)
            fields = self._draw_fields(part, source, rng)
            if turns and len(fields) < _FEWEST_AGAIN:
                break
            turns.append(fields)
            left = tuple(label for label in left if label not in fields)
            if not any(record.gold.get(label) for label in left):
                break
        return turns

    @staticmethod
    def _draw_fields(record: Record, source: str, rng: random.Random) -> list[str]:
        labels = [label for label in record.labels if label not in UNSEEN]
        present = [label for label in labels if record.gold.get(label)]
        absent = [] if source in INCOMPLETE else [label for label in labels if not record.gold.get(label)]
        most = min(MAX_LABELS, len(present) + len(absent))
        wanted = most if rng.random() < FULL else rng.randint(1, most)
        missing = sum(rng.random() < ABSENT for _ in range(wanted))
        missing = min(max(missing, wanted - len(present)), len(absent))
        asked = rng.sample(present, min(wanted - missing, len(present))) + rng.sample(absent, missing)
        rng.shuffle(asked)
        return asked

    @staticmethod
    def _draw_classes(record: Record, rng: random.Random) -> list[str]:
        others = [label for label in record.labels if label not in record.label]
        most = min(len(others), MAX_CLASSES - len(record.label))
        wanted = most if rng.random() < ALL_CLASSES else rng.randint(min(1, most), most)
        classes = [*record.label, *rng.sample(others, wanted)]
        rng.shuffle(classes)
        return classes

    def _rename_classes(self, classes: list[str], rng: random.Random) -> list[str]:
        if rng.random() >= CLASSES_RENAMED or not self.renamed:
            return classes
        names = [rng.choice(self.class_synonyms.get(c, [c])) for c in classes]
        return names if len(set(names)) == len(names) else classes

    def _rename(self, labels: list[str], rng: random.Random) -> list[tuple[str, str]]:
        names: list[str] = []
        for label in labels:
            name = rng.choice(self.synonyms[label]) if label in self.synonyms and rng.random() < self.renamed else label
            names.append(label if name in names or name in labels else name)
        return list(zip(names, labels, strict=True))
