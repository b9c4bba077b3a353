#!/usr/bin/env python3
"""Sweeps, colours, messages and bytes of frozen contact problems over ranks and couplings, as a Markdown table.

Each problem is frozen at several moments of its run, and the table has means: the first sweep below a tolerance depends
on rounding where an error falls unevenly.
"""
import argparse
import pathlib

import frozen_steps

# Scene, steps after which it is frozen, the law of the step that is solved.
PROBLEMS = {
    "16k frictionless": ("settling-cylinder-4000.yaml", [150, 200, 250, 300, 350], "frictionless"),
    "16k friction": ("settling-cylinder-4000-friction.yaml", [150, 200, 250, 300, 350], "cone"),
    "80k frictionless": ("settling-box-20000.yaml", [100, 150, 200], "frictionless"),
    "80k friction": ("settling-box-20000.yaml", [100, 150, 200], "cone"),
    "16 t plate": ("plate-16t.yaml", [60, 80, 100], "frictionless"),
}
COUPLINGS = ["colouring", "interface-splitting", "full-splitting"]


def solve(options, problem, steps, ranks, solver, coupling):
    scene, _, law = PROBLEMS[problem]
    name = f"{pathlib.Path(scene).stem}-{law}-{steps}-{solver}-{coupling}-{options.local_sweeps}-{ranks}"
    return frozen_steps.solve(options, name, scene, steps, ranks, [
        "--solver", solver, "--tolerance", str(options.tolerance), "--max-iterations", str(options.max_iterations),
        "--set", f"solver.law={law}", "--set", "solver.check_every=1", "--set", f"solver.coupling={coupling}",
        "--set", f"solver.local_sweeps={options.local_sweeps}"])


def cells(moments, ranks):
    if any("ended" in found for found in moments):
        return "timeout | | | | "
    counts = [found["iterations"] for found in moments]
    sweeps = sum(counts)
    mean = f"{sweeps / len(counts):.0f}"
    if any(found["converged_steps"] != 1 for found in moments):
        mean = f"> {mean} ({max(found['residual'] for found in moments):.1e})"
    total = {kind: sum(found["traffic"]["solve"][kind] for found in moments) for kind in ("messages", "bytes")}
    return (f"{mean} | {' '.join(map(str, counts))} | {max(found['stages'] for found in moments)} | "
            f"{total['messages'] / ranks / max(1, sweeps):.1f} | {total['bytes'] / ranks / max(1, sweeps):.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    frozen_steps.add_options(parser, "coupling-study")
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--moments", nargs="+", type=int, help="only those after so many steps")
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 4, 16, 64])
    parser.add_argument("--solvers", nargs="+", default=["npgs", "pgs"])
    parser.add_argument("--couplings", nargs="+", choices=COUPLINGS, default=COUPLINGS)
    parser.add_argument("--local-sweeps", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--max-iterations", type=int, default=20000)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    print("| problem | solver | coupling | ranks | mean sweeps | of each moment | stages | "
          "messages per rank and sweep | bytes |")
    print("|---|---|---|---|---|---|---|---|---|")
    for problem in options.problems:
        for solver in options.solvers:
            for coupling in options.couplings:
                for ranks in options.ranks:
                    if ranks == 1 and coupling != options.couplings[0]:
                        continue  # one rank has nothing to couple
                    found = [solve(options, problem, steps, ranks, solver, coupling)
                             for steps in options.moments or PROBLEMS[problem][1]]
                    label = "-" if ranks == 1 else coupling
                    print(f"| {problem} | {solver} | {label} | {ranks} | {cells(found, ranks)} |", flush=True)


if __name__ == "__main__":
    main()
