# SPDX-License-Identifier: Apache-2.0
"""Generates Chinese business documents with known fields, as prose and as forms, for training."""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import re
from typing import Any

from noise import TO_SIMPLE, Segment, roughen
from records import is_development, labelled_files, read_records
from samples import UNSEEN
from values import HERE, Values

# What sort of thing a maker of values makes.
KINDS = {
    "person": "姓名 法定代表人 联系人 收货人 被保险人 人物", "company": "公司 甲方 乙方 中标人 物流公司 投资方 律师事务所", "org": "组织机构 招标人 学校 法院 医院 公安 检察院 税务局 公证处 仲裁委", "bank": "开户行",
    "date": "入职时间 出生日期 签订日期 生效日期 到期日期 开票日期 下单时间 发生时间 开标时间 时间 日 时刻 年度 月份 报告期 工作时段", "wage": "薪资 年薪",
    "money": "合同金额 违约金 单价 总价 融资金额 营业收入 净利润 中标金额 预算金额 保额 保费 贷款金额 小额 大写金额 金额区间 单位价格", "phone": "联系电话 固定电话", "mobile": "手机号 掩码手机",
    "address": "地址 收货地址", "place": "地点 籍贯 城市", "product": "产品名称", "job": "职位", "mail": "邮箱", "rate": "增长率 利率 税率", "term": "期限 工作年限 条件期限 天数 时长", "身份证号": "掩码身份证",
}  # fmt: skip
KIND_OF = {maker: kind for kind, makers in KINDS.items() for maker in makers.split()}
# Labels that mean every value of some kinds.
GENERIC = {
    "人物": {"person"}, "姓名": {"person"}, "人名": {"person"}, "公司": {"company"}, "时间": {"date"}, "日期": {"date"}, "金额": {"money", "wage"}, "薪资": {"wage"},
    "联系电话": {"phone", "mobile"}, "电话": {"phone", "mobile"}, "手机号": {"mobile"}, "地址": {"address"}, "产品名称": {"product"}, "职位": {"job"}, "邮箱": {"mail"},
    "身份证号": {"身份证号"}, "统一社会信用代码": {"统一社会信用代码"}, "银行账号": {"银行账号"}, "性别": {"性别"}, "民族": {"民族"}, "车牌号": {"车牌号"},
}  # fmt: skip
# Roles a reader would not mix up: asked as absent also where another value of the same kind is in the text.
_DISTINCT = [
    "法官", "患者", "医生", "投保人", "受益人", "被保险人", "讲师", "记者", "班主任", "开票人", "乘机人", "房东", "面试官", "收货人", "寄件人", "法定代表人", "监护人", "审判长", "出生日期", "入职时间",
    "毕业时间", "手术日期", "出院日期", "生产日期", "到期日期", "起租日", "开标时间", "面试时间", "报名截止时间", "开票日期", "下单时间", "竣工日期", "股权登记日", "生效日期", "违约金", "押金", "定金", "月租金",
    "罚款金额", "退款金额", "运费", "税额", "月供", "保费", "保额", "年薪", "净利润", "营业收入", "注册资本", "中标金额", "预算金额", "单价", "贷款金额", "物流公司", "担保公司", "审计机构", "招标代理机构", "领投方",
    "开户行", "固定电话", "邮箱", "税率", "利率", "增长率", "毛利率", "持股比例", "首付比例", "试用期", "质保期", "工期", "保修期", "职位", "专业", "学历", "学校",
]  # fmt: skip
# If one label of a group occurs, the others are not asked as absent ones.
CONFUSED = [
    {"薪资", "年薪", "月收入", "基本工资"}, {"联系电话", "手机号", "固定电话", "电话", "联系方式"}, {"地址", "收货地址", "地点", "籍贯", "城市"},
    {"合同金额", "总价", "中标金额", "金额", "合同总价", "成交价", "工程造价"}, {"贷款金额", "借款金额", "贷款本金", "授信额度"}, {"预算金额", "最高限价", "采购预算"},
    {"期限", "工期", "租期", "借款期限", "合同期限", "服务期限", "保险期间", "贷款期限", "有效期"}, {"违约金", "滞纳金", "罚款金额", "赔偿金额", "补偿金"},
    {"产品名称", "药品", "项目名称", "合同名称", "险种", "商品名称"}, {"诊断", "事件", "故障现象", "问题类型", "诉求", "投诉原因", "主诉"}, {"生效日期", "起始日期", "起租日"},
    {"到期日期", "截止日期", "还款日期"}, {"贷款银行", "开户行", "发卡行"}, {"押金", "保证金", "定金", "预付款", "首付款"}, {"领投方", "投资方", "跟投方"},
    {"部门", "科室"}, {"职位", "职务"}, {"学校", "组织机构"}, {"税率", "增值税率"}, {"收货人", "收件人", "签收人"}, {"寄件人", "发件人"}, {"试用期", "期限"},
    {"保修期", "质保期"}, {"增长率", "同比变化", "涨幅", "环比变化"}, {"利率", "年利率", "执行利率"}, {"单价", "收盘价"}, {"投保人", "被保险人"}, {"患者", "病人", "姓名"}, {"被保险人", "出险人", "参保人"},
    {"法官", "审判员", "执行员", "承办人", "仲裁员", "首席仲裁员"}, {"乘机人", "旅客姓名", "乘车人", "乘客"}, {"手术日期", "手术时间", "手术起止时间"}, {"到期日期", "有效期至", "保险止期", "挂牌截止"},
    {"面试时间", "面试日期", "面试时段"}, {"退款金额", "实退金额", "退费金额", "退还保费"}, {"物流公司", "承运人"}, {"开户行", "收款行", "汇款行", "付款行", "领卡银行", "收购银行"},
    {"工期", "建设周期", "建设工期"}, {"月供", "每期金额", "每期租金", "应还金额"}, {"固定电话", "传真", "分机号"}, {"职位", "招聘岗位", "岗位", "用工岗位", "实习岗位", "目标岗位"},
    {"收货人", "提货人"}, {"班主任", "辅导员"}, {"记者", "通讯员"}, {"保修期", "保修截止日"}, {"中标金额", "决标金额", "成交金额"}, {"投保人", "要保人"}, {"押金", "押租金"},
]  # fmt: skip
# Fields that several parties have (甲方开户行, 乙方开户行): asked by their plain name, all are meant, but not what was or is not yet so.
_PER_PARTY = ["联系人", "法定代表人", "开户行", "代理人", "项目经理", "年龄", "出生日期"]
_OTHER_TIMES = ("原", "新", "紧急", "拟", "预计", "上年")
# A sentence of this shape is left out: it is kept as an unseen example.
_RESERVED = re.compile(r"^[^，。\n]+，现任[^，。\n]+，[^，。\n]+加入，年薪[^，。\n]+。?$")
_CLUMSY = re.compile(r"学历学历|学位学历|学士学历|专业专业")
_ABSENT_LABELS, _DISTINCT_LABELS = 6, 3
# How often a field has a second name in the same document.
_OTHER_NAME = 0.2
# Makers whose values come in lists at times, and how often.
_LISTED = frozenset({"姓名", "产品名称", "药品", "诊断", "投资方", "检查项目", "人物", "公司", "职位", "证书", "故障现象", "手机号", "项目名称"})
_LIST = 0.08
# A document of so many characters is not continued.
_LONG = 350
_BLANKS = ["", "", "无", "/", "____", "暂无", "—"]
# Slots nobody asks for; the last three are parts of other values.
_NEVER = frozenset({"技能", "性格", "城市", "日", "时刻", "页脚", "填充"})


