#!/usr/bin/env bash
# output.format: hdf5: one file per output, an index that ParaView opens, selections, and series that restarts go on with.
. "$(dirname "$0")/common.sh"

scene=$SOURCE/scenes/settling-box-1000.yaml
python=/usr/bin/python3 # the system's interpreter is the one that has h5py
run scree-run "$scene" --out results --set output.fields=[velocty]
expect_error 2 "output.fields[0]: must be one of"
run scree-run "$scene" --out results --set output.every_kth_body=0
expect_error 2 "output.every_kth_body: must be at least 1"
run scree-run "$scene" --out results --set output.format=vtk
expect_error 2 "output.format: must be one of paraview, hdf5"

hdf5=(--set output.format=hdf5 --set output.contacts=true)
run scree-run "$scene" --steps 30 --output-every 10 "${hdf5[@]}" --out all --json all.json
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
[ "$(cd all/frames && echo *)" = "frame-00000000.h5 frame-00000010.h5 frame-00000020.h5 frame-00000030.h5" ] ||
  fail "not one file per output: $(ls all/frames)"
grep -q "MB of output written in .* MB/s" all/run.log || fail "no throughput: $(tail -n 4 all/run.log)"
run scree-run "$scene" --steps 30 --output-every 10 "${hdf5[@]}" --out some --set output.every_kth_body=7 \
  --set output.fields=[velocity,impulse,id]
[ "$code" -eq 0 ] || fail "selected: exit code $code: $(cat "$scratch.err")"

# A run that stopped between two outputs, and one right after an output, go on without a frame twice or missing.
for stop in 15 20; do
  run scree-run "$scene" --steps "$stop" --checkpoint-every 5 --output-every 10 "${hdf5[@]}" --out "part$stop"
  run scree-run "$scene" --steps 30 --restart auto --output-every 10 "${hdf5[@]}" --out "part$stop"
  [ "$code" -eq 0 ] || fail "resumed after $stop: exit code $code: $(cat "$scratch.err")"
done

if ! "$python" -c 'import h5py' 2>/dev/null; then
  echo "h5py is missing: the content of the files was not looked at"
  finish
  exit
fi
"$python" - "$RANKS" <<'PYTHON' || fail "the files are wrong"
import json, sys
import xml.etree.ElementTree as ElementTree
import h5py, numpy

def series(directory, name):
    """The frames of an index, whose every reference must lead to a data set of the shape and type that it tells."""
    frames = []
    for grid in ElementTree.parse(f"{directory}/{name}.xdmf").iter("Grid"):
        if grid.get("GridType") != "Uniform":
            continue
        arrays = {}
        for element in list(grid.iter("Geometry")) + list(grid.iter("Attribute")):
            item = element.find("DataItem")
            file, path = item.text.split(":")
            with h5py.File(f"{directory}/{file}", "r") as content:
                data = content[path][()]
            assert list(data.shape) == [int(n) for n in item.get("Dimensions").split()], path
            kind = {"f": "Float", "i": "Int"}[data.dtype.kind]
            assert kind == item.get("NumberType") and data.dtype.itemsize == int(item.get("Precision")), path
            arrays[element.get("Name", "position")] = data
        points = int(grid.find("Topology").get("NumberOfElements"))
        assert all(len(data) == points for data in arrays.values()), name
        frames.append((float(grid.find("Time").get("Value")), arrays))
    return frames

ranks = int(sys.argv[1])
run = json.load(open("all.json"))
bodies = series("all", "bodies")
assert numpy.allclose([time for time, _ in bodies], [0, 0.05, 0.1, 0.15])
for _, arrays in bodies:
    assert sorted(arrays) == ["angular_velocity", "attitude", "contacts", "id", "position", "radius", "rank", "shape", "velocity"]
    assert sorted(arrays["id"]) == list(range(1000)) and set(arrays["rank"]) == set(range(ranks))
    assert arrays["position"].shape == (1000, 3) and numpy.isfinite(arrays["position"]).all()
final = bodies[-1][1]
assert numpy.ptp(final["velocity"], axis=0).max() > 0 and numpy.allclose(final["radius"], 0.1)
contacts = series("all", "contacts")
assert len(contacts[-1][1]["gap"]) == run["contacts"] and contacts[-1][1]["bodies"].shape == (run["contacts"], 2)
with h5py.File("all/frames/frame-00000030.h5", "r") as content:
    assert content.attrs["step"] == 30 and abs(content.attrs["time"] - 0.15) < 1e-12
assert run["output"]["bytes"] > 4 * 1000 * 24 and run["output"]["bytes_per_second"] > 0

# The selection has the same numbers, of every seventh body.
_, some = series("some", "bodies")[-1]
assert sorted(some) == ["id", "position", "velocity"] and sorted(some["id"]) == list(range(0, 1000, 7))
order, chosen = numpy.argsort(final["id"]), numpy.argsort(some["id"])
assert (final["velocity"][order][::7] == some["velocity"][chosen]).all()
assert sorted(series("some", "contacts")[-1][1]) == ["impulse", "position"]

for part in "part15", "part20":
    frames = series(part, "bodies")
    assert numpy.allclose([time for time, _ in frames], [0, 0.05, 0.1, 0.15]), [time for time, _ in frames]
    assert all(len(arrays["id"]) == 1000 for _, arrays in frames)
PYTHON

# Pictures are made of it, too.
if command -v povray >/dev/null; then
  "$python" "$SOURCE/scripts/render.py" all --step 20 --width 160 --height 120 --output picture.png >/dev/null ||
    fail "no picture"
  [ -s picture.png ] || fail "an empty picture"
fi

finish
