# Shared by the checks of this directory: a scratch directory, a way to run a program, and assertions.
set -uo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$scratch".*' EXIT
cd "$scratch" || exit 1
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

launch() {
  local program=$1
  shift
  # shellcheck disable=SC2086  # the launcher comes with its option
  if [ "$RANKS" -eq 1 ]; then
    "$BIN/$program" "$@"
  else
    $MPIEXEC "$RANKS" -q "$BIN/$program" "$@"
  fi
}

# What MPI itself says about this machine (a container without /sys, say), seen where the program has nothing to say.
launch scree-run --version 2>"$scratch.noise" >/dev/null </dev/null || fail "--version ends with an error"
! grep -qi scree "$scratch.noise" || fail "words on stderr: $(cat "$scratch.noise")"

# run PROGRAM ARGUMENTS...: leaves the exit code in $code and the output in the files $scratch.out and $scratch.err,
# outside of the working directory, so that "nothing written" can be seen there.
run() {
  launch "$@" >"$scratch.out" 2>"$scratch.all" </dev/null
  code=$?
  grep -vxFf "$scratch.noise" "$scratch.all" >"$scratch.err"
  # The launcher adds its own words about a program that ends with an error.
  grep -E "^$1: " "$scratch.err" >"$scratch.messages"
}

# expect_error CODE TEXT: the last run ended with CODE, one line on stderr that contains TEXT, and wrote no files.
expect_error() {
  local lines
  lines=$(wc -l <"$scratch.messages")
  [ "$code" -eq "$1" ] || fail "$2: exit code $code instead of $1: $(cat "$scratch.err")"
  [ "$lines" -eq 1 ] || fail "$2: $lines lines on stderr instead of 1: $(cat "$scratch.err")"
  grep -qF -- "$2" "$scratch.messages" || fail "expected '$2', got: $(cat "$scratch.messages")"
  if [ "$RANKS" -eq 1 ] && ! cmp -s "$scratch.err" "$scratch.messages"; then
    fail "$2: more than the error on stderr: $(cat "$scratch.err")"
  fi
  local written
  written=$(find . -mindepth 1 ! -name '*.yaml' ! -name open.obj ! -name regular-file)
  [ -z "$written" ] || fail "$2: files were written: $written"
}

finish() {
  [ "$failures" -eq 0 ] || exit 1
  echo "all good"
}
