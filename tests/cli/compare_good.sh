#!/usr/bin/env bash
# scree-compare: a table and a JSON array of all solves; one failure does not end the others.
. "$(dirname "$0")/common.sh"

for step in 2 6; do
  run scree-run "$SOURCE/scenes/settling-box-1000.yaml" --steps "$step" --out results \
    --dump-problem "$step:problem-$step.hdf5"
  [ "$code" -eq 0 ] || fail "scree-run: exit code $code: $(cat "$scratch.err")"
done
rm -r results

run scree-compare problem-2.hdf5 problem-6.hdf5 --solvers npgs,jacobi --law cone --max-iterations 50 --json out/all.json
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
[ "$(grep -cE '^ +[12]  (npgs|jacobi) ' "$scratch.out")" -eq 4 ] || fail "not a line per solve: $(cat "$scratch.out")"
python3 - "$RANKS" <<'PYTHON' || fail "the numbers are wrong"
import json, sys

solves = json.load(open("out/all.json"))
pairs = [(solve["problem"], solve["solver"]) for solve in solves]
assert pairs == [(p, s) for p in ("problem-2", "problem-6") for s in ("npgs", "jacobi")], pairs
for solve in solves:
    assert solve["law"] == "cone" and solve["ranks"] == int(sys.argv[1]) and solve["contacts"] > 0
    assert 0 <= solve["iterations"] <= 50 and solve["error"]["natural"] >= 0
    assert solve["converged"] == (solve["error"]["natural"] <= 1e-4)
    assert (solve["reason"] == "converged") == solve["converged"], solve["reason"]
PYTHON

# All solvers that take the law, if none is named. Not to converge is no failure of a comparison.
run scree-compare problem-2.hdf5 --law frictionless --max-iterations 3 --tolerance 1e-15 --json some.json
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
[ "$(grep -c '"solver"' some.json)" -ge 4 ] || fail "some solvers are missing: $(cat some.json)"

# Pictures, and what they are drawn from.
run scree-compare problem-6.hdf5 --solvers npgs,pgs --law cone --max-iterations 20 --tolerance 1e-12 --plots plots
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
for file in problem-6.gp problem-6-npgs.csv problem-6-pgs.csv; do [ -s "plots/$file" ] || fail "no plots/$file"; done
[ "$(wc -l <plots/problem-6-npgs.csv)" -eq 22 ] || fail "not every iteration was judged: $(cat plots/problem-6-npgs.csv)"
if command -v gnuplot >/dev/null; then
  head -c 8 plots/problem-6.png | grep -q PNG || fail "no picture"
  grep -q "<svg" plots/problem-6.svg && grep -q "npgs" plots/problem-6.svg || fail "no drawing"
fi
rm -r plots

# A bad file among good ones: the others are solved, its fault is told.
echo "no problem" >bad.hdf5
run scree-compare bad.hdf5 problem-2.hdf5 --solvers npgs --law cone --json part.json
[ "$code" -eq 2 ] && grep -q "bad.hdf5" "$scratch.messages" || fail "exit code $code: $(cat "$scratch.err")"
[ "$(grep -c '"solver"' part.json)" -eq 1 ] || fail "part.json: $(cat part.json)"

rm -r ./*.hdf5 ./*.json out
run scree-compare
expect_error 2 "PROBLEM is required"
run scree-compare problem.hdf5 --solvers npgs,nosuch --law cone
expect_error 2 "unknown solver 'nosuch'"
run scree-compare problem.hdf5 --solvers kucera --law cone
expect_error 2 "cannot take the law 'cone'"
run scree-compare --list
[ "$code" -eq 0 ] && grep -q npgs "$scratch.out" || fail "--list"
finish
