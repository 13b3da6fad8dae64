#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Open-loop load: requests fall due at a constant rate whether or not earlier ones are answered, and each one's time
runs from when it was due. Waiting in a queue is counted, as it is for people (no coordinated omission).

    bench/open_loop.py --url http://127.0.0.1:8000 --rates 2,4,8,16 --seconds 20 --json out.json --svg docs/latency.svg
"""

import argparse
import asyncio
import json
import sys
import time

from chart import latency_svg
from load import Outcome, Server, next_body, summary


async def run_rate(server, rate, seconds, timeout_ms):
    """Due times are start + i / rate, fixed beforehand."""
    start = time.perf_counter()
    outcomes = []

    async def one(due):
        status = await server.status_of(next_body(timeout_ms))
        outcomes.append(Outcome(due, time.perf_counter() - start - due, status))

    tasks = []
    for i in range(int(rate * seconds)):
        due = i / rate
        await asyncio.sleep(max(0.0, start + due - time.perf_counter()))
        tasks.append(asyncio.create_task(one(due)))
    late = time.perf_counter() - start - seconds  # over a second: this script, not the server, was the limit
    await asyncio.gather(*tasks)
    elapsed = time.perf_counter() - start
    return {"rate": rate, "achieved_per_s": round(sum(o.status == 200 for o in outcomes) / elapsed, 2),
            "sender_late_s": round(max(0.0, late), 3), **summary(outcomes)}


async def run_all(options):
    server = Server(options.url, options.key)
    for _ in range(3):
        if await server.status_of(next_body()) != 200:
            sys.exit(f"open_loop: {options.url} does not answer /extract with 200")
    points = []
    for rate in options.rates:
        points.append(await run_rate(server, rate, options.seconds, options.timeout_ms))
        print(json.dumps(points[-1]), flush=True)
    return points


def rates(text):
    return [float(part) for part in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--key", help="bearer key (or SEQGPT_KEY)")
    parser.add_argument("--rates", type=rates, default=rates("1,2,4,8"), help="requests a second, rising")
    parser.add_argument("--seconds", type=float, default=20, help="for each rate")
    parser.add_argument("--timeout-ms", type=int, default=30000)
    parser.add_argument("--title", default="")
    parser.add_argument("--json", help="write the points here")
    parser.add_argument("--svg", help="draw latency over rate here")
    options = parser.parse_args()
    points = asyncio.run(run_all(options))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump({"title": options.title, "seconds": options.seconds, "points": points}, out, indent=1)
    if options.svg:
        with open(options.svg, "w", encoding="utf-8") as out:
            out.write(latency_svg(points, options.title))


if __name__ == "__main__":
    main()
