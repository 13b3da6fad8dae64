# SPDX-License-Identifier: Apache-2.0
"""Smoke tests of the training code on self-written samples: no data set and no network is needed."""

from __future__ import annotations

import json
import pathlib
import random
import re
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

import boundary_head
import build_tokenizer
import finetune
import train
from batches import Corpus, collate
from bloom import Bloom, BloomConfig
from decode import decode, load_model
from evaluate import chunks, parse_answer
from export import export
from generate import Draft, Generator, read_clauses, read_skeletons, split_top
from lora import add_adapters, merge_adapters
from records import is_development, parse_record
from samples import HERE, UNSEEN, Encoder, SampleMaker, prompt_text

LINES: list[dict[str, Any]] = [
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


def test_several_questions_cost_what_they_cost_alone(folder: pathlib.Path) -> None:
    """Questions that share a text are predicted as if each stood alone, and split tokens nowhere else."""
    encoder = Encoder(folder / "model" / "tokenizer.json")
    maker = SampleMaker(encoder)
    text, turns = LINES[0]["text"], [(["姓名", "公司"], "姓名: 赵敏\n公司: 青禾公司\n"), (["职位"], "职位: 会计\n"), (["单位"], "单位: None\n")]
    torch.manual_seed(0)
    model = Bloom(BloomConfig(encoder.vocab_size, hidden=32, layers=2, heads=2))
    together = collate([maker.encode(text, turns, True), maker.encode("短。", turns[:1], True)], None)
    answers = train.token_losses(model, together, bf16=False)[together.is_answer]
    alone = [collate([maker.encode(text, [turn], True)], None) for turn in turns] + [collate([maker.encode("短。", turns[:1], True)], None)]
    assert torch.allclose(answers, torch.cat([train.token_losses(model, b, bf16=False)[b.is_answer] for b in alone]), atol=2e-2)
    whole = encoder.encode(prompt_text(text, ["姓名", "公司"], True))
    assert maker.encode(text, turns, True).ids[: len(whole) + 1] == [*whole, encoder.gen]


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
    for path in (HERE / "skeletons").glob("*.txt"):
        for kind, skeleton in read_skeletons(path):
            assert kind in forms
            assert all(skeleton.count(a) == skeleton.count(b) for a, b in ("[]", "{}"))
            assert split_top(skeleton, "\0") == [skeleton]


def test_clauses_state_one_value_each() -> None:
    """Every clause has one place for the value."""
    for clauses in read_clauses(HERE / "clauses.txt").values():
        assert clauses
        assert all(clause.count("#") == 1 for clause in clauses)


@pytest.fixture
def gazetteers(tmp_path: pathlib.Path) -> pathlib.Path:
    """A data folder with a made-up entry or two for every gazetteer the generator draws from."""
    names = "person_names surnames given_name_chars company_short_names company_full_names listed_company_names organizations banks universities roads"
    names += " pois restaurants_hotels_sights job_titles majors_degrees products brands diseases_drugs"
    for name in names.split():
        entry = {"surnames": "欧阳", "given_name_chars": "青"}.get(name, f"某{name[:2]}")
        (tmp_path / f"gaz_{name}.txt").write_text(entry + "\n", encoding="utf-8")
    (tmp_path / "gaz_admin_divisions.txt").write_text("云州省\t青川市\t南平县\t东镇、西镇\n", encoding="utf-8")
    return tmp_path


def test_generated_values_are_in_their_text(gazetteers: pathlib.Path) -> None:
    """Whatever noise does, a value stays a part of the text; labels kept for measuring are never asked; no text comes twice."""
    generator = Generator(gazetteers, 7)
    rows = [row for row in (generator.record() for _ in range(1500)) if row is not None]
    assert len(rows) > 1000
    assert len({row["text"] for row in rows}) == len(rows)
    for row in rows:
        if "gold" in row:
            assert all(value in row["text"] for values in row["gold"].values() for value in values)
            assert set(row["gold"]) <= set(row["labels"])
            assert not UNSEEN & set(row["labels"])
            assert len(row["labels"]) == len(set(row["labels"]))
    absent = sum(len(row["labels"]) - len(row["gold"]) for row in rows if "gold" in row)
    assert absent > len(rows)


def test_every_skeleton_can_be_written(gazetteers: pathlib.Path) -> None:
    """Each skeleton alone gives a document, with a value to ask for, and every value of it is in its text."""
    generator = Generator(gazetteers, 3)
    for kind, skeleton in generator.skeletons:
        draft = Draft()
        generator._expand(skeleton, draft, {})
        gold = {s.label: s.text for s in draft.values if s.asked}
        assert gold, (kind, skeleton)
        assert all(value and value == value.strip() and value in draft.text for value in gold.values()), (kind, skeleton, gold)

        assert not re.search(r"[{}]|;;|\\", "".join(s.text for s in draft.segments if not s.label)), skeleton


def test_skeletons_name_what_a_reader_would_ask() -> None:
    """No long number stands in a skeleton outside a slot, and no skeleton comes twice."""
    skeletons = [text for path in sorted((HERE / "skeletons").glob("*.txt")) for _, text in read_skeletons(path)]
    assert len(set(skeletons)) == len(skeletons)
    for text in skeletons:
        assert not re.search(r"\d{5,}", re.sub(r"{[^{}]*}", "", text)), text


def test_a_slot_named_again_has_the_same_value(gazetteers: pathlib.Path) -> None:
    """Also where only the first names a maker; another digit is another value."""
    generator, draft = Generator(gazetteers, 5), Draft()
    generator._expand("{被告=公司}{被告}{被告2=身份证号}", draft, {})
    first, again, other = (s.text for s in draft.values)
    assert first == again != other


def test_every_standard_field_can_be_asked(gazetteers: pathlib.Path) -> None:
    """A slot of each of the standard fields gives gold under its own name, but for parts of other values."""
    generator = Generator(gazetteers, 5)
    for fields in json.loads((HERE / "standard_fields.json").read_text(encoding="utf-8")).values():
        for field in fields:
            draft = Draft()
            generator._expand(f"甲{{{field}}}乙", draft, {})
            gold = generator._gold(draft)
            assert gold.get(field) == [draft.text[1:-1]], field


def test_what_may_be_meant_by_another_name_is_not_absent(gazetteers: pathlib.Path) -> None:
    """A traditional label, a longer one or one of the same group keeps the plain field from being asked as absent."""
    generator = Generator(gazetteers, 5)
    for _ in range(60):
        draft = Draft()
        generator._expand("{保險費=保费} {原开标时间} {手术时间} {罚款金额}", draft, {})
        assert not {"保费", "开标时间", "手术日期"} & set(generator._absent(draft, generator._gold(draft)))


def test_a_blank_field_is_asked_and_absent(gazetteers: pathlib.Path) -> None:
    """A field written without a value has no gold, and its label is among those asked."""
    generator, draft = Generator(gazetteers, 5), Draft()
    generator._expand("病人：{患者}\n血压：{!血压}", draft, {})
    gold = generator._gold(draft)
    assert "血压" not in gold
    assert "血压" in generator._absent(draft, gold)


def test_fields_of_several_parties_answer_to_their_plain_name(gazetteers: pathlib.Path) -> None:
    """甲方联系人 and 乙方联系人 are both a 联系人 at times; what was is not."""
    generator, seen = Generator(gazetteers, 5), 0
    for _ in range(40):
        draft = Draft()
        generator._expand("{甲方联系人}，{乙方联系人}，{原项目经理}", draft, {})
        gold = generator._gold(draft)
        assert "项目经理" not in gold
        if "联系人" in gold:
            seen += 1
            assert gold["联系人"] == list(dict.fromkeys(gold["甲方联系人"] + gold["乙方联系人"]))
    assert 0 < seen < 40


def test_labels_of_a_known_ending_have_a_maker(gazetteers: pathlib.Path) -> None:
    """The longest ending decides; a label of no known ending is refused when the skeletons are read."""
    values = Generator(gazetteers, 1).values
    assert [values.maker(label) for label in ("装车日期", "车主身份证号", "供方联系人")] == ["日", "身份证号", "联系人"]
    with pytest.raises(StopIteration):
        values.maker("甲乙丙丁戊")


def test_names_of_held_out_texts_are_not_drawn(gazetteers: pathlib.Path) -> None:
    """A harvested name that occurs in a held-out text is dropped."""
    (gazetteers / "gaz_person_names.txt").write_text("某甲\n某乙\n", encoding="utf-8")
    generator = Generator(gazetteers, 1, held_out="昨天某乙来过。")
    assert {generator.values.gazetteer("person_names") for _ in range(50)} == {"某甲"}


def test_held_out_documents_are_sound() -> None:
    """At least 150 documents; every value is in its text, every label asked once."""
    lines = [json.loads(line) for path in sorted((HERE / "heldout").glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 150
    assert len({line["id"] for line in lines}) == len(lines)
    for line in lines:
        assert len(line["labels"]) == len(set(line["labels"]))
        assert set(line["gold"]) <= set(line["labels"])
        assert all(value in line["text"] for values in line["gold"].values() for value in values)


def test_pieces_of_one_document_are_held_out_together(tmp_path: pathlib.Path) -> None:
    """A record that names a firm of a held-out record is not trained on."""
    texts = [f"编号{i}的青禾股份公告。" for i in range(200)]
    held = next(t for t in texts if is_development(t))
    other = next(t.replace("青禾股份", "白杨集团") for t in texts if not is_development(t.replace("青禾股份", "白杨集团")))
    same = next(t for t in texts if not is_development(t))
    lines = [{"text": t, "labels": ["公司"], "gold": {"公司": [t[-8:-3]]}} for t in (held, same, other)]
    content = "".join(json.dumps(line | {"gold": {}}, ensure_ascii=False) + "\n" for line in lines)
    (tmp_path / "ie_finqa_announcement.jsonl").write_text(content, encoding="utf-8")
    (tmp_path / "gaz_listed_company_names.txt").write_text("青禾股份\n白杨集团\n", encoding="utf-8")
    corpus = Corpus(tmp_path, [])
    assert [r.text for r in corpus.train["ie_finqa_announcement"]] == [other]


def test_merged_adapters_change_nothing() -> None:
    """The merged layers give what the adapters gave."""
    torch.manual_seed(0)
    model = Bloom(BloomConfig(50, hidden=16, layers=2, heads=2))
    trained = add_adapters(model, rank=2, alpha=4.0)
    assert sum(p.numel() for p in trained) < sum(p.numel() for p in model.parameters()) / 2
    for p in trained:
        torch.nn.init.normal_(p, std=0.1)
    ids = torch.randint(4, 50, (2, 9))
    before = model(ids)
    merge_adapters(model)
    assert torch.allclose(model(ids), before, atol=1e-5)
    assert not any("base" in name for name in model.state_dict())


@pytest.mark.parametrize("more", [[], ["--lora"]])
def test_fine_tuning_writes_a_better_model(folder: pathlib.Path, more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The loss on held-out lines of the same kind falls, and the new folder loads."""
    start(folder, "base", 2)
    export(folder / "base" / "checkpoint.pt", folder / "model", averaged=False)
    finetune.main(
        ["--data", *[str(folder / "data" / "tiny.jsonl")] * 6, "--model", str(folder / "model"), "--out", str(folder / "own"), "--rate", "0.01", *more]
    )
    losses = [float(line.split(": ")[1]) for line in capsys.readouterr().out.splitlines() if line.startswith("held-out")]
    assert losses[1] < losses[0]
    assert (folder / "own" / "tokenizer.json").exists()
    assert load_model(folder / "own").config == load_model(folder / "model").config


def test_a_boundary_head_learns_and_is_written(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The loss falls, the file has the shapes that the program wants, and a model beside it still loads."""
    start(folder, "base", 2)
    export(folder / "base" / "checkpoint.pt", folder / "model", averaged=False)
    data, model = [str(folder / "data" / "tiny.jsonl")] * 8, str(folder / "model")
    boundary_head.main(["--model", model, "--data", *data, "--out", model, "--epochs", "12", "--always"])
    losses = [float(line.split("loss ")[1]) for line in capsys.readouterr().out.splitlines() if line.startswith("epoch")]
    assert losses[-1] < losses[0]
    tensors = load_file(folder / "model" / boundary_head.FILE)
    units, features = tensors["layer1.weight"].shape
    assert features == 5 * 32 + 3
    assert {name: tuple(t.shape) for name, t in tensors.items() if name != "layer1.weight"} == {
        "layer1.bias": (units,), "layer2.weight": (1, units), "layer2.bias": (1,), "margin": (1,),
    }  # fmt: skip
    assert load_model(folder / "model").config.hidden == 32


@pytest.mark.parametrize("hidden", [32, 320, 1024, 4096])
def test_a_boundary_head_stays_small(hidden: int) -> None:
    """Whatever the model, fewer than 50,000 parameters."""
    head = boundary_head.BoundaryHead(hidden)
    assert 0 < sum(p.numel() for p in head.parameters()) + 1 < boundary_head.PARAMETERS


def test_spans_near_a_value_stay_in_its_line() -> None:
    """No line break, no blank or punctuation at an end, no number or word cut; the span itself comes first."""
    text = "：AB12号\n乙方"
    begin = text.index("AB12")
    spans = boundary_head.spans_near(text, begin, begin + 4)
    assert spans[0] == (begin, begin + 4)
    assert {text[b:e] for b, e in spans} == {"AB12", "AB12号", "12", "12号", "AB"}


def test_the_golden_boundary_head_scores_as_written() -> None:
    """What the program's tests compare with is what this code gives."""
    golden = HERE.parent / "tests" / "golden" / "boundary_head"
    expected = json.loads((golden / "expected.json").read_text(encoding="utf-8"))
    head = boundary_head.BoundaryHead(64)
    tensors = load_file(golden / boundary_head.FILE)
    head.load_state_dict({name: tensor for name, tensor in tensors.items() if name != "margin"})
    states = torch.tensor(expected["states"])
    scores = head(states.flatten(0, 1), torch.arange(15).view(3, 5), torch.tensor(expected["scalars"]))
    assert torch.allclose(scores, torch.tensor(expected["scores"]), atol=1e-6)
