#!/usr/bin/env python3
"""Sweeps, colours, messages and bytes of frozen contact problems over ranks and couplings, as a Markdown table."""
import argparse
import pathlib

import frozen_steps

PROBLEMS = {
    "16k frictionless": ("settling-cylinder-4000.yaml", 200),
    "16k friction": ("settling-cylinder-4000-friction.yaml", 200),
    "80k friction": ("settling-box-20000.yaml", 100),
}
COUPLINGS = ["colouring", "interface-splitting", "full-splitting"]


def solve(options, scene, steps, ranks, solver, coupling):
    name = f"{pathlib.Path(scene).stem}-{solver}-{coupling}-{options.local_sweeps}-{ranks}"
    return frozen_steps.solve(options, name, scene, steps, ranks, [
        "--solver", solver, "--tolerance", str(options.tolerance), "--max-iterations", str(options.max_iterations),
        "--set", "solver.check_every=1", "--set", f"solver.coupling={coupling}",
        "--set", f"solver.local_sweeps={options.local_sweeps}"])


def cells(found, ranks):
    if found is None:
        return "timeout | | | "
    sweeps = found["iterations"]
    count = str(sweeps) if found["converged_steps"] == 1 else f"> {sweeps} ({found['residual']:.1e})"
    traffic = found["traffic"]["solve"]
    per_rank = traffic["messages"] / ranks / max(1, sweeps)
    return f"{count} | {found['stages']} | {per_rank:.1f} | {traffic['bytes'] / ranks / max(1, sweeps):.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    frozen_steps.add_options(parser, "coupling-study")
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 4, 16, 64])
    parser.add_argument("--solvers", nargs="+", default=["npgs", "pgs"])
    parser.add_argument("--couplings", nargs="+", choices=COUPLINGS, default=COUPLINGS)
    parser.add_argument("--local-sweeps", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--max-iterations", type=int, default=20000)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    print("| problem | solver | coupling | ranks | sweeps | stages | messages per rank and sweep | bytes |")
    print("|---|---|---|---|---|---|---|---|")
    for problem in options.problems:
        for solver in options.solvers:
            for coupling in options.couplings:
                for ranks in options.ranks:
                    if ranks == 1 and coupling != options.couplings[0]:
                        continue  # one rank has nothing to couple
                    found = solve(options, *PROBLEMS[problem], ranks, solver, coupling)
                    label = "-" if ranks == 1 else coupling
                    print(f"| {problem} | {solver} | {label} | {ranks} | {cells(found, ranks)} |", flush=True)


if __name__ == "__main__":
    main()
