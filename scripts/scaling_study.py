#!/usr/bin/env python3
"""Strong and weak scaling of a scene: runs it on several numbers of ranks, here or as Slurm jobs, and draws what came out.

    scripts/scaling_study.py run  strong results/scaling --ranks 1 2 4 8      # here, one after the other
    scripts/scaling_study.py submit weak results/scaling --ranks 1 2 4 8      # as a job of jobs/scaling-weak.sbatch
    scripts/scaling_study.py plot results/scaling --network hdr               # pictures and a table
    scripts/scaling_study.py options weak --ranks 8                           # what a job gives to scree-run

A strong study keeps the scene; a weak one makes it longer and wider so that each rank has as many bodies as one rank has
in the scene. Numbers of the runs are DIR/KIND-RANKS.json; DIR/sweeps-RANKS.json are of runs to a tolerance.
"""
import argparse
import json
import math
import os
import pathlib
import resource
import subprocess
import sys

import performance_model as model

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENE = ROOT / "scenes" / "settling-box-20000.yaml"
BASE = {"extents": (6.0, 6.0, 5.0), "bodies": 20000}  # of that scene: a box (m) filled with spheres

# Okabe and Ito's colours, which all eyes tell apart, each with a marker of its own.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]


class StudyError(Exception):
    pass


def grid(ranks):
    """Columns and rows of as square a floor plan as `ranks` allow."""
    rows = max(k for k in range(1, math.isqrt(ranks) + 1) if ranks % k == 0)
    return ranks // rows, rows


def scene_options(kind, ranks):
    """What scree-run gets so that the scene has the size that the study asks for."""
    if kind == "strong":
        return []
    x, y, z = BASE["extents"]
    columns, rows = grid(ranks)
    upper = f"[{x * columns:g},{y * rows:g},{z:g}]"
    return ["--set", f"walls[0].container.upper={upper}", "--set", f"fills[0].region.box.upper={upper}",
            "--set", f"fills[0].count={BASE['bodies'] * ranks}"]


def mpi_environment():
    """More ranks than cores, and as root, as containers have it; other machines do not look at these."""
    settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                "OMPI_MCA_hwloc_base_binding_policy": "none", "OPENBLAS_NUM_THREADS": "1"}
    return {**settings, **os.environ}


