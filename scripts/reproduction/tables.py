"""Tables of measured numbers in CSV files, and questions to them."""
import csv
import math
import pathlib

import numpy as np

NEVER = math.inf


class Tables:
    """The CSV files of a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def write(self, name, rows):
        """Rows are dictionaries with the same keys."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / f"{name}.csv", "w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(rows[0])
            writer.writerows([[as_text(value) for value in row.values()] for row in rows])

    def rows(self, name):
        """Cells that look like numbers are numbers."""
        with open(self.folder / f"{name}.csv", newline="") as stream:
            return [{key: as_number(cell) for key, cell in row.items()} for row in csv.DictReader(stream)]

    def columns(self, name, **where):
        """Columns of the rows whose cells are equal to those of `where`."""
        found = select(self.rows(name), **where)
        return {key: np.array([row[key] for row in found]) for key in (found[0] if found else [])}


def as_text(value):
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def as_number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def select(rows, **where):
    return [row for row in rows if all(row[key] == value for key, value in where.items())]


def only(rows, **where):
    found = select(rows, **where)
    if len(found) != 1:
        raise KeyError(f"{len(found)} rows with {where} instead of one")
    return found[0]


def distinct(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def thinned(columns, along, count=160):
    """Rows of a history that suffice for a curve over a logarithmic axis: the first, the last and `count` between."""
    place = columns[along]
    wanted = np.unique(np.geomspace(1, max(2, place[-1]), count).astype(int))
    kept = np.unique(np.concatenate([[0], np.minimum(np.searchsorted(place, wanted), len(place) - 1),
                                     [len(place) - 1]]))
    return [{key: column[k] for key, column in columns.items()} for k in kept]


def first_below(place, values, bound):
    """Where values first come to the bound; NEVER if they do not."""
    hits = np.flatnonzero(np.asarray(values) <= bound)
    return float(place[hits[0]]) if len(hits) else NEVER


def number(value, digits=3):
    """A number for readers."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if value == NEVER:
        return "never"
    if value != 0 and (abs(value) >= 1e5 or abs(value) < 1e-3):
        return f"{value:.{digits - 1}e}"
    return f"{round(value):,}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def ratio(above, below):
    """NEVER over anything is NEVER; anything over NEVER is 0."""
    if above == NEVER:
        return NEVER if below != NEVER else math.nan
    return above / below if below != NEVER else 0.0


def geometric_mean(values):
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-300)))))
