# SPDX-License-Identifier: Apache-2.0
"""More random values: courts, hospitals, measures, shares, marks of things, loose dates."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

from numbers_dates import chinese_number, digits

_CAPITALS = string.ascii_uppercase


class MoreValues:
    """Makers of the values that the roles of roles.json need; mixed into `Values`."""

    rng: random.Random
    city: Callable[[], str]
    county: Callable[[], str]
    day: Callable[[], str]
    moment: Callable[[], str]
    clock: Callable[[], str]
    gazetteer: Callable[[str], str]
    person: Callable[[], str]
    brand: Callable[[], str]
    words: dict[str, list[str]]

    def more_makers(self) -> dict[str, Callable[[], str]]:
        """Kind to maker."""
        rng = self.rng
        return self.composed_makers() | {
            "法院": self.court, "医院": self.hospital, "时刻": self.loose_moment, "小额": self.small_amount, "股数": self.shares,
            "面积": lambda: f"{rng.uniform(12, 900):.{rng.choice([0, 1, 2])}f}" + rng.choice(["平方米", "平方米", "㎡", "平", "平米", "m²"]),
            "重量": lambda: f"{rng.uniform(0.2, 900):.{rng.choice([0, 1, 2])}f}" + rng.choice(["kg", "公斤", "吨", "千克", "KG", "克"]),
            "体积": lambda: f"{rng.uniform(0.1, 90):.{rng.choice([1, 2, 3])}f}" + rng.choice(["立方米", "m³", "CBM", "方"]),
            "尺寸": self.size, "人数": lambda: f"{rng.choice(['', '', '', '约'])}{rng.choice([rng.randint(2, 90), rng.randint(100, 20000)])}" + rng.choice(["人", "人", "名", "余人"]),
            "长号": lambda: rng.choice(["", "", "", "A", "ZY", "M", "CN", "B"]) + digits(rng, rng.randint(5, 13), string.digits), "文号": self.document_number,
            "航班": self.flight, "车架": lambda: rng.choice("LWSJ") + "".join(rng.choices("0123456789ABCDEFGHJKLMNPRSTUVWXYZ", k=rng.choice([8, 10, 16]))),
            "房号": lambda: rng.choice([f"{rng.randint(1, 60)}床", f"{rng.randint(101, 3208)}", f"{rng.randint(1, 20)}-{rng.randint(101, 2908)}", f"{rng.randint(1, 30)}排{rng.randint(1, 40)}座", f"{rng.choice('ABC')}{rng.randint(10, 399)}"]),
            "楼层": lambda: f"{rng.randint(1, 40)}{rng.choice(['层', '楼', 'F'])}", "体温": lambda: f"{rng.uniform(35.8, 40.2):.1f}{rng.choice(['℃', '℃', '度'])}",
            "血压": lambda: f"{rng.randint(95, 190)}/{rng.randint(55, 115)}mmHg", "身高": lambda: f"{rng.randint(148, 195)}{rng.choice(['cm', '厘米', 'CM'])}",
            "评分": lambda: rng.choice([f"{rng.uniform(55, 99):.2f}分", f"{rng.randint(55, 100)}分", f"{rng.uniform(60, 99):.1f}"]), "网址": self.site,
            "版本": lambda: rng.choice(["V", "v", "", "Ver "]) + f"{rng.randint(1, 12)}.{rng.randint(0, 20)}" + rng.choice(["", f".{rng.randint(0, 30)}"]),
        }  # fmt: skip

    def word(self, name: str) -> str:
        """A word of a list."""
        return self.rng.choice(self.words[name])

    def composed_makers(self) -> dict[str, Callable[[], str]]:
        """Values put together from words, so that they cannot be learnt by heart; at times one of the plain list."""
        word = self.word
        return {
            "故障现象": self.mostly(lambda: word("部件") + word("症状"), "故障现象"), "诉求": self.mostly(lambda: word("诉求动词") + word("诉求对象"), "诉求"),
            "事故原因": self.mostly(lambda: word("审慎原因"), "事故原因"), "主诉": self.mostly(lambda: self.complaint(), "主诉"),
            "经营范围": lambda: self.rng.choice(["、", "；", "，"]).join(self.rng.sample(self.words["经营范围"], self.rng.randint(1, 3))),
            "会议主题": self.mostly(lambda: word("项目主体") + self.rng.choice(["推进会", "专题会", "协调会", "评审会", "方案讨论", "工作例会"]), "会议主题"),
            "活动名称": self.mostly(lambda: self.rng.choice([f"{self.rng.randint(2015, 2026)}年", self.city(), "第三届", "首届"]) + word("活动名称"), "活动名称"),
            "联系人": self.contact, "文件名称": self.mostly(lambda: f"《{word('项目主体')}{self.rng.choice(['管理办法', '实施方案', '采购合同', '验收标准', '建设规划'])}》", "文件名称"),
        }  # fmt: skip

    def mostly(self, compose: Callable[[], str], plain: str) -> Callable[[], str]:
        """A maker that composes three times in five."""
        return lambda: compose() if self.rng.random() < 0.6 else self.word(plain)

    def contact(self) -> str:
        """A person to turn to: a name, a surname with a form of address, an English name."""
        rng = self.rng
        surname = self.person()[0]
        forms = [
            surname + self.word("称呼"),
            surname + self.word("称呼"),
            self.word("英文名"),
            f"{self.word('英文名')} {surname}",
            rng.choice("小老") + surname,
        ]
        return self.person() if rng.random() < 0.68 else rng.choice(forms)

    def complaint(self) -> str:
        """What a patient feels, and since when."""
        n, unit = self.rng.randint(2, 9), self.rng.choice(["天", "日", "周", "月", "年", "小时"])
        length = self.rng.choice([f"{n}{unit}", "半月", "一周", "半年", "两天", "一月余"])
        worse = self.rng.choice(["", "", "", f"，加重{self.rng.randint(1, 5)}天", "伴" + self.word("身体症状"), "，" + self.word("身体症状")])
        return self.rng.choice(["", "", "反复", "间断"]) + self.word("身体症状") + self.rng.choice([worse + length, length + worse])

    def court(self) -> str:
        """A court of law."""
        return self.rng.choice([self.city() + "市中级人民法院", self.county() + "人民法院", self.county() + "人民法院", self.city() + "仲裁委员会"])

    def hospital(self) -> str:
        """A hospital."""
        tails = ["人民医院", "第一人民医院", "中心医院", "中医院", "妇幼保健院", "第三医院", "口腔医院", "儿童医院", "协和医院", "肿瘤医院"]
        return self.rng.choice([self.city() + "市", self.city(), self.county(), self.gazetteer("universities") + "附属"]) + self.rng.choice(tails)

    def loose_moment(self) -> str:
        """A moment, exact, relative or as a span."""
        rng, h = self.rng, self.rng.randint(1, 11)
        day = rng.choice(
            [
                "今天",
                "昨天",
                "明天",
                "本周五",
                "下周一",
                "前天",
                "今日",
                "昨日",
                "当晚",
                f"本月{rng.randint(1, 28)}日",
                f"{rng.randint(1, 12)}月{rng.randint(1, 28)}日",
            ]
        )
        time = rng.choice(
            [f"上午{h}点", f"下午{h}点半", f"晚上{h}点左右", f"{h + 8}:{rng.choice(['00', '30', '15'])}", f"下午{h}时", f"{h}时30分许", "上午", "晚间"]
        )
        span = f"{h + 7}:00{rng.choice(['-', '至', '—', '~'])}{h + 10}:30"
        return rng.choice([self.moment(), self.moment(), self.day() + " " + self.clock(), day + time, day + time, self.day() + " " + span, day])

    def small_amount(self) -> str:
        """Money of everyday size."""
        rng = self.rng
        n = round(2 * 1500 ** rng.random(), rng.choice([0, 0, 1, 2]))
        capital = chinese_number(max(int(n), 1), "零壹贰叁肆伍陆柒捌玖", "拾佰仟万")
        return rng.choice([f"{n:g}元"] * 5 + [f"{n:.2f}元", f"¥{n:.2f}", f"￥{n:g}", f"{n:g}块", f"人民币{n:g}元", f"{n:.2f}", f"{capital}元整", f"{n:g}块钱"])

    def shares(self) -> str:
        """A number of shares."""
        rng = self.rng
        n = rng.uniform(20, 9000)
        return rng.choice([f"{n:.2f}万股", f"{n:.0f}万股", f"{n * 10000:,.0f}股", f"{n * 10000:.0f}股", f"{n / 100:.2f}亿股", f"约{n:.0f}万股"])

    def size(self) -> str:
        """The size of a thing."""
        a, b, c = (self.rng.choice([self.rng.randint(2, 99), self.rng.randint(10, 240) * 10]) for _ in range(3))
        return self.rng.choice(
            [
                f"{a}*{b}*{c}mm",
                f"{a}×{b}×{c}cm",
                f"{a}mm×{b}mm",
                f"DN{a}",
                f"{a}寸",
                f"φ{a}*{b}",
                f"{a}x{b}",
                f"{a}ml*{b % 48 + 1}瓶",
                f"{a}g/袋",
                "XL",
                f"{a}L",
            ]
        )

    def document_number(self) -> str:
        """The number of an official letter."""
        rng, y = self.rng, self.rng.randint(2012, 2026)
        head = "".join(rng.choices("京沪粤苏浙鲁川渝市县政建财人社教卫环监金证银保市监安交水农发改住工信", k=rng.choice([2, 3, 3, 4])))
        word = rng.choice(["发", "办发", "函", "字", "罚", "通", "处罚", "函字"])
        return rng.choice(
            [
                f"{head}{word}〔{y}〕{rng.randint(1, 480)}号",
                f"{head}{word}[{y}]{rng.randint(1, 480)}号",
                f"{y}-{rng.randint(1, 160):03}",
                f"临{y}-{rng.randint(1, 99):03}",
            ]
        )

    def flight(self) -> str:
        """A flight or a train."""
        rng = self.rng
        return rng.choice([rng.choice(["CA", "MU", "CZ", "HU", "3U", "ZH", "MF"]) + digits(rng, 4), rng.choice("GDKZT") + digits(rng, rng.choice([2, 3, 4]))])

    def site(self) -> str:
        """A web address of ours."""
        name = "".join(self.rng.choices(string.ascii_lowercase, k=self.rng.randint(3, 8)))
        return self.rng.choice(["www.", "https://www.", "http://", ""]) + name + self.rng.choice([".com", ".cn", ".gov.cn", ".com.cn", ".net", ".org.cn/bid"])
