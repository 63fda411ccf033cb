#!/usr/bin/env python3
"""effort=fast and effort=best plan every generator: the second is never worse by its own prices, and both are soon done.

usage: test_effort.py GENERATORS PLUGIN [all]

Without `all`, every 43rd generator, which takes several of the pipelines that are made of a generator.

The limits are four times what the slowest takes on an idle machine, since a test machine does other things too; scripts/bench reports the seconds themselves.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TARGET = "x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41-no_runtime"
LIMITS = {"fast": 32, "best": 100}  # seconds; the slowest, tangents of three convolutions planned with and without Winograd's algorithm, takes 8 and 24

COMPILE_SHARE = 0.01  # of a run's time, what a second of compiling has to save: src/machine/machine.h


class Effort(unittest.TestCase):
    def report(self, generator, effort, run=0):
        name = f"{generator}.{effort}.{run}.json"
        command = [GENERATORS, "-g", generator, "-n", "kernel", "-f", "kernel", "-e", "schedule", "-p", PLUGIN, "-o", self.folder.name, f"target={TARGET}",
                   "autoscheduler=Eutectic", "autoscheduler.parallelism=2", f"autoscheduler.effort={effort}", f"autoscheduler.report={name}"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder.name)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads((pathlib.Path(self.folder.name) / name).read_text())

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def test_every_generator(self):
        listed = subprocess.run([GENERATORS], capture_output=True, text=True).stderr
        generators = re.findall(r"^    (\w+)$", listed, re.MULTILINE)
        self.assertGreater(len(generators), 20)
        generators = generators if ALL else generators[::43]
        better = 0
        for generator in generators:
            with self.subTest(generator):
                plans = {effort: self.report(generator, effort) for effort in LIMITS}
                for effort, limit in LIMITS.items():
                    self.assertLess(plans[effort]["plan_seconds"], limit)
                fast, best = (plans[effort]["cost"]["total_seconds"] for effort in ("fast", "best"))
                # A plan that compiles sooner may run for longer by as much as that counts (compile_share of the machine).
                sooner = max(0, plans["fast"]["compile_seconds"] - plans["best"]["compile_seconds"])
                self.assertLessEqual(best, fast * (1 + 1e-12 + COMPILE_SHARE * sooner))
                better += best < fast * (1 - 1e-9)
        print(f"best is better for {better} of {len(generators)} generators")

    def test_best_is_deterministic(self):
        for generator in ("bottleneck", "max_pool") if ALL else ("max_pool",):
            self.assertEqual(self.report(generator, "best", 1)["plan_hash"], self.report(generator, "best", 2)["plan_hash"])


if __name__ == "__main__":
    GENERATORS, PLUGIN = sys.argv[1:3]
    ALL = sys.argv[3:] == ["all"]
    unittest.main(argv=sys.argv[:1])
