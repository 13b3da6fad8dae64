# SPDX-License-Identifier: Apache-2.0
"""The load scripts against a stand-in server: waiting is counted, errors are not hidden, the picture is one."""

import argparse
import asyncio
import pathlib
import random
import sys
import threading
import unittest
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import chart
import load
import mixed_work
import open_loop
import soak


class StandIn:
    """Answers one request after another, each in `service` seconds; every `refuse`-th with 429."""

    def __init__(self, service, refuse=0):
        self.service, self.refuse, self.count = service, refuse, 0

    async def __aenter__(self):
        self.turn = asyncio.Lock()
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return load.Server(f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}")

    async def __aexit__(self, *_):
        self.server.close()

    async def serve(self, reader, writer):
        try:
            while True:
                await self.answer(reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.close()

    async def answer(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        async with self.turn:
            await asyncio.sleep(self.service)
            self.count += 1
            status = b"429 Too Many Requests" if self.refuse and self.count % self.refuse == 0 else b"200 OK"
        writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\n{}")


class OpenLoopTest(unittest.TestCase):
    def run_rate(self, stand_in, rate, seconds):
        async def main():
            async with stand_in as server:
                return await open_loop.run_rate(server, rate, seconds, 1000)
        return asyncio.run(main())

    def test_waiting_is_counted(self):
        # 50 requests a second at a server that does 25: the last ones wait as long as the run was.
        point = self.run_rate(StandIn(0.04), 50, 1.0)
        self.assertEqual((point["requests"], point["ok"]), (50, 50))
        self.assertGreater(point["p99_ms"], 700)
        self.assertGreater(point["p99_ms"], 1.5 * point["p50_ms"])

    def test_refusals_are_told(self):
        point = self.run_rate(StandIn(0.0, refuse=5), 50, 0.4)
        self.assertEqual(point["errors"], {"429": 4})
        self.assertEqual(point["ok"], 16)

    def test_a_dead_server_is_status_0(self):
        self.assertEqual(asyncio.run(load.Server("http://127.0.0.1:9").status_of(b"{}")), 0)


class Scripted:
    """A server whose answers are written beforehand."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    async def ask(self, method, path, body=b"", headers=""):
        self.asked.append((method, path, headers))
        return self.answers.pop(0)


class MixedWorkTest(unittest.TestCase):
    def wrong(self, kind, *answers, seed=1):
        async def ask():
            try:
                return await kind(Scripted(*answers), random.Random(seed))
            except mixed_work.Wrong as wrong:
                return str(wrong)
        return asyncio.run(ask())

    def test_a_value_must_stand_where_it_says(self):
        text = mixed_work.extraction(random.Random(1))["text"]
        answer = {"entities": [{"start": 0, "end": 2, "text": text[:2]}]}
        self.assertEqual(len(text), len(mixed_work.extraction(random.Random(1))["text"]))
        self.assertIsNone(mixed_work.wrong_spans(answer, text))
        self.assertIn("not a span", mixed_work.wrong_spans(answer, "x" + text))

    def test_an_error_status_is_told(self):
        self.assertIn("429 full", self.wrong(mixed_work.extract, (429, b"full")))

    def test_a_stream_must_end_in_a_result(self):
        good = b"event: stage\ndata: {}\n\nevent: result\ndata: {}\n\n"
        self.assertIsNone(self.wrong(mixed_work.stream, (200, good)))
        self.assertIn("stage", self.wrong(mixed_work.stream, (200, good[:30])))

    def test_a_batch_with_an_error_is_wrong(self):
        self.assertIn("had 1 results", self.wrong(mixed_work.batch, (200, b'{"results": [{"error": {"code": 504}}]}')))

    def test_texts_differ_and_have_many_lengths(self):
        draw = random.Random(7)
        texts = [mixed_work.some_text(draw) for _ in range(300)]
        self.assertEqual(len(set(texts)), 300)
        self.assertLess(min(map(len, texts)), 60)
        self.assertGreater(max(map(len, texts)), 2500)

    def test_every_kind_is_asked(self):
        draw = random.Random(7)
        self.assertEqual(len({mixed_work.next_kind(draw) for _ in range(300)}), len(mixed_work.KINDS))


class ChunksTest(unittest.TestCase):
    def test_a_chunked_body_is_read_whole(self):
        async def read():
            reader = asyncio.StreamReader()
            reader.feed_data(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nnext")
            return await load.read_body(reader, "transfer-encoding: chunked\r\n"), await reader.readexactly(4)
        self.assertEqual(asyncio.run(read()), (b"abcde", b"next"))


class FiguresTest(unittest.TestCase):
    def test_percentiles_by_nearest_rank(self):
        self.assertEqual(load.percentile(range(1, 101), 0.95), 95)
        self.assertEqual(load.percentile([3, 1, 2], 0.5), 2)
        self.assertEqual(load.percentile([7], 0.99), 7)
        self.assertIsNone(load.percentile([], 0.5))

    def test_bodies_differ(self):
        self.assertEqual(len({load.next_body() for _ in range(50)}), 50)

    def test_growth_after_settling(self):
        self.assertEqual(soak.growth_percent([(0, 50), (10, 100), (20, 101), (30, 100)], 10), 1.0)
        self.assertIsNone(soak.growth_percent([(0, 50), (10, 100)], 10))

    def test_soak_fails_for_a_wrong_answer_and_for_growth(self):
        options = argparse.Namespace(clients=1, minutes=1, settle_minutes=1)
        good, bad = soak.Done("extract", 0.1, None), soak.Done("job", 0.1, "500")
        steady, growing = [(0, 100), (50, 200), (90, 203)], [(0, 100), (50, 200), (90, 204)]
        self.assertTrue(soak.passed(soak.report_of(options, [good], steady), 2))
        self.assertFalse(soak.passed(soak.report_of(options, [good], growing), 2))
        self.assertFalse(soak.passed(soak.report_of(options, [good, bad], steady), 2))
        self.assertFalse(soak.passed(soak.report_of(options, [], steady), 2))
        report = soak.report_of(options, [good, bad], steady)
        self.assertEqual((report["kinds"]["job"]["wrong"], report["all"]["wrong"]), (1, 1))
        self.assertIn("job", soak.table(report))

    def test_chart(self):
        points = [{"rate": rate, "p50_ms": 10.0 * rate, "p95_ms": 20.0 * rate, "p99_ms": 900.0, "requests": 10, "ok": ok}
                  for rate, ok in ((1, 10), (2, 9))]
        points.append({"rate": 4, "p50_ms": None, "p95_ms": None, "p99_ms": None, "requests": 10, "ok": 0})
        svg = chart.latency_svg(points, "a < b")
        drawn = xml.dom.minidom.parseString(svg)
        self.assertEqual(len(drawn.getElementsByTagName("polyline")), 3)
        self.assertEqual(len(drawn.getElementsByTagName("circle")), 6)
        self.assertIn("10 % refused", svg)
        self.assertIn("100 % refused", svg)
        with self.assertRaises(ValueError):
            chart.latency_svg(points[2:])


if __name__ == "__main__":
    unittest.main()
