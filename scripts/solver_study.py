#!/usr/bin/env python3
"""Products that each solver takes on frozen contact problems, as a page of Markdown tables.

What was solved before is not solved again: a study that was ended goes on where it was.
"""
import argparse
import functools
import pathlib
import re
import subprocess
import sys

import frozen_steps

# Problem: scene, steps settled, what it is. Beds with friction are settled with 0.3; the frozen step may have another.
PROBLEMS = {
    "cylinder-1000": ("settling-cylinder-1000", 200, "1,000 spheres in a cylinder"),
    "cylinder-2000": ("settling-cylinder-2000", 200, "2,000 spheres in a cylinder"),
    "cylinder-4000": ("settling-cylinder-4000", 200, "4,000 spheres in a cylinder"),
    "cylinder-4000-rest": ("settling-cylinder-4000", 400, "4,000 spheres in a cylinder, near rest"),
    "box-20000": ("settling-box-20000", 100, "20,000 spheres in a box"),
    "plate-1t": ("plate-1t", 400, "1,000 spheres under a plate of 1 t"),
    "plate-4t": ("plate-4t", 400, "1,000 spheres under a plate of 4 t"),
    "plate-16t": ("plate-16t", 400, "1,000 spheres under a plate of 16 t"),
}
CONVEX = [("frictionless", "0"), ("cone", "0.3"), ("cone", "0.8")]
TABLES = [(problem, law, friction) for problem in ["cylinder-1000", "cylinder-2000", "cylinder-4000", "box-20000"]
          for law, friction in CONVEX]
TABLES += [("cylinder-4000-rest", "cone", "0.3"), ("cylinder-4000-rest", "coulomb", "0.3")]
TABLES += [(f"plate-{tonnes}t", "frictionless", "0") for tonnes in [1, 4, 16]]
TOLERANCES = [1e-2, 1e-3, 1e-6, 1e-8]
HOPELESS = ["lemke", "enumerate"]  # made for a few hundred rows


@functools.cache
def catalogue(program):
    """The list that the program prints."""
    command, environment = frozen_steps.mpi(1)
    return subprocess.run(command + [program, "--list"], env=environment, check=True, capture_output=True,
                          text=True).stdout


def solvers_for(options, law):
    """The solvers that take a law."""
    solvers = catalogue(options.program).split("\nlaws:\n")[0] + "\n"
    able = [match[1] for match in re.finditer(r"^  (\S+) .*\n(?: {4}.*\n)*", solvers, re.M)
            if re.search(rf"laws:.*\b{law}\b", match[0])]
    return [solver for solver in able if solver not in HOPELESS and (not options.solvers or solver in options.solvers)]


def solve(options, table, solver, tolerance):
    problem, law, friction = table
    scene, steps, _ = PROBLEMS[problem]
    if friction != "0" and "cylinder" in scene:
        scene += "-friction"
    material = "steel" if "plate" in scene else "ball"
    return frozen_steps.solve(options, f"{problem}-{friction}-{law}-{solver}-{tolerance:g}", f"{scene}.yaml", steps, 1, [
        "--solver", solver, "--tolerance", str(tolerance), "--max-iterations", str(options.max_iterations),
        "--set", f"solver.law={law}", "--set", "solver.check_every=5",
        "--set", f"materials.{material}.friction={friction}"])


def row(options, table, solver):
    """The cells of a solver, and what a solve tells about the problem."""
    cells, known = [], None
    for tolerance in TOLERANCES:
        found = solve(options, table, solver, tolerance)
        if found is None:
            return None, known
        known = found if "kinetic_energy" in found else known
        if "contacts" not in found or found["converged_steps"] == 0:
            why = found.get("ended") or f"{found['residual']:.0e}"
            return cells + [f"- ({why})"] + ["-"] * (len(TOLERANCES) - len(cells) - 1), known
        products = f"{found['contact_updates'] / max(1, found['contacts']):.0f}"
        seconds = f" / {found['seconds']['solve']['max']:.3g}" if options.seconds else ""
        cells.append(products + seconds)
    return cells, known


def table_text(options, table):
    problem, law, friction = table
    lines, known = [], None
    for solver in solvers_for(options, law):
        cells, of_this = row(options, table, solver)
        known = of_this or known
        if cells is not None:
            lines.append(f"| {solver} | " + " | ".join(cells) + " |")
    if not lines:
        return ""
    title = PROBLEMS[problem][2] + f", {law}" + ("" if friction == "0" else f", friction {friction}")
    facts = f"{known['contacts']} contacts, kinetic energy {known['kinetic_energy']:.3g} J.\n\n" if known else ""
    head = "| solver | " + " | ".join(f"{tolerance:g}" for tolerance in TOLERANCES) + " |\n"
    return f"## {title}\n\n{facts}{head}" + "|---" * (len(TOLERANCES) + 1) + "|\n" + "\n".join(lines) + "\n"


def page_text(options, tables):
    words = "products with N and sweeps over all contacts" + (" / seconds of the solve" if options.seconds else "")
    return f"""# Solvers on frozen problems

Made by `scripts/solver_study.py --page docs/solver-tables.md`: do not edit. What the numbers mean and which solver to
take: [solvers, compared](solvers.md).

Each scene settles for a number of steps ({", ".join(f"{name}: {steps}" for name, (_, steps, _) in PROBLEMS.items())});
then one step is solved from zero on one rank until the natural error is below the head of the column, judged every
fifth iteration of methods that sweep. A number: {words}. A dash: not reached within {options.max_iterations} iterations,
with the least error, or not within {options.timeout:g} s ("time"), or refused ("refused": it would need too much memory).
Solvers that are missing in a table were not tried. {options.note}

""" + "\n".join(text for text in tables if text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    frozen_steps.add_options(parser, "solver-study")
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--laws", nargs="+", default=["frictionless", "cone", "coulomb"])
    parser.add_argument("--frictions", nargs="+", default=["0", "0.3", "0.8"])
    parser.add_argument("--solvers", nargs="+", help="default: all that take the law")
    parser.add_argument("--max-iterations", type=int, default=6000)
    parser.add_argument("--seconds", action="store_true", help="show them, too: measure on an idle machine")
    parser.add_argument("--as-is", action="store_true", help="show what was solved before, solve nothing")
    parser.add_argument("--note", default="", help="what a reader of the page should know about its numbers")
    parser.add_argument("--page", type=pathlib.Path, help="file to write the tables to; else they are printed")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    tables = [table_text(options, table) for table in TABLES
              if table[0] in options.problems and table[1] in options.laws and table[2] in options.frictions]
    if options.page:
        options.page.write_text(page_text(options, tables))
    else:
        sys.stdout.write("\n".join(tables))


if __name__ == "__main__":
    main()
