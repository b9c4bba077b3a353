# Sourced by the job scripts: `launch PROGRAM ARGUMENTS...` starts the ranks of the job, and stays their only parent, so
# that signals to it reach all of them.

export OPENBLAS_NUM_THREADS=1 # ranks take all cores; threads inside BLAS would only compete with them
programs=${SCREE_BIN:-build/release/bin}

# Slurm starts the ranks where it speaks PMIx, mpirun where it does not. mpirun gives them time to write a checkpoint.
if [ -z "${SCREE_LAUNCHER:-}" ]; then
  SCREE_LAUNCHER=mpirun
  [[ "$(srun --mpi=list 2>&1)" != *pmix* ]] || SCREE_LAUNCHER="srun --mpi=pmix"
fi
export OMPI_MCA_odls_base_sigkill_timeout=60
launch() {
  # shellcheck disable=SC2086  # a launcher comes with its options
  exec $SCREE_LAUNCHER "$programs/$1" "${@:2}"
}

# Newer Slurm says itself when the job will end; scree-run stops before that time.
if [ -z "${SLURM_JOB_END_TIME:-}" ]; then
  SLURM_JOB_END_TIME=$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s 2>/dev/null) || unset SLURM_JOB_END_TIME
  [ -z "${SLURM_JOB_END_TIME:-}" ] || export SLURM_JOB_END_TIME
fi
