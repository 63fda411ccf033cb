#!/usr/bin/env python3
"""plan_bench as a user calls it. usage: test_plan_bench.py PLAN_BENCH ENDLESS_SCHEDULER BAD_SCHEDULERS"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ENDLESS_SCHEDULER, BAD_SCHEDULERS = sys.argv[1:4]


class PlanBench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *words):
        environment = {"TMPDIR": str(self.folder), "PATH": "/usr/bin:/bin"}
        result = subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=environment)
        left = [p.name for p in self.folder.iterdir() if p.suffix != ".json"]
        self.assertEqual(left, [], "scratch files stay")
        return result

    def rows(self, *words):
        path = self.folder / "plan.json"
        result = self.run_program(*words, "--json", str(path))
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(path.read_text()), result

    def test_a_row_and_a_generator_are_planned_and_compiled(self):
        told, result = self.rows("--only", "box_sums", "generators/dense")
        self.assertGreater(told["machine"]["cores"], 0)
        self.assertIn("avx512_skylake", told["target"])
        self.assertEqual([row["name"] for row in told["rows"]], ["box_sums", "generators/dense"])
        for row in told["rows"]:
            one = row["planners"]["eutectic"]
            self.assertGreater(row["funcs"], 1)
            self.assertTrue(0 < one["plan_seconds"] < 60, one)
            self.assertTrue(0 <= one["peak_bytes"] < 2**30, one)
            self.assertEqual(one["runs"], 3 if one["plan_seconds"] < 2 else one["runs"])
            ratio = one["compile_seconds"] / row["vectorized_root"]["compile_seconds"]
            self.assertAlmostEqual(one["compile_ratio"], ratio)
            self.assertNotIn("failed", one)
        self.assertEqual(told["summary"]["eutectic"]["planned"], 2)
        self.assertIn("box_sums: eutectic, round 1", result.stderr)
        self.assertIn("vectorized compute_root", result.stderr)

    def test_what_takes_too_long_is_given_up_and_the_next_row_goes_on(self):
        told, result = self.rows("--only", "box_sums", "taps_*", "chain_25", "--timeout", "1", "--no-compile",
                                 "--plugin", ENDLESS_SCHEDULER)
        self.assertEqual([row["name"] for row in told["rows"]], ["chain_25", "taps_100", "box_sums"])
        for row in told["rows"]:
            one = row["planners"]["eutectic"]
            self.assertEqual(one["failed"], "Planning was given up after 1 s of CPU time.")
            self.assertEqual((one["plan_seconds"], one["compile_seconds"], one["runs"]), (None, None, 0))
        self.assertEqual(told["summary"]["eutectic"]["planned"], 0)
        self.assertEqual(told["summary"]["eutectic"]["not_planned"], ["chain_25", "taps_100", "box_sums"])
        self.assertNotIn("round 2", result.stderr)

    def test_a_refusal_is_told_in_the_scheduler_s_words(self):
        told, _ = self.rows("--only", "box_sums", "--target", "x86-64-linux-vulkan")
        self.assertEqual(
            told["rows"][0]["planners"]["eutectic"]["failed"],
            "The target x86-64-linux-vulkan asks for GPU kernels in a language that Eutectic does not "
            "schedule for: use cuda or opencl, or a CPU target.")

    def test_another_plugin_takes_turns(self):
        told, result = self.rows("--only", "box_sums", "--no-compile", "--before", BAD_SCHEDULERS)
        planners = told["rows"][0]["planners"]
        self.assertGreater(planners["eutectic"]["plan_seconds"], 0)
        self.assertIn("Eutectic", planners["before"]["failed"])  # that plugin registers others
        first, second = "eutectic, round 1", "before, round 1"
        self.assertLess(result.stderr.index(first), result.stderr.index(second))
        self.assertNotIn("before, round 2", result.stderr)

    def test_what_a_user_gets_wrong_is_one_sentence(self):
        for sentence, *words in (
                ("plan_bench: There is no row 'chain'; known are chain_25,", "--only", "chain"),
                ("plan_bench: The plugin /no.so of --before does not exist; give", "--before", "/no.so"),
                ("plan_bench: The target avx9 is unknown to Halide; give avx512, avx2,", "--target", "avx9"),
                ("plan_bench: The program /bin/true lists no generators; give", "--generators", "/bin/true")):
            result = self.run_program(*words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertEqual(result.stderr[:len(sentence)], sentence)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_help_names_every_row(self):
        text = self.run_program("--help").stdout
        for word in ("chain_1000", "burst_merge", "mlp_step_30", "generators/NAME", "examples:", "--before"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
