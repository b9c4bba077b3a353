"""Runs Scree's programs for the experiments and keeps what they write, so that nothing is computed twice."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np

import frozen_steps


class ReproductionError(Exception):
    """What the user has to know, in one line."""


class Workspace:
    """Folder of problems, solves and runs. A result that exists is not made again."""

    def __init__(self, folder, programs, quick=False, jobs=None, timeout=120.0):
        self.folder = pathlib.Path(folder)
        self.programs = pathlib.Path(programs)
        self.quick = quick
        self.jobs = jobs or os.cpu_count() or 1
        self.timeout = timeout  # seconds per program
        self.part = ""
        for name in ("scree-run", "scree-solve", "scree-compare"):
            if not os.access(self.programs / name, os.X_OK):
                raise ReproductionError(f"{self.programs / name}: no such program: build Scree (cmake --build "
                                        f"build/release) "
                                        "or name the folder of its programs by --programs")

    def clear(self):
        """Removes what was computed, and nothing else that may stand in the folder."""
        for name in ("scenes", "problems", "solves", "run", "runs", "mechanisms", "profiles"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def say(self, text):
        print(f"[{self.part}] {text}", file=sys.stderr, flush=True)

    def pick(self, full, quick):
        """What an experiment takes in its full and in its quick form."""
        return quick if self.quick else full

    def call(self, program, arguments, timeout=None):
        """Runs a program on one rank. Exit code, or None after a timeout."""
        _, environment = frozen_steps.mpi(1)
        try:
            done = subprocess.run([str(self.programs / program), *map(str, arguments)], env=environment, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  timeout=timeout or self.timeout)
        except subprocess.TimeoutExpired:
            return None
        not_converged = 3
        if done.returncode not in (0, not_converged):
            raise ReproductionError(f"{program} {' '.join(map(str, arguments))[:200]}: {done.stderr.strip()}")
        return done.returncode

    def for_all(self, task, items, alone=False):
        """Results of a task for all items, several at a time, or one at a time where seconds are told."""
        items, results = list(items), []
        with concurrent.futures.ThreadPoolExecutor(1 if alone and not self.quick else self.jobs) as pool:
            for count, result in enumerate(pool.map(task, items), 1):
                results.append(result)
                if count % 10 == 0 or count == len(items):
                    self.say(f"{count} of {len(items)}")
        return results

    def scene_file(self, name, text):
        """A scene as a file whose name tells its content, so that changed scenes are run anew."""
        mark = hashlib.sha1(text.encode()).hexdigest()[:8]
        file = self.folder / "scenes" / f"{name}-{mark}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def problems(self, scene, steps, arguments=()):
        """The contact problems of some steps of a scene: FCLIB files."""
        mark = hashlib.sha1(" ".join(map(str, arguments)).encode()).hexdigest()[:4]
        folder = self.folder / "problems"
        files = [folder / f"{scene.stem}-{mark}-{step:04d}.hdf5" for step in steps]
        missing = [f"{step}:{file}" for step, file in zip(steps, files) if not file.exists()]
        if missing:
            self.say(f"{scene.stem}: {max(steps)} steps, {len(missing)} problems")
            dumps = [word for dump in missing for word in ("--dump-problem", dump)]
            ended = self.call("scree-run", [scene, "--steps", max(steps), "--out", self.folder / "run",
                                            "--output-every", 0,
                                            *arguments, *dumps], 3600)
            if ended is None:
                raise ReproductionError(f"{scene}: its {max(steps)} steps take more than an hour")
        return files

    def solve(self, problem, solver, law, tolerance, iterations, **more):
        """A solve of a problem file: see Solve. `more`: set, a dictionary of options of the solver; every, iterations
        between judgements; measure; start and reference, files of solutions; history, False where seconds count."""
        name = "-".join([problem.stem, law, solver, f"{tolerance:g}", str(iterations)]
                        + [f"{key}={value}" for key, value in more.get("set", {}).items()]
                        + [key for key in ("start", "reference") if key in more]
                        + ([] if more.get("history", True) else ["timed"]))
        stem = self.folder / "solves" / name
        file = stem.with_name(name + ".json")
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            words = [problem, "--solver", solver, "--law", law, "--tolerance", tolerance, "--max-iterations",
                     iterations,
                     "--check-every", more.get("every", 1), "--solution", f"{stem}.hdf5", "--json", file]
            words += [word for key, value in more.get("set", {}).items() for word in ("--set", f"{key}={value}")]
            words += [word for key in ("start", "reference") if key in more for word in (f"--{key}", more[key])]
            words += ["--history", f"{stem}.csv"] if more.get("history", True) else []
            if self.call("scree-solve", words) is None:
                file.write_text(json.dumps({"converged": False, "ended": f"more than {self.timeout:g} s"}))
        return Solve(stem)

    def run(self, scene, arguments, name):
        """The numbers of a run of a scene, and the folder of its results."""
        out = self.folder / "runs" / f"{scene.stem}-{name}"
        file = out / "run.json"
        if not file.exists() and self.call("scree-run", [scene, "--out", out, "--output-every", 0, "--json", file,
                                                         *arguments]) is None:
            raise ReproductionError(f"{scene}: takes more than {self.timeout:g} s")
        return json.loads(file.read_text()), out


class Solve:
    """What scree-solve wrote about a solve. After a timeout there is nothing but `ended`."""

    def __init__(self, stem):
        self.stem = stem
        self.told = json.loads(pathlib.Path(f"{stem}.json").read_text())

    @property
    def timed_out(self):
        return "ended" in self.told

    def __getitem__(self, key):
        return self.told[key]

    def history(self):
        """Columns of the history, of which the last line of each iteration counts."""
        table = np.genfromtxt(f"{self.stem}.csv", delimiter=",", names=True)
        return {name: np.atleast_1d(table[name]) for name in table.dtype.names}

    def solution(self):
        """Impulses and contact velocities, a row for each contact, and velocities of bodies, if the file tells."""
        with h5py.File(self.solution_file) as file:
            group = file["solution"]
            return (group["r"][:].reshape(-1, 3), group["u"][:].reshape(-1, 3),
                    group["v"][:] if "v" in group else None)

    @property
    def solution_file(self):
        return pathlib.Path(f"{self.stem}.hdf5")
