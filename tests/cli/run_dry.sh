#!/usr/bin/env bash
# A dry run counts what a scene asks for and makes nothing: a billion bodies cost neither time nor memory.
. "$(dirname "$0")/common.sh"

cat >billion.yaml <<'YAML'
fills:
  - {region: {box: {lower: [0, 0, 0], upper: [1000, 1000, 800]}}, radius: 0.48, lattice: cubic, count: 1000000000}
time: {steps: 10}
YAML
run scree-run billion.yaml --dry-run
[ "$code" -ne 0 ] || fail "more bodies than fit were accepted"
run scree-run billion.yaml --dry-run --set 'fills[0].region.box.upper=[1000, 1000, 1200]'
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$scratch.err")"
share=$(((1000000000 + RANKS - 1) / RANKS))
grep -qF "bodies  1000000000 in all; per rank at most $share at the start" "$scratch.out" || fail "$(cat "$scratch.out")"
[ ! -e results ] || fail "a dry run wrote results"
