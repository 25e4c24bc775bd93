#!/usr/bin/env python3
"""How many times the processor time of a first run the linear solves of others took, step by step, from convergence.csv.

    pliant run scene.yaml -o out/multigrid --set solver.newton.linear=multigrid
    pliant run scene.yaml -o out/pcg --set solver.newton.linear=pcg
    tools/compare_linear.py out/multigrid out/pcg [--from 0.1] [--to 0.4]

Where the whole run would take too long with the other solver, it can take over in the middle: copy the folder of a run
that ended there, and resume the copy and the run itself with a later end. Steps that a copy has from the first run,
to the digit of the clock, are passed over. Several folders after the first count as one run in pieces.
"""
import argparse
import csv
import pathlib
import statistics


def rows_of(folder):
    """step → the numbers of its row."""
    with open(pathlib.Path(folder) / "convergence.csv", newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    return {int(row["step"]): row for row in rows if row["linear_seconds"] > 0}


def describe(name, rows):
    count = len(rows)
    newton = sum(row["iterations"] for row in rows)
    linear = sum(row["linear_iterations"] for row in rows)
    seconds = sum(row["linear_processor_seconds"] for row in rows)
    solve = sum(row["solve_seconds"] for row in rows)
    return (f"{name}: {newton / count:.1f} Newton iterations per step, {linear / max(1, newton):.0f} linear ones each, "
            f"{seconds / count:.3g} s of processor time per step in linear solves, {solve / count:.3g} s on the clock for the whole step")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("others", nargs="+")
    parser.add_argument("--from", dest="begin", type=float, default=0, help="s simulated")
    parser.add_argument("--to", dest="end", type=float, default=float("inf"), help="s simulated")
    arguments = parser.parse_args()
    first, pairs = rows_of(arguments.first), {}
    for folder in arguments.others:
        for step, row in rows_of(folder).items():
            own = first.get(step)
            if own is None or own["linear_seconds"] == row["linear_seconds"]:
                continue
            if arguments.begin - 1e-9 <= row["time"] <= arguments.end + 1e-9:
                pairs[step] = (own, row)
    if not pairs:
        raise SystemExit("the runs have no steps in common")
    ratios = [other["linear_processor_seconds"] / own["linear_processor_seconds"] for own, other in pairs.values()]
    print(f"{len(pairs)} steps, {min(pairs)} to {max(pairs)}")
    print(describe("first", [own for own, _ in pairs.values()]))
    print(describe("other", [other for _, other in pairs.values()]))
    print(f"ratio of processor time in linear solves: mean {statistics.mean(ratios):.1f}, median {statistics.median(ratios):.1f}, "
          f"least {min(ratios):.1f}, most {max(ratios):.1f}, "
          f"deviation {statistics.pstdev(ratios):.1f}")


main()
