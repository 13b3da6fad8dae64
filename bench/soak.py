#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A long run: clients that ask one thing after another, of every kind (mixed_work.py); afterwards errors, P95 of each
kind and how memory grew after a settling time. Exits 1 when any answer was wrong or memory grew by the limit.

    bench/soak.py --url http://127.0.0.1:8000 --clients 24 --minutes 30 --json soak.json
"""

import argparse
import asyncio
import json
import random
import sys
import time
import urllib.request
from dataclasses import dataclass

from load import Server, percentile
from mixed_work import ask_one

GAUGE = "process_resident_memory_bytes"


@dataclass
class Done:
    kind: str
    seconds: float
    wrong: str | None


def memory_bytes(options):
    """Resident bytes: of --pid where given, else what the server's /metrics says."""
    if options.pid:
        with open(f"/proc/{options.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * 4096
    request = urllib.request.Request(options.url + "/metrics")
    if options.key:
        request.add_header("Authorization", f"Bearer {options.key}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        for line in answer.read().decode().split("\n"):
            if GAUGE in line and not line.startswith("#"):
                return int(float(line.split()[-1]))
    sys.exit(f"soak: /metrics of {options.url} has no {GAUGE}")


def growth_percent(samples, settle):
    """Of the highest reading after the settling time over the last one within it; None for too short a run."""
    settled = [size for at, size in samples if at <= settle]
    later = [size for at, size in samples if at > settle]
    return round(100 * (max(later) / settled[-1] - 1), 2) if settled and later else None


async def run(options):
    server = Server(options.url, options.key)
    start = time.perf_counter()
    end = start + options.minutes * 60
    done, samples = [], []

    async def client(seed):
        draw = random.Random(seed)
        while (asked := time.perf_counter()) < end:
            kind, wrong = await ask_one(server, draw)
            done.append(Done(kind, time.perf_counter() - asked, wrong))
            if wrong:
                print(f"soak: {kind}: {wrong}", file=sys.stderr, flush=True)
                await asyncio.sleep(0.2)  # a server that is away is not asked in a tight loop

    async def watch():
        while (now := time.perf_counter()) < end:
            samples.append((now - start, await asyncio.to_thread(memory_bytes, options)))
            await asyncio.sleep(min(options.every, max(0.1, end - now)))

    await asyncio.gather(watch(), *(client(seed) for seed in range(options.clients)))
    samples.append((time.perf_counter() - start, memory_bytes(options)))
    return done, samples


def figures(done):
    times = [d.seconds * 1000 for d in done if not d.wrong]
    latency = {f"p{p}_ms": round(percentile(times, p / 100), 1) if times else None for p in (50, 95, 99)}
    return {"requests": len(done), "wrong": sum(d.wrong is not None for d in done), **latency}


def report_of(options, done, samples):
    kinds = {kind: figures([d for d in done if d.kind == kind]) for kind in sorted({d.kind for d in done})}
    return {"clients": options.clients, "minutes": options.minutes, "all": figures(done), "kinds": kinds,
            "rss_first_mb": round(samples[0][1] / 2**20, 1), "rss_last_mb": round(samples[-1][1] / 2**20, 1),
            "growth_percent": growth_percent(samples, options.settle_minutes * 60),
            "rss": [[round(at), round(size / 2**20, 1)] for at, size in samples]}


def table(report):
    rows = [f"{'':10}{'requests':>10}{'wrong':>8}{'p50 ms':>11}{'p95 ms':>11}{'p99 ms':>11}"]
    for name, f in (*report["kinds"].items(), ("all", report["all"])):
        rows.append(f"{name:10}{f['requests']:>10}{f['wrong']:>8}"
                    + "".join(f"{f[p] if f[p] is not None else '-':>11}" for p in ("p50_ms", "p95_ms", "p99_ms")))
    growth = report["growth_percent"]
    rows.append(f"memory {report['rss_first_mb']} MB to {report['rss_last_mb']} MB, growth after the settling time: "
                + ("too short a run" if growth is None else f"{growth} %"))
    return "\n".join(rows)


def passed(report, most_growth):
    """Every answer right, one at least, and memory grew by less than `most_growth` percent."""
    growth = report["growth_percent"]
    return report["all"]["requests"] > 0 and not report["all"]["wrong"] and (growth is None or growth < most_growth)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--key")
    parser.add_argument("--pid", type=int, help="read memory of this process instead of /metrics")
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--settle-minutes", type=float, default=5, help="growth counts after this")
    parser.add_argument("--every", type=float, default=10, help="seconds between readings of memory")
    parser.add_argument("--most-growth", type=float, default=2, help="percent")
    parser.add_argument("--json", help="file for the figures and all readings of memory")
    options = parser.parse_args()
    report = report_of(options, *asyncio.run(run(options)))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(report, out)
    print(table(report))
    sys.exit(0 if passed(report, options.most_growth) else 1)


if __name__ == "__main__":
    main()