class Draft:
    """A document being written, as text and values in order, and labels written without a value."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.blank: list[str] = []

    @property
    def text(self) -> str:
        """The document so far."""
        return "".join(s.text for s in self.segments)

    @property
    def values(self) -> list[Segment]:
        """The values in it."""
        return [s for s in self.segments if s.label]

    def write(self, text: str) -> None:
        """Adds plain text."""
        self.segments.append(Segment(text))

    def value(self, label: str, value: str, asked: bool, kind: str) -> None:
        """Adds a value of a label."""
        self.segments.append(Segment(value, label, asked, kind))


def read_skeletons(path: pathlib.Path) -> list[tuple[str, str]]:
    """(kind, skeleton) pairs."""
    kind, out = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            kind = line[3:].strip()
        elif line and not line.startswith("#"):
            out.append((kind, line.replace("\\n", "\n").replace("\\t", "\t")))
    return out


def read_clauses(path: pathlib.Path) -> dict[str, list[str]]:
    """Label to the clauses that state it."""
    lines = [line.split("|") for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {label: clauses for label, *clauses in lines}


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
    """Writes documents from skeletons, forms and tables."""

    def __init__(self, data: pathlib.Path, seed: int, held_out: str = "") -> None:
        self.rng = random.Random(seed)
        self.values = Values(data, self.rng, held_out)
        self.skeletons = [pair for path in sorted((HERE / "skeletons").glob("*.txt")) for pair in read_skeletons(path)]
        self.clauses = read_clauses(HERE / "clauses.txt")
        self.forms: dict[str, list[str]] = json.loads((HERE / "forms.json").read_text(encoding="utf-8"))
        self.synonyms: dict[str, list[str]] = json.loads((HERE / "synonyms.json").read_text(encoding="utf-8"))
        used = {slot.partition("=")[0].strip("!_x0123456789") for _, skeleton in self.skeletons for slot in re.findall(r"{([^{}]+)}", skeleton)}
        named = used | {label for fields in self.forms.values() for label in fields} | set(GENERIC)
        self.labels = sorted(named - _NEVER - UNSEEN)
        usual = {field for fields in self.forms.values() for field in fields} | set(GENERIC)
        self.usual = [label for label in self.labels if label in usual]
        slots = (slot.partition("=") for _, skeleton in self.skeletons for slot in re.findall(r"{([^{}]+)}", skeleton))
        self.made = {label.strip("!_x0123456789"): maker for label, _, maker in slots if maker}
        self.kind_by_label = {label: self._kind(label) for label in self.labels}
        self.kinds = sorted(self.forms)
        self.used: set[str] = set()

    def document(self) -> tuple[str, Draft]:
        """A document and its kind; no text is written twice."""
        while True:
            kind, draft = self._write()
            roughen(draft.segments, self.rng)
            text = draft.text.strip()
            if len(text) >= 8 and text not in self.used and not _RESERVED.match(text) and not _CLUMSY.search(text):
                self.used.add(text)
                return kind, draft

    def _write(self) -> tuple[str, Draft]:
        rng, draft = self.rng, Draft()
        roll = rng.random()
        if roll < 0.35:
            kind = rng.choice(self.kinds)
            (self._table if roll < 0.04 else self._form if roll < 0.16 else self._prose)(kind, draft)
            return kind, draft
        kind, skeleton = rng.choice(self.skeletons)
        self._filler(draft, 0.06)
        self._expand(skeleton, draft, {})
        self._filler(draft, 0.12)
        same = [s for k, s in self.skeletons if k == kind]
        while rng.random() < 0.1 and len(draft.text) < _LONG:
            draft.write(rng.choice(["", "", "\n"]))
            self._expand(rng.choice(same), draft, {})
        return kind, draft

    def _filler(self, draft: Draft, share: float) -> None:
        if self.rng.random() < share:
            draft.write(self.rng.choice(self.values.words["填充"]))

    def _expand(self, text: str, draft: Draft, known: dict[str, tuple[str, str]]) -> None:
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

    def _shuffled(self, parts: list[str], draft: Draft, known: dict[str, tuple[str, str]]) -> None:
        kept = [part for part in parts if self.rng.random() < 0.75] or parts[:1]
        self.rng.shuffle(kept)
        for part in kept:
            self._expand(part, draft, known)

    def _slot(self, name: str, draft: Draft, known: dict[str, tuple[str, str]]) -> None:
        label, _, maker = name.partition("=")
        label = label.strip("!_x0123456789")
        if name.startswith("!"):
            draft.write(self.rng.choice(_BLANKS))
            draft.blank.append(label)
            return
        asked = not name.startswith("_") and not name.partition("=")[0].endswith("x") and label not in _NEVER
        key = name.partition("=")[0]
        if name.startswith("_") or key not in known:
            base = self.values.base(maker or label)
            known[key] = self.values.make(base), KIND_OF.get(base, base)
        value, kind = known[key]
        draft.value(label, value, asked, kind)

    def _form(self, kind: str, draft: Draft) -> None:
        rng = self.rng
        fields = [f for f in self.forms[kind] if rng.random() < 0.65] or self.forms[kind][:3]
        fields = fields[: rng.randint(3, 14)]
        if rng.random() < 0.5:
            rng.shuffle(fields)
        colon = rng.choice(["：", "：", "：", ":", ": ", "： ", "\t", " ", "\u3000", "｜", "为", " - "])
        end = rng.choice(["\n", "\n", "\n", "；", "，", "  ", " | ", "\n\n", " ", "\u3000", "｜", "。"])
        columns = rng.choice([1, 1, 1, 2, 3]) if "\n" in end else 1
        if rng.random() < 0.3:
            draft.write(rng.choice([f"{kind}信息", f"{kind}登记表", f"【{kind}】", f"{kind}详情"]) + "\n")
        for index, label in enumerate(fields):
            draft.write((end if index % columns == 0 else rng.choice(["  ", "\t", "    ", "\u3000", "\u3000\u3000"])) if index else "")
            draft.write(self._key(label) + colon)
            self._cell(label, draft)

    def _prose(self, kind: str, draft: Draft) -> None:
        """Clauses strung together."""
        rng = self.rng
        known = [f for f in self.forms[kind] if f in self.clauses]
        fields = rng.sample(known, min(len(known), rng.randint(3, 9)))
        ends = rng.choice([["，"], ["，", "，", "。"], ["；"], ["，", "；"], ["。"], ["\n"], ["，", "。\n"], [" "]])
        for index, label in enumerate(fields):
            before, after = rng.choice(self.clauses[label]).split("#")
            draft.write((rng.choice(ends) if index else "") + before)
            self._values(label, draft)
            draft.write(after)
        draft.write(rng.choice(["。", "。", "", "\n", "！"]))

    def _cell(self, label: str, draft: Draft) -> None:
        if self.rng.random() < 0.06:
            draft.write(self.rng.choice(_BLANKS))
            draft.blank.append(label)
        else:
            self._values(label, draft)

    def _values(self, label: str, draft: Draft) -> None:
        """One value, or a list of two or three where that is usual."""
        base, rng = self.values.base(label), self.rng
        count = rng.randint(2, 3) if base in _LISTED and rng.random() < _LIST else 1
        mark = rng.choice(["、", "、", "、", "，", "和", "/", " ", "及"])
        for index in range(count):
            draft.write(mark if index else "")
            draft.value(label, self.values.make(base), True, KIND_OF.get(base, base))

    def _table(self, kind: str, draft: Draft) -> None:
        rng = self.rng
        fields = rng.sample(self.forms[kind], rng.randint(3, 5))
        gap = rng.choice(["\t", " ", "  ", " | ", ",", "\n", "\u3000", "｜"])
        rows = rng.randint(1, 4)
        numbered = rng.random() < 0.4
        draft.write(("序号" + gap if numbered else "") + gap.join(self._key(label) for label in fields))
        for row in range(rows):
            draft.write("\n" + (f"{row + 1}{gap}" if numbered else ""))
            for index, label in enumerate(fields):
                draft.write(gap if index else "")
                self._cell(label, draft)

    def _key(self, label: str) -> str:
        return self.rng.choice(self.synonyms[label]) if label in self.synonyms and self.rng.random() < 0.35 else label

    # Labels and answers.

    def record(self) -> dict[str, Any] | None:
        """A line of the training file, or nothing if the draft is unusable."""
        kind, draft = self.document()
        text = draft.text.strip()
        if self.rng.random() < 0.04 and kind in self.kinds:
            others = self.rng.sample([k for k in self.kinds if k != kind], self.rng.randint(2, 7))
            return {"text": text, "label": kind, "labels": [kind, *others]}
        gold = self._gold(draft)
        if not gold or any(c in v for values in gold.values() for v in values for c in "\t\n\r"):
            return None
        return {"text": text, "gold": gold, "labels": [*gold, *self._absent(draft, gold)]}

    def _gold(self, draft: Draft) -> dict[str, list[str]]:
        gold: dict[str, list[str]] = {}
        for s in draft.values:
            if s.asked and s.label not in GENERIC and s.label not in UNSEEN:
                gold.setdefault(s.label, []).append(s.text)
        for label, kinds in GENERIC.items():
            found = [s.text for s in draft.values if s.kind in kinds]
            if found and (label in {s.label for s in draft.values if s.asked} or self.rng.random() < 0.2):
                gold[label] = found
        for label in _PER_PARTY:
            owned = [s for s in draft.values if s.asked and s.label.endswith(label) and not s.label.startswith(_OTHER_TIMES)]
            if label not in gold and owned and self.rng.random() < 0.3:
                gold[label] = [s.text for s in owned]
        self._add_other_names(draft, gold)
        return {label: list(dict.fromkeys(values)) for label, values in gold.items()}

    def _add_other_names(self, draft: Draft, gold: dict[str, list[str]]) -> None:
        """At times a field can be asked under another name beside its own, with the same answer."""
        named = {s.label for s in draft.values} | set(GENERIC)
        for label in [label for label in gold if label not in GENERIC]:
            other = self.rng.choice(self.synonyms.get(label, [label]))
            if other not in named and other not in gold and other not in UNSEEN and self.rng.random() < _OTHER_NAME:
                gold[other] = gold[label]

    def _absent(self, draft: Draft, gold: dict[str, list[str]]) -> list[str]:
        named, kinds = {s.label for s in draft.values} | set(gold), {s.kind for s in draft.values}
        named |= {label.translate(TO_SIMPLE) for label in named}
        blocked = set(named).union(*(group for group in CONFUSED if group & named))
        blocked |= {label for label, wanted in GENERIC.items() if wanted & kinds}
        blocked |= {other for label in named for other in self.synonyms.get(label, ())} | {k for k, others in self.synonyms.items() if named & set(others)}
        blank = [label for label in draft.blank if label not in blocked and label not in UNSEEN]
        # 原开标时间 is a 开标时间 of a kind, so the part of a name that is in the text is not asked either.
        distinct = [label for label in _DISTINCT if label not in blocked and not any(label in n or n in label for n in named)]
        chosen = [*blank, *self.rng.sample(distinct, min(_DISTINCT_LABELS, len(distinct)))]
        for labels in (self.usual, self.labels):
            far = [label for label in labels if label not in blocked and self.kind_by_label[label] not in kinds]
            chosen += self.rng.sample(far, min(_ABSENT_LABELS // 2, len(far)))
        return list(dict.fromkeys(chosen))

    def _kind(self, label: str) -> str:
        values = self.values
        own = label in values.makers or label in values.words or label in values.roles
        base = label if label in GENERIC else values.maker(label if own else self.made.get(label, label))
        return "person" if base == "主体" else KIND_OF.get(base, base)


def held_out_text(data: pathlib.Path) -> str:
    """All held-out texts of a data folder in one."""
    return "\n".join(r.text for path in labelled_files(data) for r in read_records(path) if is_development(r.text))


def main() -> None:
    """Writes generated records, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with the gazetteers")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=60000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    generator, written = Generator(args.data, args.seed, held_out_text(args.data)), 0
    with args.out.open("w", encoding="utf-8") as stream:
        while written < args.count:
            row = generator.record()
            if row is not None:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                written += 1


if __name__ == "__main__":
    main()
