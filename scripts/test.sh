#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors, and runs all tests. Arguments go to ctest:
# scripts/test.sh -R parallel
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh"
configure_and_build -DSCREE_WERROR=ON -- all all_verify_interface_header_sets
exec ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" "$@"
