# SPDX-License-Identifier: Apache-2.0
"""Random phone numbers, addresses of mail, and numbers of people, firms and documents."""

from __future__ import annotations

import random
import string

from numbers_dates import digits

_MAILS = ["qq.com", "163.com", "126.com", "gmail.com", "outlook.com", "sina.com", "foxmail.com", "hotmail.com", "139.com"]
_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青川宁琼"


class Identifiers:
    """Draws identifiers; none is taken from data."""

    rng: random.Random

    def mobile(self) -> str:
        """A mobile phone number."""
        number = "1" + self.rng.choice("3456789") + digits(self.rng, 9, string.digits)
        return (
            number
            if self.rng.random() < 0.8
            else self.rng.choice(
                [f"{number[:3]}-{number[3:7]}-{number[7:]}", f"{number[:3]} {number[3:7]} {number[7:]}", f"+86 {number}", f"{number[:3]}****{number[7:]}"]
            )
        )

    def landline(self) -> str:
        """A fixed-line phone number."""
        rng = self.rng
        area = rng.choice(["010", "021", "020", "0755", "0571", "025", "028", "027", "029", "0512", "0" + digits(rng, 3, "3456789")])
        number = digits(rng, rng.choice([7, 8]), "2345678")
        return rng.choice(
            [
                f"{area}-{number}",
                f"{area}-{number}",
                f"({area}){number}",
                f"{area}{number}",
                f"{area}-{number}-{rng.randint(1, 8888)}",
                "400-" + digits(rng, 3) + "-" + digits(rng, 4),
            ]
        )

    def mail(self) -> str:
        """A mail address."""
        rng = self.rng
        user = "".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) + rng.choice(
            ["", digits(rng, 3), "." + rng.choice(["li", "wang", "zhang"]), "_" + digits(rng, 2)]
        )
        host = (
            rng.choice(_MAILS)
            if rng.random() < 0.6
            else "".join(rng.choices(string.ascii_lowercase, k=rng.randint(3, 8))) + rng.choice([".com", ".cn", ".com.cn"])
        )
        return f"{user}@{host}"

    def identity(self) -> str:
        """An identity number of 18 places with a valid check digit."""
        body = digits(self.rng, 6, "1234567") + f"{self.rng.randint(1950, 2005)}{self.rng.randint(1, 12):02}{self.rng.randint(1, 28):02}" + digits(self.rng, 3)
        weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
        return body + "10X98765432"[sum(int(c) * w for c, w in zip(body, weights, strict=True)) % 11]

    def credit_code(self) -> str:
        """A unified social credit code (its shape only)."""
        return "91" + digits(self.rng, 6) + "".join(self.rng.choices("0123456789ABCDEFGHJKLMNPQRTUWXY", k=10))

    def code(self, heads: list[str]) -> str:
        """A number of a document."""
        rng = self.rng
        head, y = rng.choice(heads), rng.randint(2016, 2026)
        forms = [
            f"{head}{y}{digits(rng, 4, string.digits)}",
            f"{head}-{y}-{digits(rng, 3, string.digits)}",
            f"{head}{y}{rng.randint(1, 12):02}{digits(rng, 5, string.digits)}",
            f"{''.join(rng.choices(string.ascii_uppercase, k=3))}-{digits(rng, 6)}",
            f"{head}{digits(rng, rng.randint(8, 14))}",
        ]
        return rng.choice(forms).strip("-")

    def stock_code(self) -> str:
        """A code of the stock exchanges."""
        base = self.rng.choice(["60", "00", "30", "68"]) + digits(self.rng, 4, string.digits)
        return base if self.rng.random() < 0.7 else self.rng.choice([base + ".SH", base + ".SZ", "0" + digits(self.rng, 4) + ".HK", "SH" + base])

    def case_number(self) -> str:
        """The number of a law case."""
        rng = self.rng
        return f"（{rng.randint(2012, 2026)}）{rng.choice(_PROVINCES)}{digits(rng, rng.choice([2, 4]), '01')}{rng.choice(['民初', '民终', '刑初', '执', '行初', '商初', '破'])}{rng.randint(1, 9999)}号"

    def plate(self) -> str:
        """A number plate."""
        return (
            self.rng.choice(_PROVINCES)
            + self.rng.choice("ABCDEFGH")
            + self.rng.choice(["", "·"])
            + "".join(self.rng.choices("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ", weights=[6] * 10 + [1] * 24, k=self.rng.choice([5, 5, 6])))
        )

    def wechat(self) -> str:
        """An account name."""
        return (
            "".join(self.rng.choices(string.ascii_lowercase, k=self.rng.randint(2, 8)))
            + self.rng.choice(["", "_", "-"])
            + digits(self.rng, self.rng.randint(2, 6))
        )

    def spaced(self, number: str) -> str:
        """A long number, at times in groups of four."""
        return number if self.rng.random() < 0.75 else " ".join(number[i : i + 4] for i in range(0, len(number), 4))
