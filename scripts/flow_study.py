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
    """The silo of scenes/silo.yaml with each opening."""
    fit(options, [discharge(options, "silo", f"silo-{opening}", opening, silo_settings(opening))
                  for opening in options.openings])


def write_hopper(path, opening, slope, radius=0.5, height=1.7, sides=32):
    """Writes a hopper about the z axis: a tube from z = 0 upwards and a bottom that falls by `slope` degrees.

    The outlet is a polygon of the area of a circle with the diameter `opening`. Returns its height.
    """
    corner = opening / 2 * np.sqrt((2 * np.pi / sides) / np.sin(2 * np.pi / sides))
    outlet = -(radius - corner) * np.tan(np.radians(slope))
    angles = 2 * np.pi * np.arange(sides) / sides
    rings = [(radius, height), (radius, 0.0), (corner, outlet)]
    with open(path, "w") as stream:
        stream.write(f"# A hopper: tube of radius {radius} m from z = 0 to {height}, bottom of {slope} degrees, "
                     f"outlet of {opening} m.\n")
        for ring, z in rings:
            for angle in angles:
                stream.write(f"v {ring * np.cos(angle):.9g} {ring * np.sin(angle):.9g} {z:.9g}\n")
        for first in range(0, sides * (len(rings) - 1), sides):
            for k in range(sides):
                a, b = first + k + 1, first + (k + 1) % sides + 1
                stream.write(f"f {a} {a + sides} {b}\nf {b} {a + sides} {b + sides}\n")
    return outlet


def hopper(options):
    """The hopper of scenes/hopper.yaml with a mesh for each opening, and with several fills."""
    os.makedirs(options.out, exist_ok=True)
    rates = []
    for opening in options.openings:
        mesh = os.path.abspath(os.path.join(options.out, f"hopper-{options.slope:g}-{opening}.obj"))
        outlet = write_hopper(mesh, opening, options.slope)
        settings = ["--set", f"walls[0].mesh.file={mesh}", "--set", f"bodies[0].position=[-0.95,0,{outlet - 0.051}]"]
        fills = [discharge(options, "hopper", f"hopper-{options.slope:g}-{opening}-{seed}", opening,
                           [*settings, "--set", f"seed={seed}"]) for seed in options.seeds]
        rates.append(np.mean(fills))
    fit(options, rates)


def discharge(options, scene, name, opening, settings):
    """Runs a scene and returns the slope of the mass through the plane below its outlet over time (kg/s)."""
    out = os.path.join(options.out, name)
    command = [options.program, os.path.join(ROOT, "scenes", scene + ".yaml"), "--out", out, *settings]
    if not options.keep:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    _, numbers = read(out, "discharge")
    time, mass = numbers[:, 1], numbers[:, 4] - numbers[:, 5]
    steady = (time > options.after) & (mass < options.share * options.load)
    rate = np.polyfit(time[steady], mass[steady], 1)[0]
    half = steady & (time < time[steady].mean())
    first = np.polyfit(time[half], mass[half], 1)[0]
    print(f"{name}: opening {opening} m: {rate:.3f} kg/s from {time[steady][0]:.2f} to {time[steady][-1]:.2f} s "
          f"({first:.3f} in the first half), {mass[steady][-1]:.1f} kg out", flush=True)
    return rate


def fit(options, rates):
    """The exponent of W = C (D - k d)^n for rates W of openings D (Beverloo: n = 2.5, k about 1.4)."""
    if len(rates) < 2:
        return
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


def discharge_parser(commands, name, openings, diameter, load, after, share):
    one = commands.add_parser(name, help="rates of discharge of several openings")
    one.add_argument("--openings", type=float, nargs="+", default=openings, help=f"m {openings}")
    one.add_argument("--diameter", type=float, default=diameter, help=f"of the grains (m) [{diameter}]")
    one.add_argument("--load", type=float, default=load, help=f"mass of the grains (kg) [{load}]")
    one.add_argument("--after", type=float, default=after, help=f"when the flow is steady (s) [{after}]")
    one.add_argument("--share", type=float, default=share, help=f"of the load that may be out by the end [{share}]")
    one.add_argument("--out", default="results", help="directory of the results [results]")
    one.add_argument("--program", default=os.path.join(ROOT, "build", "release", "bin", "scree-run"))
    one.add_argument("--keep", action="store_true", help="take the results that are there")
    return one


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
    one = discharge_parser(commands, "silo", [0.1125, 0.15, 0.1875], diameter=0.025, load=45.0, after=0.3, share=0.6)
    one.set_defaults(action=silo)
    one = discharge_parser(commands, "hopper", [0.3, 0.39, 0.48], diameter=0.06, load=1420.0, after=1.75, share=0.5)
    one.add_argument("--slope", type=float, default=45.0, help="of the bottom (degrees) [45]")
    one.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="of the fills [1 2 3]")
    one.set_defaults(action=hopper)
    one = commands.add_parser("drift", help="how far bodies that should stand have moved")
    one.add_argument("directories", nargs="+")
    one.set_defaults(action=drift)
    options = parser.parse_args()
    options.action(options)


if __name__ == "__main__":
    main()
