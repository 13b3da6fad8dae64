# SPDX-License-Identifier: Apache-2.0
"""Generates Chinese business documents with known fields, as prose and as forms, for training."""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import random
import re

from values import HERE, Values

# Labels that mean every value of a kind, and the kinds they gather.
PERSONS = {"姓名", "法定代表人", "联系人", "收货人", "被保险人", "人物"}
COMPANIES = {"公司", "甲方", "乙方", "中标人", "投资方", "物流公司", "招标人", "开户行"}
DATES = {"入职时间", "出生日期", "签订日期", "生效日期", "到期日期", "开票日期", "下单时间", "发生时间", "开标时间", "时间", "日"}
AMOUNTS = {"年薪", "合同金额", "违约金", "单价", "总价", "融资金额", "营业收入", "净利润", "中标金额", "预算金额", "保额", "保费", "贷款金额", "薪资"}
GENERIC = {
    "人物": PERSONS, "姓名": PERSONS, "人名": PERSONS, "公司": COMPANIES - {"开户行", "招标人"}, "时间": DATES, "日期": DATES, "金额": AMOUNTS,
    "薪资": {"薪资", "年薪"}, "联系电话": {"联系电话", "手机号", "固定电话"}, "电话": {"联系电话", "手机号", "固定电话"}, "地址": {"地址", "收货地址"},
    "手机号": {"手机号"}, "产品名称": {"产品名称", "险种"},
}  # fmt: skip
# If one label of a group occurs, the others are not asked as absent ones.
CONFUSED = [
    {"姓名", "人物", "人名"}, COMPANIES | {"组织机构", "学校", "股票名称"}, {"薪资", "年薪"}, {"联系电话", "手机号", "固定电话", "电话"},
    {"地址", "收货地址", "地点", "籍贯", "城市"}, {"合同金额", "总价", "中标金额", "预算金额", "金额", "贷款金额", "保额", "保费", "单价"},
    {"期限", "工作年限"}, {"产品名称", "药品", "项目名称", "合同名称", "险种"}, {"诊断", "事件", "故障现象", "问题类型", "诉求"},
    {"时间", "日期", "发生时间", "开票日期", "下单时间", "开标时间", "签订日期", "生效日期", "到期日期"}, {"招标人", "甲方"}, {"中标人", "乙方"},
    {"联系人", "收货人", "法定代表人", "被保险人"}, {"合同编号", "案号", "订单号", "工单号", "保单号"}, {"部门", "科室"}, {"职位", "职务"},
]  # fmt: skip
# A sentence of this shape is left out: it is kept as an unseen example.
_RESERVED = re.compile(r"^[^，。\n]+，现任[^，。\n]+，[^，。\n]+加入，年薪[^，。\n]+。?$")
_CLUMSY = re.compile(r"学历学历|学位学历|学士学历|专业专业")
_ABSENT_LABELS = 8
_BLANKS = ["", "", "无", "/", "____", "暂无", "—"]


@dataclasses.dataclass
class Draft:
    """A document being written: its text so far and the values in it."""

    text: str = ""
    values: list[tuple[str, str, bool]] = dataclasses.field(default_factory=list)

    def write(self, text: str) -> None:
        """Adds plain text."""
        self.text += text

    def value(self, label: str, value: str, asked: bool) -> None:
        """Adds a value of a label."""
        self.text += value
        self.values.append((label, value, asked))


def read_skeletons(path: pathlib.Path) -> list[tuple[str, str]]:
    """(kind, skeleton) pairs."""
    kind, out = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            kind = line[3:].strip()
        elif line and not line.startswith("#"):
            out.append((kind, line.replace("\\n", "\n")))
    return out


def split_top(text: str, mark: str) -> list[str]:
    """Splits at a mark outside brackets."""
    parts, depth, current, i = [], 0, "", 0
    while i < len(text):
        if text[i] in "[<{":
            depth += 1
        elif text[i] in "]>}":
            depth -= 1
        if depth == 0 and text.startswith(mark, i):
            parts.append(current)
            current, i = "", i + len(mark)
            continue
        current += text[i]
        i += 1
    return [*parts, current]


