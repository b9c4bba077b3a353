#!/usr/bin/env bash
# Signals and time limits: a checkpoint at the next step, exit code 5, and a resumed run that ends like a whole one.
. "$(dirname "$0")/common.sh"

scene=$SOURCE/scenes/settling-box-1000.yaml
numbers() { /usr/bin/env python3 -c "
import json, sys
run = json.load(open(sys.argv[1]))
print(run['time'], run['kinetic_energy'], run['momentum'], run['max_penetration'], run['contacts'])" "$1"; }
frames() { grep -o 'frames/[^"]*' "$1/bodies.pvd"; }

# The ranks of the run in directory $1: their command line names it.
ranks_of() { pgrep -f -- "$BIN/scree-run .*--out $1( |\$)" | while read -r process; do
  [ "$(readlink "/proc/$process/exe")" = "$(readlink -f "$BIN/scree-run")" ] && echo "$process"
done; }

# begin NAME STEPS OPTIONS...: starts a run in the background and waits until it has made that many steps.
begin() {
  local name=$1 steps=$2
  shift 2
  launch scree-run "$scene" --out "$scratch/$name" --output-every 4 --steps 1000000 --set output.log_every=1 "$@" \
    >"$scratch.$name.out" 2>"$scratch.$name.err" </dev/null &
  runner=$!
  for _ in $(seq 600); do
    if [ -e "$name/run.log" ] && [ "$(grep -cE '^ +[0-9]+ ' "$name/run.log")" -ge "$steps" ]; then return; fi
    sleep 0.05
  done
  fail "$name did not start: $(cat "$scratch.$name.err")"
}

# One rank is told, all stop after the same step. An endless run: only the signal can end it.
for signal in USR1 TERM; do
  begin "$signal" 4
  kill "-$signal" "$(ranks_of "$scratch/$signal" | head -n 1)"
  wait "$runner"
  code=$?
  [ "$code" -eq 5 ] || fail "SIG$signal: exit code $code: $(cat "$scratch.$signal.err")"
  grep -q "stopped by SIG$signal after step" "$signal/run.log" || fail "SIG$signal: $(tail -n 3 "$signal/run.log")"
  [ "$(find "$signal/checkpoints" -name 'checkpoint-*.h5' | wc -l)" -eq 1 ] || fail "SIG$signal: no checkpoint"
done

# The resumed run ends where one does that wrote a checkpoint after the same step and went on, and its series has all
# frames, each once.
step=$(sed -n 's/.*after step \([0-9]*\):.*/\1/p' USR1/run.log)
many=$((2 * step + 3))
for name in whole USR1; do
  run scree-run "$scene" --steps "$many" --checkpoint-every "$step" --output-every 4 --out "$scratch/$name" \
    --restart auto --json "$name.json"
  [ "$code" -eq 0 ] || fail "$name to step $many: exit code $code: $(cat "$scratch.err")"
done
[ "$(numbers whole.json)" = "$(numbers USR1.json)" ] || fail "resumed $(numbers USR1.json), whole $(numbers whole.json)"
[ "$(frames whole)" = "$(frames USR1)" ] || fail "frames: $(frames USR1)"

# A second SIGTERM ends at once, in the middle of a step that would take minutes.
begin twice 0 --solver jacobi --tolerance 0 --max-iterations 1000000
sleep 0.5
process=$(ranks_of "$scratch/twice" | head -n 1)
kill -TERM "$process"
sleep 0.5
kill -0 "$process" || fail "one SIGTERM ended the run in the middle of a step"
kill -TERM "$process"
wait "$runner"
code=$?
[ "$code" -ne 0 ] && [ "$code" -ne 5 ] || fail "two SIGTERM: exit code $code"
[ ! -e twice/checkpoints ] || fail "two SIGTERM: there is a checkpoint"

# A time limit, in minutes: the run stops by itself.
run scree-run "$scene" --steps 1000000 --time-limit 0.1 --out "$scratch/limit"
[ "$code" -eq 5 ] || fail "--time-limit: exit code $code: $(cat "$scratch.err")"
grep -q "stopped by the time limit after step" limit/run.log || fail "--time-limit: $(tail -n 3 limit/run.log)"

# So does one in a job that Slurm will end.
SLURM_JOB_END_TIME=$(($(date +%s) + 6)) run scree-run "$scene" --steps 1000000 --out "$scratch/slurm"
[ "$code" -eq 5 ] || fail "SLURM_JOB_END_TIME: exit code $code: $(cat "$scratch.err")"

# Checkpoints by the clock: of a run as short as this, one early and one at the end.
run scree-run "$scene" --steps 30 --checkpoint-minutes 0.0001 --out "$scratch/clock"
[ "$code" -eq 0 ] || fail "--checkpoint-minutes: exit code $code: $(cat "$scratch.err")"
[ -s clock/checkpoints/checkpoint-000000000030.h5 ] || fail "--checkpoint-minutes: $(ls clock/checkpoints)"
[ "$(find clock/checkpoints -name 'checkpoint-*.h5' | wc -l)" -eq 2 ] || fail "--checkpoint-minutes: $(ls clock/checkpoints)"

finish
