# Sourced by scaling-strong.sbatch and scaling-weak.sbatch: `study KIND DIRECTORY [RANKS...]` runs the scene on each number
# of ranks, one after the other, and leaves DIRECTORY/KIND-RANKS.json. Without RANKS: powers of two up to all of the job.

. jobs/launch.sh

study() {
  local kind=$1 out=$2 ranks options launcher=$SCREE_LAUNCHER
  shift 2
  if [ $# -eq 0 ]; then
    for ((ranks = 1; ranks <= SLURM_NTASKS; ranks *= 2)); do set -- "$@" "$ranks"; done
  fi
  mkdir -p "$out"
  for ranks in "$@"; do
    if [ "$ranks" -gt "$SLURM_NTASKS" ]; then
      echo "$ranks ranks: the job has $SLURM_NTASKS only, give it more by --ntasks" >&2
      return 2
    fi
    options=$(python3 scripts/scaling_study.py options "$kind" --ranks "$ranks")
    SCREE_LAUNCHER="$launcher -n $ranks"
    # shellcheck disable=SC2086  # options are words
    (launch scree-run "$scene" --steps "$steps" --output-every 0 --out "$out/$kind-$ranks" \
      --json "$out/$kind-$ranks.json" $options) || return
  done
}
