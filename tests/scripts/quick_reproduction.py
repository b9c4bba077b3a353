#!/usr/bin/python3
"""The papers' experiments in their quick form: the pages follow from the data just made, and from nothing else.

Usage: quick_reproduction.py FOLDER_OF_PROGRAMS
"""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ["seed-000", "seed-001", "seeds-002-004", "seed-003", "profiles"]


def reproduce(*arguments):
    return subprocess.run([sys.executable, "-B", ROOT / "scripts/reproduce.py", *map(str, arguments)], check=False,
                          capture_output=True, text=True)


def rows(folder, name, **where):
    with open(folder / "data" / f"{name}.csv", newline="") as stream:
        return [row for row in csv.DictReader(stream) if all(row[key] == value for key, value in where.items())]


def verdict(folder, part, beginning):
    """What a page says about the claim that begins so."""
    found = re.findall(rf"^\| {re.escape(beginning)}.*\*\*(\w+)\*\* \|$", (folder / f"{part}.md").read_text(), re.M)
    assert len(found) == 1, f"{part}: {len(found)} claims begin with '{beginning}'"
    return found[0]


class QuickForm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp())
        cls.work, cls.pages = cls.scratch / "work", cls.scratch / "work/pages"
        cls.made = reproduce("--quick", "--work", cls.work, "--programs", PROGRAMS)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def check_error(self, done, text):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def test_every_part_has_its_page_and_pictures(self):
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        for part in PARTS:
            text = (self.pages / f"{part}.md").read_text()
            pictures = re.findall(r"\]\((images/\S+\.png)\)", text)
            self.assertTrue(pictures, part)
            for picture in pictures:
                self.assertEqual((self.pages / picture).read_bytes()[:4], b"\x89PNG", picture)
            self.assertIn(f"]({part}.md)", (self.pages / "index.md").read_text())

    def test_pages_follow_from_their_data(self):
        done = reproduce("--check", "--out", self.pages)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_verdicts_follow_by_arithmetic_of_its_own(self):
        halves = []
        for law in ("frictionless", "box"):
            cpg, pgs = (float(rows(self.pages, "seed-000-counts", law=law, solver=solver,
                                   goal="0.0001")[0]["iterations"])
                        for solver in ("cpg", "pgs"))
            halves.append(0.3 <= cpg / pgs <= 0.7)
        self.assertEqual(verdict(self.pages, "seed-000", "CPG needs half"), "confirmed" if all(halves) else "different")

        rises = sum(int(row["rises"]) for row in rows(self.pages, "seed-001-wall", measure="energy"))
        self.assertEqual(verdict(self.pages, "seed-001", "The energy error decreases monotonically"),
                         "refuted" if rises else "confirmed")

        off = max(abs(float(row["rate"]) - float(row["spectral_radius"]))
                  for row in rows(self.pages, "seeds-002-004-stack") if row["rate"] != "nan")
        self.assertEqual(verdict(self.pages, "seeds-002-004", "Bilateral constraints only"), "confirmed" if off <= 0.03
                         else "refuted")

        solved = [int(row["converged"]) for row in rows(self.pages, "profiles", solver="proximal", tolerance="1e-08")]
        self.assertEqual(verdict(self.pages, "profiles", "`proximal` solves every"), "confirmed" if all(solved)
                         else "refuted")

    def test_mathematics_that_does_not_depend_on_size(self):
        for row in rows(self.pages, "seed-001-isolines-check"):
            self.assertAlmostEqual(float(row["scree"]), float(row["formula"]), delta=1e-5 * float(row["formula"]))
        rod = {row["quantity"]: float(row["measured"]) for row in rows(self.pages, "seed-001-rod")}
        self.assertAlmostEqual(rod["energy error, by scree-solve (J)"], 1.475079e-2 + 5.327760e-3, delta=1e-7)
        self.assertAlmostEqual(rod["x_1 of the solution (Ns), by scree-solve"], 0.1402417, delta=1e-6)
        self.assertEqual(verdict(self.pages, "seed-001", "Rod:"), "refuted")

    def test_other_data_give_other_verdicts(self):
        other = self.scratch / "other"
        shutil.copytree(self.pages, other)
        file = other / "data/seed-001-wall.csv"
        lines = file.read_text().splitlines()
        last = max(k for k, line in enumerate(lines) if line.startswith("energy,"))
        lines[last] = re.sub(r"\d+$", "7", lines[last])  # rises in seven problems
        file.write_text("\n".join(lines) + "\n")
        self.check_error(reproduce("--check", "--out", other), "does not follow from the data")

    def test_what_exists_is_not_computed_again(self):
        solves = self.work / "solves"
        before = {file: file.stat().st_mtime_ns for file in solves.iterdir()}
        done = reproduce("--quick", "--only", "seed-000", "--work", self.work, "--programs", PROGRAMS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({file: file.stat().st_mtime_ns for file in solves.iterdir()}, before)

    def test_bad_input_is_told_in_one_line(self):
        self.check_error(reproduce("--only", "nosuch"), "--only nosuch: no such part: choose from seed-000")
        self.check_error(reproduce("--quick", "--work", self.scratch / "none", "--programs", self.scratch),
                         "no such program")
        self.check_error(reproduce("--fclib", "missing.hdf5"), "--fclib missing.hdf5: no such file")
        self.check_error(reproduce("--check", "--out", self.scratch / "none"), "none")
        self.assertFalse((self.scratch / "none").exists())


class CommittedPages(unittest.TestCase):
    def test_they_follow_from_their_data(self):
        done = reproduce("--check")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    try:
        import h5py  # noqa: F401
        import matplotlib  # noqa: F401
    except ImportError as error:
        print(f"{error.name} is missing: nothing was tested")
        sys.exit(77)
    PROGRAMS = os.path.abspath(sys.argv.pop())
    unittest.main()
