# SPDX-License-Identifier: Apache-2.0
"""Trains the boundary head of a model folder: a small network on its hidden states that says how well a span of the text reads as a whole value."""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import random
import unicodedata

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from bloom import Bloom
from decode import load_model
from measure import run_batch
from records import Record, is_development, read_records
from samples import HERE, MAX_LABELS, Encoder, prompt_text

FILE = "boundary_head.safetensors"
# How far an end may move, in characters; the program's own figure (src/pipeline/boundary_window.cc).
REACH = 3
PARAMETERS, MOST_UNITS = 50_000, 32
# Hidden states that a span is judged by: before it, its first and last token, after it, and the end of its label's name in the question.
SLOTS = ("before", "first", "last", "after", "label")
# Behind them: begins with a token, ends with one, characters / _LONG.
SCALARS, _LONG = 3, 32.0
_MARGINS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_MOST_CHARACTERS, _HELD_ONE_IN = 600, 8
_BARE = frozenset(("text", "person", "org", "place"))


class BoundaryHead(nn.Module):
    """Two layers; the first over all slots and scalars, as one projection for each slot."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        units = min(MOST_UNITS, (PARAMETERS - 3) // (len(SLOTS) * hidden + SCALARS + 2))
        self.layer1 = nn.Linear(len(SLOTS) * hidden + SCALARS, units)
        self.layer2 = nn.Linear(units, 1)

    def forward(self, rows: Tensor, index: Tensor, scalars: Tensor) -> Tensor:
        """Rows [R, hidden], of each span its rows [.., slots] and scalars [.., 3], to scores [..]."""
        weight = self.layer1.weight
        units = nn.functional.linear(scalars, weight[:, len(SLOTS) * self.hidden :], self.layer1.bias)
        for slot in range(len(SLOTS)):
            projected = nn.functional.linear(rows, weight[:, slot * self.hidden : (slot + 1) * self.hidden])
            units = units + projected[index[..., slot]]
        return self.layer2(torch.relu(units))[..., 0]


@dataclasses.dataclass
class Example:
    """The spans that one value might have: rows of the table, scalars, and which is right (-1: none)."""

    rows: Tensor  # [R, hidden], of this example alone
    index: Tensor  # [spans, slots]
    scalars: Tensor  # [spans, SCALARS]
    right: int
    own: int  # the span it was found at


def _types() -> dict[str, str]:
    """The type of each standard label; others are text."""
    fields: dict[str, list[str]] = json.loads((HERE / "standard_fields.json").read_text(encoding="utf-8"))
    return {name: kind for kind, names in fields.items() for name in names}


def _alike(a: str, b: str) -> bool:
    """Whether two characters stand within one number or one Latin word."""
    if not (a.isascii() and b.isascii()):
        return False
    return (a.isdigit() and b.isdigit()) or (a.isalpha() and b.isalpha())


def is_candidate(text: str, begin: int, end: int) -> bool:
    """What the program would offer: within a line, no blank or punctuation at an end, no word or number cut."""
    if begin < 0 or end > len(text) or begin >= end or any(c in "\r\n\t" for c in text[begin:end]):
        return False
    if any(unicodedata.category(c)[0] in "PZCM" for c in (text[begin], text[end - 1])):
        return text[end - 1] in "）)》」”]" and unicodedata.category(text[begin])[0] not in "PZCM"
    return not (begin and _alike(text[begin - 1], text[begin])) and not (end < len(text) and _alike(text[end - 1], text[end]))


def spans_near(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """The span itself, then those whose ends are up to REACH away."""
    moves = range(-REACH, REACH + 1)
    near = [(begin + i, end + j) for i in moves for j in moves if (i or j) and is_candidate(text, begin + i, end + j)]
    return [(begin, end), *near]


class Reader:
    """A text and its question through the model, and the spans of its values as examples."""

    def __init__(self, model: Bloom, encoder: Encoder) -> None:
        self.model, self.encoder = model, encoder

    @torch.no_grad()
    def examples(self, text: str, labels: list[str], values: list[tuple[str, tuple[int, int], tuple[int, int] | None]]) -> list[Example]:
        """`values`: label, the span it was found at, the right one; places count in `text`, which is stripped."""
        prompt = prompt_text(text, labels, True)
        encoded = self.encoder.encode_with_offsets(prompt)
        ids, offsets = [t[0] for t in encoded], [t[1:] for t in encoded]
        owner = [0] * len(prompt)  # the token that holds a character; its last one where several do
        for token, (start, end) in enumerate(offsets):
            owner[start:end] = [token] * (end - start)
        starts, ends = {s for s, _ in offsets}, {e for _, e in offsets}
        hidden = self.model(torch.tensor([ids]))[0]
        shift = len("输入: ")
        made = []
        for label, own, right in values:
            spans = spans_near(text, *own)
            if right is not None and right not in spans:
                right = None
            name_end = prompt.rindex("\n输出: ") - len("，".join(labels)) + len("，".join(labels[: labels.index(label) + 1]))
            index, scalars = [], []
            for begin, end in spans:
                b, e = begin + shift, end + shift
                index.append([owner[b - 1], owner[b], owner[e - 1], owner[e], owner[name_end - 1]])
                scalars.append([float(b in starts), float(e in ends), (end - begin) / _LONG])
            used, places = torch.unique(torch.tensor(index), return_inverse=True)
            made.append(Example(hidden[used].clone(), places, torch.tensor(scalars), spans.index(right) if right else -1, 0))
        return made


def gold_values(record: Record, labels: list[str], rng: random.Random) -> list[tuple[str, tuple[int, int], tuple[int, int] | None]]:
    """Values that stand in the text once, each with a span near it that it might have been found at."""
    values: list[tuple[str, tuple[int, int], tuple[int, int] | None]] = []
    for label in labels:
        for value in record.gold.get(label, ()):
            if record.text.count(value) != 1:
                continue
            right = (record.text.index(value), record.text.index(value) + len(value))
            near = spans_near(record.text, *right)
            values.append((label, rng.choice(near) if rng.random() < 0.5 else right, right))
    return values


def usable(path: pathlib.Path) -> list[Record]:
    """The extraction records of a file that are short enough and not of the development split, stripped."""
    records = [dataclasses.replace(r, text=r.text.strip()) for r in read_records(path) if r.labels and not r.label and not is_development(r.text)]
    return [r for r in records if 0 < len(r.text) <= _MOST_CHARACTERS and "\r" not in r.text]


def bare_labels(record: Record, types: dict[str, str]) -> list[str]:
    """The labels whose values no type says the ends of."""
    return [label for label in record.labels if types.get(label, "text") in _BARE and "，" not in label and "," not in label]


def read_gold(reader: Reader, records: list[Record], rng: random.Random) -> list[Example]:
    """Examples of the gold values of all records."""
    types = _types()
    made: list[Example] = []
    for record in records:
        labels = bare_labels(record, types)
        labels = sorted(labels, key=lambda label: (not record.gold.get(label), rng.random()))[:MAX_LABELS]
        rng.shuffle(labels)
        if values := gold_values(record, labels, rng):
            made += reader.examples(record.text, labels, values)
    return made


def read_answers(reader: Reader, records: list[Record], program: str, model: str) -> list[Example]:
    """Examples of what the program itself answers; right is a gold value of the label nearby."""
    types = _types()
    lines = [{"text": r.text, "labels": bare_labels(r, types)} for r in records]
    lines = [line for line in lines if line["labels"]]
    kept = [r for r in records if bare_labels(r, types)]
    made: list[Example] = []
    for record, answer in zip(kept, run_batch([program, "--no-normalize"], model, lines, "extract"), strict=True):
        found: dict[str, list[tuple[int, int]]] = {}
        for entity in answer.get("entities", []):
            found.setdefault(entity["label"], []).append((entity["start"], entity["end"]))
        labels = list(found)[:MAX_LABELS]
        values = [(label, own, _right_near(record, label, own)) for label in labels for own in found[label]]
        if values:
            made += reader.examples(record.text, labels, values)
    return made


def _right_near(record: Record, label: str, own: tuple[int, int]) -> tuple[int, int] | None:
    """The span near `own` that is a gold value of the label."""
    wanted = set(record.gold.get(label, ()))
    return next((span for span in spans_near(record.text, *own) if record.text[span[0] : span[1]] in wanted), None)


def collate(examples: list[Example]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Rows of all, spans padded to the most, and a mask of those that are there."""
    most = max(len(e.index) for e in examples)
    index = torch.zeros(len(examples), most, len(SLOTS), dtype=torch.long)
    scalars, there, base = torch.zeros(len(examples), most, SCALARS), torch.zeros(len(examples), most, dtype=torch.bool), 0
    for i, example in enumerate(examples):
        count = len(example.index)
        index[i, :count], scalars[i, :count], there[i, :count] = example.index + base, example.scalars, True
        base += len(example.rows)
    return torch.cat([e.rows for e in examples]), index, scalars, there


