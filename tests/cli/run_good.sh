#!/usr/bin/env bash
# A short run of scree-run: its exit code, log, JSON and ParaView files.
. "$(dirname "$0")/common.sh"

run scree-run "$SOURCE/scenes/settling-box-1000.yaml" --steps 5 --output-every 2 --set output.contacts=true \
  --set output.log_every=1 --out results --json numbers/run.json
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
[ ! -s "$scratch.err" ] || fail "words on stderr: $(cat "$scratch.err")"
cmp -s "$scratch.out" results/run.log || fail "run.log differs from stdout"
for word in "Scree " "ranks           $RANKS" "decomposition" "ghosts" "penetration" "phase " "solve" "total"; do
  grep -qF "$word" results/run.log || fail "run.log lacks '$word'"
done
[ "$(grep -cE '^ +[1-5] +0\.' results/run.log)" -eq 5 ] || fail "run.log lacks a line per step"
[ -z "$(find . -name '*.tmp')" ] || fail "temporary files remain"

python3 -m json.tool numbers/run.json >/dev/null || fail "run.json is not JSON"
python3 - "$RANKS" <<'PYTHON' || fail "the results are wrong"
import json, math, os, re, struct, sys
import xml.etree.ElementTree as ElementTree

ranks = int(sys.argv[1])
run = json.load(open("numbers/run.json"))
kinds = {"scene": str, "ranks": int, "steps": int, "time": (int, float), "bodies": int, "contacts": int,
         "max_penetration": (int, float), "kinetic_energy": (int, float), "momentum": list, "lost_bodies": int,
         "seconds": dict, "contact_updates_per_second": (int, float), "iterations": int, "messages": int, "bytes": int,
         "version": str, "solver": str, "law": str}
for field, kind in kinds.items():
    assert isinstance(run[field], kind), field
assert run["scene"] == "settling-box-1000" and run["ranks"] == ranks and run["steps"] == 5
assert run["bodies"] == 1000 and run["lost_bodies"] == 0 and run["contacts"] > 0 and run["iterations"] >= 5
assert abs(run["time"] - 0.025) < 1e-12 and len(run["momentum"]) == 3 and run["kinetic_energy"] > 0
assert run["seconds"]["total"] > 0 and run["contact_updates_per_second"] > 0
for phase, seconds in run["seconds"].items():
    if phase != "total":
        assert 0 <= seconds["min"] <= seconds["avg"] * (1 + 1e-12) <= seconds["max"] * (1 + 1e-9), phase
assert "solve" in run["seconds"] and "output" in run["seconds"]
assert (run["messages"] > 0) == (ranks > 1) and (run["bytes"] > 0) == (ranks > 1)

def arrays(path):
    content = open(path, "rb").read()
    start = content.index(b"<AppendedData")
    base = content.index(b"_", start) + 1
    ElementTree.fromstring(content[:start].decode() + "</VTKFile>")
    found = {}
    for tag in re.findall(r"<DataArray [^>]*>", content[:start].decode()):
        attribute = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        at = base + int(attribute["offset"])
        size = struct.unpack_from("<Q", content, at)[0]
        code, width = {"Float64": ("d", 8), "Int64": ("q", 8), "Int32": ("i", 4)}[attribute["type"]]
        found[attribute["Name"]] = struct.unpack_from(f"<{size // width}{code}", content, at + 8)
    return found

def series(name):
    result = []
    for frame in ElementTree.parse(f"results/{name}.pvd").iter("DataSet"):
        time, file = float(frame.get("timestep")), frame.get("file")
        pieces = [p.get("Source") for p in ElementTree.parse(f"results/{file}").iter("Piece")]
        result.append((time, [arrays(os.path.join("results/frames", piece)) for piece in pieces]))
    return result

bodies = series("bodies")
assert [round(time, 9) for time, _ in bodies] == [0, 0.01, 0.02, 0.025]
for _, pieces in bodies:
    assert len(pieces) <= ranks
    ids = [i for piece in pieces for i in piece["id"]]
    assert sorted(ids) == list(range(1000))
    for piece in pieces:
        n = len(piece["id"])
        assert len(set(piece["rank"])) == 1 and all(r == 0.1 for r in piece["radius"])
        assert len(piece["position"]) == len(piece["velocity"]) == len(piece["angular_velocity"]) == 3 * n
        assert len(piece["contacts"]) == n and all(math.isfinite(x) for x in piece["position"])
contacts = series("contacts")[-1][1]
assert sum(len(piece["gap"]) for piece in contacts) == run["contacts"]
for piece in contacts:
    assert len(piece["normal"]) == len(piece["impulse"]) == len(piece["position"]) == 3 * len(piece["gap"])
walls = json.load(open("results/walls.json"))["walls"]
assert len(walls) == 5 and all(wall["kind"] == "plane" for wall in walls)
PYTHON

# Where no outputs are asked for, the final state is still there; the scene's name is the directory.
run scree-run "$SOURCE/scenes/settling-box-1000.yaml" --steps 1 -- -log_exclude vec
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
[ "$(grep -c DataSet results/settling-box-1000/bodies.pvd)" -eq 1 ] || fail "not exactly the final state"
[ ! -e results/settling-box-1000/contacts.pvd ] || fail "contacts were written without being asked for"

run scree-run --list
[ "$code" -eq 0 ] && grep -q npgs "$scratch.out" && grep -q natural "$scratch.out" || fail "--list"
[ "$(grep -c '^solvers:' "$scratch.out")" -eq 1 ] || fail "--list prints more than once"
run scree-run --version
[ "$code" -eq 0 ] && [ "$(wc -l <"$scratch.out")" -eq 1 ] || fail "--version"
run scree-run --help
[ "$code" -eq 0 ] && grep -q -- --max-iterations "$scratch.out" || fail "--help"

finish
