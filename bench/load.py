# SPDX-License-Identifier: Apache-2.0
"""What the load scripts share: distinct requests, a small HTTP client on asyncio, percentiles."""

import asyncio
import itertools
import json
import math
import os
import time
import urllib.parse
from dataclasses import dataclass

TEXTS = (
    "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪{}万元。",
    "甲方：北京远山贸易有限公司，合同金额人民币{}元，签订日期2024年5月8日。",
    "客户李娜反映{}号订单三天未发货，联系电话13800138000，要求退款。",
)
LABELS = ["姓名", "公司", "职位", "金额", "日期"]
IDLE_SECONDS = 20  # a server may close an idle connection; ours after 75 s
_number = itertools.count(1000)


@dataclass
class Outcome:
    at: float  # seconds since the run began at which it was due
    seconds: float  # from when it was due to the end of the answer
    status: int  # 0: no HTTP answer


def next_body(timeout_ms=30000):
    """A request that no other equals, so that nothing is shared or cached."""
    n = next(_number)
    body = {"text": TEXTS[n % len(TEXTS)].format(n), "labels": LABELS, "timeout_ms": timeout_ms}
    return json.dumps(body, ensure_ascii=False).encode()


async def read_body(reader, head):
    """The body that follows `head` (in small letters): of a stated length or in chunks."""
    if "transfer-encoding: chunked" not in head:
        return await reader.readexactly(int(head.split("content-length:", 1)[1].split("\r\n", 1)[0]))
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return body


class Server:
    def __init__(self, url, key=None):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port, self.root = parts.hostname, parts.port or 80, parts.path.rstrip("/")
        self.key = key or os.environ.get("SEQGPT_KEY")
        self._idle = []

    async def _connection(self):
        """The one that was used last, unless the server may be about to close it; else a new one."""
        while self._idle:
            since, reader, writer = self._idle.pop()
            if time.monotonic() - since < IDLE_SECONDS and not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection(self.host, self.port)

    async def ask(self, method, path, body=b"", headers=""):
        """Status and body, over a connection that was idle or a new one; `headers` are whole lines."""
        reader, writer = await self._connection()
        try:
            authorization = f"Authorization: Bearer {self.key}\r\n" if self.key else ""
            writer.write((f"{method} {self.root}{path} HTTP/1.1\r\nHost: {self.host}\r\n"
                          f"Content-Type: application/json\r\n{authorization}{headers}"
                          f"Content-Length: {len(body)}\r\n\r\n").encode() + body)
            await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            answer = await read_body(reader, head)
        except BaseException:
            writer.close()
            raise
        if "connection: close" in head:
            writer.close()
        else:
            self._idle.append((time.monotonic(), reader, writer))
        return int(head.split(" ", 2)[1]), answer

    async def post(self, path, body):
        status, _ = await self.ask("POST", path, body)
        return status

    async def status_of(self, body, path="/extract"):
        try:
            return await self.post(path, body)
        except (OSError, EOFError, asyncio.IncompleteReadError, IndexError, ValueError):
            return 0


def percentile(values, share):
    """Nearest rank; None without values."""
    ordered = sorted(values)
    return ordered[math.ceil(round(share * len(ordered), 6)) - 1] if ordered else None


def summary(outcomes):
    good = [o.seconds * 1000 for o in outcomes if o.status == 200]
    errors = {}
    for outcome in outcomes:
        if outcome.status != 200:
            errors[str(outcome.status)] = errors.get(str(outcome.status), 0) + 1
    latency = {f"p{p}_ms": round(percentile(good, p / 100), 1) if good else None for p in (50, 95, 99)}
    return {"requests": len(outcomes), "ok": len(good), **latency, "errors": errors}
