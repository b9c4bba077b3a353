#!/usr/bin/python3
"""Numbers of the gallery: slopes of heaps and drums, how fast silos empty themselves, how far what stands has moved."""

import argparse
import csv
import os
import re
import subprocess
import sys

import numpy as np

import render

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(directory, name):
    path = os.path.join(directory, "measurements", name + ".csv")
    with open(path, newline="") as stream:
        rows = list(csv.reader(stream))
    return rows[0], np.array([[float(cell) if cell else np.nan for cell in row] for row in rows[1:]])


def slope(places, heights):
    """Degrees of the line through the points, by least squares."""
    return np.degrees(np.arctan(np.polyfit(places, heights, 1)[0]))


def profiles(directory):
    titles, numbers = read(directory, "surface")
    places = np.array([float(re.match(r"height at . = (\S+) m", title).group(1)) for title in titles[2:]])
    return numbers[:, 1], places, numbers[:, 2:]


def heap(options):
    """The angle between a lower and an upper share of the height, where neither toe nor top bend the slope."""
    for directory in options.directories:
        times, places, heights = profiles(directory)
        last = heights[-1]
        known = ~np.isnan(last)
        top = np.nanmax(last)
        floor = options.floor
        inside = known & (last - floor > 0.2 * (top - floor)) & (last - floor < 0.85 * (top - floor))
        angle = -slope(places[inside], last[inside])
        print(f"{directory}: t = {times[-1]:.2f} s, top {top:.3f} m, {inside.sum()} bins, angle {angle:.1f} degrees")


def drum(options):
    """The angle of the surface about the axis, over time."""
    for directory in options.directories:
        times, places, heights = profiles(directory)
        middle = np.abs(places) < options.half
        angles = np.array([-slope(places[middle], row[middle]) for row in heights])
        late = times > 0.5 * times[-1]
        print(f"{directory}: angle {angles[late].mean():.1f} degrees, standard deviation {angles[late].std():.1f}, "
              f"first half of that {angles[late][:late.sum() // 2].mean():.1f}, "
              f"second {angles[late][late.sum() // 2:].mean():.1f}")
        for time, angle in list(zip(times, angles))[::max(1, len(times) // 20)]:
            print(f"  {time:6.2f} s {angle:6.1f}")


def silo_settings(opening, width=0.3, thickness=0.05):
    """What a square opening of this width changes in scenes/silo.yaml."""
    side, middle = (width - opening) / 2, width / 2
    places = {"front": (middle, side / 2), "rear": (middle, width - side / 2), "left": (side / 2, middle),
              "right": (width - side / 2, middle)}
    settings = [f"shapes.long.box.size=[{width},{side},{thickness}]",
                f"shapes.short.box.size=[{side},{opening},{thickness}]"]
    for number, (x, y) in enumerate(places.values()):
        settings.append(f"bodies[{number}].position=[{x},{y},{-thickness / 2}]")
        settings.append(f"joints[{number}].anchor=[{x},{y},0]")
    return [argument for setting in settings for argument in ("--set", setting)]


def silo(options):
    """Runs the silo with each opening D and fits the exponent of W = C (D - k d)^n (Beverloo: n = 2.5, k about 1.4)."""
    rates = []
    for opening in options.openings:
        out = os.path.join(options.out, f"silo-{opening}")
        command = [options.program, os.path.join(ROOT, "scenes", "silo.yaml"), "--out", out, *silo_settings(opening)]
        if not options.keep:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        _, numbers = read(out, "discharge")
        time, mass = numbers[:, 1], numbers[:, 4] - numbers[:, 5]
        steady = (time > options.after) & (mass < 0.6 * options.load)
        rates.append(np.polyfit(time[steady], mass[steady], 1)[0])
        print(f"opening {opening} m: {rates[-1]:.3f} kg/s from {time[steady][0]:.2f} to {time[steady][-1]:.2f} s, "
              f"{mass[steady][-1]:.1f} kg out")
    for k in (1.0, 1.2, 1.4, 1.6):
        free = np.array(options.openings) - k * options.diameter
        print(f"k = {k}: exponent {np.polyfit(np.log(free), np.log(rates), 1)[0]:.2f}")


def places_at(path):
    """The places of all bodies of one output, in the order of their numbers."""
    bodies = render.read_frame(path, "id")
    return bodies["position"][np.argsort(bodies["id"])]


def drift(options):
    """How far any body has been from where it began, over all outputs (run with --output-every)."""
    for directory in options.directories:
        files = [os.path.join(directory, file) for file in render.listed_files(directory)]
        places = [places_at(file) for file in files]
        shifts = np.array([place - places[0] for place in places[1:]])
        if len(shifts) == 0:
            sys.exit(f"{directory}: has one output only: run with --output-every")
        print(f"{directory}: {len(places[0])} bodies, {len(files)} outputs: {np.linalg.norm(shifts, axis=2).max():.2e} m, "
              f"sideways {np.linalg.norm(shifts[:, :, :2], axis=2).max():.2e} m, "
              f"at the end {np.linalg.norm(shifts[-1], axis=1).max():.2e} m")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("heap", help="angle of repose of the last profile")
    one.add_argument("directories", nargs="+")
    one.add_argument("--floor", type=float, default=0.0, help="height of the floor (m) [0]")
    one.set_defaults(action=heap)
    one = commands.add_parser("drum", help="angle of the slope over time")
    one.add_argument("directories", nargs="+")
    one.add_argument("--half", type=float, default=0.2, help="half the width that is fitted (m) [0.2]")
    one.set_defaults(action=drum)
    one = commands.add_parser("silo", help="rates of discharge of several openings")
    one.add_argument("--openings", type=float, nargs="+", default=[0.1125, 0.15, 0.1875], help="m [0.1125 0.15 0.1875]")
    one.add_argument("--diameter", type=float, default=0.025, help="of the grains (m) [0.025]")
    one.add_argument("--load", type=float, default=45.0, help="mass of the grains (kg) [45]")
    one.add_argument("--after", type=float, default=0.3, help="when the flow is steady (s) [0.3]")
    one.add_argument("--out", default="results", help="directory of the results [results]")
    one.add_argument("--program", default=os.path.join(ROOT, "build", "release", "bin", "scree-run"))
    one.add_argument("--keep", action="store_true", help="take the results that are there")
    one.set_defaults(action=silo)
    one = commands.add_parser("drift", help="how far bodies that should stand have moved")
    one.add_argument("directories", nargs="+")
    one.set_defaults(action=drift)
    options = parser.parse_args()
    options.action(options)


if __name__ == "__main__":
    main()
