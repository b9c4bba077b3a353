"""Frozen contact problems for studies: a scene is settled once, then one step of it is solved from zero, again and again.

The problem is the same every time; only the solver, its options or the number of ranks differ. Results that exist are
not made again.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def add_options(parser, work):
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/scree-run"))
    parser.add_argument("--scenes", type=pathlib.Path, default=ROOT / "scenes")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("results") / work)
    parser.add_argument("--timeout", type=float, default=1800, help="seconds per solve")


def mpi(ranks):
    """Ranks that outnumber the cores may run, and yield while they wait; others do not give up their core."""
    settings = {"OPENBLAS_NUM_THREADS": "1"}
    if ranks > (os.cpu_count() or 1):
        settings |= {
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none",
        }
    if os.geteuid() == 0:
        settings |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return ["mpirun", "-n", str(ranks)], os.environ | settings


def run(program, ranks, arguments, timeout):
    command, environment = mpi(ranks)
    return subprocess.run(command + ["timeout", str(timeout), program] + arguments, env=environment, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def settle(options, scene, steps):
    """A checkpoint of the scene after some steps, made once."""
    out = options.work / f"{pathlib.Path(scene).stem}-{steps}"
    checkpoint = out / "checkpoints" / f"checkpoint-{steps:012d}.h5"
    if not checkpoint.exists():
        result = run(options.program, 2, [str(options.scenes / scene), "--out", str(out), "--steps", str(steps),
                                          "--checkpoint-every", str(steps), "--output-every", "0"], 3600)
        if not checkpoint.exists():
            sys.exit(f"{scene} could not be settled: {result.stderr}")
    return checkpoint


def solve(options, name, scene, steps, ranks, arguments):
    """The numbers of the step after the settled ones, solved from zero. Where there are none, `ended` says why. None if
    it was not solved yet and is not to be now."""
    file = options.work / f"{name}.json"
    if not file.exists():
        if getattr(options, "as_is", False):
            return None
        command = [str(options.scenes / scene), "--out", str(options.work / "step"), "--steps", str(steps + 1),
                   "--restart", str(settle(options, scene, steps)), "--output-every", "0", "--json", str(file),
                   "--set", "contact.warm_start=false"] + arguments
        result = run(options.program, ranks, command, options.timeout)
        if not file.exists():
            timed_out = 124  # exit code of `timeout`
            ended = "time" if result.returncode == timed_out else "refused" if "memory" in result.stderr else None
            if ended is None:
                sys.exit(f"{name}: {result.stderr}")
            file.write_text(json.dumps({"ended": ended}))
    return json.loads(file.read_text())


def freeze(options, name, scene, steps, arguments):
    """A file with the contact problem of the step after the settled ones, made once, and the numbers of that step."""
    problem, numbers = options.work / f"{name}.hdf5", options.work / f"{name}-step.json"
    if not (problem.exists() and numbers.exists()):
        result = run(options.program, 1, [
            str(options.scenes / scene), "--out", str(options.work / "step"), "--steps", str(steps + 1),
            "--restart", str(settle(options, scene, steps)), "--output-every", "0", "--json", str(numbers),
            "--dump-problem", f"{steps + 1}:{problem}"] + arguments, 3600)
        if not (problem.exists() and numbers.exists()):
            sys.exit(f"{name} could not be frozen: {result.stderr}")
    return problem, json.loads(numbers.read_text())
