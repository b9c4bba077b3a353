#!/usr/bin/env bash
# jobs/run.sbatch: a job that comes to its time limit puts itself into the queue again and ends as one that does not.
. "$(dirname "$0")/common.sh"

scene=scenes/settling-box-1000.yaml
numbers() { /usr/bin/env python3 -c "
import json, sys
run = json.load(open(sys.argv[1]))
print(run['time'], run['kinetic_energy'], run['momentum'], run['max_penetration'], run['contacts'])" "$1"; }

# Slurm's limits are whole minutes, and its signal comes 45 s before or earlier. The run is endless until then; while
# the job waits in the queue, the scene gets an end.
sed 's/^time:.*/time: {step: 0.005, steps: 1000000}/' "$scene" >scenes/limited.yaml
options=(--checkpoint-every 1 --set output.log_every=1 --solver pgs --tolerance 0 --max-iterations 5000)
limited=$(sbatch --parsable --time=1 --signal=B:USR1@45 jobs/run.sbatch scenes/limited.yaml "${options[@]}")
out=results/limited-$limited
for _ in $(seq 180); do
  [ "$(state_of "$limited")" != PENDING ] || [ ! -e "$out/run.log" ] || break
  sleep 0.5
done
made=$(sed -n 's/^stopped by .* after step \([0-9]*\):.*/\1/p' "$out/run.log")
[ -n "$made" ] || fail "not stopped before the time limit: $(tail -n 3 "$out/run.log")"
steps=$((made + 3))
sed -i "s/steps: 1000000/steps: $steps/" scenes/limited.yaml
wait_for "$limited" 120
[ "$(state_of "$limited")" = COMPLETED ] || fail "the limited job: $(state_of "$limited"): $(tail -n 5 slurm-scree-"$limited".log)"
scontrol show job "$limited" | grep -q "Restarts=[1-9]" || fail "the job did not restart: $(scontrol show job "$limited")"
grep -q "^resumed" "$out/run.log" || fail "not resumed"

whole=$(sbatch --parsable --time=10 jobs/run.sbatch "$scene" --steps "$steps" "${options[@]}")
wait_for "$whole" 180
[ "$(numbers "results/settling-box-1000-$whole/run.json")" = "$(numbers "$out/run.json")" ] ||
  fail "whole $(numbers "results/settling-box-1000-$whole/run.json"), limited $(numbers "$out/run.json")"

# mpirun inside the allocation.
by_mpirun=$(SCREE_LAUNCHER=mpirun sbatch --parsable --time=10 jobs/run.sbatch "$scene" --steps 5)
wait_for "$by_mpirun" 120
[ "$(state_of "$by_mpirun")" = COMPLETED ] || fail "mpirun: $(tail -n 5 slurm-scree-"$by_mpirun".log)"

finish
