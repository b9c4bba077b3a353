#!/usr/bin/env bash
# A run with sources, sinks and measurements that is interrupted leaves the same files as one that is not.
. "$(dirname "$0")/common.sh"

cat >flow.yaml <<'YAML'
materials: {grain: {density: 2500, friction: 0.3}}
walls:
  - {name: bin, container: {lower: [0, 0, 0], upper: [1, 1, 2]}}
bodies:
  - {name: stone, position: [0.5, 0.5, 0.2], radius: 0.2}
sources:
  - {name: rain, region: {box: {lower: [0, 0, 1], upper: [1, 1, 1.6]}}, radius: {min: 0.05, max: 0.08}, rate: 400,
     total: 60, velocity: [0, 0, -3]}
sinks:
  - {name: corner, inside: {lower: [0, 0, 0], upper: [0.3, 0.3, 0.3]}}
measurements:
  - {name: state, every: 3, state: [bodies, kinetic_energy, momentum, coordination, penetration]}
  - {name: down, every: 4, flow: {point: [0, 0, 0.9], normal: [0, 0, -1]}}
  - {name: load, every: 5, force: [bin, stone]}
time: {step: 0.005, steps: 80}
YAML

run scree-run flow.yaml --checkpoint-every 25 --out whole --json whole.json
[ "$code" -eq 0 ] || fail "the whole run: exit code $code: $(cat "$scratch.err")"
run scree-run flow.yaml --checkpoint-every 25 --out parts --steps 50
cp -r parts later
run scree-run flow.yaml --checkpoint-every 25 --out parts --restart auto --json parts.json
[ "$code" -eq 0 ] || fail "the resumed run: exit code $code: $(cat "$scratch.err")"
# Rows beyond the checkpoint that the run goes on from are made again.
run scree-run flow.yaml --checkpoint-every 25 --out later --restart later/checkpoints/checkpoint-000000000025.h5
for file in state down load; do
  cmp -s "whole/measurements/$file.csv" "parts/measurements/$file.csv" || fail "$file.csv differs after a restart"
  cmp -s "whole/measurements/$file.csv" "later/measurements/$file.csv" || fail "$file.csv differs after an older one"
done
grep -q "^source rain: 60 bodies" whole/run.log || fail "the log does not tell what the source made"
grep -q "^sink corner: " whole/run.log || fail "the log does not tell what the sink took"
python3 - <<'PYTHON' || fail "the numbers are wrong"
import csv, json
whole, parts = json.load(open("whole.json")), json.load(open("parts.json"))
for field in ("bodies", "contacts", "kinetic_energy", "momentum", "max_penetration", "sources", "sinks"):
    assert whole[field] == parts[field], field
for name in ("whole", "parts"):
    run = json.load(open(name + ".json"))
    source, sink = run["sources"][0], run["sinks"][0]
    assert source["name"] == "rain" and source["bodies"] == 60 and source["waiting"] == 0 and source["mass"] > 0
    assert sink["name"] == "corner" and sink["bodies"] > 0
    assert run["bodies"] == 1 + source["bodies"] - sink["bodies"] and run["lost_bodies"] == 0
rows = list(csv.DictReader(open("whole/measurements/down.csv")))
assert [int(row["step"]) for row in rows] == list(range(0, 81, 4))
assert int(rows[-1]["bodies forward"]) - int(rows[-1]["bodies backward"]) > 50
PYTHON
"$SOURCE/scripts/plot_measurements.py" whole -o plots >/dev/null || fail "plot_measurements.py"
[ -s plots/state.png ] && [ -s plots/down.png ] && [ -s plots/load.png ] || fail "plots are missing: $(ls plots)"

sed -i 's/name: corner, inside: .*/name: corner, inside: {lower: [0, 0, 0], upper: [1, 1, 1]}}\n  - {name: all, behind: {point: [0, 0, -1], normal: [0, 0, 1]}}/' flow.yaml
cp whole/checkpoints/checkpoint-000000000080.h5 regular-file
rm -r whole parts later plots ./*.json
run scree-run flow.yaml --restart regular-file --steps 81
expect_error 2 "the checkpoint knows 1 sources and 1 sinks, the scene has 1 and 2"
finish
