# SPDX-License-Identifier: Apache-2.0
"""Values of unusual shape: amounts in capitals, masked numbers and names, names of other peoples, loose terms, small measures."""

from __future__ import annotations

import random
from collections.abc import Callable

from numbers_dates import chinese_number, digits

_CAPITALS = "零壹贰叁肆伍陆柒捌玖"
_SMALL = "零一二三四五六七八九"
# Syllable groups put together to names as Uyghurs, Kazakhs and Mongols write them, and to transcribed Western ones.
_HEADS = [
    "阿依",
    "古丽",
    "买买提",
    "吐尔逊",
    "艾合",
    "努尔",
    "帕提",
    "迪丽",
    "木合",
    "塔依",
    "斯琴",
    "巴特",
    "乌云",
    "达瓦",
    "扎西",
    "次仁",
    "玛丽",
    "安娜",
    "约翰",
    "彼得",
    "罗伯",
    "克里",
    "亚历",
    "伊万",
]
_TAILS = [
    "娜尔",
    "古丽",
    "买提",
    "江",
    "汗",
    "别克",
    "努尔",
    "高娃",
    "图雅",
    "其木格",
    "卓玛",
    "顿珠",
    "斯特",
    "尔森",
    "逊",
    "利亚",
    "山大",
    "诺夫",
    "托娃",
    "兹",
]


