#!/usr/bin/env python3
"""Sweeps, colours, messages and bytes of frozen contact problems over ranks and couplings, as a Markdown table.

A scene is settled once; then one step is solved from zero to the tolerance on each number of ranks, with each coupling.
The problem is the same every time, only its distribution differs. Results that exist are not made again.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

PROBLEMS = {
    "16k frictionless": ("settling-cylinder-4000.yaml", 200, []),
    "16k friction": ("settling-cylinder-4000-friction.yaml", 200, []),
    "80k friction": ("settling-box-20000.yaml", 100, []),
}
COUPLINGS = ["colouring", "interface-splitting", "full-splitting"]


def mpi(ranks):
    """Many ranks on few cores: let them, and let them yield while they wait."""
    settings = {
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OPENBLAS_NUM_THREADS": "1",
    }
    if os.geteuid() == 0:
        settings |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return ["mpirun", "-n", str(ranks)], os.environ | settings


def run(program, ranks, arguments, timeout):
    command, environment = mpi(ranks)
    return subprocess.run(command + [program] + arguments, env=environment, timeout=timeout, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def settle(options, scene, steps, extra):
    """A checkpoint of the scene after some steps, made once."""
    out = options.work / pathlib.Path(scene).stem
    checkpoint = out / "checkpoints" / f"checkpoint-{steps:012d}.h5"
    if not checkpoint.exists():
        result = run(options.program, 2, [str(options.scenes / scene), "--out", str(out), "--steps", str(steps),
                                          "--checkpoint-every", str(steps), "--output-every", "0"] + extra, 3600)
        if not checkpoint.exists():
            sys.exit(f"{scene} could not be settled: {result.stderr}")
    return checkpoint


def solve(options, scene, steps, extra, ranks, solver, coupling, local_sweeps):
    name = f"{pathlib.Path(scene).stem}-{solver}-{coupling}-{local_sweeps}-{ranks}"
    file = options.work / f"{name}.json"
    if not file.exists():
        arguments = [str(options.scenes / scene), "--out", str(options.work / "step"), "--steps", str(steps + 1),
                     "--restart", str(settle(options, scene, steps, extra)), "--solver", solver,
                     "--tolerance", str(options.tolerance), "--max-iterations", str(options.max_iterations),
                     "--output-every", "0", "--json", str(file), "--set", "contact.warm_start=false",
                     "--set", "solver.check_every=1",
                     "--set", f"solver.coupling={coupling}", "--set", f"solver.local_sweeps={local_sweeps}"] + extra
        try:
            result = run(options.program, ranks, arguments, options.timeout)
        except subprocess.TimeoutExpired:
            return None
        if not file.exists():
            sys.exit(f"{name}: {result.stderr}")
    return json.loads(file.read_text())


def cells(found, ranks):
    if found is None:
        return "timeout | | | "
    sweeps = found["iterations"]
    count = str(sweeps) if found["converged_steps"] == 1 else f"> {sweeps} ({found['residual']:.1e})"
    traffic = found["traffic"]["solve"]
    per_rank = traffic["messages"] / ranks / max(1, sweeps)
    return f"{count} | {found['stages']} | {per_rank:.1f} | {traffic['bytes'] / ranks / max(1, sweeps):.0f}"


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(here / "build/release/bin/scree-run"))
    parser.add_argument("--scenes", type=pathlib.Path, default=here / "scenes")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("results/coupling-study"))
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 4, 16, 64])
    parser.add_argument("--solvers", nargs="+", default=["npgs", "pgs"])
    parser.add_argument("--couplings", nargs="+", choices=COUPLINGS, default=COUPLINGS)
    parser.add_argument("--local-sweeps", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--max-iterations", type=int, default=20000)
    parser.add_argument("--timeout", type=float, default=1800, help="seconds per solve")
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
                    found = solve(options, *PROBLEMS[problem], ranks, solver, coupling, options.local_sweeps)
                    label = "-" if ranks == 1 else coupling
                    print(f"| {problem} | {solver} | {label} | {ranks} | {cells(found, ranks)} |", flush=True)


if __name__ == "__main__":
    main()
