# SPDX-License-Identifier: Apache-2.0
"""Both clients against a transport that answers as the contract says: what they send, read, raise and retry."""

import asyncio
import inspect
import json
import unittest

import httpx

from seqgpt_client import (AsyncClient, Client, ConnectionFailed, DeadlineExceeded, FieldFound, Finished, InvalidRequest,
                           JobFailed, RateLimited, Stage, TextWritten, Unauthorized)

ANSWER = {
    "success": True, "trace_id": "t", "model": "m", "fingerprint": "f", "latency_ms": 1.5,
    "reference_time": "2026-11-30T09:00:00+08:00", "result": {"姓名": "王伟"},
    "entities": [{"label": "姓名", "key": "姓名", "text": "王伟", "start": 0, "end": 2, "confidence": 0.9,
                  "normalized": None}],
    "coverage": 1.0, "truncated": False, "degraded": False,
    "warnings": [{"code": "c", "message": "m", "param": "p"}], "of_a_newer_server": 1,
}
STREAM = ("event: stage\ndata: {\"name\": \"prefill\", \"ms\": 2.5}\n\n: comment\n\n"
          "event: field\ndata: {\"label\": \"姓名\", \"values\": [\"王伟\"]}\n\n"
          "event: unheard_of\ndata: {}\n\n"
          "event: result\ndata: " + json.dumps(ANSWER) + "\n\n")


def error(status, **headers):
    body = {"error": {"code": status, "type": "kind", "message": "why", "param": "labels[1]", "trace_id": "t"}}
    return httpx.Response(status, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})