class OddValues:
    """Makers that roles.json and endings.json name; mixed into `Values`."""

    rng: random.Random
    person: Callable[[], str]
    brand: Callable[[], str]
    city: Callable[[], str]
    day: Callable[[], str]
    mobile: Callable[[], str]
    identity: Callable[[], str]
    model: Callable[[], str]

    def odd_makers(self) -> dict[str, Callable[[], str]]:
        """Kind to maker."""
        rng = self.rng
        return self._counts() | self._marks() | {
            "大写金额": self.capital_amount, "掩码手机": lambda: f"1{rng.choice('3578')}{rng.randint(0, 9)}****{digits(rng, 4)}",
            "掩码身份证": self.masked_identity, "条件期限": self.conditional_term, "年度": self.year, "月份": self.month_only, "报告期": self.report_period,
            "金额区间": self.amount_span, "律师事务所": lambda: self.city() + self.brand()[:2] + "律师事务所", "公证处": lambda: self.city() + "市" + rng.choice(["", "第一", "正信"]) + "公证处",
            "公安": lambda: self.city() + rng.choice(["市公安局", "公安局交警支队", "公安分局", "派出所", "刑侦大队"]), "检察院": lambda: self.city() + rng.choice(["市人民检察院", "区人民检察院"]),
            "税务局": lambda: "国家税务总局" + self.city() + rng.choice(["市税务局", "税务局", "税务局第一税务所"]), "看守所": lambda: self.city() + rng.choice(["市看守所", "第一看守所", "监狱"]),
            "仲裁委": lambda: self.city() + rng.choice(["仲裁委员会", "市劳动人事争议仲裁委员会", "国际仲裁院"]),
            "理财产品": lambda: self.brand()[:2] + rng.choice(["稳健", "添利", "安鑫", "月月享", "增强"]) + f"{rng.randint(1, 99)}{rng.choice(['号', '期', '天'])}",
            "基金名称": lambda: self.brand()[:2] + rng.choice(["成长", "价值", "医药", "消费", "新能源", "沪深300", "科技创新"]) + rng.choice(["混合A", "ETF", "股票", "债券C", "指数A"]),
            "债券简称": lambda: f"{rng.randint(17, 26)}{self.brand()[:2]}{rng.choice(['01', '02', 'MTN001', 'CP002', '债', '转债'])}",
        }  # fmt: skip

    def _counts(self) -> dict[str, Callable[[], str]]:
        """Numbers with their counting words."""
        rng = self.rng

        def count(low: int, high: int, *units: str) -> Callable[[], str]:
            return lambda: f"{rng.randint(low, high)}{rng.choice(units)}"

        return {
            "期数": count(2, 60, "期", "期", "个月"), "次数": count(1, 30, "次", "次", "次以上", "批次"), "天数": self.days, "时长": self.span,
            "份数": count(1, 8, "份", "份", "张", "家", "项"), "倍数": lambda: f"{rng.uniform(2, 90):.2f}{rng.choice(['倍', '倍', 'x'])}", "课时": count(8, 200, "课时", "节"),
            "里程": lambda: f"{rng.uniform(0.5, 30):.1f}{rng.choice(['万公里', '公里', 'km'])}", "温度": lambda: f"{rng.randint(-25, 45)}{rng.choice(['℃', '℃', '度'])}",
            "湿度": count(10, 95, "%", "%RH"), "汇率": lambda: f"{rng.uniform(0.05, 9):.4f}", "积分": count(10, 99999, "", "分"), "脉搏": count(55, 130, "次/分", "bpm"), "呼吸": count(12, 30, "次/分"),
            "出血量": count(5, 900, "ml", "毫升"), "孕周": lambda: f"{rng.randint(5, 41)}周{rng.choice(['', f'+{rng.randint(1, 6)}'])}", "长度": lambda: f"{rng.randint(1, 300)}{rng.choice(['公里', '米', 'km', 'm'])}",
            "单位价格": lambda: f"{rng.uniform(0.2, 900):.2f}元/{rng.choice(['平方米·月', '平米/天', '千瓦时', '吨', '公里', '亩', '㎡', '人/天', '斤', '立方米'])}",
            "享年": lambda: rng.choice([f"{rng.randint(51, 99)}岁", f"{chinese_number(rng.randint(51, 99), _SMALL, '十百千万')}岁"]),
        }  # fmt: skip

    def _marks(self) -> dict[str, Callable[[], str]]:
        """Codes and addresses of machines."""
        rng = self.rng
        return {
            "型号": self.model, "取件码": lambda: rng.choice([digits(rng, 4), digits(rng, 6), f"{rng.randint(1, 30)}-{rng.randint(1, 9)}-{digits(rng, 4)}"]),
            "IP地址": lambda: ".".join(str(rng.randint(1, 254)) for _ in range(4)), "HS编码": lambda: rng.choice([digits(rng, 10), f"{digits(rng, 4)}.{digits(rng, 4)}"]),
            "SWIFT代码": lambda: "".join(rng.choices("ABCDEHIKNS", k=4)) + "CNB" + rng.choice(["J", "S", "JXXX"]), "会议号": lambda: f"{digits(rng, 3)}-{digits(rng, 3)}-{digits(rng, 3)}",
            "专利号": lambda: f"ZL{rng.randint(2009, 2026)}{rng.choice('123')}{digits(rng, 7)}.{rng.choice('0123456789X')}", "邮编": lambda: digits(rng, 6),
            "不动产权证号": lambda: f"{rng.choice('京沪粤苏浙鲁川渝')}（{rng.randint(2016, 2026)}）{self.city()}不动产权第{digits(rng, 7)}号", "错误代码": lambda: rng.choice(["E", "0x", "ERR-", ""]) + digits(rng, rng.randint(3, 5)),
            "航次": lambda: f"{rng.choice(['COSCO', 'EVER', 'MSC', 'ONE', '中远', '海丰'])} {rng.choice(['STAR', 'GLORY', 'HOPE', '之星', '号'])} V.{rng.randint(10, 299)}{rng.choice('EWNS')}",
        }  # fmt: skip

    def other_name(self) -> str:
        """A name that is not a plain Chinese one: with a middle dot, masked, or with a form of address."""
        rng, name = self.rng, self.person
        dotted = rng.choice(_HEADS) + rng.choice(_TAILS) + "·" + rng.choice(_HEADS) + rng.choice(_TAILS)
        plain = name()
        return rng.choice(
            [dotted, dotted, plain[0] + "某", plain[0] + "某某", plain[0] + "*" * (len(plain) - 1), plain[0] + "某" + rng.choice("甲乙明华"), "*" + plain[1:]]
        )

    def capital_amount(self) -> str:
        """Money in capital figures."""
        rng = self.rng
        n = rng.choice([rng.randint(100, 9999), rng.randint(1, 999) * 100, rng.randint(1, 999) * 10000, rng.randint(10000, 9_999_999)])
        cents = rng.choice(
            ["元整", "元整", "圆整", "元正", f"元{rng.choice(_CAPITALS[1:])}角{rng.choice(_CAPITALS[1:])}分", f"元{rng.choice(_CAPITALS[1:])}角整"]
        )
        return rng.choice(["", "", "人民币"]) + chinese_number(n, _CAPITALS, "拾佰仟万") + cents

    def masked_identity(self) -> str:
        """An identity number partly covered."""
        number, stars = self.identity(), "*"
        return self.rng.choice(
            [number[:6] + stars * 8 + number[14:], number[:3] + stars * 11 + number[14:], number[:14] + stars * 4, number[:10] + "XXXX" + number[14:]]
        )

    def conditional_term(self) -> str:
        """A term that runs from an event."""
        n = self.rng.choice([3, 5, 7, 10, 15, 30, 60, 90])
        unit = self.rng.choice(["日内", "个工作日内", "天内", "个自然日内"])
        return self.rng.choice(["合同签订后", "验收合格后", "收到发票后", "自签收之日起", "货到", "自本合同生效之日起", "开工前", "收款后"]) + f"{n}{unit}"

    def year(self) -> str:
        """A year or several."""
        y = self.rng.randint(2010, 2026)
        return self.rng.choice([f"{y}年", f"{y}年", f"{y}年度", f"{y}", f"{y}-{y + 2}年", f"{y}至{y + 1}年度", "去年", "上年度"])

    def month_only(self) -> str:
        """A month."""
        y, m = self.rng.randint(2015, 2026), self.rng.randint(1, 12)
        return self.rng.choice([f"{y}年{m}月", f"{m}月", f"{y}-{m:02}", f"{y}.{m:02}", f"{y}年{m:02}月份", f"{m}月份", "上月", "本月"])

    def report_period(self) -> str:
        """What a report covers."""
        y, quarter = self.rng.randint(2012, 2026), self.rng.choice(["一", "二", "三", "四"])
        return self.rng.choice(
            [
                f"{y}年",
                f"{y}年度",
                f"{y}年上半年",
                f"{y}年前三季度",
                f"{y}年第{quarter}季度",
                f"{y}Q{self.rng.randint(1, 4)}",
                f"{y}年1-{self.rng.randint(2, 11)}月",
                "报告期内",
                "上半年",
            ]
        )

    def days(self) -> str:
        """A number of days."""
        n = self.rng.randint(1, 60)
        return self.rng.choice(
            [
                f"{n}天",
                f"{n}天",
                f"{n}日",
                f"{chinese_number(n % 20 + 1, _SMALL, '十百千万').removeprefix('一') or '一'}天",
                f"{n}个工作日",
                f"{n / 2:g}天",
                f"{n}个自然日",
            ]
        )

    def span(self) -> str:
        """How long something took or lasts."""
        n = self.rng.randint(1, 58)
        return self.rng.choice(
            [
                f"{n}分钟",
                f"{n}小时",
                f"{n % 9 + 1}小时{n}分",
                f"{n}h",
                f"{n % 12 + 1}个月",
                f"不到{n % 6 + 2}个月",
                f"{n % 5 + 1}个半小时",
                f"近{n}分钟",
                "半小时",
                "半年多",
                f"{n}人天",
            ]
        )

    def amount_span(self) -> str:
        """Money between two bounds."""
        low = self.rng.randint(2, 900)
        high = low + self.rng.randint(1, 300)
        return self.rng.choice(
            [f"{low}万元至{high}万元", f"{low}-{high}万元", f"{low}万~{high}万", f"不低于{low}万元", f"{low}万元以上{high}万元以下", f"不超过{high}万元"]
        )
