#!/usr/bin/env bash
# From a fresh clone to a first result: installs what is missing, builds the programs, runs scenes/quickstart.yaml on
# two ranks and makes a picture of the last state.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh"
configure_and_build -- programs

cd "$root"
results=results/quickstart
mpirun -n 2 "$build/bin/scree-run" scenes/quickstart.yaml --out "$results" --json "$results/run.json"

python=/usr/bin/python3 # the distribution's own has the packages that setup.sh installs
[ -x "$python" ] || python=python3
picture="$results/quickstart.png"
if command -v povray >/dev/null; then
  "$python" scripts/render.py "$results" --output "$picture"
else
  picture="none (POV-Ray is not installed)"
fi

cat <<END

Done, all below $root:
  log       $results/run.log
  numbers   $results/run.json
  picture   $picture
  states    $results (open the .pvd file in ParaView)
END
