#!/usr/bin/env python3
"""Products and seconds that each solver takes on frozen contact problems, as a page of Markdown tables.

Each problem is solved once by each solver, to the smallest tolerance; the history of that solve has the others, too.
What was solved before is not solved again: a study that was ended goes on where it was.
"""
import argparse
import csv
import functools
import json
import pathlib
import re
import resource
import subprocess
import sys
import time

import frozen_steps

# Problem: scene, steps settled, iterations at most, what it is. Beds with friction are settled with 0.3; the frozen step
# may have another.
PROBLEMS = {
    "cylinder-1000": ("settling-cylinder-1000", 200, 6000, "1,000 spheres in a cylinder"),
    "cylinder-2000": ("settling-cylinder-2000", 200, 4000, "2,000 spheres in a cylinder"),
    "cylinder-4000": ("settling-cylinder-4000", 200, 3000, "4,000 spheres in a cylinder"),
    "cylinder-4000-rest": ("settling-cylinder-4000", 400, 3000, "4,000 spheres in a cylinder, near rest"),
    "box-20000": ("settling-box-20000", 100, 1500, "20,000 spheres in a box"),
    "plate-1t": ("plate-1t", 400, 6000, "1,000 spheres under a plate of 1 t"),
    "plate-4t": ("plate-4t", 400, 6000, "1,000 spheres under a plate of 4 t"),
    "plate-16t": ("plate-16t", 400, 6000, "1,000 spheres under a plate of 16 t"),
}
CONVEX = [("frictionless", "0"), ("cone", "0.3"), ("cone", "0.8")]
TABLES = [(problem, law, friction) for problem in ["cylinder-1000", "cylinder-2000", "cylinder-4000", "box-20000"]
          for law, friction in CONVEX]
TABLES += [("cylinder-4000-rest", "cone", "0.3"), ("cylinder-4000-rest", "coulomb", "0.3")]
TABLES += [(f"plate-{tonnes}t", "frictionless", "0") for tonnes in [1, 4, 16]]
TOLERANCES = [1e-2, 1e-3, 1e-6, 1e-8]
HOPELESS = ["lemke", "enumerate"]  # made for a few hundred rows
SHARES = [1, 8, 64]  # a solve that takes too long is made again with fewer iterations


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


def freeze(options, table):
    """The file of the problem and what is known of its step."""
    problem, _, friction = table
    scene, steps, _, _ = PROBLEMS[problem]
    if friction != "0" and "cylinder" in scene:
        scene += "-friction"
    material = "steel" if "plate" in scene else "ball"
    return frozen_steps.freeze(options, f"{problem}-{friction}", f"{scene}.yaml", steps,
                               ["--set", f"materials.{material}.friction={friction}"])


def run_limited(options, arguments):
    """Runs scree-solve within the limit of processor time. Returns how it ended and its share of a processor."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (options.cpu_seconds, options.cpu_seconds))

    _, environment = frozen_steps.mpi(1)
    program = pathlib.Path(options.program).with_name("scree-solve")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    result = subprocess.run([program] + arguments, env=environment, check=False, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result, min(1.0, cpu / (time.monotonic() - start))


def first_hits(history, share):
    """Products and processor seconds at which the natural error was first below each tolerance, and the least error."""
    with open(history, newline="", encoding="utf-8") as file:
        lines = [(float(line["natural"]), int(line["products"]), share * float(line["seconds"]))
                 for line in csv.DictReader(file)]
    hits = [next((line[1:] for line in lines if line[0] <= tolerance), None) for tolerance in TOLERANCES]
    return {"hits": hits, "least": min(line[0] for line in lines)}


def solve(options, table, solver):
    """What one solve told; None if it was not made yet and is not to be now."""
    problem, law, friction = table
    name = options.work / f"{problem}-{friction}-{law}-{solver}"
    file, history = pathlib.Path(f"{name}.json"), pathlib.Path(f"{name}.csv")
    if file.exists():
        return json.loads(file.read_text())
    if options.as_is or time.monotonic() > options.end:
        return None
    found = {"ended": "time"}
    for iterations in [PROBLEMS[problem][2] // share for share in SHARES]:
        result, share = run_limited(options, [
            str(freeze(options, table)[0]), "--solver", solver, "--law", law, "--tolerance", str(min(TOLERANCES)),
            "--max-iterations", str(iterations), "--check-every", "5", "--history", str(history)])
        if history.exists():
            found = first_hits(history, share) | {"iterations": iterations}
            history.unlink()
            break
        if result.returncode == 2 and "memory" in result.stderr:
            found = {"ended": "refused"}
            break
        if result.returncode >= 0:  # else a signal ended it: the limit of processor time
            sys.exit(f"{name}: {result.stderr}")
    file.write_text(json.dumps(found))
    return found


def cells_of(found):
    """The cells of a solver's row; what was not reached has the least error once."""
    if "hits" not in found:
        return [f"- ({found['ended']})"] + ["-"] * (len(TOLERANCES) - 1)
    cells = [f"{hit[0]} / {hit[1]:.2g}" if hit else "-" for hit in found["hits"]]
    if "-" in cells:
        cells[cells.index("-")] = f"- ({found['least']:.0e} in {found['iterations']})"
    return cells


