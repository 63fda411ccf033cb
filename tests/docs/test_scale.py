#!/usr/bin/env python3
"""The simulation and the formula of docs/scale agree where both are exact, and docs/scale.md shows what they print. Skipped without SimPy."""

import pathlib
import subprocess
import sys
import unittest

SCALE = pathlib.Path(__file__).resolve().parents[2] / "docs/scale"
sys.path.insert(0, str(SCALE))
try:
    import schedule
except ModuleNotFoundError:
    print("Skipped: SimPy is not here; scripts/scale makes .venv-scale with it.")
    sys.exit(77)

WORK = schedule.Work(forward=10, pieces=(1, 4, 2), add=(0.5, 0.25, 0.25), arrive=(0.5, 0.25, 0.25), update=(1, 1, 1), buckets=(10, 40, 20))
FREE = schedule.Link(0, 1e30, by_core=False)


def job(ranks, shards, link=FREE, strict=False, cores=1, ranks_per_machine=1, work=WORK):
    return schedule.Job(ranks, shards, cores, ranks_per_machine, strict, work, link)


class Schedule(unittest.TestCase):
    def test_one_rank_takes_all_that_it_computes(self):
        for strict in (False, True):
            seconds, exposed = schedule.simulate(job(1, 8, strict=strict))
            self.assertAlmostEqual(seconds, 8 * (10 + 7) + 7 * 1 + 3)
            self.assertAlmostEqual(schedule.project(job(1, 8, strict=strict)), seconds)
            self.assertEqual(exposed, 0)

    def test_ranks_that_share_a_core_are_no_faster(self):
        crowd = job(4, 8, cores=1, ranks_per_machine=4)
        apart = job(4, 8, cores=4, ranks_per_machine=4)
        self.assertAlmostEqual(schedule.simulate(apart)[0], 2 * 17 + 1 + 2 * 1 + 3)
        # Each computes what it would by itself, one after the other: forward, pieces, the first bucket's sum of its two shards, and so on.
        self.assertGreater(schedule.simulate(crowd)[0], 4 * (2 * 17))

    def test_a_message_is_waited_for_when_nothing_is_left_to_compute(self):
        # The last bucket alone takes time: to the other rank, whose sum takes 0.25, and back.
        slow = schedule.Link(100, 1e30, by_core=False)
        seconds, exposed = schedule.simulate(job(2, 2, slow))
        self.assertGreater(exposed, 190)
        # d_z2's bucket begins after its piece: what is left of its way is hidden by the piece after it, and no more.
        self.assertLess(seconds, 17 + 3 + 0.25 + 6 * 100)
        self.assertGreaterEqual(schedule.project(job(2, 2, slow)), seconds - 5)

    def test_the_first_buckets_hide_behind_the_pieces_that_follow(self):
        work = schedule.Work(0, (1, 50, 50), (0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0))
        link = schedule.Link(0, 0.1, by_core=False)  # the first bucket: 10 there, and 10 back
        seconds, exposed = schedule.simulate(job(2, 2, link, work=work))
        self.assertAlmostEqual(seconds, 101)
        self.assertAlmostEqual(exposed, 0)
        self.assertAlmostEqual(schedule.project(job(2, 2, link, work=work)), 101)

    def test_copies_take_the_cores_time(self):
        link = schedule.Link(2, 1e30, by_core=True)
        quick = schedule.simulate(job(2, 2, FREE, cores=2, ranks_per_machine=2))[0]
        slow = schedule.simulate(job(2, 2, link, cores=2, ranks_per_machine=2))[0]
        self.assertGreaterEqual(slow, quick + 3 * 2)  # a half of each of two messages a bucket

    def test_trees_reach_everybody(self):
        for ranks in range(1, 40):
            sent = {(rank, partner) for rank in range(ranks) for what, partner in schedule.binomial(rank, ranks) if what == "send"}
            heard = {(partner, rank) for rank in range(ranks) for what, partner in schedule.binomial(rank, ranks) if what != "send"}
            self.assertEqual(sent, heard)
            self.assertEqual(len(sent), 2 * (ranks - 1))
            schedule.simulate(job(ranks, ranks))
            schedule.simulate(job(ranks, ranks, strict=True))

    def test_a_thousand_ranks_are_simulated(self):
        seconds, _ = schedule.simulate(job(1024, 1024, schedule.Link(1, 1e30, by_core=False)))
        self.assertGreater(seconds, 17 + 20)  # ten rounds there, ten back
        self.assertLess(seconds, 17 + 3 * 23)

    def test_the_page(self):
        checked = subprocess.run([sys.executable, "-B", str(SCALE / "page.py"), "--check"], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


if __name__ == "__main__":
    unittest.main()
