#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors, and runs all tests. Arguments go to ctest:
# scripts/test.sh -R parallel
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh"
configure_and_build -DSCREE_WERROR=ON -- all all_verify_interface_header_sets
# OpenMPI's programs share a folder that the last of them removes, maybe while the next one makes it: kept, it is there.
(umask 077 && mkdir -p "${TMPDIR:-/tmp}/ompi.$(uname -n | cut -d. -f1).$(id -u)/kept")
exec ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" "$@"