def closing(text: str, start: int) -> int:
    """The index of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in "[<{") - (text[i] in "]>}")
        if depth == 0:
            return i
    raise ValueError(f"bracket not closed: {text[start : start + 30]}")


class Generator:
    """Writes documents from skeletons and forms."""

    def __init__(self, data: pathlib.Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.values = Values(data, self.rng)
        self.skeletons = read_skeletons(HERE / "skeletons.txt")
        self.forms: dict[str, list[str]] = json.loads((HERE / "forms.json").read_text(encoding="utf-8"))
        self.synonyms: dict[str, list[str]] = json.loads((HERE / "synonyms.json").read_text(encoding="utf-8"))
        self.labels = sorted({label for fields in self.forms.values() for label in fields} | {"人物", "组织机构", "科室", "时间", "日期", "人名", "金额"})
        self.kinds = sorted(self.forms)
        self._weights = [3 if kind == "简历" else 1 for kind, _ in self.skeletons]

    def document(self) -> tuple[str, Draft]:
        """A document and its kind."""
        while True:
            kind, draft = self._write()
            draft_text = draft.text.strip()
            if len(draft_text) >= 8 and not _RESERVED.match(draft_text) and not _CLUMSY.search(draft_text):
                return kind, draft

    def _write(self) -> tuple[str, Draft]:
        rng, draft = self.rng, Draft()
        if rng.random() < 0.22:
            kind = rng.choice(self.kinds)
            self._form(kind, draft)
            return kind, draft
        kind, skeleton = rng.choices(self.skeletons, self._weights)[0]
        self._filler(draft, 0.08)
        self._expand(skeleton, draft, {})
        self._filler(draft, 0.15)
        if rng.random() < 0.18:
            same = [s for k, s in self.skeletons if k == kind]
            draft.write(rng.choice(["", "", "\n"]))
            self._expand(rng.choice(same), draft, {})
        return kind, draft

    def _filler(self, draft: Draft, share: float) -> None:
        if self.rng.random() < share:
            draft.write(self.rng.choice(self.values.words["填充"]))

    def _expand(self, text: str, draft: Draft, known: dict[str, str]) -> None:
        i = 0
        while i < len(text):
            if text[i] not in "[<{":
                draft.write(text[i])
                i += 1
                continue
            end = closing(text, i)
            inside = text[i + 1 : end]
            if text[i] == "{":
                self._slot(inside, draft, known)
            elif text[i] == "[":
                self._expand(self.rng.choice(split_top(inside, "|")), draft, known)
            else:
                self._shuffled(split_top(inside, ";;"), draft, known)
            i = end + 1

    def _shuffled(self, parts: list[str], draft: Draft, known: dict[str, str]) -> None:
        kept = [part for part in parts if self.rng.random() < 0.75] or parts[:1]
        self.rng.shuffle(kept)
        for part in kept:
            self._expand(part, draft, known)

    def _slot(self, name: str, draft: Draft, known: dict[str, str]) -> None:
        label = name.strip("_x0123456789")
        asked = not name.startswith("_") and not name.endswith("x") and label not in ("技能", "性格")
        value = self.values.make(label) if name.startswith("_") else known.get(name) or self.values.make(label)
        known[name] = value
        draft.value(label, value, asked)

    def _form(self, kind: str, draft: Draft) -> None:
        rng = self.rng
        fields = [f for f in self.forms[kind] if rng.random() < 0.65] or self.forms[kind][:3]
        if rng.random() < 0.4:
            rng.shuffle(fields)
        colon = rng.choice(["：", "：", "：", ":", ": ", "： ", "\t", " "])
        end = rng.choice(["\n", "\n", "\n", "；", "，", "  ", " | ", "\n\n"])
        if rng.random() < 0.3:
            draft.write(rng.choice([f"{kind}信息", f"{kind}登记表", f"【{kind}】", f"{kind}详情"]) + "\n")
        for index, label in enumerate(fields):
            draft.write((end if index else "") + self._key(label) + colon)
            if rng.random() < 0.06:
                draft.write(rng.choice(_BLANKS))
            else:
                draft.value(label, self.values.make(label), True)

    def _key(self, label: str) -> str:
        return self.rng.choice(self.synonyms[label]) if label in self.synonyms and self.rng.random() < 0.35 else label

    # Labels and answers.

    def record(self) -> dict[str, object] | None:
        """A line of the training file, or nothing if the draft is unusable."""
        kind, draft = self.document()
        text = draft.text.strip()
        if self.rng.random() < 0.04:
            others = self.rng.sample([k for k in self.kinds if k != kind], self.rng.randint(2, 7))
            return {"text": text, "label": kind, "labels": [kind, *others]}
        gold = self._gold(draft)
        if not gold or any(c in v for values in gold.values() for v in values for c in "\t\n\r"):
            return None
        return {"text": text, "gold": gold, "labels": [*gold, *self._absent(draft, gold)]}

    def _gold(self, draft: Draft) -> dict[str, list[str]]:
        gold: dict[str, list[str]] = {}
        for label, value, asked in draft.values:
            if asked and label not in GENERIC and label not in ("城市", "险种", "日"):
                gold.setdefault(label, []).append(value)
        for label, kinds in GENERIC.items():
            found = [value for kind, value, _ in draft.values if kind in kinds]
            if found and (label in {k for k, _, asked in draft.values if asked} or self.rng.random() < 0.2):
                gold[label] = found
        return {label: list(dict.fromkeys(values)) for label, values in gold.items()}

    def _absent(self, draft: Draft, gold: dict[str, list[str]]) -> list[str]:
        present = {kind for kind, _, _ in draft.values} | set(gold)
        blocked = set(present).union(*(group for group in CONFUSED if group & present))
        blocked |= {label for label, kinds in GENERIC.items() if kinds & present}
        free = [label for label in self.labels if label not in blocked]
        return self.rng.sample(free, min(_ABSENT_LABELS, len(free)))


def main() -> None:
    """Writes generated records, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with the gazetteers")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=60000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    generator, written = Generator(args.data, args.seed), 0
    with args.out.open("w", encoding="utf-8") as stream:
        while written < args.count:
            row = generator.record()
            if row is not None:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                written += 1


if __name__ == "__main__":
    main()
