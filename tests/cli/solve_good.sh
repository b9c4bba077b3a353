#!/usr/bin/env bash
# scree-solve on the contact problem of a run: its exit codes, JSON, history and solution.
. "$(dirname "$0")/common.sh"

run scree-run "$SOURCE/scenes/settling-box-1000.yaml" --steps 12 --out results --json run.json \
  --dump-problem 12:problem.hdf5
[ "$code" -eq 0 ] || fail "scree-run: exit code $code: $(cat "$scratch.err")"

run scree-solve problem.hdf5 --law cone --tolerance 1e-6 --json out/solve.json --history out/history.csv \
  --solution out/solution.hdf5
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
[ ! -s "$scratch.err" ] || fail "words on stderr: $(cat "$scratch.err")"
grep -q "converged" "$scratch.out" || fail "stdout: $(cat "$scratch.out")"
[ "$(ls out)" = "history.csv
solution.hdf5
solve.json" ] || fail "files: $(ls out)"

python3 - "$RANKS" <<'PYTHON' || fail "the numbers are wrong"
import csv, json, math, sys

run = json.load(open("run.json"))
solve = json.load(open("out/solve.json"))
fields = ["problem", "solver", "law", "ranks", "contacts", "bodies", "converged", "reason", "iterations",
          "operator_applications", "seconds", "objective", "error"]
assert list(solve) == fields, list(solve)
assert solve["problem"] == "problem" and solve["solver"] == "auto" and solve["law"] == "cone"
assert solve["ranks"] == int(sys.argv[1]) and solve["converged"] is True
assert solve["bodies"] == run["bodies"] and solve["contacts"] == run["contacts"] > 0
assert 0 < solve["iterations"] <= solve["operator_applications"] and solve["seconds"] > 0
assert solve["objective"] < 0 and solve["reason"] == "converged"
assert {"natural", "natural_q", "projected_gradient"} <= set(solve["error"])
assert 0 <= solve["error"]["natural"] <= 1e-6 and all(math.isfinite(e) for e in solve["error"].values())

history = list(csv.DictReader(open("out/history.csv")))
assert list(history[0])[:4] == ["iteration", "products", "seconds", "natural"], list(history[0])
assert set(solve["error"]) <= set(history[0])
assert history[0]["iteration"] == "0" and int(history[-1]["iteration"]) == solve["iterations"]
assert float(history[0]["natural"]) > 1e-6 >= float(history[-1]["natural"])
assert all(int(a["iteration"]) < int(b["iteration"]) for a, b in zip(history, history[1:]))
PYTHON

# The system's interpreter is the one that has packages of the system, h5py among them.
python=/usr/bin/python3
if "$python" -c 'import h5py' 2>/dev/null; then
  "$python" - <<'PYTHON' || fail "the solution is wrong"
import h5py
import json
import numpy as np

problem, solution = h5py.File("problem.hdf5")["fclib_global"], h5py.File("out/solution.hdf5")["solution"]
assert sorted(solution) == ["r", "u", "v"]
r, u, v = (solution[name][:] for name in "ruv")
mass, H = np.zeros(problem["M/m"][0]), problem["H"]
np.add.at(mass, problem["M/i"][:], problem["M/x"][:])
momentum = problem["vectors/f"][:].copy()
np.add.at(momentum, H["i"][:], H["x"][:] * r[H["p"][:]])
assert np.abs(mass * v - momentum).max() <= 1e-10 * np.abs(momentum).max()
velocity = problem["vectors/w"][:].copy()
np.add.at(velocity, H["p"][:], H["x"][:] * v[H["i"][:]])
assert np.abs(u - velocity).max() <= 1e-10 * np.abs(velocity).max()

# The natural error by the definition: |x - P(x - w)| / max(|q|, |x|, |w|).
free = problem["vectors/w"][:].copy()
np.add.at(free, H["p"][:], H["x"][:] * (problem["vectors/f"][:] / mass)[H["i"][:]])
mu = problem["vectors/mu"][:]
y = (r - u).reshape(-1, 3)
size = np.hypot(y[:, 1], y[:, 2])
inside, polar = size <= mu * y[:, 0], mu * size <= -y[:, 0]
height = np.maximum(0, (y[:, 0] + mu * size) / (1 + mu**2))
projected = np.column_stack([height, *(mu * height * y[:, c] / np.maximum(size, 1e-300) for c in (1, 2))])
projected[polar] = 0
projected[inside] = y[inside]
error = np.linalg.norm(r - projected.ravel()) / max(map(np.linalg.norm, (free, r, u)))
told = json.load(open("out/solve.json"))["error"]["natural"]
assert abs(error - told) <= 1e-6 * told, (error, told)
PYTHON
else
  echo "h5py is missing: the content of the solution was not looked at"
fi

# From a solution nothing is left to do, and the history tells how velocities approach it.
run scree-solve problem.hdf5 --law cone --tolerance 1e-6 --start out/solution.hdf5 --json again.json
[ "$code" -eq 0 ] && grep -q '"iterations": 0' again.json || fail "--start: $(cat again.json)"
run scree-solve problem.hdf5 --law cone --tolerance 1e-14 --start out/solution.hdf5 --max-iterations 0 --json judged.json
[ "$code" -eq 3 ] || fail "judged: exit code $code: $(cat "$scratch.err")"
python3 -c 'import json; a, b = (json.load(open(f))["error"] for f in ("judged.json", "out/solve.json"))
assert all(abs(a[key] - b[key]) <= 1e-6 * b[key] for key in b), (a, b)' || fail "--max-iterations 0 judges otherwise"
run scree-solve problem.hdf5 --law cone --tolerance 1e-6 --reference out/solution.hdf5 --check-every 1 --history far.csv
python3 - <<'PYTHON' || fail "--reference: $(tail -n 1 far.csv)"
import csv

history = list(csv.DictReader(open("far.csv")))
assert abs(float(history[0]["velocity_error"]) - 1) < 1e-9 and float(history[-1]["velocity_error"]) < 1e-4
assert [int(line["iteration"]) for line in history] == list(range(len(history)))
PYTHON

# Not converged: exit code 3, and what was found is written nevertheless.
run scree-solve problem.hdf5 --law cone --solver pgs --tolerance 1e-14 --max-iterations 2 --json poor.json \
  --solution poor.hdf5
[ "$code" -eq 3 ] || fail "exit code $code instead of 3: $(cat "$scratch.err")"
[ -s poor.json ] && [ -s poor.hdf5 ] || fail "nothing was written"
grep -q '"converged": false' poor.json && grep -q '"iterations": 2' poor.json || fail "poor.json: $(cat poor.json)"

# Newton's systems in the space of bodies, whose masses the file tells.
run scree-solve problem.hdf5 --solver proximal --tolerance 1e-8 --set subsystem=bodies --json bodies.json
[ "$code" -eq 0 ] && grep -q '"converged": true' bodies.json || fail "bodies: exit code $code: $(cat "$scratch.err")"

# Another measure decides; bounds of a box come from a frictionless solve.
run scree-solve problem.hdf5 --law box --measure natural_q --tolerance 1e-3 --solver npgs --set refresh_every=50 --json box.json
[ "$code" -eq 0 ] && grep -q '"law": "box"' box.json || fail "box: exit code $code: $(cat "$scratch.err")"

# No contacts: nothing to do, and it is done.
cat >loose.yaml <<'YAML'
materials: {stone: {}}
fills: [{region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, radius: 0.05, count: 1}]
time: {step: 0.001, steps: 1}
YAML
run scree-run loose.yaml --out results --dump-problem 1:empty.hdf5
run scree-solve empty.hdf5 --law cone --json empty.json --solution empty-solution.hdf5
[ "$code" -eq 0 ] && grep -q '"contacts": 0' empty.json && grep -q '"converged": true' empty.json ||
  fail "empty problem: exit code $code: $(cat "$scratch.err")"

run scree-solve --list
[ "$code" -eq 0 ] && grep -q npgs "$scratch.out" || fail "--list"
run scree-solve --version
[ "$code" -eq 0 ] && [ "$(wc -l <"$scratch.out")" -eq 1 ] || fail "--version"
[ -z "$(find . -name '*.tmp')" ] || fail "temporary files remain"
finish
