# shellcheck shell=bash
# Shared by the scripts beside it; source it. Sets `root` and `jobs`, the environment of MPI, and configure_and_build.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release

# OpenMPI: run as root (containers), allow more ranks than cores and let waiting ranks yield, which makes
# oversubscription bearable; do not pin every small job to the same core.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}

# As many jobs as there are cores, and no more than one per 1.5 GB of free memory: templates take their share.
count_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
  [ "$memory" -lt "$cores" ] && cores=$memory
  [ "$cores" -lt 1 ] && cores=1
  echo "$cores"
}
jobs=$(count_jobs)

# configure_and_build [-D...]... [-- target...]: preset release; SCREE_CMAKE_ARGS (words) go to CMake as well.
configure_and_build() {
  local options=() targets=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  [ $# -gt 1 ] && targets=(--target "${@:2}")
  # shellcheck disable=SC2086 # SCREE_CMAKE_ARGS is a list of words
  (cd "$root" && cmake --preset release "${options[@]}" ${SCREE_CMAKE_ARGS:-})
  cmake --build "$build" --parallel "$jobs" "${targets[@]}"
}
