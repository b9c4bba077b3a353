#!/usr/bin/env python3
"""The arithmetic of the performance model, on cases that can be counted by hand."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import performance_model as model  # noqa: E402
import scaling_study  # noqa: E402

WORKLOAD = model.Workload(extents=(20.0, 20.0, 20.0), contacts_per_body=3.0, sweeps=50.0, updates_per_contact=50.0,
                          exchanges=100.0, reductions=10.0, seconds_per_update=1e-7, seconds_per_body=1e-6,
                          bytes_per_ghost=48.0, imbalance=1.0)
NETWORK = model.Network("test", latency=1e-6, overhead=1e-7, bandwidth=1e9)


class Blocks(unittest.TestCase):
    def test_a_cube_is_cut_into_cubes(self):
        for count in model.blocks((10.0, 10.0, 10.0), 8):
            self.assertAlmostEqual(count, 2.0)

    def test_flat_beds_are_not_cut_across_their_height(self):
        counts = model.blocks((100.0, 100.0, 2.0), 16)
        self.assertAlmostEqual(counts[0], 4.0)
        self.assertAlmostEqual(counts[2], 1.0)

    def test_the_blocks_are_as_many_as_ranks(self):
        for ranks in (1, 2, 3, 7, 64, 1000):
            self.assertAlmostEqual(math.prod(model.blocks((40.0, 10.0, 5.0), ranks)), ranks)

    def test_surfaces_of_eight_cubes(self):
        # Each of 2 x 2 x 2 blocks of 5 x 5 x 5 bodies has three faces to others and seven blocks around it.
        self.assertAlmostEqual(model.surface((10.0, 10.0, 10.0), 8), 3 * 25)
        self.assertAlmostEqual(model.neighbours((10.0, 10.0, 10.0), 8), 7)
        self.assertEqual(model.surface((10.0, 10.0, 10.0), 1), 0)
        self.assertEqual(model.neighbours((10.0, 10.0, 10.0), 1), 0)

    def test_a_block_deep_inside_has_26_around_it(self):
        self.assertAlmostEqual(model.neighbours((1e6, 1e6, 1e6), 10 ** 15), 26, places=2)


class Predictions(unittest.TestCase):
    def test_one_rank_only_works(self):
        one = model.predict(WORKLOAD, NETWORK, 1)
        self.assertAlmostEqual(one.seconds, 8000 * (3 * 50 * 1e-7 + 1e-6))
        self.assertEqual((one.ghosts, one.messages, one.bytes, one.messaging, one.reducing), (0, 0, 0, 0, 0))

    def test_eight_ranks(self):
        eight = model.predict(WORKLOAD, NETWORK, 8)
        self.assertAlmostEqual(eight.ghosts, 300)
        self.assertAlmostEqual(eight.messages, 700)
        self.assertAlmostEqual(eight.bytes, 100 * 300 * 48)
        self.assertAlmostEqual(eight.work, 1000 * 3 * 50 * 1e-7 + 1300 * 1e-6)
        self.assertAlmostEqual(eight.messaging, 100 * (1e-6 + 6e-7) + 100 * 300 * 48 / 1e9)
        self.assertAlmostEqual(eight.reducing, 10 * 2 * 1e-6 * 3)

    def test_weak_scaling_ends_at_reductions(self):
        """Once blocks are surrounded, more ranks cost reductions only."""
        few, many = (model.predict(WORKLOAD.scaled((p, p, p)), NETWORK, p ** 3) for p in (100, 1000))
        self.assertAlmostEqual(few.work / many.work, 1.0, places=2)
        self.assertAlmostEqual(many.reducing / few.reducing, math.log2(1000 ** 3) / math.log2(100 ** 3))

    def test_calibration_gives_back_what_was_measured(self):
        several = model.predict(WORKLOAD, NETWORK, 8)

        def run(ranks):
            guess = model.predict(WORKLOAD, NETWORK, ranks)
            steps, contacts = 5, 24000
            return {"ranks": ranks, "steps": steps, "bodies": 8000, "contacts": contacts, "iterations": 50 * steps,
                    "stages": 1, "contact_updates": contacts * 50 * steps,
                    "seconds": {"total": 9.0, "solve": {"avg": contacts * 50 * steps * 1e-7},
                                "integrate": {"avg": 8000 * steps * 1e-6}},
                    "traffic": {"solve": {"reductions": 10 * steps, "messages": guess.messages * ranks * steps,
                                          "bytes": guess.bytes * ranks * steps}},
                    "decomposition": {"ghosts": {"avg": guess.ghosts}, "imbalance": 1.0}}

        found = model.calibrate(run(1), [run(1), run(8)], WORKLOAD.extents)
        again = model.predict(found, NETWORK, 8)
        for name in ("ghosts", "messages", "bytes", "seconds"):
            self.assertAlmostEqual(getattr(again, name), getattr(several, name), msg=name)


class Study(unittest.TestCase):
    def test_weak_scenes_grow_with_the_ranks(self):
        self.assertEqual(scaling_study.grid(12), (4, 3))
        self.assertEqual(scaling_study.grid(7), (7, 1))
        options = scaling_study.scene_options("weak", 6)
        self.assertIn("fills[0].count=120000", options)
        self.assertIn("walls[0].container.upper=[18,12,5]", options)
        self.assertEqual(scaling_study.scene_options("strong", 6), [])


if __name__ == "__main__":
    unittest.main()
