#!/usr/bin/env python3
"""Says which kernels became slower between two runs of scree-bench.

    scripts/compare_bench.py before.json after.json            rates, relative to the triad of the same run
    scripts/compare_bench.py before.json after.json --absolute  rates as they are
    scripts/compare_bench.py --instructions --json counts.json  counts instructions per update, by callgrind
    scripts/compare_bench.py before_counts.json counts.json     compares such counts

Rates depend on what else the machine does, instruction counts do not. Callgrind knows no AVX-512, so the counts are of a
build for x86-64-v3 (AVX2), which is made in build/instructions if no other program is given. Exit code 1: something
became slower by more than the threshold.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A phase of a whole step: what surrounds it would be counted, too.
NOT_COUNTED = {"integration"}


def read(path):
    try:
        data = json.loads(Path(path).read_text())
        return data, {(k["name"], k["contacts"]): k for k in data["kernels"]}
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"compare_bench.py: {path}: not a file of scree-bench --json: {error}")


def costs(data, kernel, absolute):
    """What an update costs: instructions, or time as a multiple of what a triad of 24 bytes takes."""
    if "instructions_per_update" in kernel:
        return kernel["instructions_per_update"]
    scale = 1.0 if absolute else data["triad_gb_per_s"] * 1e9 / 24.0
    return scale / kernel["updates_per_second"]


def compare(before_file, after_file, threshold, absolute):
    (before, old), (after, new) = read(before_file), read(after_file)
    slower = 0
    print(f"{'kernel':<24}{'contacts':>12}{'before':>12}{'after':>12}{'ratio':>8}")
    for key in sorted(old.keys() & new.keys()):
        a, b = costs(before, old[key], absolute), costs(after, new[key], absolute)
        word = "  slower" if b > (1 + threshold) * a else "  faster" if a > (1 + threshold) * b else ""
        slower += word == "  slower"
        print(f"{key[0]:<24}{key[1]:>12}{a:>12.4g}{b:>12.4g}{b / a:>8.2f}{word}")
    for key in sorted(old.keys() ^ new.keys()):
        print(f"{key[0]:<24}{key[1]:>12}  only in {before_file if key in old else after_file}")
    return 1 if slower else 0


def build_without_avx512():
    folder = ROOT / "build" / "instructions"
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSCREE_NATIVE=OFF",
                 "-DSCREE_BUILD_TESTS=OFF", "-DCMAKE_CXX_FLAGS=-march=x86-64-v3"]
    for command in (configure, ["cmake", "--build", folder, "--target", "scree-bench"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "bin" / "scree-bench"


def count(program, name, contacts, passes):
    """Instructions per update of one kernel, counted inside of its passes only."""
    with tempfile.TemporaryDirectory() as scratch:
        numbers, profile = Path(scratch, "numbers.json"), Path(scratch, "profile")
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=*seconds_of_passes*", f"--callgrind-out-file={profile}",
             program, "--kernels", name, "--contacts", str(contacts), "--passes", str(passes), "--json", numbers],
            capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"compare_bench.py: {name}: {run.stderr.strip().splitlines()[-1]}")
        kernels = json.loads(numbers.read_text())["kernels"]
        if not kernels:
            return None
        total = int(re.search(r"^(?:summary|totals): (\d+)", profile.read_text(), re.M).group(1))
    kernel = kernels[0]
    per_update = total / (passes * kernel["updates"])
    print(f"{name:<24}{kernel['contacts']:>12}{per_update:>12.1f}", flush=True)
    return {"name": name, "contacts": kernel["contacts"], "instructions_per_update": per_update}


def count_all(arguments):
    program = arguments.program or build_without_avx512()
    listing = subprocess.run([program, "--list-kernels"], check=True, capture_output=True, text=True).stdout
    names = arguments.kernels.split(",") if arguments.kernels else [line.split()[0] for line in listing.splitlines()]
    print(f"{'kernel':<24}{'contacts':>12}{'instructions per update':>28}")
    kernels = [count(program, name, arguments.contacts, arguments.passes) for name in names if name not in NOT_COUNTED]
    text = json.dumps({"kernels": [kernel for kernel in kernels if kernel]}, indent=1)
    if arguments.json:
        Path(arguments.json).write_text(text + "\n")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE.json", help="before and after")
    parser.add_argument("--threshold", type=float, default=0.1, help="what counts as slower (default 0.1: ten percent)")
    parser.add_argument("--absolute", action="store_true", help="do not divide by the triad of each run")
    parser.add_argument("--instructions", action="store_true", help="count instructions with callgrind")
    parser.add_argument("--program", help="scree-bench to count; it must do without AVX-512")
    parser.add_argument("--kernels", help="names, separated by commas; all if not given")
    parser.add_argument("--contacts", type=int, default=4000)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--json", help="file for the counts")
    arguments = parser.parse_args()
    if arguments.instructions:
        return count_all(arguments)
    if len(arguments.files) != 2:
        parser.error("give two files, or --instructions")
    return compare(*arguments.files, arguments.threshold, arguments.absolute)


if __name__ == "__main__":
    sys.exit(main())
