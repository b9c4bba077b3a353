#!/usr/bin/env bash
# scree-bench measures what it is asked to, and its numbers can be compared. No time is judged here.
. "$(dirname "$0")/common.sh"

run scree-bench --contacts 600 --seconds 0 --json numbers.json
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
python3 - "$RANKS" <<'PYTHON' || fail "numbers.json"
import json, subprocess, sys

data = json.load(open("numbers.json"))
ranks = int(sys.argv[1])
assert data["ranks"] == ranks and data["triad_gb_per_s"] > 0 and data["gathers_per_second"] > 0, data
names = [kernel["name"] for kernel in data["kernels"]]
assert len(set(names)) == len(names) and {"sweep-cone", "sweep-bricks", "apply", "residual", "assembly"} <= set(names), names
assert ("exchange" in names) == ("migration" in names) == (ranks > 1), names
for kernel in data["kernels"]:
    assert kernel["contacts"] > 0 and kernel["updates"] > 0, kernel
    for field in ("updates_per_second", "bytes_per_update", "roofline_share"):
        assert kernel[field] > 0, kernel
slower = dict(data, kernels=[dict(k, updates_per_second=0.5 * k["updates_per_second"]) for k in data["kernels"]])
json.dump(slower, open("slower.json", "w"))
PYTHON
compare="$SOURCE/scripts/compare_bench.py"
"$compare" numbers.json numbers.json >/dev/null || fail "a run is slower than itself"
"$compare" numbers.json slower.json >compared && fail "half the rate is not called slower"
[ "$(grep -vc ' slower$' compared)" -eq 1 ] || fail "not all are slower: $(cat compared)"  # but for the headline
rm -f numbers.json slower.json compared

run scree-bench --kernels sweep-cone,apply --contacts 600,1200 --passes 2
[ "$(grep -cE '^(sweep-cone|apply) ' "$scratch.out")" -eq 4 ] || fail "two kernels, two sizes: $(cat "$scratch.out")"
run scree-bench --kernels sweep-pone
expect_error 2 "no kernel is named 'sweep-pone'"
touch regular-file
run scree-bench --contacts 600 --json regular-file/numbers.json
expect_error 2 "regular-file"
rm regular-file
finish
