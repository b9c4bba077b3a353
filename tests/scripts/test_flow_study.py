#!/usr/bin/env python3
"""Hoppers that the study of discharge makes, and the exponent that it fits."""
import argparse
import contextlib
import io
import math
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
try:
    import flow_study
except ImportError as error:  # numpy
    print(error)
    sys.exit(77)  # skipped


def hopper(opening, slope):
    """Height of the outlet, vertices and triangles of a hopper, and the text of its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "hopper.obj"
        outlet = flow_study.write_hopper(path, opening, slope)
        text = path.read_text()
    lines = [line.split() for line in text.splitlines()]
    vertices = [tuple(map(float, words[1:])) for words in lines if words[0] == "v"]
    triangles = [tuple(int(word) - 1 for word in words[1:]) for words in lines if words[0] == "f"]
    return outlet, vertices, triangles, text


class Hoppers(unittest.TestCase):
    def test_the_outlet_has_the_area_of_a_circle(self):
        for slope in (0.0, 45.0, 60.0):
            outlet, vertices, _, _ = hopper(0.4, slope)
            rim = vertices[-32:]
            area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(rim, rim[1:] + rim[:1])) / 2
            self.assertAlmostEqual(area, math.pi * 0.2**2, places=6)
            for _, _, z in rim:
                self.assertAlmostEqual(z, outlet, places=6)
            self.assertAlmostEqual(outlet, -(0.5 - math.hypot(*rim[0][:2])) * math.tan(math.radians(slope)), places=6)

    def test_only_the_top_and_the_outlet_are_open(self):
        _, _, triangles, _ = hopper(0.3, 45.0)
        edges = [(t[k], t[(k + 1) % 3]) for t in triangles for k in range(3)]
        self.assertEqual(len(edges), len(set(edges)))
        lonely = [edge for edge in edges if edge[::-1] not in set(edges)]
        self.assertEqual(len(triangles), 128)
        self.assertEqual(len(lonely), 64)

    def test_the_hopper_of_the_scene_is_one_of_them(self):
        self.assertEqual((ROOT / "scenes/meshes/hopper.obj").read_text(), hopper(0.3, 45.0)[3])


class Exponents(unittest.TestCase):
    def test_rates_of_the_law_give_its_exponent(self):
        openings = [0.3, 0.39, 0.48]
        rates = [(opening - 1.4 * 0.06) ** 2.5 for opening in openings]
        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            flow_study.fit(argparse.Namespace(openings=openings, diameter=0.06), rates)
        self.assertIn("k = 1.4: exponent 2.50", words.getvalue())
        self.assertNotIn("k = 1.0: exponent 2.50", words.getvalue())


if __name__ == "__main__":
    unittest.main()
