# Shared by the tests of this directory: a Slurm in a scratch directory, and a copy of the job scripts to submit there.
set -uo pipefail

# Without Slurm there is nothing to test: ctest takes this exit code for "skipped".
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd munged sbatch; do
  command -v "$program" >/dev/null || {
    echo "skipped: $program is missing (Debian: slurm-wlm and munge)"
    exit 77
  }
done

scratch=$(mktemp -d)
cleanup() {
  "$SOURCE/scripts/slurm_test_cluster.sh" stop "$scratch/slurm"
  rm -rf "$scratch"
}
trap cleanup EXIT
"$SOURCE/scripts/slurm_test_cluster.sh" start "$scratch/slurm" 4 || exit 1
. "$scratch/slurm/environment"
cp -r "$SOURCE/jobs" "$SOURCE/scenes" "$SOURCE/scripts" "$scratch/"
cd "$scratch" || exit 1
export SCREE_BIN=$BIN
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# state_of JOB: as Slurm sees it, requeued jobs included.
state_of() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }

# wait_for JOB SECONDS: until the job has come to an end of any kind.
wait_for() {
  for _ in $(seq "$(($2 * 2))"); do
    case $(state_of "$1") in
    PENDING | CONFIGURING | RUNNING | COMPLETING | REQUEUE* | SPECIAL_EXIT) sleep 0.5 ;;
    *) return ;;
    esac
  done
  fail "job $1 is still $(state_of "$1") after $2 s"
}

finish() {
  [ "$failures" -eq 0 ] || exit 1
  echo "all good"
}
