# SPDX-License-Identifier: Apache-2.0
"""Tests of what is varied in a record: its gold stays as true."""

from __future__ import annotations

import random

from records import Record
from vary import Variations, renamed, shortened

NAMES = {"人名": ["王小明", "李四光", "赵云"], "单位": ["红星机械厂", "蓝天公司"]}


def test_renamed_gold_stays_verbatim() -> None:
    """Every value of the changed record is in its text, as often as the old one was, and something changed in some draw."""
    record = Record("张三在远大公司，张三说：远大公司好。", ("人名", "单位"), {"人名": ("张三",), "单位": ("远大公司",)})
    drawn = [renamed(record, NAMES, random.Random(seed)) for seed in range(30)]
    for other in drawn:
        assert all(other.text.count(v) == 2 for values in other.gold.values() for v in values)
    assert len({other.text for other in drawn}) > 3


def test_renamed_leaves_nested_values_alone() -> None:
    """A name inside another cannot be changed without changing both."""
    record = Record("北京大学在北京。", ("学校", "地点"), {"学校": ("北京大学",), "地点": ("北京",)})
    assert all(renamed(record, {"学校": ["清华大学"], "地点": ["上海"]}, random.Random(s)) == record for s in range(20))


def test_shortened_asks_only_what_is_sure() -> None:
    """What only a lost sentence held is absent; a role whose value stands elsewhere too is not asked at all."""
    record = Record("买方李雷。卖方韩梅。李雷已付款。", ("买方", "卖方"), {"买方": ("李雷",), "卖方": ("韩梅",)})
    seen = {(other.text, other.labels, other.gold["卖方"]) for other in (shortened(record, True, random.Random(s)) for s in range(30))}
    assert ("卖方韩梅。李雷已付款。", ("卖方",), ("韩梅",)) in seen
    assert ("买方李雷。李雷已付款。", ("买方", "卖方"), ()) in seen
    assert ("买方李雷。卖方韩梅。", ("卖方",), ("韩梅",)) in seen


def test_variations_leave_most_of_a_text_to_classify() -> None:
    """Classes stay, and a text keeps at least half of its characters."""
    text = "这家酒店的位置很好，早餐也不错，下次还会再来住。"
    record = Record(text, ("好评", "差评"), {}, ("好评",))
    drawn = [Variations({}).vary(record, "cls_hotel_review", random.Random(s)) for s in range(50)]
    assert all(d.label == ("好评",) and len(d.text) * 2 >= len(text) for d in drawn)
    assert len({d.text for d in drawn}) > 20