def run_one(options, name, ranks, arguments):
    """One run; its numbers get the CPU seconds of all ranks, which tell more than the clock where ranks share cores."""
    target = options.directory / f"{name}-{ranks}.json"
    if target.exists() and not options.again:
        print(f"{target}: is there already")
        return
    command = [*options.launcher.split(), "-n", str(ranks), str(options.program), str(options.scene),
               "--out", str(options.directory / f"{name}-{ranks}"), "--json", str(target), *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=mpi_environment(), stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise StudyError(f"{' '.join(command)}: ended with exit code {done.returncode}")
    numbers = json.loads(target.read_text())
    numbers["cpu_seconds"] = {"user": after.ru_utime - before.ru_utime, "system": after.ru_stime - before.ru_stime}
    target.write_text(json.dumps(numbers, indent=1))
    print(f"{target}: {numbers['seconds_per_step']:.4g} s a step")


def run(options):
    options.directory.mkdir(parents=True, exist_ok=True)
    for ranks in options.ranks:
        size = scene_options(options.kind, ranks)
        run_one(options, options.kind, ranks, size + ["--steps", str(options.steps)])
        if options.sweeps_tolerance:
            run_one(options, "sweeps", ranks, size + ["--steps", str(options.steps), "--tolerance",
                                                      str(options.sweeps_tolerance), "--max-iterations", "5000"])


def submit(options):
    job = ROOT / "jobs" / f"scaling-{options.kind}.sbatch"
    tasks = max(options.ranks)
    command = ["sbatch", f"--ntasks={tasks}", str(job), str(options.directory), *map(str, options.ranks)]
    sys.exit(subprocess.run(command, cwd=ROOT).returncode)


def collect(directory, kind):
    """The runs of one kind by number of ranks."""
    files = {path.stem.split("-")[-1]: path for path in directory.glob(f"{kind}-*.json")}
    if kind == "weak" and files and (directory / "strong-1.json").exists():
        files.setdefault("1", directory / "strong-1.json")  # the same run
    runs = [json.loads(path.read_text()) for path in files.values()]
    return sorted(runs, key=lambda numbers: numbers["ranks"])


def extents_in_bodies(run, kind):
    """Of the bed at rest: the floor of the scene, and as high as its bodies need."""
    x, y, z = BASE["extents"]
    columns, rows = grid(run["ranks"]) if kind == "weak" else (1, 1)
    spacing = (x * y * z / BASE["bodies"]) ** (1.0 / 3.0)
    length, width = x * columns / spacing, y * rows / spacing
    return length, width, run["bodies"] / (length * width)


def workload_of(runs, kind):
    single = next((numbers for numbers in runs if numbers["ranks"] == 1), None)
    if single is None:
        raise StudyError(f"{kind}: there is no run on one rank, which the others are compared with")
    return model.calibrate(single, runs if kind == "strong" else [single], extents_in_bodies(single, kind))


def predictions(workload, network, kind, rank_counts):
    found = []
    for ranks in rank_counts:
        sized = workload
        if kind == "weak":
            columns = math.sqrt(ranks)
            sized = workload.scaled((columns, columns, 1.0))
        found.append(model.predict(sized, network, ranks))
    return found


def powers_of_two(last):
    return [2 ** k for k in range(int(math.log2(last)) + 1)]


def table(runs, predicted):
    """Counts that do not depend on how many ranks share a core, beside those of the model."""
    lines = ["| ranks | s/step | model | user CPU s/step | ghosts a rank | model | messages a rank and step | model | "
             "kB a rank and step | model | iterations a step |", "|---" * 11 + "|"]
    for numbers, guess in zip(runs, predicted):
        ranks, steps = numbers["ranks"], numbers["steps"]
        cpu = f"{numbers['cpu_seconds']['user'] / steps:.3f}" if "cpu_seconds" in numbers else "-"
        lines.append(f"| {ranks} | {numbers['seconds_per_step']:.4f} | {guess.seconds:.4f} | {cpu} | "
                     f"{numbers['decomposition']['ghosts']['avg']:.0f} | {guess.ghosts:.0f} | "
                     f"{model.traffic_per_step(numbers, 'messages') / ranks:.0f} | {guess.messages:.0f} | "
                     f"{model.traffic_per_step(numbers, 'bytes') / ranks / 1e3:.0f} | {guess.bytes / 1e3:.0f} | "
                     f"{numbers['iterations'] / steps:.1f} |")
    return "\n".join(lines)


def pyplot():
    try:
        import matplotlib
    except ImportError:
        raise StudyError("matplotlib is missing: install python3-matplotlib, or run scripts/setup.sh")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"font.size": 10, "axes.grid": True, "grid.alpha": 0.3, "lines.linewidth": 1.8,
                         "axes.spines.top": False, "axes.spines.right": False, "savefig.dpi": 150})
    return plt


def line(axes, x, y, k, label, measured=True):
    axes.plot(x, y, color=COLOURS[k], marker=MARKERS[k] if measured else None, linestyle="-" if measured else "--",
              label=label)


def by_ranks(axes, title, unit, logarithmic=True):
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    if logarithmic:
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
    axes.set(title=title, xlabel="ranks", ylabel=unit)


def draw_phases(axes, runs):
    """Seconds a step of each phase, stacked; the smallest ones together."""
    names = [name for name in runs[0]["seconds"] if name not in ("total", "partition")]  # the latter is made once
    size = {name: sum(numbers["seconds"].get(name, {"avg": 0.0})["avg"] for numbers in runs) for name in names}
    large = sorted(names, key=size.get, reverse=True)[:6]
    at, bottom = range(len(runs)), [0.0] * len(runs)
    for k, name in enumerate(large + ["others"]):
        chosen = [name] if name != "others" else [other for other in names if other not in large]
        height = [sum(numbers["seconds"].get(one, {"avg": 0.0})["avg"] for one in chosen) / numbers["steps"]
                  for numbers in runs]
        axes.bar(at, height, bottom=bottom, color=COLOURS[k], label=name, edgecolor="white", linewidth=0.5)
        bottom = [low + high for low, high in zip(bottom, height)]
    axes.set_xticks(list(at), [str(numbers["ranks"]) for numbers in runs])
    axes.set(title="phases, mean over ranks", xlabel="ranks", ylabel="s a step")
    axes.legend(fontsize=8, frameon=False)


