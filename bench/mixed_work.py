# SPDX-License-Identifier: Apache-2.0
"""A mix of what clients ask: extraction, classes, free prompts, streams, batches and jobs, over texts of many lengths.
Each kind sends what it needs and returns None, or in a few words what was wrong with the answer."""

import asyncio
import itertools
import json

SENTENCES = (
    "{name}，现任{city}云图数据科技有限公司{post}，{year}年{month}月加入，年薪{number}万元。",
    "甲方：{city}远山贸易有限公司，乙方：{name}，合同金额人民币{number}元，签订日期{year}年{month}月8日。",
    "客户{name}反映{number}号订单三天未发货，联系电话138{number:08d}，要求退款。",
    "{year}年{month}月，{city}市发布新规，支持企业{number}家开展数字化改造。",
    "会议由{post}{name}主持，地点在{city}，讨论了预算{number}元的采购事项。",
    "发货单编号 DN-{number}，收货人 {name}，地址：{city}市中山路{month}号。",
)
NAMES = ("王伟", "李娜", "张建国", "欧阳雪", "刘洋", "陈晓明")
CITIES = ("上海", "北京", "成都", "广州", "哈尔滨")
POSTS = ("CTO", "财务总监", "项目经理", "工程师")
LABELS = ("姓名", "公司", "职位", "金额", "日期", "电话", "地址", "编号", "城市", "年份", "合同编号", "备注")
CLASSES = ("财经", "科技", "体育", "投诉", "招聘", "物流", "会议")
TIMEOUT_MS = 600_000  # a shared machine may be slow; what is looked for is errors and memory
_number = itertools.count(1000)


def text_of(draw, sentences):
    """Sentences that no other call draws alike: nothing is shared or cached by chance."""
    return "".join(draw.choice(SENTENCES).format(
        name=draw.choice(NAMES), city=draw.choice(CITIES), post=draw.choice(POSTS), year=draw.randint(1990, 2030),
        month=draw.randint(1, 12), number=next(_number)) for _ in range(sentences))


def some_text(draw):
    """Mostly a few sentences, at times a page, seldom a document of several windows."""
    kind = draw.random()
    return text_of(draw, draw.randint(1, 6) if kind < 0.8 else draw.randint(7, 30) if kind < 0.97 else draw.randint(80, 150))


def extraction(draw):
    return {"text": some_text(draw), "labels": draw.sample(LABELS, draw.randint(1, 9)), "timeout_ms": TIMEOUT_MS}


def classification(draw):
    return {"text": some_text(draw), "labels": draw.sample(CLASSES, draw.randint(2, 7)), "timeout_ms": TIMEOUT_MS}


def free_prompt(draw):
    return {"text": text_of(draw, 2), "max_new_tokens": draw.randint(4, 48), "timeout_ms": TIMEOUT_MS}


def wrong_spans(answer, text):
    """None when every value is the slice of the text that it says it is."""
    for entity in answer["entities"]:
        if text[entity["start"]:entity["end"]] != entity["text"]:
            return "a value is not a span of the text"
    return None


async def send(server, path, body, headers="", expected=200):
    """The answer's bytes; raises Wrong for another status."""
    status, answer = await server.ask("POST", path, json.dumps(body, ensure_ascii=False).encode(), headers)
    return must_be(expected, status, answer)


class Wrong(Exception):
    """What was wrong with an answer, in a few words."""


def must_be(expected, status, answer):
    if status != expected:
        raise Wrong(f"{status} {answer[:200].decode(errors='replace')}")
    return answer


async def extract(server, draw):
    body = extraction(draw)
    return wrong_spans(json.loads(await send(server, "/extract", body)), body["text"])


async def classify(server, draw):
    body = classification(draw)
    answer = json.loads(await send(server, "/classify", body))
    return None if answer["result"] in body["labels"] else "a class that was not asked for"


async def generate(server, draw):
    answer = json.loads(await send(server, "/generate", free_prompt(draw)))
    return None if answer["finish_reason"] in ("stop", "length") else "no finish_reason"


async def stream(server, draw):
    path, body = draw.choice((("/extract", extraction(draw)), ("/generate", free_prompt(draw))))
    answer = await send(server, path, body, "Accept: text/event-stream\r\n")
    events = [line[7:] for line in answer.decode().split("\n") if line.startswith("event: ")]
    return None if events and events[-1] == "result" else f"the stream's events were {events[-3:]}"


async def batch(server, draw):
    items = [extraction(draw) for _ in range(draw.randint(2, 8))]
    answer = json.loads(await send(server, "/extract/batch", {"items": items}))
    wrong = [r["error"] for r in answer["results"] if "error" in r]
    if wrong or len(answer["results"]) != len(items):
        return f"a batch of {len(items)} had {len(answer['results'])} results, errors {wrong[:1]}"
    return next(filter(None, (wrong_spans(r, i["text"]) for r, i in zip(answer["results"], items))), None)


async def job(server, draw):
    items = [extraction(draw) for _ in range(draw.randint(1, 5))]
    created = json.loads(await send(server, "/extract/async", {"items": items}, expected=202))
    while True:
        await asyncio.sleep(1)
        state = json.loads(must_be(200, *await server.ask("GET", created["status_url"])))
        if state["status"] not in ("queued", "running"):
            break
    lines = must_be(200, *await server.ask("GET", created["status_url"] + "/results")).splitlines()
    if state["status"] != "done" or state["failed_items"] or len(lines) != len(items):
        return f"a job of {len(items)} is {state['status']} with {len(lines)} results, {state['failed_items']} failed"
    return next(filter(None, (wrong_spans(json.loads(line), items[json.loads(line)["index"]]["text"]) for line in lines)), None)


# kind, and how many of 20 requests are of it
KINDS = ((extract, 8), (classify, 3), (generate, 2), (stream, 4), (batch, 1), (job, 2))


def next_kind(draw):
    return draw.choices([kind for kind, _ in KINDS], [weight for _, weight in KINDS])[0]


async def ask_one(server, draw):
    """The kind's name, and what was wrong with its answer or None."""
    kind = next_kind(draw)
    try:
        return kind.__name__, await kind(server, draw)
    except Wrong as wrong:
        return kind.__name__, str(wrong)
    except (OSError, EOFError, IndexError, KeyError, ValueError) as problem:
        return kind.__name__, f"{type(problem).__name__}: {problem}"
