#!/usr/bin/env bash
# Bad input to scree-solve: one line, exit code 2, nothing written.
. "$(dirname "$0")/common.sh"

run scree-run "$SOURCE/scenes/settling-box-1000.yaml" --steps 2 --out "$scratch.results" \
  --dump-problem 2:"$scratch.problem"
[ "$code" -eq 0 ] || fail "scree-run: exit code $code: $(cat "$scratch.err")"
good=$scratch.problem

run scree-solve missing.hdf5 --json solve.json
expect_error 2 "missing.hdf5: no such file"
run scree-solve
expect_error 2 "PROBLEM is required"
run scree-solve .
expect_error 2 ".: is no file"
run scree-solve "$good" "$good"
expect_error 2 "scree-solve --help"
run scree-solve "$good" --nosuch
expect_error 2 "--nosuch"

echo "no problem" >regular-file
run scree-solve regular-file --law cone --solution solution.hdf5
expect_error 2 "no HDF5 file"
for bytes in 0 8 100 2000 20000; do
  head -c "$bytes" "$good" >regular-file
  run scree-solve regular-file --law cone --solution solution.hdf5 --json solve.json --history history.csv
  expect_error 2 "regular-file: "
done

echo "in the way" >regular-file
run scree-solve "$good" --law cone --json regular-file/solve.json
expect_error 2 "regular-file is not a directory"
run scree-solve "$good" --law cone --solution .
expect_error 2 ".: is a directory"
run scree-solve "$good" --solver nosuch
expect_error 2 "the solvers are: auto, npgs"
run scree-solve "$good" --solver kucera --law cone
expect_error 2 "cannot take the law 'cone'"
run scree-solve "$good" --law nosuch
expect_error 2 "--law nosuch: must be one of frictionless"
run scree-solve "$good" --law cone --measure nosuch
expect_error 2 "--measure nosuch: must be one of natural"
run scree-solve "$good" --law cone --tolerance -1
expect_error 2 "--tolerance -1: must be a number, not negative"
run scree-solve "$good" --law cone --tolerance nan
expect_error 2 "--tolerance nan"
run scree-solve "$good" --law cone --max-iterations 0
expect_error 2 "--max-iterations 0: must be at least 1"
run scree-solve "$good" --law cone --check-every 0
expect_error 2 "--check-every 0: must be at least 1"
run scree-solve "$good" --law cone --reference "$good"
expect_error 2 "--reference $good: it is for the history: add --history FILE"
run scree-solve "$good" --law cone --start missing.hdf5
expect_error 2 "missing.hdf5: no such file"
run scree-solve "$good" --law cone --start "$good" --json solve.json
expect_error 2 "/solution/r: is missing"
run scree-solve "$good" --law cone --set nonsense
expect_error 2 "--set nonsense: must be option=value"
run scree-solve "$good" --law cone --set nosuch=1
expect_error 2 "has no option 'nosuch'"
finish
