#!/usr/bin/env bash
# scree-run --dump-problem: the contact problem of one step in a file, or one line about what is wrong.
. "$(dirname "$0")/common.sh"

scene=$SOURCE/scenes/settling-box-1000.yaml
touch regular-file
run scree-run "$scene" --steps 3 --out results --dump-problem nonsense
expect_error 2 "--dump-problem nonsense: must be STEP:FILE"
run scree-run "$scene" --steps 3 --out results --dump-problem 2:
expect_error 2 "--dump-problem 2:: must be STEP:FILE"
run scree-run "$scene" --steps 3 --out results --dump-problem 4:problem.hdf5
expect_error 2 "step 4 is not among them"
run scree-run "$scene" --steps 3 --out results --dump-problem 0:problem.hdf5
expect_error 2 "step 0 is not among them"
run scree-run "$scene" --steps 3 --out results --dump-problem 2:regular-file/problem.hdf5
expect_error 2 "regular-file is not a directory"
run scree-run "$scene" --steps 3 --out results --dump-problem 2:.
expect_error 2 ".: is a directory"

run scree-run "$scene" --steps 3 --out results --json run.json --dump-problem 3:problems/third.hdf5 --dump-problem 2:problems/second.hdf5
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
[ ! -s "$scratch.err" ] || fail "words on stderr: $(cat "$scratch.err")"
[ "$(echo $(ls problems))" = "second.hdf5 third.hdf5" ] || fail "not two files: $(ls problems)"

# The system's interpreter is the one that has packages of the system, h5py among them.
python=/usr/bin/python3
if "$python" -c 'import h5py' 2>/dev/null; then
  "$python" - <<'PYTHON' || fail "the file is wrong"
import json
import h5py

run = json.load(open("run.json"))
bodies, contacts = run["bodies"], run["contacts"]
with h5py.File("problems/third.hdf5", "r") as file:
    group = file["fclib_global"]
    assert sorted(group) == ["H", "M", "info", "spacedim", "vectors"], sorted(group)
    assert group["spacedim"][()].tolist() == [3] and group["info/title"][()] == b"third"
    for name, columns in ("M", 6 * bodies), ("H", 3 * contacts):
        matrix = group[name]
        assert sorted(matrix) == ["i", "m", "n", "nz", "nzmax", "p", "x"]
        entries = matrix["x"].shape[0]
        for key, value in ("m", 6 * bodies), ("n", columns), ("nz", entries), ("nzmax", entries):
            assert matrix[key].dtype == "int32" and matrix[key][()].tolist() == [value], (name, key)
        assert matrix["i"].dtype == matrix["p"].dtype == "int32" and matrix["x"].dtype == "float64"
        assert matrix["i"].shape == matrix["p"].shape == (entries,)
        assert matrix["i"][:].max() < 6 * bodies and matrix["p"][:].max() < columns
    assert sorted(group["vectors"]) == ["f", "mu", "w"]
    for name, size in ("f", 6 * bodies), ("w", 3 * contacts), ("mu", contacts):
        assert group["vectors"][name].dtype == "float64" and group["vectors"][name].shape == (size,), name
    assert contacts > 0 and (group["vectors/mu"][:] > 0).all()
PYTHON
else
  echo "h5py is missing: the content of the file was not looked at"
fi

finish