def scores(head: BoundaryHead, examples: list[Example]) -> Tensor:
    """[examples, spans], minus infinity where there is none."""
    rows, index, scalars, there = collate(examples)
    return head(rows, index, scalars).masked_fill(~there, float("-inf"))


def train(head: BoundaryHead, examples: list[Example], epochs: int, rng: random.Random) -> None:
    """The right span among those near it, by cross-entropy; the rate falls linearly to zero."""
    optimiser = torch.optim.AdamW(head.parameters(), lr=2e-3, weight_decay=0.05)
    examples = [e for e in examples if e.right >= 0]
    batch, done, steps = 64, 0, epochs * -(-len(examples) // 64)
    for epoch in range(epochs):
        rng.shuffle(examples)
        total = 0.0
        for first in range(0, len(examples), batch):
            part = examples[first : first + batch]
            loss = nn.functional.cross_entropy(scores(head, part), torch.tensor([e.right for e in part]))
            optimiser.zero_grad()
            loss.backward()
            optimiser.param_groups[0]["lr"] = 2e-3 * (1 - done / steps)
            optimiser.step()
            done += 1
            total += loss.item() * len(part)
        print(f"epoch {epoch + 1}: loss {total / max(len(examples), 1):.4f}", flush=True)


@torch.no_grad()
def judge(head: BoundaryHead, examples: list[Example], margin: float) -> tuple[int, int]:
    """How many wrong spans become right, and how many right ones wrong, when one ahead by the margin is taken."""
    mended = spoilt = 0
    for first in range(0, len(examples), 256):
        part = examples[first : first + 256]
        for row, example in zip(scores(head, part), part, strict=True):
            best = int(row.argmax())
            if best == example.own or row[best] <= row[example.own] + margin:
                continue
            mended += best == example.right
            spoilt += example.own == example.right
    return mended, spoilt


def best_margin(head: BoundaryHead, examples: list[Example]) -> tuple[float, int]:
    """The margin of most gain on held-out answers, and that gain in values."""
    gains = {margin: judge(head, examples, margin) for margin in _MARGINS}
    for margin, (mended, spoilt) in gains.items():
        print(f"margin {margin}: of {len(examples)} held-out values {mended} mended, {spoilt} spoilt", flush=True)
    margin = max(_MARGINS, key=lambda m: (gains[m][0] - gains[m][1], m))
    return margin, gains[margin][0] - gains[margin][1]


def write(head: BoundaryHead, margin: float, out: pathlib.Path) -> None:
    """The file that the program looks for beside the weights, in single precision."""
    out.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.detach().float().contiguous() for name, tensor in head.state_dict().items()}
    save_file({**tensors, "margin": torch.tensor([margin])}, out / FILE, metadata={"format": "pt", "reach": str(REACH), "slots": ",".join(SLOTS)})
    (out / FILE).chmod(0o644)


