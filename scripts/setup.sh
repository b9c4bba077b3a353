#!/usr/bin/env bash
# Installs what Scree is built from, on Debian 12 and its derivatives. Idempotent, asks nothing.
# Where there is no apt (a cluster with modules) it installs nothing and says what CMake needs instead.
set -euo pipefail

packages=(
  g++ cmake make ninja-build ccache pkg-config git ca-certificates
  libopenmpi-dev openmpi-bin petsc-dev libmetis-dev libparmetis-dev
  libboost-test-dev libeigen3-dev libhdf5-openmpi-dev libyaml-cpp-dev
  libcli11-dev libfmt-dev libspdlog-dev libbullet-dev libfclib-dev
  povray gnuplot-nox python3 python3-h5py python3-matplotlib
)

say() { printf 'setup: %s\n' "$*"; }

if ! command -v apt-get >/dev/null 2>&1; then
  say "no apt-get here: nothing is installed. Load the modules for a C++20 compiler, CMake >= 3.24, MPI,"
  say "PETSc, ParMETIS, parallel HDF5, Boost.Test, Eigen, yaml-cpp, CLI11, fmt and spdlog. Name those that CMake"
  say "does not find by itself: -DCMAKE_PREFIX_PATH=..., -DMPI_HOME=..., -DParMETIS_ROOT=..., -DHDF5_ROOT=...,"
  say "-DBOOST_ROOT=..., and PETSc through PKG_CONFIG_PATH=\$PETSC_DIR/\$PETSC_ARCH/lib/pkgconfig."
  say "scripts/quickstart.sh and scripts/test.sh pass SCREE_CMAKE_ARGS on to CMake."
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true)" = "ii " ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  say "all packages are installed"
  exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root=(env)
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root=(sudo -n env)
else
  say "missing packages: ${missing[*]}" >&2
  say "run this script as root once, or allow sudo without a password" >&2
  exit 1
fi
apt_get() { "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Dpkg::Use-Pty=0 "$@"; }
can_install() { [[ "$(apt-cache policy "$1" 2>/dev/null)" =~ Candidate:\ [0-9] ]]; }

# Debian keeps ParMETIS in the component non-free, which a fresh system has not enabled. The same
# mirrors that the system already uses serve it: derive a second source from the configured one.
enable_non_free() {
  local derived=/etc/apt/sources.list.d/scree-non-free
  if [ -s /etc/apt/sources.list.d/debian.sources ]; then
    sed -E 's/^Components:.*/Components: non-free/' /etc/apt/sources.list.d/debian.sources |
      "${as_root[@]}" tee "$derived.sources" >/dev/null
  else
    sed -nE 's/^(deb[[:space:]]+(\[[^]]*\][[:space:]]+)?[^[:space:]]+[[:space:]]+[^[:space:]]+)[[:space:]]+main.*/\1 non-free/p' \
      /etc/apt/sources.list | "${as_root[@]}" tee "$derived.list" >/dev/null
  fi
}

say "installing: ${missing[*]}"
apt_get update
if ! can_install libparmetis-dev; then
  enable_non_free
  apt_get update
fi
can_install libparmetis-dev || {
  say "libparmetis-dev cannot be installed: enable the component non-free of your Debian mirror" >&2
  exit 1
}
apt_get install --no-install-recommends "${missing[@]}"
