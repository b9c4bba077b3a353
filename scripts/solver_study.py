#!/usr/bin/env python3
"""Products and seconds that each solver takes on frozen contact problems, as Markdown tables."""
import argparse
import re
import subprocess

import frozen_steps

SIZES = {
    "cylinder-1000": ("settling-cylinder-1000", 200),
    "cylinder-2000": ("settling-cylinder-2000", 200),
    "cylinder-4000": ("settling-cylinder-4000", 200),
    "box-20000": ("settling-box-20000", 100),
}
FRICTIONS = ["0", "0.3", "0.8"]
TOLERANCES = [1e-2, 1e-3, 1e-6, 1e-8]


def solvers_for(options, law):
    """The solvers that take a law, by the list that the program prints."""
    command, environment = frozen_steps.mpi(1)
    text = subprocess.run(command + [options.program, "--list"], env=environment, check=True, capture_output=True,
                          text=True).stdout
    solvers = text.split("\nlaws:\n")[0] + "\n"
    return [match[1] for match in re.finditer(r"^  (\S+) .*\n(?: {4}.*\n)*", solvers, re.M)
            if re.search(rf"laws:.*\b{law}\b", match[0])]


def scene_of(size, friction):
    """Beds with friction are settled with 0.3; the frozen step may have another coefficient."""
    scene, steps = SIZES[size]
    return f"{scene}{'-friction' if friction != '0' and 'cylinder' in scene else ''}.yaml", steps


def solve(options, size, friction, solver, tolerance):
    scene, steps = scene_of(size, friction)
    law = "frictionless" if friction == "0" else options.law
    name = f"{size}-{friction}-{law}-{solver}-{tolerance:g}"
    return frozen_steps.solve(options, name, scene, steps, 1, [
        "--solver", solver, "--tolerance", str(tolerance), "--max-iterations", str(options.max_iterations),
        "--set", f"solver.law={law}", "--set", "solver.check_every=5",
        "--set", f"materials.ball.friction={friction}"])


def row(options, size, friction, solver):
    cells = []
    for tolerance in TOLERANCES:
        found = solve(options, size, friction, solver, tolerance)
        if found is None or found["converged_steps"] == 0:
            reached = "" if found is None else f" ({found['residual']:.0e})"
            cells += ["-" + reached] + ["-"] * (len(TOLERANCES) - len(cells) - 1)
            break
        products = found["contact_updates"] / found["contacts"]
        cells.append(f"{products:.0f} / {found['seconds']['solve']['max']:.3g}")
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    frozen_steps.add_options(parser, "solver-study")
    parser.add_argument("--problems", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--frictions", nargs="+", choices=FRICTIONS, default=FRICTIONS)
    parser.add_argument("--law", default="cone", help="of contacts with friction")
    parser.add_argument("--solvers", nargs="+", help="default: all that take the law")
    parser.add_argument("--max-iterations", type=int, default=10000)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    for size in options.problems:
        for friction in options.frictions:
            law = "frictionless" if friction == "0" else options.law
            able = solvers_for(options, law)
            print(f"\n{size}, {law}{'' if friction == '0' else ', friction ' + friction}: products / seconds to\n")
            print("| solver | " + " | ".join(f"{tolerance:g}" for tolerance in TOLERANCES) + " |")
            print("|---" * (len(TOLERANCES) + 1) + "|")
            for solver in able:
                if options.solvers is None or solver in options.solvers:
                    print(f"| {solver} | " + " | ".join(row(options, size, friction, solver)) + " |", flush=True)


if __name__ == "__main__":
    main()
