# SPDX-License-Identifier: Apache-2.0
"""Builds tokenizer.json: BLOOM's byte-level BPE with single Chinese characters as its main unit."""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
from collections.abc import Iterable

from records import read_lines

SPECIALS = ["<unk>", "<s>", "</s>", "<pad>"]
GEN = "[GEN]"
SPLIT = r" ?[^(\s|[.,!?…。，、।۔،])]+"
_HANZI = re.compile(r"[\u3400-\u9fff]")
_LETTERS = re.compile(r"[A-Za-z]{2,}")


def byte_letters() -> list[str]:
    """The printable letter that stands for each byte in a byte-level vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {b: chr(b) for b in plain}
    others = [b for b in range(256) if b not in table]
    table.update({b: chr(256 + i) for i, b in enumerate(others)})
    return [table[b] for b in range(256)]


def spell(text: str) -> list[str]:
    """A string as byte letters."""
    letters = byte_letters()
    return [letters[b] for b in text.encode()]


def common_characters(counts: collections.Counter[str], size: int) -> list[str]:
    """Every GB 2312 level-one character, then the most frequent others, `size` in all."""
    level_one = [bytes([h, low]).decode("gb2312", "ignore") for h in range(0xB0, 0xD8) for low in range(0xA1, 0xFF)]
    chosen = {c for c in level_one if c}
    for char, _ in counts.most_common():
        if len(chosen) >= size:
            break
        if len(char.encode()) > 1:
            chosen.add(char)
    return sorted(chosen)


def learn_letter_merges(words: collections.Counter[str], count: int) -> list[tuple[str, str]]:
    """Plain byte-pair merges inside runs of Latin letters."""
    pieces = {word: list(word) for word, n in words.items() if n >= 3}
    merges: list[tuple[str, str]] = []
    while len(merges) < count:
        pairs: collections.Counter[tuple[str, str]] = collections.Counter()
        for word, parts in pieces.items():
            for pair in zip(parts, parts[1:], strict=False):
                pairs[pair] += words[word]
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(best)
        pieces = {word: _merge(parts, best) for word, parts in pieces.items()}
    return merges


def _merge(parts: list[str], pair: tuple[str, str]) -> list[str]:
    out: list[str] = []
    for part in parts:
        if out and (out[-1], part) == pair:
            out[-1] += part
        else:
            out.append(part)
    return out


def character_merges(characters: Iterable[str]) -> list[tuple[str, str]]:
    """The merges that build each character from its bytes, shared prefixes first."""
    merges: dict[tuple[str, str], None] = {}
    spelled = [spell(c) for c in characters]
    for length in (2, 3, 4):
        for parts in spelled:
            if len(parts) >= length:
                merges["".join(parts[: length - 1]), parts[length - 1]] = None
    return list(merges)


def build(characters: list[str], letter_merges: list[tuple[str, str]]) -> dict[str, object]:
    """The whole tokenizer.json as a dictionary."""
    none = [("N", "o"), ("n", "e"), ("No", "ne")]
    merges = character_merges(characters) + none + [m for m in letter_merges if m not in none]
    vocab = {token: i for i, token in enumerate(SPECIALS)}
    for token in sorted(byte_letters()):
        vocab[token] = len(vocab)
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    added = [_added(i, token, True) for i, token in enumerate(SPECIALS)] + [_added(len(vocab), GEN, False)]
    split = {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    model: dict[str, object] = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None}
    model |= {"fuse_unk": False, "vocab": vocab, "merges": [f"{a} {b}" for a, b in merges]}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "post_processor": level | {"add_prefix_space": True, "trim_offsets": False},
        "decoder": level | {"add_prefix_space": True},
        "model": model,
    }  # fmt: skip


def _added(index: int, content: str, special: bool) -> dict[str, object]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": not special, "special": special}
    return {"id": index, "content": content, **flags}


def count_data(data: pathlib.Path) -> tuple[collections.Counter[str], collections.Counter[str]]:
    """How often each character and each run of Latin letters occurs in the data."""
    chars: collections.Counter[str] = collections.Counter()
    words: collections.Counter[str] = collections.Counter()
    for path in sorted(data.iterdir()):
        if path.suffix not in {".jsonl", ".txt", ".xz"}:
            continue
        for line in read_lines(path):
            text = json.loads(line)["text"] if ".jsonl" in path.name else line
            chars.update(text)
            words.update(_LETTERS.findall(text))
    return chars, words


def write(target: pathlib.Path, tokenizer: dict[str, object]) -> None:
    """Writes the three tokenizer files of a model folder."""
    target.mkdir(parents=True, exist_ok=True)
    names = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    config = {"add_prefix_space": False, "clean_up_tokenization_spaces": False, "tokenizer_class": "BloomTokenizerFast", "padding_side": "left"}
    for name, content in (
        ("tokenizer.json", tokenizer),
        ("special_tokens_map.json", names),
        ("tokenizer_config.json", names | config),
    ):
        (target / name).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Counts the data and writes the tokenizer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--characters", type=int, default=5900)
    parser.add_argument("--letter-merges", type=int, default=300)
    args = parser.parse_args()
    chars, words = count_data(args.data)
    characters = common_characters(chars, args.characters)
    covered = sum(n for c, n in chars.items() if c in set(characters) or ord(c) < 128) / chars.total()
    write(args.out, build(characters, learn_letter_merges(words, args.letter_merges)))
    print(f"{len(characters)} characters, {covered:.4%} of the data in whole characters")


if __name__ == "__main__":
    main()
