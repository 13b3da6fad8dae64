# SPDX-License-Identifier: Apache-2.0
"""Smoke tests of the training code on self-written samples: no data set and no network is needed."""

from __future__ import annotations

import json
import pathlib
import random

import pytest
import torch
from tokenizers import Tokenizer

import build_tokenizer
import train
from decode import decode, load_model
from evaluate import chunks, parse_answer
from export import export
from generate import read_skeletons, split_top
from records import parse_record
from samples import HERE, Encoder, SampleMaker

LINES = [
    {"text": "赵敏是青禾公司的会计。", "labels": ["姓名", "公司", "职位"], "gold": {"姓名": ["赵敏"], "公司": ["青禾公司"], "职位": ["会计"]}},
    {"text": "订单8801已发往苏州。", "labels": ["订单号", "地点", "姓名"], "gold": {"订单号": ["8801"], "地点": ["苏州"]}},
    {"text": "孙立与吴桐签约，金额5万元。", "labels": ["人物", "合同金额"], "gold": {"人物": ["孙立", "吴桐"], "合同金额": ["5万元"]}},
    {"text": "打印机卡纸，请上门维修。", "labels": ["咨询", "报修", "投诉"], "label": "报修"},
    {"text": "价格高，空间大。", "labels": ["价格", "空间", "油耗"], "label": "价格，空间"},
]


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A data folder with one small set, and a tokenizer beside it."""
    data = tmp_path / "data"
    data.mkdir()
    lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in LINES)
    (data / "tiny.jsonl").write_text(lines, encoding="utf-8")
    characters = sorted({c for c in lines if len(c.encode()) > 1} | set("输入抽取出分类"))
    build_tokenizer.write(tmp_path / "model", build_tokenizer.build(characters, [("c", "o"), ("co", "m")]))
    (tmp_path / "mixture.json").write_text('{"tiny": 1}', encoding="utf-8")
    return tmp_path


def start(folder: pathlib.Path, run: str, steps: int) -> train.Trainer:
    """A tiny trainer taken to a number of steps."""
    argv = ["--data", str(folder / "data"), "--tokenizer", str(folder / "model" / "tokenizer.json"), "--run", str(folder / run)]
    argv += ["--mixture", str(folder / "mixture.json"), "--minutes", "1e9", "--hidden", "32", "--layers", "2", "--heads", "2"]
    argv += ["--batch-tokens", "300", "--accumulate", "2", "--threads", "2", "--steps", str(steps)]
    trainer, dev = train.build(train.arguments(argv))
    train.run(trainer, dev)
    return trainer


def test_tokenizer_round_trips_and_numbers_gen_last(folder: pathlib.Path) -> None:
    """The Rust library loads the file; text comes back; `[GEN]` is last and not special."""
    tokenizer = Tokenizer.from_file(str(folder / "model" / "tokenizer.json"))
    text = "输入: 赵敏（HR）,a@b.com\t罕见字龘 😀\n输出: [GEN]None"
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == text
    assert tokenizer.token_to_id("[GEN]") == tokenizer.get_vocab_size() - 1
    assert tokenizer.token_to_id("None") is not None


def test_gen_in_user_text_stays_text(folder: pathlib.Path) -> None:
    """The encoder never makes the `[GEN]` id out of text."""
    encoder = Encoder(folder / "model" / "tokenizer.json")
    assert encoder.gen not in encoder.encode("[GEN] </s>")
    assert 2 not in encoder.encode("</s>")


def test_answer_has_the_published_form(folder: pathlib.Path) -> None:
    """One line for each label, values joined by tabs, None when absent."""
    encoder = Encoder(folder / "model" / "tokenizer.json")
    maker = SampleMaker(encoder)
    maker.synonyms = {}
    record = parse_record(json.dumps(LINES[2]))
    sample = maker.make(record, "tiny", random.Random(3))
    text = encoder.decode(sample.ids)
    assert text.startswith("输入: 孙立与吴桐签约，金额5万元。\n抽取: ")
    assert "人物: 孙立\t吴桐\n" in text or "合同金额: 5万元\n" in text
    assert text.endswith("\n</s>")


def test_resumed_run_follows_the_same_losses(folder: pathlib.Path) -> None:
    """Stopping after three steps and going on changes nothing."""
    whole = start(folder, "whole", 6)
    start(folder, "parts", 3)
    parts = start(folder, "parts", 6)
    assert parts.step == whole.step == 6
    same = [torch.equal(a, b) for a, b in zip(whole.model.parameters(), parts.model.parameters(), strict=True)]
    assert all(same)
    assert whole.train_step() == parts.train_step()


def test_loss_falls(folder: pathlib.Path) -> None:
    """The tiny network learns its five samples a little."""
    trainer = start(folder, "fall", 1)
    first = trainer.train_step()["answer"]
    for _ in range(15):
        last = trainer.train_step()["answer"]
    assert last < first


def test_export_loads_and_decodes(folder: pathlib.Path) -> None:
    """The exported folder holds bfloat16 weights that give the checkpoint's hidden states."""
    trainer = start(folder, "export", 2)
    export(folder / "export" / "checkpoint.pt", folder / "model", averaged=False)
    model = load_model(folder / "model")
    ids = torch.tensor([[5, 6, 7, 8]])
    assert torch.allclose(model(ids), trainer.model(ids), atol=0.05)
    encoder = Encoder(folder / "model" / "tokenizer.json")
    one, two = "输入: 甲\n分类: 乙\n输出: ", "输入: 甲乙丙丁\n分类: 乙\n输出: "
    together = decode(model, encoder, [one, two], limit=5)
    assert together == [decode(model, encoder, [p], limit=5)[0] for p in (one, two)]


def test_export_agrees_with_transformers(folder: pathlib.Path) -> None:
    """The published implementation gives the same logits."""
    transformers = pytest.importorskip("transformers")
    start(folder, "hub", 2)
    export(folder / "hub" / "checkpoint.pt", folder / "model")
    theirs = transformers.BloomForCausalLM.from_pretrained(folder / "model", dtype=torch.float32).eval()
    ours = load_model(folder / "model")
    ids = torch.randint(4, 200, (2, 17))
    with torch.no_grad():
        assert torch.allclose(ours.logits(ours(ids)), theirs(ids).logits, atol=2e-3)


def test_labels_are_cut_into_near_equal_chunks() -> None:
    """At most six labels a prompt, as the official scripts do."""
    assert [len(part) for part in chunks(tuple("abcdefghijklm"))] == [5, 4, 4]
    assert parse_answer("a: x\ty\nb: None\n", ["a", "b"]) == {"a": ["x", "y"], "b": []}


def test_skeletons_are_well_formed() -> None:
    """Every bracket closes and every kind has a form."""
    forms = json.loads((HERE / "forms.json").read_text(encoding="utf-8"))
    for kind, skeleton in read_skeletons(HERE / "skeletons.txt"):
        assert kind in forms
        assert all(skeleton.count(a) == skeleton.count(b) for a, b in ("[]", "{}"))
        assert split_top(skeleton, "\0") == [skeleton]