def draw_study(options, kind, runs, predicted, sweeps):
    plt = pyplot()
    figure, panels = plt.subplots(2, 3, figsize=(14, 8), constrained_layout=True)
    ranks = [numbers["ranks"] for numbers in runs]
    seconds = [numbers["seconds_per_step"] for numbers in runs]
    guessed = [guess.seconds for guess in predicted]
    growth = [1] * len(ranks) if kind == "strong" else ranks  # work, in units of the run on one rank
    speedup = [seconds[0] * work / s for s, work in zip(seconds, growth)]
    guess_up = [guessed[0] * work / s for s, work in zip(guessed, growth)]
    panels = panels.flat
    for values, forecast, title, unit in (
            (seconds, guessed, "time of a step", "s"),
            (speedup, guess_up, "speed-up" if kind == "strong" else "scaled speed-up", "")):
        axes = next(panels)
        line(axes, ranks, values, 0, "measured")
        line(axes, ranks, forecast, 1, "model: a core for each rank", measured=False)
        by_ranks(axes, title, unit)
        axes.legend(fontsize=8, frameon=False)
    axes = next(panels)
    line(axes, ranks, [up / p for up, p in zip(speedup, ranks)], 0, "measured")
    line(axes, ranks, [up / p for up, p in zip(guess_up, ranks)], 1, "model", measured=False)
    by_ranks(axes, "parallel efficiency", "", logarithmic=False)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8, frameon=False)
    axes = next(panels)
    line(axes, ranks, [1e-6 * numbers["contact_updates_per_second"] for numbers in runs], 0, "measured")
    by_ranks(axes, "contact updates in the solver", "million a second")
    draw_phases(next(panels), runs)
    axes = next(panels)
    judged = sweeps or runs
    line(axes, [n["ranks"] for n in judged], [n["iterations"] / n["steps"] for n in judged], 2, "measured")
    by_ranks(axes, "sweeps a step " + ("to tolerance" if sweeps else "(given)"), "", logarithmic=False)
    axes.set_ylim(bottom=0)
    figure.suptitle(f"{kind} scaling of {runs[0]['scene']}, {runs[0]['bodies']} bodies" + (" a rank" if kind == "weak" else ""))
    save(plt, figure, options.directory / f"{kind}-scaling")


def draw_extrapolation(options, workloads):
    """The model alone, far beyond what was measured."""
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(12, 4.5), constrained_layout=True)
    counts = powers_of_two(options.last)
    for axes, kind in zip(panels, ("strong", "weak")):
        if kind not in workloads:
            axes.set_visible(False)
            continue
        for k, network in enumerate(options.networks):
            guesses = predictions(enlarged(workloads[kind], kind, options.bodies), network, kind, counts)
            first = guesses[0].seconds
            efficiency = [first / (g.seconds * (g.ranks if kind == "strong" else 1)) for g in guesses]
            line(axes, counts, efficiency, k, network.name)
        by_ranks(axes, f"{kind} scaling, model", "parallel efficiency", logarithmic=False)
        axes.set_ylim(0, 1.05)
        axes.legend(fontsize=8, frameon=False)
        each = f"{options.bodies:g} bodies" if kind == "strong" else f"{workloads[kind].bodies:.0f} bodies a rank"
        axes.text(0.02, 0.04, each, transform=axes.transAxes)
    save(plt, figure, options.directory / "extrapolation")


