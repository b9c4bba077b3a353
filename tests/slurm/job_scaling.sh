#!/usr/bin/env bash
# jobs/scaling-strong.sbatch and scaling-weak.sbatch: numbers of each run, from which the study makes tables and pictures.
. "$(dirname "$0")/common.sh"

export SCREE_STEPS=1
strong=$(sbatch --parsable --ntasks=2 --time=10 jobs/scaling-strong.sbatch results/scaling)
weak=$(sbatch --parsable --ntasks=2 --time=10 jobs/scaling-weak.sbatch results/scaling 1 2)
too_many=$(sbatch --parsable --ntasks=2 --time=10 jobs/scaling-weak.sbatch results/other 4)
for job in "$strong" "$weak"; do
  wait_for "$job" 240
  [ "$(state_of "$job")" = COMPLETED ] || fail "$(state_of "$job"): $(tail -n 5 slurm-scree-*-"$job".log)"
done
wait_for "$too_many" 60
[ "$(state_of "$too_many")" = FAILED ] || fail "4 ranks in a job of 2: $(state_of "$too_many")"
numbers() { python3 -c "
import json, sys
run = json.load(open(sys.argv[1]))
print(run['ranks'], run['steps'], run['bodies'])" "results/scaling/$1.json"; }
for expected in "strong-1 1 1 20000" "strong-2 2 1 20000" "weak-1 1 1 20000" "weak-2 2 1 40000"; do
  [ "${expected%% *} $(numbers "${expected%% *}")" = "$expected" ] || fail "$expected: $(numbers "${expected%% *}")"
done
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
  /usr/bin/python3 scripts/scaling_study.py plot results/scaling >table || fail "the study cannot be drawn"
  for picture in strong-scaling weak-scaling extrapolation; do
    [ -s "results/scaling/$picture.png" ] && [ -s "results/scaling/$picture.svg" ] || fail "no $picture"
  done
  grep -q "^| 2 | " table || fail "no table: $(cat table)"
fi

finish
