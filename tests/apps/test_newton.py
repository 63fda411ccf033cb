#!/usr/bin/env python3
"""newton: the loss falls to a minimum, quadratically, and wrong words end in a sentence."""

import json
import subprocess
import sys
import unittest

NEWTON = sys.argv[1]


def run(*words):
    return subprocess.run([NEWTON, *words], capture_output=True, text=True)


class Newton(unittest.TestCase):
    def test_it_finds_the_minimum(self):
        result = run("--json", "--penalty", "0.001")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        made = json.loads(result.stdout)
        gradients = [step["gradient"] for step in made["steps"]]
        losses = [step["loss"] for step in made["steps"]]
        self.assertLess(gradients[-1], 1e-9)
        self.assertLess(len(gradients), 20)
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.assertAlmostEqual(losses[0], 0.6931471805599453)
        self.assertGreater(made["right"], 0.94)
        # At the end each step squares the error: more than twice the digits.
        self.assertLess(gradients[-1], gradients[-2] ** 1.5)

    def test_wrong_words(self):
        for words in (["--digit", "10"], ["--data", "nowhere.csv"], ["--penalty", "-1"]):
            result = run(*words)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertTrue(result.stderr.startswith("newton: "), result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
