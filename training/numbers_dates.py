# SPDX-License-Identifier: Apache-2.0
"""Random dates, amounts and numbers in many written forms."""

from __future__ import annotations

import random
import string

_CAPITALS = "零壹贰叁肆伍陆柒捌玖"
_PLAIN = "〇一二三四五六七八九"


def digits(rng: random.Random, count: int, first: str = "123456789") -> str:
    """A string of digits with a chosen first one."""
    return rng.choice(first) + "".join(rng.choices(string.digits, k=count - 1))


def chinese_number(number: int, figures: str, units: str) -> str:
    """A whole number below ten million in Chinese figures; `units` are ten, hundred, thousand, ten thousand."""
    if number >= 10000:
        rest = number % 10000
        gap = figures[0] if 0 < rest < 1000 else ""
        return chinese_number(number // 10000, figures, units) + units[3] + gap + (chinese_number(rest, figures, units) if rest else "")
    out, pending = "", False
    for power, unit in ((1000, units[2]), (100, units[1]), (10, units[0]), (1, "")):
        figure = number // power % 10
        if figure:
            out += (figures[0] if pending and out else "") + figures[figure] + unit
        pending = figure == 0
    return out


class Dates:
    """Draws dates and times."""

    rng: random.Random

    def _ymd(self) -> tuple[int, int, int]:
        return self.rng.choice([*range(2005, 2018), *list(range(2018, 2027)) * 3]), self.rng.randint(1, 12), self.rng.randint(1, 28)

    def day(self) -> str:
        """A date to the day."""
        y, m, d = self._ymd()
        forms = (
            [f"{y}年{m}月{d}日"] * 5
            + [f"{y}-{m:02}-{d:02}"] * 3
            + [
                f"{y}/{m}/{d}",
                f"{y}.{m:02}.{d:02}",
                f"{y}年{m:02}月{d:02}日",
                f"{y}{m:02}{d:02}",
                f"{m}月{d}日",
                f"今年{m}月{d}日",
                self._chinese_date(y, m, d),
                self._rare_day(y, m, d),
            ]
        )
        return self.rng.choice(forms)

    def _rare_day(self, y: int, m: int, d: int) -> str:
        week = self.rng.choice("一二三四五六日")
        forms = [
            f"{m}月{d}日（星期{week}）", f"{y}年{m}月{d}日(周{week})", f"{str(y)[2:]}年{m}月{d}日", f"{m}/{d}", f"{m}.{d}", f"{d}日", f"{y}年{m}月{'上中下'[d % 3]}旬",
            f"去年{m}月{d}日", f"次年{m}月{d}日", f"本月{d}日", f"下月{d}日", f"{y}年底", f"{y}年春节前", f"周{week}", f"本周{week}", f"上周{week}", f"{d}号", f"{m}月{d}号", "当日", f"{m}月底",
        ]  # fmt: skip
        return self.rng.choice(forms)

    @staticmethod
    def _chinese_date(y: int, m: int, d: int) -> str:
        small = [chinese_number(n, _PLAIN, "十百千万").removeprefix("一") if 10 <= n < 20 else chinese_number(n, _PLAIN, "十百千万") for n in (m, d)]
        return "".join(_PLAIN[int(c)] for c in str(y)) + f"年{small[0]}月{small[1]}日"

    def month(self) -> str:
        """A date to the month or day."""
        y, m, _ = self._ymd()
        return self.rng.choice(
            [f"{y}年{m}月"] * 5
            + [f"{y}年", f"{y}.{m:02}", f"{y}-{m:02}", f"{y}年{m:02}月", f"{y}/{m}", f"去年{m}月", f"今年{m}月", self.day(), f"{y}年{'初末底'[m % 3]}"]
        )

    def birth(self) -> str:
        """A date of birth."""
        y, m, d = self.rng.randint(1950, 2005), self.rng.randint(1, 12), self.rng.randint(1, 28)
        return self.rng.choice(
            [f"{y}年{m}月{d}日", f"{y}年{m}月", f"{y}年{m}月", f"{y}-{m:02}-{d:02}", f"{y}.{m:02}", f"{y}年", f"{y}/{m}/{d}", f"{y}年{m:02}月{d:02}日"]
        )

    def clock(self) -> str:
        """A time of day."""
        h, m = self.rng.randint(0, 23), self.rng.randint(0, 59)
        return self.rng.choice(
            [
                f"{h}:{m:02}",
                f"{h:02}:{m:02}:{self.rng.randint(0, 59):02}",
                f"{h}时{m}分",
                f"{'上午' if h < 12 else '下午'}{h % 12 or 12}点",
                f"{h}点{m}分",
                f"{h}时许",
                f"{h}:{m:02}:{self.rng.randint(0, 59):02}",
                f"{self.rng.choice(['凌晨', '早上', '上午', '中午', '傍晚', '晚上'])}{h % 12 or 12}{self.rng.choice(['点', '点半', f'点{m}分', f'时{m}分', f':{m:02}'])}",
            ]
        )

    def moment(self) -> str:
        """A date with a time of day, or without."""
        if self.rng.random() < 0.4:
            return self.day()
        day = self.day()
        return day + (self.rng.choice(["", " "]) if day.endswith("日") else " ") + self.clock()

    def any_time(self) -> str:
        """Any expression of time."""
        y = self.rng.randint(2010, 2026)
        more = [
            f"{y}年",
            f"{y}年第{self.rng.choice('一二三四')}季度",
            "昨日",
            "今年上半年",
            f"{self.rng.randint(1, 12)}月",
            f"{y}年上半年",
            "近日",
            f"{self.rng.randint(1, 31)}日上午",
        ]
        return self.rng.choice([self.day(), self.month(), self.moment(), self.day(), self.rng.choice(more)])


class Amounts:
    """Draws money, rates, quantities and lengths of time."""

    rng: random.Random

    def amount(self, low: int, high: int, rough: bool = False) -> str:
        """Money between `low` and `high` ten-thousands, in one of many forms."""
        rng = self.rng
        wan = round(low * (high / low) ** rng.random(), rng.choice([0, 0, 0, 1, 2]))
        short = f"{wan:g}"
        yuan = round(wan * 10000)
        forms = [f"{short}万元"] * 5 + [f"{short}万", f"人民币{short}万元", f"{yuan}元", f"{yuan:,}元", f"¥{yuan:,}.00", f"{yuan:,}.{rng.randint(0, 99):02}元"]
        if rough:
            forms += [f"{short}万元"] * 3 + [f"{int(wan)}-{int(wan * 1.3) + 1}万元", f"{int(wan)}万至{int(wan * 1.3) + 1}万元", f"税前{short}万元"]
        else:
            forms += [f"人民币{yuan:,}元", f"￥{yuan}.00", f"RMB {yuan:,}", f"{round(wan / 7, 1):g}万美元"]
            forms += [f"{yuan:,}.00", f"{yuan:,}", self._foreign(wan), f"{wan / 1e4 + 0.1:.2f}亿元"] if rng.random() < 0.5 else []
            forms += [chinese_number(max(1, round(wan)), _PLAIN.replace("〇", "零"), "十百千万") + rng.choice(["万元", "万元整", "万块"])] if wan < 1000 else []
            if yuan < 10_000_000:
                capital = chinese_number(yuan, _CAPITALS, "拾佰仟万")
                forms += [f"人民币{capital}元整", f"{capital}元整"]
        return rng.choice(forms)

    def _foreign(self, wan: float) -> str:
        n = round(wan * 1000)
        unit = self.rng.choice(["USD ", "EUR ", "US$", "HK$", "€", "$"])
        name = self.rng.choice(["美元", "欧元", "港元", "英镑", "日元", "新加坡元"])
        return self.rng.choice([f"{unit}{n:,}", f"{unit}{n:,}.00", f"{n}{name}", f"{n:,}{name}", f"港币{wan:g}万元", f"{wan:g}万{name}"])

    def salary(self) -> str:
        """A monthly wage or a yearly one."""
        k = self.rng.randint(4, 60)
        forms = [
            f"{k}000元",
            f"{k},000元",
            f"{k / 10:g}万元",
            f"{k / 10:g}万",
            f"{k}k",
            f"{k}K-{k + 8}K",
            f"{k}000-{k + 5}000元",
            f"{k}000元/月",
            f"{k}K·14薪",
            f"{k / 10:g}万元/月",
            f"{k}500元",
            f"{k}千元",
            "面议",
            f"每月{k / 10:g}万元",
            f"{k * 1000 + 10 * self.rng.randint(1, 90):,}元",
            f"{k}k-{k + self.rng.randint(2, 15)}k",
        ]
        return self.rng.choice(forms) if self.rng.random() < 0.8 else self.amount(8, 200, True)

    def unit_price(self) -> str:
        """The price of one piece."""
        price = self.rng.randint(1, 9999)
        return self.rng.choice(
            [
                f"{price}元",
                f"{price}.{self.rng.randint(0, 99):02}元",
                f"¥{price}.00",
                f"{price:,}元",
                f"{price}元/{self.rng.choice('台件套个吨箱')}",
                f"{price}.5元",
                f"￥{price}",
            ]
        )

    def big_amount(self) -> str:
        """Money of a whole firm."""
        n = round(self.rng.uniform(0.3, 90), self.rng.choice([0, 1, 2])) or 1.0
        return self.rng.choice(
            [f"{n:g}亿元"] * 3
            + [
                f"{n:g}亿",
                f"{n * 100:.0f}万元",
                f"{n:g}亿美元",
                f"数{self.rng.choice(['千万', '亿'])}元",
                f"{n * 1000:,.2f}万元",
                f"{n * 1e8:,.2f}元",
                f"近{n:g}亿元",
                f"数{self.rng.choice(['千万', '百万'])}美元",
                f"人民币{n:g}亿元",
            ]
        )

    def percent(self) -> str:
        """A rate of growth."""
        return self.rng.choice(
            [f"{self.rng.uniform(0.05, 9):.1f}‰", f"百分之{chinese_number(self.rng.randint(1, 99), _PLAIN, '十百千万')}", f"约{self.rng.randint(1, 99)}%"]
            + [f"{self.rng.uniform(0.5, 180):.2f}%", f"{self.rng.randint(1, 99)}%", f"-{self.rng.uniform(0.5, 60):.2f}%", f"{self.rng.uniform(0.5, 60):.1f}%"]
        )

    def interest(self) -> str:
        """A rate of interest."""
        return self.rng.choice(
            [f"{self.rng.uniform(2.5, 8):.2f}%", f"{self.rng.uniform(2.5, 8):.1f}%", f"{self.rng.randint(3, 15)}%", f"LPR+{self.rng.randint(10, 90)}BP"]
        )

    def quantity(self) -> str:
        """How many pieces."""
        n = self.rng.choice([self.rng.randint(1, 20), self.rng.randint(10, 5000)])
        unit = self.rng.choice("台件套个吨箱只辆把张盒批" + "台件套个吨箱只名条袋双卷片支桶瓶株本份头块米部架户包根")
        return self.rng.choice(
            [f"{n}{unit}"] * 8
            + [f"{n:,}{unit}", f"{n}", f"{chinese_number(n % 90 + 1, _PLAIN, '十百千万')}{unit}", f"{n} PCS", f"约{n}{unit}", f"{n / 10:g}万{unit}"]
        )

    def years(self) -> str:
        """Years at work."""
        n = self.rng.randint(1, 30)
        return self.rng.choice([f"{n}年", f"{n}年", f"{n}余年", f"{n}年以上", chinese_number(n % 9 + 1, _PLAIN, "十百千万") + "年", f"{n}+年"])

    def term(self) -> str:
        """A length of time."""
        n = self.rng.randint(1, 36)
        return self.rng.choice(
            [
                f"{n}个月",
                f"{n}年",
                f"{n * 10}天",
                f"{n * 5}个工作日",
                chinese_number(n % 9 + 1, _PLAIN, "十百千万") + "年",
                f"{n}日",
                "三个月",
                "一年",
                "两年",
                f"{n * 10}个日历天",
                f"{n * 15}日历天",
                f"{n}小时",
                f"{n * 6}个月",
                f"{n}天",
                chinese_number(n, _PLAIN, "十百千万") + self.rng.choice(["个月", "天", "日", "周", "年"]),
                f"{n}个工作日内",
            ]
        )
