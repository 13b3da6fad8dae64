# SPDX-License-Identifier: Apache-2.0
"""Draws what `seqgpt bench --json` measured under the machine's two ceilings: an SVG, with the standard library alone.

    seqgpt bench --shape seqgpt-560m --json | python3 bench/roofline.py > roofline.svg

A pass over T tokens does 2 T operations for each weight that it reads; what it can reach is the lower of the two roofs.
"""

from __future__ import annotations

import json
import math
import sys

_BYTES = {"f32": 4.0, "bf16": 2.0, "int8": 8.125 / 8, "int4": 4.5 / 8}  # docs/quantisation.md
_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 50, 60
_STYLE = """
text { font: 13px sans-serif; fill: #333 } .title { font-size: 15px; font-weight: bold }
.grid { stroke: #ddd } .roof { stroke: #444; stroke-width: 2; fill: none } .point { fill: #1b6ec2 } .small { font-size: 11px; fill: #666 }
"""


class Axis:
    """A logarithmic scale between two powers of ten."""

    def __init__(self, values: list[float], begin: float, end: float) -> None:
        self.low = math.floor(math.log10(min(values)))
        self.high = math.ceil(math.log10(max(values) * 1.2))
        self.begin, self.end = begin, end

    def at(self, value: float) -> float:
        """Where it stands, in pixels."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """The powers of ten."""
        return [10.0**i for i in range(self.low, self.high + 1)]


def points_of(report: dict) -> list[tuple[str, float, float]]:
    """Name, operations a byte, GFLOP/s."""
    intensity = 2 / _BYTES[report["weights"]]
    points = [("decode, 1 token", intensity, report["decode"]["gbps"] * intensity)]
    for run in report["prefill"]:
        points.append((f"prefill, {run['tokens']}", intensity * run["tokens"], run["share"] * report["ceiling"]["gflops"]))
    return points


def draw(report: dict) -> str:
    """The whole picture."""
    gflops, gbps = report["ceiling"]["gflops"], report["ceiling"]["gbps"]
    points = points_of(report)
    ridge = gflops / gbps
    x = Axis([p[1] for p in points] + [ridge / 3, ridge * 3], _LEFT, _WIDTH - _RIGHT)
    y = Axis([p[2] for p in points] + [gflops], _HEIGHT - _BOTTOM, _TOP)
    first, last = 10.0**x.low, 10.0**x.high
    parts = []
    for tick in x.ticks():
        parts.append(f'<line class="grid" x1="{x.at(tick):.1f}" x2="{x.at(tick):.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>')
        parts.append(f'<text text-anchor="middle" x="{x.at(tick):.1f}" y="{_HEIGHT - _BOTTOM + 18}">{tick:g}</text>')
    for tick in y.ticks():
        parts.append(f'<line class="grid" y1="{y.at(tick):.1f}" y2="{y.at(tick):.1f}" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}"/>')
        parts.append(f'<text text-anchor="end" x="{_LEFT - 6}" y="{y.at(tick) + 4:.1f}">{tick:g}</text>')
    start = max(first, 10.0**y.low / gbps)
    roof = f"{x.at(start):.1f},{y.at(start * gbps):.1f} {x.at(ridge):.1f},{y.at(gflops):.1f} {x.at(last):.1f},{y.at(gflops):.1f}"
    parts.append(f'<polyline class="roof" points="{roof}"/>')
    label = 0.0
    for name, operations, reached in points:
        px, py = x.at(operations), y.at(reached)
        anchor, shift = ("end", -9) if px > 0.7 * _WIDTH else ("start", 9)
        beside_last = abs(py + 18 - label) < 60  # labels of neighbours stand under one another
        label = label + 16 if beside_last else py + 18
        share = reached / min(gflops, operations * gbps)
        parts.append(f'<circle class="point" r="5" cx="{px:.1f}" cy="{py:.1f}"/>')
        parts.append(f'<text text-anchor="{anchor}" x="{px + shift:.1f}" y="{label:.1f}">{name}: {share:.0%}</text>')
    title = f"{report['weights']} weights, {report['isa']}, {report['threads']} threads: {gflops:.0f} GFLOP/s and {gbps:.0f} GB/s measured"
    parts.append(f'<text class="title" x="{_LEFT}" y="28">{title}</text>')
    parts.append(f'<text text-anchor="middle" x="{(_LEFT + _WIDTH) / 2}" y="{_HEIGHT - 16}">operations for each byte of weights read</text>')
    parts.append(f'<text text-anchor="middle" transform="translate(20 {_HEIGHT / 2}) rotate(-90)">GFLOP/s</text>')
    body = "\n".join(parts)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}">'
    return f'{head}\n<style>{_STYLE}</style>\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'


if __name__ == "__main__":
    if sys.stdin.isatty():
        raise SystemExit(__doc__)
    print(draw(json.load(sys.stdin)), end="")
