#!/usr/bin/env bash
# What goes wrong in long runs: a full disk, a place that cannot be written, a killed rank, a truncated checkpoint.
. "$(dirname "$0")/common.sh"

scene=$SOURCE/scenes/settling-box-1000.yaml
steps_in_log() { grep -cE '^ +[0-9]+ ' "$1/run.log"; }

# A disk with room for one checkpoint of about 300 kB and a log. Only who may mount can make one.
disk=$scratch/disk
mkdir "$disk"
if mount -t tmpfs -o size=700k tmpfs "$disk" 2>/dev/null; then
  trap 'umount "$disk"; rm -rf "$scratch" "$scratch".*' EXIT
  run scree-run "$scene" --steps 4 --checkpoint-every 4 --output-every 0 --set output.on_error=continue --out "$disk/out"
  [ "$code" -eq 0 ] || fail "on a small disk: exit code $code: $(cat "$scratch.err")"
  [ -s "$disk/out/checkpoints/checkpoint-000000000004.h5" ] || fail "no first checkpoint: $(df "$disk" | tail -n 1)"
  dd if=/dev/zero of="$disk/full" bs=1k 2>/dev/null
  truncate -s -60k "$disk/full" # for the log
  sum=$(sha256sum "$disk"/out/checkpoints/*.h5)
  run scree-run "$scene" --steps 12 --checkpoint-every 4 --restart auto --out "$disk/out"
  [ "$code" -eq 1 ] || fail "full disk: exit code $code: $(cat "$scratch.err")"
  [ "$(wc -l <"$scratch.messages")" -eq 1 ] || fail "full disk: not one line on stderr: $(cat "$scratch.err")"
  grep -qi "no space left\|no room" "$scratch.messages" || fail "full disk: $(cat "$scratch.messages")"
  run scree-run "$scene" --steps 12 --checkpoint-every 4 --restart auto --set output.on_error=continue --out "$disk/out"
  grep -q "^warning: .*checkpoint-000000000008.h5: cannot be written" "$scratch.out" || fail "no warning: $(cat "$scratch.out")"
  [ "$(grep -cE '^ +12 ' "$scratch.out")" -eq 1 ] || fail "full disk: the run did not go on: $(cat "$scratch.out")"
  [ "$(sha256sum "$disk"/out/checkpoints/*.h5)" = "$sum" ] || fail "full disk: the earlier checkpoint is not intact"
else
  echo "no full disk was tried: mount is not permitted here"
fi

# The ranks of the run in directory $1: their command line names it.
ranks_of() { pgrep -f -- "$BIN/scree-run .*--out $1( |\$)" | while read -r process; do
  [ "$(readlink "/proc/$process/exe")" = "$(readlink -f "$BIN/scree-run")" ] && echo "$process"
done; }

# Each of them stays only until there are two later ones, so it is no use to wait for a certain one.
has_two_checkpoints() { [ "$(find "$1/checkpoints" -name 'checkpoint-*.h5' | wc -l)" -ge 2 ]; }

# begin NAME OPTIONS...: starts an endless run in the background and waits for its second checkpoint.
begin() {
  local name=$1
  shift
  launch scree-run "$scene" --steps 1000000 --checkpoint-every 5 --out "$scratch/$name" "$@" \
    >"$scratch.$name.out" 2>"$scratch.$name.err" </dev/null &
  runner=$!
  wait_until "$name began" has_two_checkpoints "$name"
}

# wait_until WHAT COMMAND...: until the command succeeds.
wait_until() {
  for _ in $(seq 1200); do
    "${@:2}" 2>/dev/null && return
    sleep 0.05
  done
  fail "not within a minute: $1"
}

# The disk is full for the last rank while all write a checkpoint together: it may write no file beyond its first 100 kB,
# which the others may. Nobody waits for ever, and the earlier checkpoints stay.
if command -v prlimit >/dev/null; then
  begin full
  prlimit --pid "$(ranks_of "$scratch/full" | tail -n 1)" --fsize=100000:unlimited
  wait "$runner"
  code=$?
  [ "$code" -eq 1 ] || fail "a rank with a full disk: exit code $code: $(cat "$scratch.full.err")"
  [ "$(grep -c "^scree-run: .*checkpoint-.*cannot be written" "$scratch.full.err")" -eq 1 ] ||
    fail "a rank with a full disk: $(cat "$scratch.full.err")"
  [ "$(find full/checkpoints -type f | wc -l)" -eq 2 ] || fail "a rank with a full disk: $(ls full/checkpoints)"
  run scree-run "$scene" --steps 1000000 --time-limit 0.09 --restart auto --out "$scratch/full"
  [ "$code" -eq 5 ] || fail "after a full disk: exit code $code: $(cat "$scratch.err")"

  # Where that must not end the run it goes on, and writes checkpoints again when there is room.
  begin filled --set output.on_error=continue
  limited=$(ranks_of "$scratch/filled" | tail -n 1)
  prlimit --pid "$limited" --fsize=100000:unlimited
  wait_until "a warning" grep -q "^warning: .*checkpoint-.*cannot be written" filled/run.log
  newest=$(cd filled/checkpoints && echo checkpoint-*.h5 | tr ' ' '\n' | tail -n 1)
  prlimit --pid "$limited" --fsize=unlimited:unlimited
  wait_until "a later checkpoint" test ! -e "filled/checkpoints/$newest"
  kill -USR1 "$limited"
  wait "$runner"
  code=$?
  [ "$code" -eq 5 ] || fail "a disk that was full for a while: exit code $code: $(cat "$scratch.filled.err")"
else
  echo "no limited rank was tried: prlimit is missing"
fi

# A place that cannot be written.
mkdir -p blocked
touch blocked/checkpoints
run scree-run "$scene" --steps 6 --checkpoint-every 4 --out "$scratch/blocked"
[ "$code" -ne 0 ] && [ "$code" -ne 5 ] || fail "blocked: exit code $code"
[ "$(wc -l <"$scratch.messages")" -eq 1 ] || fail "blocked: not one line on stderr: $(cat "$scratch.err")"
grep -q "checkpoints" "$scratch.messages" || fail "blocked: $(cat "$scratch.messages")"
run scree-run "$scene" --steps 6 --checkpoint-every 4 --set output.on_error=continue --out "$scratch/blocked"
[ "$code" -eq 0 ] || fail "blocked, continue: exit code $code: $(cat "$scratch.err")"
grep -q "^warning: .*checkpoints" blocked/run.log || fail "blocked, continue: no warning in the log"

# One rank is killed: the whole run ends within seconds, and no more than the steps since the last checkpoint are lost.
begin killed --set output.log_every=1
victim=$(ranks_of "$scratch/killed" | tail -n 1)
kill -KILL "$victim"
began=$(date +%s)
wait "$runner"
code=$?
[ "$code" -ne 0 ] || fail "a killed rank: exit code 0"
[ $(($(date +%s) - began)) -le 10 ] || fail "a killed rank: the run ended only after $(($(date +%s) - began)) s"
made=$(grep -oE '^ +[0-9]+ ' killed/run.log | tail -n 1 | tr -d ' ')
run scree-run "$scene" --steps $((made + 2)) --restart auto --out "$scratch/killed"
[ "$code" -eq 0 ] || fail "after a killed rank: exit code $code: $(cat "$scratch.err")"
resumed=$(sed -n 's/^resumed *after step //p' killed/run.log | tail -n 1)
[ $((made - resumed)) -le 5 ] || fail "made $made steps, resumed after $resumed"

# A truncated checkpoint is refused, and the one before taken.
run scree-run "$scene" --steps 12 --checkpoint-every 6 --out "$scratch/truncated"
newest=truncated/checkpoints/checkpoint-000000000012.h5
truncate -s $(($(stat -c %s "$newest") / 2)) "$newest"
run scree-run "$scene" --steps 13 --restart "$scratch/$newest" --out "$scratch/other"
[ "$code" -eq 2 ] || fail "a truncated checkpoint: exit code $code"
grep -q "not a good checkpoint" "$scratch.messages" || fail "a truncated checkpoint: $(cat "$scratch.messages")"
run scree-run "$scene" --steps 13 --restart auto --out "$scratch/truncated"
[ "$code" -eq 0 ] || fail "the checkpoint before: exit code $code: $(cat "$scratch.err")"
grep -q "resumed         after step 6" truncated/run.log || fail "the checkpoint before was not taken"

finish
