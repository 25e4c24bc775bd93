#!/usr/bin/env python3
"""Draws the stress of every material law over uniaxial stretch: docs/pictures/uniaxial_curves.svg.

Dots are runs of tests/validation/scenes/uniaxial.yaml: a block between sliding plates. Lines are the same laws reduced to
one scalar equation here: the width at which the sides carry no stress, found by bisection. All laws have Young's modulus
100 kPa and Poisson's ratio 0.3 at rest, where they have any stiffness there.

    tools/plot_uniaxial.py build/release/bin/pliant
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
YOUNG, POISSON = 1.0e5, 0.3
MU = YOUNG / (2 * (1 + POISSON))
LAMBDA = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
C1, C2, BULK = 0.35 * MU, 0.15 * MU, LAMBDA + 2 * MU / 3
QUARTIC = 1.0e5  # Pa, of the polynomial law
SLOPE_B, SLOPE_C = 0.3 * LAMBDA, 0.7 * LAMBDA  # Pa, of the spline's curves, which are lines through 0 at rest
SLOPE_A = 2 * MU - SLOPE_B


# For stretches (l, w, w): principal stresses along the pull and across it [Pa].
def neo_hookean(l, w):
    p = LAMBDA * math.log(l * w * w) - MU
    return MU * l + p / l, MU * w + p / w


def stable_neo_hookean(l, w):
    m, k = 4 / 3 * MU, LAMBDA + 5 / 6 * MU
    shear, p = m * (1 - 1 / (l * l + 2 * w * w + 1)), k * (l * w * w - 1 - 0.75 * m / k)
    return shear * l + p * w * w, shear * w + p * l * w


def corotated(l, w):
    p = LAMBDA * (l + 2 * w - 3)
    return 2 * MU * (l - 1) + p, 2 * MU * (w - 1) + p


def st_venant_kirchhoff(l, w):
    p = LAMBDA / 2 * (l * l + 2 * w * w - 3)
    return l * (p + MU * (l * l - 1)), w * (p + MU * (w * w - 1))


def mooney_rivlin(l, w):
    p = (BULK - 4 / 3 * (C1 + C2) - 4 * C2) * math.log(l * w * w) - 2 * (C1 + 2 * C2)
    return 2 * l * (C1 + 2 * C2 * w * w) + p / l, 2 * w * (C1 + C2 * (l * l + w * w)) + p / w


def arap(l, w):
    return YOUNG * (l - 1), YOUNG * (w - 1)


def polynomial(l, w):
    return 4 * QUARTIC * (l - 1) ** 3, 4 * QUARTIC * (w - 1) ** 3


def spline(l, w):
    c = SLOPE_C * (l * w * w - 1)
    return (SLOPE_A * (l - 1) + 2 * SLOPE_B * (l * w - 1) * w + c * w * w,
            SLOPE_A * (w - 1) + SLOPE_B * ((l * w - 1) * l + (w * w - 1) * w) + c * l * w)


def points_on_line(slope):
    return [[x, slope * (x - 1)] for x in (0.2, 0.6, 0.9, 1.0, 1.3, 1.9, 2.5)]


# Name, formula, least stretch, material in the scene, colour. Sides of a linear block behave as those of a corotated one.
LAME = f"young: {YOUNG}, poisson: {POISSON}"
LAWS = [
    ("neo_hookean", neo_hookean, 0.6, LAME, "#1f5fa8"),
    ("stable_neo_hookean", stable_neo_hookean, 0.6, LAME, "#2a9d8f"),
    ("corotated", corotated, 0.6, LAME, "#444444"),
    ("linear", corotated, 0.6, LAME, "#d98cb3"),
    ("st_venant_kirchhoff", st_venant_kirchhoff, 0.7, LAME, "#c8452f"),
    ("mooney_rivlin", mooney_rivlin, 0.6, f"c1: {C1}, c2: {C2}, bulk: {BULK}", "#8a4fa3"),
    ("arap", arap, 0.6, f"stiffness: {YOUNG}", "#e09f1f"),
    ("polynomial", polynomial, 0.6, f"mu: {QUARTIC}", "#7a7a2a"),
    ("spline", spline, 0.6, ", ".join(f"{k}: {points_on_line(s)}" for k, s in zip("abc", (SLOPE_A, SLOPE_B, SLOPE_C))), "#36b5d8"),
]


def solved(law, l):
    """Stress along the pull when the sides carry none. Slim and wide states bracket the root nearest to rest."""
    if law is polynomial:
        return law(l, 1)[0]
    low, high = 0.2, 1.6
    for _ in range(100):
        w = 0.5 * (low + high)
        if law(l, w)[1] > 0:
            high = w
        else:
            low = w
    return law(l, low)[0]


def measured(program, name, material, last):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        scene = ROOT / "tests/validation/scenes/uniaxial.yaml"
        options = [f"materials.block={{model: {name}, density: 1000, {material}}}",
                   f"pins.1.motion.move.velocity=[{last - 1:.6g}, 0, 0]", "expect=[]"]
        command = [program, "run", str(scene), "-o", str(out)]
        for option in options:
            command += ["--set", option]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rows = list(csv.DictReader((out / "probes.csv").open()))
    return [(float(row["far.x"]), float(row["pull.x"])) for row in rows]


LEFT, TOP, WIDTH, HEIGHT = 70, 20, 560, 400
L_RANGE, P_RANGE = (0.55, 2.05), (-120e3, 320e3)


def place(l, p):
    x = LEFT + WIDTH * (l - L_RANGE[0]) / (L_RANGE[1] - L_RANGE[0])
    y = TOP + HEIGHT * (P_RANGE[1] - p) / (P_RANGE[1] - P_RANGE[0])
    return x, y


def text(x, y, content, anchor="middle", colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{content}</text>'


def axes():
    lines = [f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>']
    for tenth in range(6, 21, 2):
        x, _ = place(tenth / 10, 0)
        lines.append(f'<path d="M{x:.1f} {TOP} v{HEIGHT}" stroke="#e4e4e4"/>')
        lines.append(text(x, TOP + HEIGHT + 18, f"{tenth / 10:.1f}"))
    for kilo in range(-100, 301, 50):
        _, y = place(1, kilo * 1e3)
        lines.append(f'<path d="M{LEFT} {y:.1f} h{WIDTH}" stroke="{"#888" if kilo == 0 else "#e4e4e4"}"/>')
        lines.append(text(LEFT - 8, y + 4, str(kilo), "end"))
    lines.append(text(LEFT + WIDTH / 2, TOP + HEIGHT + 40, "stretch"))
    lines.append(f'<g transform="translate(18 {TOP + HEIGHT / 2}) rotate(-90)">' + text(0, 0, "force per rest area [kPa]") + "</g>")
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    body, worst = [], 0.0
    for index, (name, law, shortest, material, colour) in enumerate(LAWS):
        count = 120
        stretches = [shortest + (2 - shortest) * i / count for i in range(count + 1)]
        curve = [(l, solved(law, l)) for l in stretches]
        points = " ".join("%.1f,%.1f" % place(l, p) for l, p in curve if p <= P_RANGE[1])
        dashes = ' stroke-dasharray="7 7"' if name == "linear" else ""  # lies on the line of corotated
        body.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"{dashes}/>')
        for l, p in measured(sys.argv[1], name, material, shortest) + measured(sys.argv[1], name, material, 2):
            worst = max(worst, abs(p - solved(law, l)) / YOUNG)
            if p <= P_RANGE[1]:
                body.append('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (*place(l, p), colour))
        y = TOP + 22 + 18 * index
        body.append(f'<path d="M{LEFT + 14} {y - 4} h24" stroke="{colour}" stroke-width="2"/>')
        body.append(text(LEFT + 44, y, name, "start", colour))
    picture = ['<svg xmlns="http://www.w3.org/2000/svg" width="650" height="470" font-family="sans-serif" font-size="13">',
               '<rect width="650" height="470" fill="white"/>', *axes(), *body, "</svg>"]
    target = ROOT / "docs/pictures/uniaxial_curves.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text("\n".join(picture) + "\n")
    print(f"{target.relative_to(ROOT)}: largest difference between run and equation {worst:.1e} of Young's modulus")
    return 0 if worst < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