def main(argv: list[str] | None = None) -> None:
    """Trains, chooses the margin, and writes the file if held-out values gain by it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=pathlib.Path, required=True, help="the model folder")
    parser.add_argument("--data", type=pathlib.Path, required=True, nargs="+", help="labelled lines (see README.md)")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder to write to: the model's own to switch the head on")
    parser.add_argument("--program", help="seqgpt itself: the margin is then chosen on its own answers, else on spans moved at random")
    parser.add_argument("--lines", type=int, default=400, help="at most so many lines of each file")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--always", action="store_true", help="write the file even without a gain")
    args = parser.parse_args(argv)
    rng = random.Random(args.seed)
    torch.manual_seed(args.seed)
    files = [usable(path) for path in args.data]
    records = [r for lines in files for r in rng.sample(lines, min(args.lines, len(lines)))]
    rng.shuffle(records)
    held, kept = records[::_HELD_ONE_IN], [r for i, r in enumerate(records) if i % _HELD_ONE_IN]
    model = load_model(args.model).eval()
    reader = Reader(model, Encoder(args.model / "tokenizer.json"))
    examples = read_gold(reader, kept, rng)
    head = BoundaryHead(model.config.hidden)
    print(f"{len(examples)} values of {len(kept)} lines; {sum(p.numel() for p in head.parameters())} parameters", flush=True)
    train(head, examples, args.epochs, rng)
    answers = read_answers(reader, held, args.program, str(args.model)) if args.program else read_gold(reader, held, rng)
    margin, gain = best_margin(head, answers)
    if gain <= 0 and not args.always:
        raise SystemExit("no gain on held-out values: nothing is written, the model stays without a head")
    write(head, margin, args.out)
    print(f"written: {args.out / FILE}, margin {margin}, held-out gain {gain} of {len(answers)} values", flush=True)


if __name__ == "__main__":
    main()
