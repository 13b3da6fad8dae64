#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A long run: clients that ask one request after another; afterwards errors, P95 and how memory grew after a settling
time. Exits 1 when anything but 200 came back or memory grew by more than the limit.

    bench/soak.py --url http://127.0.0.1:8000 --clients 24 --minutes 30
"""

import argparse
import asyncio
import json
import sys
import time
import urllib.request

from load import Outcome, Server, next_body, summary

GAUGE = "process_resident_memory_bytes"


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
    outcomes, samples = [], []

    async def client():
        while (due := time.perf_counter()) < end:
            status = await server.status_of(next_body())
            outcomes.append(Outcome(due - start, time.perf_counter() - due, status))

    async def watch():
        while (now := time.perf_counter()) < end:
            samples.append((now - start, await asyncio.to_thread(memory_bytes, options)))
            await asyncio.sleep(min(options.every, max(0.1, end - now)))

    await asyncio.gather(watch(), *(client() for _ in range(options.clients)))
    samples.append((time.perf_counter() - start, memory_bytes(options)))
    return outcomes, samples


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
    options = parser.parse_args()
    outcomes, samples = asyncio.run(run(options))
    growth = growth_percent(samples, options.settle_minutes * 60)
    report = {"clients": options.clients, "minutes": options.minutes, **summary(outcomes),
              "rss_first_mb": round(samples[0][1] / 2**20, 1), "rss_last_mb": round(samples[-1][1] / 2**20, 1),
              "growth_percent": growth}
    print(json.dumps(report))
    bad = report["requests"] != report["ok"] or (growth is not None and growth > options.most_growth)
    sys.exit(1 if bad or not report["ok"] else 0)


if __name__ == "__main__":
    main()
