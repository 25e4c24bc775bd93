#!/usr/bin/env python3
"""Draws figures of docs/solvers/multigrid.md from what the benchmark prints: docs/pictures/multigrid_*.svg.

    multigrid_benchmark --convergence > convergence.csv     norm of the residual after every iteration
    multigrid_benchmark --only=pinned > pinned.csv          time against size
    tools/plot_multigrid.py convergence.csv pinned.csv

Any number of files; lines of other kinds in them are passed over.
"""
import csv
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEFT, TOP, WIDTH, HEIGHT = 70, 20, 480, 320
COLOURS = ["#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#555555"]


def text(x, y, content, anchor="middle", colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{content}</text>'


def power(exponent):
    return f"{10 ** exponent:,}" if exponent >= 0 else f'10<tspan dy="-5" font-size="10">−{-exponent}</tspan>'


class LogAxis:
    """Powers of ten along `length` pixels."""

    def __init__(self, values, length):
        self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) - 1e-9)
        self.length = length

    def at(self, value):
        return self.length * (math.log10(value) - self.low) / (self.high - self.low)

    def ticks(self):
        return [(self.at(10.0**k), k) for k in range(self.low, self.high + 1)]


def draw(target, curves, labels):
    """curves: name → points (x, y), both on logarithmic axes."""
    across = LogAxis([x for points in curves.values() for x, _ in points], WIDTH)
    up = LogAxis([y for points in curves.values() for _, y in points], HEIGHT)
    body = [f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>']
    for x, k in across.ticks():
        body.append(f'<path d="M{LEFT + x:.1f} {TOP} v{HEIGHT}" stroke="#e4e4e4"/>')
        body.append(text(LEFT + x, TOP + HEIGHT + 18, power(k)))
    for y, k in up.ticks():
        body.append(f'<path d="M{LEFT} {TOP + HEIGHT - y:.1f} h{WIDTH}" stroke="#e4e4e4"/>')
        body.append(text(LEFT - 8, TOP + HEIGHT - y + 4, power(k), "end"))
    body.append(text(LEFT + WIDTH / 2, TOP + HEIGHT + 40, labels[0]))
    body.append(f'<g transform="translate(18 {TOP + HEIGHT / 2}) rotate(-90)">' + text(0, 0, labels[1]) + "</g>")
    for index, (name, points) in enumerate(curves.items()):
        colour = COLOURS[index % len(COLOURS)]
        line = " ".join(f"{LEFT + across.at(x):.1f},{TOP + HEIGHT - up.at(y):.1f}" for x, y in points)
        body.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        y = TOP + 20 + 18 * index
        body.append(f'<path d="M{LEFT + WIDTH + 14} {y - 4} h24" stroke="{colour}" stroke-width="2"/>')
        body.append(text(LEFT + WIDTH + 44, y, name, "start", colour))
    size = f'width="{LEFT + WIDTH + 240}" height="{TOP + HEIGHT + 60}"'
    picture = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">',
               f'<rect {size} fill="white"/>', *body, "</svg>"]
    path = ROOT / "docs/pictures" / target
    path.write_text("\n".join(picture) + "\n")
    print(path.relative_to(ROOT))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    norms, times, head = {}, {"multigrid": [], "pcg": [], "cholesky": []}, []
    for name in sys.argv[1:]:
        for row in csv.reader(pathlib.Path(name).open()):
            if row[0] == "system":
                head = row
            elif row[0] == "convergence" and row[1] != "system":
                norms.setdefault(f"{row[2]}, {row[1]}", []).append((int(row[3]), float(row[4])))
            elif row[0] == "pinned" and len(row) == len(head):
                cells = dict(zip(head, row))
                size = int(cells["vertices"])
                times["multigrid"].append((size, float(cells["build"]) + float(cells["solve"])))
                times["pcg"].append((size, float(cells["pcg"])))
                times["cholesky"].append((size, float(cells["cholesky_analyze"]) + float(cells["cholesky"])))
    if norms:
        draw("multigrid_convergence.svg", norms, ("iteration", "√(rᵀBr), relative"))
    if times["multigrid"]:
        draw("multigrid_time.svg", times, ("vertices", "seconds for the first solution"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
