# SPDX-License-Identifier: Apache-2.0
"""Latency over rate as an SVG: three percentiles, logarithmic milliseconds, refused requests marked below."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 90, 46, 64
LINES = (("p50_ms", "P50", "#175cab"), ("p95_ms", "P95", "#a04800"), ("p99_ms", "P99", "#b3261e"))


def _ticks(low, high):
    """1, 2, 5, 10 ... that cover the range."""
    ticks = [factor * 10**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
             for factor in (1, 2, 5)]
    begin = max((t for t in ticks if t <= low), default=ticks[0])
    end = min((t for t in ticks if t >= high), default=ticks[-1])
    return [t for t in ticks if begin <= t <= end]


def latency_svg(points, title=""):
    values = [point[name] for point in points for name, _, _ in LINES if point[name]]
    if not values:
        raise ValueError("no request was answered at any rate: nothing to draw")
    ticks = _ticks(min(values), max(max(values), min(values) * 1.01))
    most = max(point["rate"] for point in points)

    def x(rate):
        return LEFT + (WIDTH - LEFT - RIGHT) * rate / most

    def y(ms):
        share = math.log(ms / ticks[0]) / math.log(ticks[-1] / ticks[0])
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           'font-size="12"><!-- SPDX-License-Identifier: Apache-2.0 -->',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="{LEFT}" y="24" font-size="14" font-weight="bold">{escape(title or "Latency over rate")}</text>']
    for tick in ticks:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#d9dfe7"/>'
                   f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end" fill="#566273">{tick:g}</text>')
    for point in points:
        at = x(point["rate"])
        bad = point["requests"] - point["ok"]
        out.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#566273">'
                   f'{point["rate"]:g}</text>')
        if bad:
            out.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 33}" text-anchor="middle" fill="#b3261e">'
                       f'{100 * bad / point["requests"]:.0f} % refused</text>')
    for name, label, colour in LINES:
        drawn = [(x(point["rate"]), y(point[name])) for point in points if point[name]]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in drawn)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in drawn]
    for place, (name, label, colour) in enumerate(LINES):
        out.append(f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 16 + 18 * place}" fill="{colour}">{label}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">requests a second, '
               'sent at a constant rate</text>'
               f'<text transform="translate(18 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">milliseconds from when '
               'the request was due</text></svg>')
    return "\n".join(out) + "\n"
