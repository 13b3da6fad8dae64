# SPDX-License-Identifier: Apache-2.0
"""Random values of business fields: names, companies, dates, amounts, numbers and the like, in many written forms."""

from __future__ import annotations

import json
import pathlib
import random
import re
from collections.abc import Callable

from identifiers import Identifiers
from more_values import MoreValues
from numbers_dates import Amounts, Dates, digits
from odd_values import OddValues
from records import read_names

HERE = pathlib.Path(__file__).parent
# Gazetteers harvested from the labelled files: names that occur in a held-out text are not used.
_HARVESTED = ("person_names", "company_full_names", "listed_company_names", "organizations")
# Entries that are something else than their gazetteer says.
_FOREIGN = {
    "majors_degrees": re.compile("学历|学位|文化|研究生|本科|大专|专科|硕士|博士|大学|中专|高中|毕业|[A-Z]|局$"),
    "job_titles": re.compile("爷|女儿|儿子|[：，。]|委员会$|平台$|学生|申请人|名宿|第一人|聚集地"),
}
_SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
_BANKS = [
    "中国工商银行", "中国建设银行", "中国农业银行", "中国银行", "招商银行", "交通银行", "浦发银行", "中信银行", "兴业银行", "民生银行", "平安银行", "光大银行",
    "华夏银行", "广发银行", "浙商银行", "中国邮政储蓄银行", "恒丰银行", "渤海银行", "江苏银行", "上海银行", "北京银行", "微众银行",
]  # fmt: skip
_SHORT_BANKS = ["工行", "建行", "农行", "中行", "交行", "招行", "浦发", "中信", "兴业", "邮储", "邮储银行", "民生", "光大", "农商行", "信用社"]
_DISTRICTS = ["高新", "城东", "科技园", "中山路", "滨江", "新区", "人民路", "开发区"]
_ENGLISH_NAMES = [
    "Golden", "Star", "Pacific", "Ningbo", "Shenzhen", "Hangzhou", "Eastern", "Union", "Sunrise", "Blue", "Ocean", "Hengda", "Xinyuan", "Nord", "Global", "Tianhe",
    "Yiwu", "Apex", "Delta", "Huamei", "Green", "Bright", "Kunlun", "Fuji", "Rhein", "Summit", "Orient", "Lucky", "Jiaxing", "Topway",
]  # fmt: skip
_ENGLISH_TRADES = [
    "Trading", "Industrial", "Import & Export", "Electronics", "Textile", "Machinery", "Logistics", "Foods", "Furniture", "Technology", "Hardware", "Plastics",
    "Medical", "Motors", "Toys", "Lighting", "Chemicals", "Packaging",
]  # fmt: skip