def table_text(options, table):
    problem, law, friction = table
    lines = []
    for solver in solvers_for(options, law):
        found = solve(options, table, solver)
        if found is not None:
            lines.append(f"| {solver} | " + " | ".join(cells_of(found)) + " |")
    if not lines:
        return ""
    _, known = freeze(options, table)
    title = PROBLEMS[problem][3] + f", {law}" + ("" if friction == "0" else f", friction {friction}")
    energy = known["kinetic_energy"] / known["bodies"]
    facts = f"{known['contacts']:,} contacts, kinetic energy {energy:.2g} J a body.\n\n"
    head = "| solver | " + " | ".join(f"{tolerance:g}" for tolerance in TOLERANCES) + " |\n"
    return f"## {title}\n\n{facts}{head}" + "|---" * (len(TOLERANCES) + 1) + "|\n" + "\n".join(lines) + "\n"


def page_text(options, tables):
    steps = ", ".join(f"{name}: {steps}" for name, (_, steps, _, _) in PROBLEMS.items())
    return f"""# Solvers on frozen problems

Made by `scripts/solver_study.py --page docs/solver-tables.md`: do not edit. What the numbers mean and which solver to
take: [solvers, compared](solvers.md).

Each scene settles for a number of steps ({steps}).
The problem of the next step goes to a file, and `scree-solve` solves it from zero on one rank, to {min(TOLERANCES):g}. A cell: products with N
and sweeps over all contacts / seconds of processor time until the natural error was first below the head of the column.
It is judged every fifth iteration of methods that sweep, every iteration of others, which is in the seconds; the
assembly of N is not. These are seconds of the wall clock times the share of a processor that the process had{options.note}.

A dash: not reached, with the least error and the iterations that were made; or "time": a solve may take {options.cpu_seconds} s of
processor time, the reading of the file included; then it is tried with an eighth of the iterations, and the same again;
or "refused": it would need too much memory. {", ".join(HOPELESS)} are for small problems and not tried. `auto` knows the tolerance, {min(TOLERANCES):g}, and chooses by it.

""" + "\n".join(text for text in tables if text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    frozen_steps.add_options(parser, "solver-study")
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--laws", nargs="+", default=["frictionless", "cone", "coulomb"])
    parser.add_argument("--frictions", nargs="+", default=["0", "0.3", "0.8"])
    parser.add_argument("--solvers", nargs="+", help="default: all that take the law")
    parser.add_argument("--cpu-seconds", type=int, default=10, help="of one solve, at most")
    parser.add_argument("--at-most", type=float, default=1e9, help="seconds after which no solve begins; call it again")
    parser.add_argument("--as-is", action="store_true", help="show what was solved before, solve nothing")
    parser.add_argument("--note", default="", help="what a reader of the page should know about the seconds")
    parser.add_argument("--page", type=pathlib.Path, help="file to write the tables to; else they are printed")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    options.end = time.monotonic() + options.at_most

    tables = [table_text(options, table) for table in TABLES
              if table[0] in options.problems and table[1] in options.laws and table[2] in options.frictions]
    if options.page:
        options.page.write_text(page_text(options, tables))
    else:
        sys.stdout.write("\n".join(tables))


if __name__ == "__main__":
    main()
