#!/usr/bin/python3
"""Plots the measurements of a run of scree-run, a picture for each CSV file."""

import argparse
import csv
import os
import re
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
except ImportError as error:
    sys.exit(f"plot_measurements.py: error: {error.name} is missing: install python3-{error.name}")

AXES = ("x", "y", "z")


class PlotError(Exception):
    pass


def read(path):
    """Titles and columns of a CSV file; empty cells are NaN."""
    try:
        with open(path, newline="") as stream:
            rows = list(csv.reader(stream))
    except OSError as error:
        raise PlotError(f"{path}: cannot be read: {error.strerror}")
    if len(rows) < 2 or rows[0][:2] != ["step", "time (s)"]:
        raise PlotError(f"{path}: is not a file of measurements with at least one row")
    numbers = [[float(cell) if cell else np.nan for cell in row] for row in rows[1:]]
    return rows[0], np.array(numbers)


def unit_of(title):
    found = re.search(r"\(([^()]*)\)$", title)
    return found.group(1) if found else ""


def groups_of(titles):
    """Columns that belong into one diagram: components of a vector, and numbers with the same name and unit."""
    groups = {}
    for column, title in enumerate(titles[2:], start=2):
        name = re.sub(r" *\([^()]*\)$", "", title)
        for axis in AXES:
            name = re.sub(rf" {axis}$", "", name)
        name = re.sub(r" (forward|backward)$| *(largest|mean) ", "", name)
        groups.setdefault((name.strip(), unit_of(title)), []).append(column)
    return groups


def plot_series(titles, numbers, output, title):
    groups = groups_of(titles)
    figure, diagrams = plt.subplots(len(groups), 1, figsize=(7, 1 + 1.8 * len(groups)), sharex=True, squeeze=False)
    for diagram, ((name, unit), columns) in zip(diagrams[:, 0], groups.items()):
        for column in columns:
            diagram.plot(numbers[:, 1], numbers[:, column], linewidth=1,
                         label=re.sub(r" *\([^()]*\)$", "", titles[column]))
        diagram.set_ylabel(f"{name} ({unit})" if unit else name, fontsize=8)
        diagram.grid(alpha=0.3)
        if len(columns) > 1:
            diagram.legend(fontsize=7)
    diagrams[-1, 0].set_xlabel("time (s)")
    save(figure, output, title)


def plot_profile(titles, numbers, output, title):
    """Heights along an axis, older ones paler."""
    places = [float(re.match(r"height at [xyz] = (\S+) m", name).group(1)) for name in titles[2:]]
    axis = re.match(r"height at ([xyz])", titles[2]).group(1)
    figure, diagram = plt.subplots(figsize=(7, 4))
    chosen = np.unique(np.linspace(0, len(numbers) - 1, 6).astype(int))
    for row, shade in zip(chosen, np.linspace(0.15, 1.0, len(chosen))):
        diagram.plot(places, numbers[row, 2:], color=plt.cm.viridis(1 - shade), label=f"{numbers[row, 1]:.3g} s")
    diagram.set_xlabel(f"{axis} (m)")
    diagram.set_ylabel("height (m)")
    diagram.set_aspect("equal")
    diagram.grid(alpha=0.3)
    diagram.legend(fontsize=7, title="time")
    save(figure, output, title)


def save(figure, output, title):
    figure.suptitle(title, fontsize=10)
    figure.tight_layout()
    os.makedirs(os.path.dirname(os.path.abspath(output)), exist_ok=True)
    figure.savefig(output, dpi=110)
    plt.close(figure)
    print(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", help="result directory of scree-run")
    parser.add_argument("names", nargs="*", help="measurements to plot [all]")
    parser.add_argument("-o", "--output", help="directory of the pictures [beside the CSV files]")
    options = parser.parse_args()
    try:
        folder = os.path.join(options.directory, "measurements")
        if not os.path.isdir(folder):
            raise PlotError(f"{options.directory}: has no measurements: add 'measurements' to the scene")
        known = sorted(file[:-4] for file in os.listdir(folder) if file.endswith(".csv"))
        for name in options.names or known:
            if name not in known:
                raise PlotError(f"{folder}: has no '{name}': choose one of {', '.join(known)}")
            titles, numbers = read(os.path.join(folder, name + ".csv"))
            plot = plot_profile if titles[2].startswith("height at ") else plot_series
            output = os.path.join(options.output or folder, name + ".png")
            plot(titles, numbers, output, f"{os.path.basename(os.path.abspath(options.directory))}: {name}")
    except (PlotError, OSError, ValueError) as error:
        print(f"plot_measurements.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
