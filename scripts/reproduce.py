#!/usr/bin/python3
"""Makes the experiments of the papers anew: data, pictures and pages that set claims beside measurements.

What was computed before is used again: a study that was ended goes on where it was.
"""
import argparse
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

try:
    from reproduction import pages
    from reproduction.workspace import ReproductionError, Workspace
except ImportError as error:
    print(f"reproduce.py: error: {error.name} is missing: run scripts/setup.sh, or install python3-{error.name}",
          file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="PART", default=list(pages.PARTS),
                        help="parts to make: " + ", ".join(pages.PARTS))
    parser.add_argument("--quick", action="store_true", help="small problems and few iterations: a trial in minutes")
    parser.add_argument("--fresh", action="store_true", help="compute everything anew, of all parts")
    parser.add_argument("--check", action="store_true",
                        help="compute nothing: do the pages of the output folder follow from the data there?")
    parser.add_argument("--fclib", nargs="+", type=pathlib.Path, default=[], metavar="FILE",
                        help="FCLIB problems that the performance profiles take, too")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of Scree's "
                                                                                                  "programs")
    parser.add_argument("--work", type=pathlib.Path, help="folder of intermediate results [results/reproduction]")
    parser.add_argument("--out", type=pathlib.Path,
                        help="folder of pages, pictures and data [docs/reproduction; --quick: pages/ in --work]")
    parser.add_argument("--jobs", type=int, help="programs that run at a time where no seconds are told [cores]")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds per call of a program; what takes longer "
                                                                     "is told as such [%(default)s]")
    options = parser.parse_args()
    options.work = options.work or ROOT / ("results/reproduction-quick" if options.quick else "results/reproduction")
    options.out = options.out or (options.work / "pages" if options.quick else ROOT / "docs/reproduction")
    return options


def make(options):
    work = Workspace(options.work, options.programs, options.quick, options.jobs, options.timeout)
    work.fclib = options.fclib
    if options.fresh:
        work.clear()
    for name in options.only:
        start, work.part = time.monotonic(), name
        work.say("begins")
        pages.make(pages.PARTS[name], work, options.out)
        work.say(f"done in {time.monotonic() - start:.0f} s: {options.out / name}.md")
    pages.write_index(options.out)


def main():
    options = arguments()
    try:
        for name in options.only:
            if name not in pages.PARTS:
                raise ReproductionError(f"--only {name}: no such part: choose from {', '.join(pages.PARTS)}")
        for file in options.fclib:
            if not file.is_file():
                raise ReproductionError(f"--fclib {file}: no such file")
        if options.check:
            pages.check(options.out, options.only)
        else:
            make(options)
    except (ReproductionError, OSError) as error:
        print(f"reproduce.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