class Values(Dates, Amounts, Identifiers, MoreValues, OddValues):
    """Draws values; word lists come from words.json, gazetteers from the data folder."""

    def __init__(self, data: pathlib.Path, rng: random.Random, held_out: str = "") -> None:
        self.rng = rng
        self.words: dict[str, list[str]] = json.loads((HERE / "words.json").read_text(encoding="utf-8"))
        self._gazetteers = {p.stem[4:]: read_names(p) for p in data.glob("gaz_*.txt")}
        for name, foreign in _FOREIGN.items():
            self._gazetteers[name] = [entry for entry in self._gazetteers[name] if not foreign.search(entry)]
        for name in _HARVESTED:
            self._gazetteers[name] = [entry for entry in self._gazetteers[name] if entry not in held_out]
        self.counties = [line.split("\t") for line in self._gazetteers["admin_divisions"]]
        self.common = [c for name in self._gazetteers["company_short_names"] for c in name if "\u4e00" <= c <= "\u9fff"]
        self.makers: dict[str, Callable[[], str]] = self._table() | self.more_makers() | self.odd_makers()
        roles: dict[str, str] = json.loads((HERE / "roles.json").read_text(encoding="utf-8"))
        self.roles = {role: maker for maker, names in roles.items() for role in names.split()}
        endings: dict[str, str] = json.loads((HERE / "endings.json").read_text(encoding="utf-8"))
        self.endings = {ending: maker for maker, names in endings.items() for ending in names.split()}

    def base(self, label: str) -> str:
        """What a label's values are made as; a party may be a person or a firm."""
        maker = self.maker(label)
        return self.rng.choice(["姓名", "公司"]) if maker == "主体" else maker

    def maker(self, label: str) -> str:
        """The maker of a label: itself, that of its role, or that of its longest known ending (验收日期 is a 日)."""
        if label in self.makers or label in self.words:
            return label
        if label in self.roles:
            return self.roles[label]
        return next(self.endings[label[i:]] for i in range(len(label)) if label[i:] in self.endings)

    def make(self, maker: str) -> str:
        """A value of a maker, which is a field label or a word list."""
        return self.makers[maker]() if maker in self.makers else self.rng.choice(self.words[maker])

    def gazetteer(self, name: str) -> str:
        """An entry of a gazetteer of the data folder."""
        return self.rng.choice(self._gazetteers[name])

    def mixed(self, word_list: str, gazetteer: str, share: float, longest: int = 14) -> str:
        """Mostly a word of ours, at times a gazetteer's."""
        entry = self.gazetteer(gazetteer)
        return entry if self.rng.random() < share and len(entry) <= longest else self.rng.choice(self.words[word_list])

    def _table(self) -> dict[str, Callable[[], str]]:
        money = {"薪资": self.salary, "年薪": lambda: self.amount(8, 300, True)}
        money |= {k: lambda: self.amount(1, 9000) for k in ("合同金额", "总价", "贷款金额", "保额", "中标金额", "预算金额")}
        money |= {k: lambda: self.amount(1, 900) for k in ("违约金", "保费")} | {"单价": self.unit_price}
        money |= {k: lambda: self.big_amount() for k in ("融资金额", "营业收入", "净利润")}
        people = dict.fromkeys(("姓名", "法定代表人", "收货人", "被保险人", "人物"), self.person)
        firms = dict.fromkeys(("公司", "甲方", "乙方", "中标人"), self.company) | {"投资方": self.investor, "招标人": self.buyer}
        dates = dict.fromkeys(("入职时间",), self.month) | {"出生日期": self.birth, "下单时间": self.moment, "发生时间": self.moment}
        dates |= dict.fromkeys(("签订日期", "生效日期", "到期日期", "开票日期", "日"), self.day)
        dates |= {"开标时间": self.moment, "时间": self.any_time}
        places = {"籍贯": self.origin, "地址": self.address, "收货地址": self.address, "地点": self.place, "城市": self.city}
        return money | people | firms | dates | places | self._more()

    def _more(self) -> dict[str, Callable[[], str]]:
        rng, pick = self.rng, self.rng.choice
        return {
            "职位": self.job, "学校": lambda: self.gazetteer("universities"),
            "专业": lambda: self.mixed("专业", "majors_degrees", 0.2), "组织机构": self.organisation, "开户行": self.bank,
            "物流公司": lambda: pick(self.words["物流"]), "性别": lambda: pick("男女"), "年龄": lambda: f"{rng.choice([rng.randint(20, 68), rng.randint(20, 68), rng.randint(1, 97)])}岁",
            "数量": self.quantity, "税率": lambda: pick(["13%", "6%", "9%", "3%", "1%", "17%", "5%"]), "增长率": self.percent, "利率": self.interest,
            "工作年限": self.years, "期限": self.term, "手机号": self.mobile, "固定电话": self.landline, "联系电话": lambda: pick([self.mobile, self.mobile, self.landline])(),
            "邮箱": self.mail, "身份证号": self.identity, "统一社会信用代码": self.credit_code, "合同编号": lambda: self.code(["HT", "XS", "CG", "JS", "ZL"]),
            "银行账号": lambda: self.spaced(digits(rng, rng.choice([16, 17, 19]), "146")), "发票号码": lambda: digits(rng, rng.choice([8, 8, 20]), "0123456789"),
            "订单号": lambda: self.code(["DD", "SO", "PO", "", ""]), "运单号": lambda: pick(["SF", "YT", "JT", "JD", ""]) + digits(rng, rng.randint(12, 13)),
            "工单号": lambda: self.code(["GD", "WO", "TK", "INC"]), "股票代码": self.stock_code, "案号": self.case_number, "保单号": lambda: self.code(["P", "BD", ""]),
            "车牌号": self.plate, "微信号": self.wechat, "股票名称": lambda: self.gazetteer("listed_company_names"), "产品名称": self.product,
            "诊断": lambda: self.mixed("诊断", "diseases_drugs", 0.15, 10), "项目名称": self.project, "事件": lambda: pick(self.words["事件"]),
        }  # fmt: skip

    # People and organisations.

    def person(self) -> str:
        """A name: made up, from the gazetteer, or with a foreign form now and then."""
        rng = self.rng
        if rng.random() < 0.25:
            name = self.gazetteer("person_names")
            return name if 2 <= len(name) <= 5 else self.person()
        if rng.random() < 0.05:
            return self.other_name()
        surname = rng.choice(_SURNAMES) if rng.random() < 0.85 else self.gazetteer("surnames")
        return surname + "".join(self.gazetteer("given_name_chars") for _ in range(rng.choice([1, 2, 2, 2])))

    def brand(self) -> str:
        """The distinctive part of a firm's name."""
        if self.rng.random() < 0.5:
            name = self.gazetteer("company_short_names")
            return name if len(name) <= 5 else name[:4]
        return "".join(self.rng.choices(self.common, k=self.rng.choice([2, 2, 2, 3, 4])))

    def company(self) -> str:
        """A firm in full, short or well-known form."""
        rng, roll = self.rng, self.rng.random()
        if roll < 0.10:
            return rng.choice(self.words["知名公司"])
        if roll < 0.20:
            return self.gazetteer("company_full_names")
        if roll < 0.30:
            return self.brand() + rng.choice(["科技", "集团", "股份", "网络", "智能", "医药", "银行", "资本", "电器", "重工", "传媒", "公司"])
        if roll < 0.38:
            return (
                rng.choice(["", "", self.city(), self.county()])
                + self.brand()
                + rng.choice(self.words["店铺"])
                + rng.choice(["", "", "", f"（{self.city()}店）"])
            )
        if roll < 0.42:
            return self.brand() + rng.choice(["厂", "机械厂", "纺织厂", "商行", "经营部", "合作社", "工作室", "律所", "事务所", "商会", "研究院", "中心"])
        if roll < 0.45:
            return self.english_company()
        where = rng.choice([self.city(), self.city(), self.province(), ""])
        tail = rng.choice(["有限公司"] * 5 + ["股份有限公司", "有限责任公司", "集团有限公司", "集团股份有限公司", "合伙企业（有限合伙）"])
        if rng.random() < 0.12:
            return f"{self.brand()}{rng.choice(self.words['行业'])}（{where or '中国'}）{tail if '合伙' not in tail else '有限公司'}"
        branch = rng.choice([f"{self.city()}分公司"]) if rng.random() < 0.05 else ""
        return where + self.brand() + rng.choice(self.words["行业"]) + tail + branch

    def job(self) -> str:
        """A post: of our list, of the gazetteer, or put together."""
        roll, word = self.rng.random(), lambda name: self.rng.choice(self.words[name])
        if roll < 0.2:
            return word("职位前缀") + word("职位后缀")
        if roll < 0.3:
            return word("部门") + self.rng.choice(["经理", "总监", "主任", "副总经理", "负责人", "部长", "副部长", "主管"])
        if roll < 0.34:
            return word("职位") + self.rng.choice(["兼", "、", "兼任"]) + word("职位")
        if roll < 0.37:
            return self.rng.choice([self.city() + "市", self.county()]) + self.rng.choice(
                ["委书记", "长", "人大代表", "政协委员", "分公司总经理", "办事处主任"]
            )
        return self.mixed("职位", "job_titles", 0.25, 14)

    def investor(self) -> str:
        """A fund or an investing firm."""
        return self.rng.choice([self.brand() + self.rng.choice(["资本", "创投", "基金", "投资"]), self.company(), self.brand() + "资本"])

    def organisation(self) -> str:
        """A public body or another organisation."""
        return self.gazetteer("organizations") if self.rng.random() < 0.4 else self.city() + self.rng.choice(self.words["机构尾"])

    def buyer(self) -> str:
        """Who calls for tenders."""
        return self.rng.choice([self.organisation, self.organisation, self.company, lambda: self.gazetteer("universities")])()

    def english_company(self) -> str:
        """A firm as its papers in English name it."""
        rng = self.rng
        words = rng.choices(_ENGLISH_NAMES, k=rng.choice([1, 2, 2])) + [rng.choice(_ENGLISH_TRADES)]
        return " ".join(dict.fromkeys(words)) + rng.choice([" Co., Ltd.", " Co., Ltd", " Ltd.", " Inc.", " LLC", " GmbH", " Limited", ""])

    def bank(self) -> str:
        """A bank, mostly with a branch, at times as people say it in short."""
        rng, roll = self.rng, self.rng.random()
        if roll < 0.15:
            return self.gazetteer("banks")
        place = rng.choice([self.city(), self.county(), *_DISTRICTS])
        if roll < 0.4:
            name = rng.choice([*_SHORT_BANKS, self.city() + "银行", self.city() + "农商行"])
            return name + rng.choice(["", "", f"{place}支行", f"{self.city()}分行", f"{place}营业部"])
        if roll < 0.5:
            return self.county() + rng.choice(["农村商业银行", "农村信用合作联社", "信用社", "村镇银行"]) + rng.choice(["", f"{place}支行"])
        branch = rng.choice(["{c}分行", "{c}{d}支行", "股份有限公司{c}{d}支行", "{d}支行", "{c}分行营业部"])
        return rng.choice(_BANKS) + branch.format(c=self.city(), d=place)

    def product(self) -> str:
        """A product, at times with a brand, an attribute or a specification."""
        rng = self.rng
        name = self.gazetteer("products") if rng.random() < 0.25 else rng.choice(self.words["产品名称"])
        head = (
            self.gazetteer("brands")
            if rng.random() < 0.12
            else rng.choice(self.words[rng.choice(["产品修饰", "材质", "产品修饰"])])
            if rng.random() < 0.3
            else ""
        )
        tail = rng.choice(self.words["规格"]) if rng.random() < 0.1 else self.model() if rng.random() < 0.1 else ""
        return head + name + tail

    def model(self) -> str:
        """A model number."""
        rng = self.rng
        letters = "".join(rng.choices("ABCDEFGHJKLMNPRSTVWXYZ", k=rng.randint(1, 3)))
        return letters + rng.choice(["", "-", " "]) + digits(rng, rng.randint(2, 4)) + rng.choice(["", "", "A", "S", " Pro", "-T"])

    def project(self) -> str:
        """A project or construction work."""
        where = self.rng.choice([self.city(), self.county(), "", "", self.gazetteer("universities"), str(self.rng.randint(2019, 2026)) + "年"])
        if self.rng.random() < 0.6:
            return where + self.rng.choice(self.words["项目主体"]) + self.rng.choice(self.words["项目类型"])
        return where + self.rng.choice(self.words["项目名称"])

    # Places.

    def province(self) -> str:
        """A province without its suffix, mostly."""
        name = self.rng.choice(self.counties)[0]
        return name.rstrip("省市") if len(name) < 5 and self.rng.random() < 0.7 else name

    def city(self) -> str:
        """A city, with or without its suffix."""
        row = self.rng.choice(self.counties)
        name = row[0] if row[1].startswith(("市辖", "县", "省直", "自治区直")) else row[1]
        big = self.rng.choice(
            ["北京", "上海", "广州", "深圳", "杭州", "南京", "苏州", "成都", "武汉", "西安", "重庆", "天津", "青岛", "宁波", "厦门", "长沙", "合肥"]
        )
        return big if self.rng.random() < 0.5 else name.removesuffix("市")

    def county(self) -> str:
        """A county or district."""
        return self.rng.choice(self.counties)[2]

    def origin(self) -> str:
        """Where someone comes from."""
        row = self.rng.choice(self.counties)
        forms = [row[0], row[0].rstrip("省市") + self.city(), row[0] + row[2], self.city(), row[0].rstrip("省市") + row[2], self.city() + "市"]
        return self.rng.choice(forms)

    def place(self) -> str:
        """A place of an event."""
        row = self.rng.choice(self.counties)
        return self.rng.choice(
            [
                row[2],
                row[0] + row[2],
                self.city() + "市",
                self.gazetteer("pois"),
                self.gazetteer("roads"),
                self.city() + row[2],
                self.gazetteer("restaurants_hotels_sights"),
                self.gazetteer("roads") + "与" + self.gazetteer("roads") + self.rng.choice(["交叉口", "路口", "交汇处"]),
                self.gazetteer("pois") + f"{self.rng.randint(1, 40)}楼",
                self.rng.choice([self.city(), self.county(), "公司", "区政府", self.gazetteer("universities")]) + self.rng.choice(self.words["地点尾"]),
                f"{self.rng.choice('一二三四五')}楼第{self.rng.choice('一二三四')}会议室",
            ]
        )

    def address(self) -> str:
        """A postal address."""
        rng, row = self.rng, self.rng.choice(self.counties)
        head = "".join(part for part in row[:3] if part not in ("市辖区", "县") and rng.random() < 0.85) or row[0]
        town = rng.choice(row[3].split("、")) if len(row) > 3 and rng.random() < 0.3 else ""
        road = self.gazetteer("roads") + f"{rng.randint(1, 2999)}号"
        poi = self.gazetteer("pois") if rng.random() < 0.5 else ""
        room = rng.choice(
            [
                "",
                f"{rng.randint(1, 30)}号楼{rng.randint(1, 6)}单元{rng.randint(101, 3205)}室",
                f"{rng.choice('ABCD')}座{rng.randint(2, 40)}层",
                f"{rng.randint(2, 33)}楼",
                f"{rng.randint(101, 3205)}室",
            ]
        )
        return head + town + (road if rng.random() < 0.85 or not poi else "") + poi + room
