#!/usr/bin/env bash
# A run that is resumed ends where the uninterrupted run ends; bad checkpoints are refused.
. "$(dirname "$0")/common.sh"

scene=$SOURCE/scenes/settling-box-1000.yaml
numbers() { /usr/bin/env python3 -c "
import json, sys
run = json.load(open(sys.argv[1]))
print(run['time'], run['kinetic_energy'], run['momentum'], run['max_penetration'], run['contacts'])" "$1"; }

run scree-run "$scene" --steps 24 --checkpoint-every 8 --out whole --json whole.json
[ "$code" -eq 0 ] || fail "the whole run: exit code $code: $(cat "$scratch.err")"
[ "$(ls whole/checkpoints)" = "checkpoint-000000000016.h5
checkpoint-000000000024.h5" ] || fail "checkpoints: $(ls whole/checkpoints)"

run scree-run "$scene" --steps 8 --checkpoint-every 8 --out part
run scree-run "$scene" --steps 24 --checkpoint-every 8 --restart auto --out part --json part.json
[ "$code" -eq 0 ] || fail "the resumed run: exit code $code: $(cat "$scratch.err")"
grep -qF "resumed         after step 8" part/run.log || fail "the log does not tell that the run was resumed"
[ "$(numbers whole.json)" = "$(numbers part.json)" ] || fail "resumed: $(numbers part.json), whole: $(numbers whole.json)"

run scree-run "$scene" --steps 24 --restart whole/checkpoints/checkpoint-000000000016.h5 --out third --json third.json
[ "$(numbers whole.json)" = "$(numbers third.json)" ] || fail "by name: $(numbers third.json), whole: $(numbers whole.json)"

rm -r whole part third ./*.json
run scree-run "$scene" --restart nowhere.h5
expect_error 2 "nowhere.h5: no such checkpoint"
echo "no checkpoint" >regular-file
run scree-run "$scene" --restart regular-file
expect_error 2 "regular-file: not a good checkpoint"
finish
