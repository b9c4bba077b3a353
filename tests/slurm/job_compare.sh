#!/usr/bin/env bash
# jobs/compare.sbatch: the numbers of each solver, and pictures.
. "$(dirname "$0")/common.sh"

"$BIN/scree-run" scenes/settling-box-1000.yaml --steps 5 --out run --output-every 0 --dump-problem 5:problem.hdf5 \
  >run.log 2>&1 || fail "no problem: $(tail -n 3 run.log)"
job=$(sbatch --parsable --time=10 jobs/compare.sbatch results/compare problem.hdf5 --law cone --solvers npgs,pgs)
without=$(sbatch --parsable --time=10 jobs/compare.sbatch results/none missing.hdf5)
wait_for "$job" 120
[ "$(state_of "$job")" = COMPLETED ] || fail "$(state_of "$job"): $(tail -n 5 slurm-scree-compare-"$job".log)"
solvers=$(python3 -c "
import json
print(*sorted(solve['solver'] for solve in json.load(open('results/compare/compare.json'))))")
[ "$solvers" = "npgs pgs" ] || fail "numbers of other solvers: $solvers"
[ -n "$(find results/compare -name '*.png' -size +0)" ] || fail "no picture: $(ls results/compare)"
wait_for "$without" 120
[ "$(state_of "$without")" = FAILED ] || fail "a missing problem: $(state_of "$without")"
grep -q "missing.hdf5" slurm-scree-compare-"$without".log || fail "the missing problem is not named"

finish
