#!/usr/bin/env bash
# A state that must not go on: one line, exit code 4, and what was written before is still valid.
. "$(dirname "$0")/common.sh"

# One Jacobi iteration a step cannot stop bodies that fly into the floor.
run scree-run "$SOURCE/scenes/settling-box-1000.yaml" --steps 50 --output-every 1 --out results \
  --solver jacobi --max-iterations 1 --set 'fills[0].velocity=[0,0,-100]'
[ "$code" -eq 4 ] || fail "exit code $code instead of 4: $(cat "$scratch.err")"
[ "$(wc -l <"$scratch.messages")" -eq 1 ] || fail "not one line on stderr: $(cat "$scratch.err")"
grep -q "bodies" "$scratch.messages" || fail "unexpected message: $(cat "$scratch.messages")"
grep -q 'timestep="0"' results/bodies.pvd || fail "the output of the start is gone"
for frame in $(grep -o 'frames/[^"]*' results/bodies.pvd); do
  [ -s "results/$frame" ] || fail "$frame is missing"
done

grep -q 'timestep=' results/failed.pvd || fail "the failed state is not kept"

finish