class Served:
    """Answers from a list, and what was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, request):
        self.asked.append(request)
        return self.answers.pop(0)

    def client(self, **options):
        return Client("http://seqgpt", transport=httpx.MockTransport(self), **options)


class ClientTest(unittest.TestCase):
    def test_extract_sends_and_reads(self):
        served = Served(httpx.Response(200, json=ANSWER))
        answer = served.client(key="secret").extract("王伟", ["姓名", {"name": "薪资"}], min_confidence=0.5)
        request = served.asked[0]
        self.assertEqual(request.url.path, "/v1/extract")
        self.assertEqual(request.headers["authorization"], "Bearer secret")
        self.assertEqual(json.loads(request.content),
                         {"text": "王伟", "labels": ["姓名", {"name": "薪资"}], "min_confidence": 0.5})
        self.assertEqual((answer.entities[0].text, answer.entities[0].end), ("王伟", 2))
        self.assertEqual(answer.warnings[0].param, "p")
        self.assertIsNone(answer.records)

    def test_errors_are_exceptions(self):
        for status, kind in ((400, InvalidRequest), (422, InvalidRequest), (401, Unauthorized), (504, DeadlineExceeded)):
            with self.assertRaises(kind) as caught:
                Served(error(status)).client().extract("x", ["a"])
            self.assertEqual((caught.exception.param, caught.exception.trace_id, caught.exception.type),
                             ("labels[1]", "t", "kind"))

    def test_retries_what_may_pass(self):
        served = Served(error(429, retry_after="0"), error(503, retry_after="0"), httpx.Response(200, json=ANSWER))
        self.assertEqual(served.client().extract("x", ["a"]).result, {"姓名": "王伟"})
        served = Served(error(429, retry_after="0"), error(429, retry_after="0"))
        with self.assertRaises(RateLimited):
            served.client(retries=1).extract("x", ["a"])
        served = Served(error(400), httpx.Response(200, json=ANSWER))
        with self.assertRaises(InvalidRequest):
            served.client().extract("x", ["a"])
        self.assertEqual(len(served.asked), 1)

    def test_no_server(self):
        with self.assertRaises(ConnectionFailed):
            Client("http://127.0.0.1:9", timeout=2).extract("x", ["a"])

    def test_batch_keeps_errors_with_their_items(self):
        body = {"results": [dict(ANSWER, id="a"), {"id": "b", "error": {"code": 413, "type": "too_large", "message": "m"}}]}
        served = Served(httpx.Response(200, json=body))
        first, second = served.client().extract_batch(["一", {"text": "二", "id": "b"}], ["姓名"])
        self.assertEqual((first.id, first.answer.result, first.error), ("a", {"姓名": "王伟"}, None))
        self.assertEqual((second.id, second.answer, second.error.status), ("b", None, 413))
        self.assertEqual(json.loads(served.asked[0].content)["items"], [{"text": "一"}, {"text": "二", "id": "b"}])

    def test_streams(self):
        served = Served(httpx.Response(200, text=STREAM, headers={"content-type": "text/event-stream"}))
        events = list(served.client().stream_extract("王伟", ["姓名"]))
        self.assertEqual(events[:2], [Stage("prefill", 2.5), FieldFound("姓名", ["王伟"])])
        self.assertIsInstance(events[2], Finished)
        self.assertEqual(events[2].answer.fingerprint, "f")
        self.assertEqual(served.asked[0].headers["accept"], "text/event-stream")
        written = 'event: text\ndata: {"text": "你"}\n\nevent: text\ndata: {"text": "好"}\n\n'
        pieces = list(Served(httpx.Response(200, text=written)).client().stream_generate("x"))
        self.assertEqual(pieces, [TextWritten("你"), TextWritten("好")])
        broken = "event: error\ndata: {\"error\": {\"code\": 504, \"type\": \"deadline\", \"message\": \"m\"}}\n\n"
        with self.assertRaises(DeadlineExceeded):
            list(Served(httpx.Response(200, text=broken)).client().stream_extract("x", ["a"]))

    def test_jobs(self):
        job = {"job_id": "ab/c", "kind": "extract", "status": "running", "progress": 0.5, "items": 2, "finished_items": 1,
               "failed_items": 0}
        served = Served(httpx.Response(202, json={"job_id": "ab/c", "status_url": "/jobs/abc"}),
                        httpx.Response(200, json=job), httpx.Response(200, json=dict(job, status="done")),
                        httpx.Response(200, text=json.dumps({"index": 0, **ANSWER}) + "\n", headers={"x-next-cursor": "1"}),
                        httpx.Response(200, text=json.dumps(
                            {"index": 1, "error": {"code": 500, "type": "t", "message": "m"}}) + "\n"))
        client = served.client()
        made = client.submit_extract(["一", "二"], ["姓名"], idempotency_key="k")
        self.assertEqual(served.asked[0].headers["idempotency-key"], "k")
        self.assertTrue(client.wait(made.job_id, interval=0).ended)
        self.assertEqual(served.asked[1].url.raw_path, b"/v1/jobs/ab%2Fc")
        items = list(client.extract_results(made.job_id))
        self.assertEqual([item.index for item in items], [0, 1])
        self.assertEqual(items[1].error.status, 500)
        self.assertEqual(served.asked[4].url.params["cursor"], "1")
        pages = Served(httpx.Response(200, json={"jobs": [job], "next": "a b"}), httpx.Response(200, json={"jobs": [job], "next": None}))
        self.assertEqual([found.items for found in pages.client().jobs()], [2, 2])
        self.assertEqual(pages.asked[1].url.params["cursor"], "a b")
        with self.assertRaises(JobFailed):
            Served(httpx.Response(200, json=dict(job, status="failed"))).client().wait("x")
        with self.assertRaises(TimeoutError):
            Served(httpx.Response(200, json=job)).client().wait("x", timeout=0, interval=0)


class AsyncClientTest(unittest.TestCase):
    def run_with(self, served, work):
        async def main():
            async with AsyncClient("http://seqgpt", transport=httpx.MockTransport(served)) as client:
                return await work(client)
        return asyncio.run(main())

    def test_extract_and_errors(self):
        served = Served(error(503, retry_after="0"), httpx.Response(200, json=ANSWER))
        answer = self.run_with(served, lambda client: client.extract("王伟", ["姓名"]))
        self.assertEqual(answer.result, {"姓名": "王伟"})
        with self.assertRaises(InvalidRequest):
            self.run_with(Served(error(400)), lambda client: client.classify("x", ["a"]))

    def test_streams_and_results(self):
        async def stream(client):
            return [event async for event in client.stream_extract("王伟", ["姓名"])]
        events = self.run_with(Served(httpx.Response(200, text=STREAM)), stream)
        self.assertEqual([type(event) for event in events], [Stage, FieldFound, Finished])

        async def results(client):
            return [item async for item in client.extract_results("j")]
        served = Served(httpx.Response(200, text=json.dumps({"index": 0, **ANSWER}) + "\n"))
        self.assertEqual(len(self.run_with(served, results)), 1)

    def test_same_methods(self):
        def methods(kind):
            found = {name: inspect.signature(member) for name, member in inspect.getmembers(kind, inspect.isfunction)
                     if not name.startswith("_")}
            found.pop("close", None)
            found.pop("aclose", None)
            return {name: list(signature.parameters) for name, signature in found.items()}
        self.assertEqual(methods(Client), methods(AsyncClient))


if __name__ == "__main__":
    unittest.main()