def enlarged(workload, kind, bodies):
    """A strong study of as many bodies as asked for, in a bed of the same height."""
    if kind == "weak":
        return workload
    factor = math.sqrt(bodies / workload.bodies)
    return workload.scaled((factor, factor, 1.0))


def extrapolation_table(options, kind, workload):
    lines = [f"| ranks | " + " | ".join(f"{n.name}: s/step (work, messages, reductions %)" for n in options.networks) + " |",
             "|---" * (1 + len(options.networks)) + "|"]
    for ranks in [r for r in (64, 1024, 16384, 131072) if r <= options.last]:
        cells = []
        for network in options.networks:
            guess = predictions(enlarged(workload, kind, options.bodies), network, kind, [ranks])[0]
            shares = [100 * part / guess.seconds for part in (guess.work, guess.messaging, guess.reducing)]
            cells.append(f"{guess.seconds:.4g} ({shares[0]:.0f}, {shares[1]:.0f}, {shares[2]:.0f})")
        lines.append(f"| {ranks} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def save(plt, figure, stem):
    for ending in ("png", "svg"):
        figure.savefig(stem.with_suffix("." + ending))
        print(stem.with_suffix("." + ending))
    plt.close(figure)


def plot(options):
    options.networks = [model.NETWORKS[name] for name in options.network]
    if options.latency:
        options.networks.insert(0, model.Network("given", options.latency, options.overhead, options.bandwidth))
    here = model.NETWORKS["shared-memory"]
    workloads = {}
    for kind in ("strong", "weak"):
        runs = collect(options.directory, kind)
        if not runs:
            continue
        workloads[kind] = workload_of(runs, kind)
        if kind == "weak" and "strong" in workloads:  # surfaces are known only from runs on several ranks
            workloads[kind] = model.dataclasses.replace(workloads["strong"], extents=workloads[kind].extents)
        guesses = predictions(workloads[kind], here, kind, [numbers["ranks"] for numbers in runs])
        print(f"\n{kind} scaling\n\n{table(runs, guesses)}\n")
        draw_study(options, kind, runs, guesses, collect(options.directory, "sweeps") if kind == "strong" else [])
        print(f"\n{kind} scaling, model\n\n{extrapolation_table(options, kind, workloads[kind])}\n")
    if not workloads:
        raise StudyError(f"{options.directory}: there are no runs: begin with scripts/scaling_study.py run")
    draw_extrapolation(options, workloads)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "submit", "options"):
        command = commands.add_parser(name)
        command.add_argument("kind", choices=["strong", "weak"])
        if name != "options":
            command.add_argument("directory", type=pathlib.Path)
        command.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
        command.add_argument("--scene", type=pathlib.Path, default=SCENE)
    command = commands.choices["run"]
    command.add_argument("--steps", type=int, default=10)
    command.add_argument("--sweeps-tolerance", type=float, help="run to this tolerance, too, and count sweeps")
    command.add_argument("--launcher", default="mpirun", help="what starts the ranks, with its options")
    command.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/scree-run")
    command.add_argument("--again", action="store_true", help="also runs whose numbers are there already")
    command = commands.add_parser("plot")
    command.add_argument("directory", type=pathlib.Path)
    command.add_argument("--network", nargs="+", choices=list(model.NETWORKS), default=["hdr", "ethernet"])
    command.add_argument("--latency", type=float, help="of a network of your own (s)")
    command.add_argument("--overhead", type=float, default=0.3e-6, help="per further message (s)")
    command.add_argument("--bandwidth", type=float, default=1e9, help="of one rank (bytes/s)")
    command.add_argument("--last", type=int, default=131072, help="ranks up to which the model is drawn")
    command.add_argument("--bodies", type=float, default=1e8, help="of the strong scaling that is extrapolated")
    return parser.parse_args()


def main():
    options = parse()
    try:
        if options.command == "options":
            print(" ".join(scene_options(options.kind, max(options.ranks))))
        else:
            {"run": run, "submit": submit, "plot": plot}[options.command](options)
    except StudyError as error:
        sys.exit(f"scaling_study.py: error: {error}")


if __name__ == "__main__":
    main()
