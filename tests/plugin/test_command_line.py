#!/usr/bin/env python3
"""The scheduler on a generator's command line: reports, refusals, the same plan twice.

usage: test_command_line.py GENERATORS PLUGIN
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TARGET = "x86-64-linux-avx2-fma-no_runtime"
KNOWN = "known parameters are parallelism, report, machine, effort, search, cost_model, numerics, disable, unfused, residuals, sample, priced, save, expect_hash, pin, compile_seconds, gpu, feedback, library, packed, arena, loaded."


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def generate(self, generator, *parameters, emit="schedule", target=TARGET, out=None):
        folder = out or self.out
        folder.mkdir(exist_ok=True)
        command = [GENERATORS, "-g", generator, "-n", "kernel", "-f", "kernel", "-e", emit, "-p", PLUGIN, "-o", folder, f"target={target}"]
        command += ["autoscheduler=Eutectic", *parameters]
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=self.out)

    def made(self, generator, *parameters, **how):
        result = self.generate(generator, *parameters, **how)
        self.assertEqual(result.returncode, 0, result.stderr)

    def report(self, generator, *parameters, name="report.json"):
        self.made(generator, f"autoscheduler.report={name}", *parameters)
        return json.loads((self.out / name).read_text())

    def refused(self, sentence, generator, *parameters, **how):
        result = self.generate(generator, *parameters, **how)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(sentence, result.stderr.splitlines())
        self.assertEqual(list(self.out.iterdir()), [])

    def test_traffic_of_a_dense_layer(self):
        traffic = {"unfused_bytes": 786432, "fused_bytes": 131072, "saved_bytes": 524288, "caller_read_bytes": 131072,
                   "edges_saved_bytes": 524288}
        self.assertEqual(self.report("dense")["traffic"], traffic)

    def test_traffic_of_dense_with_dropout(self):
        mib = 1 << 20
        traffic = {"unfused_bytes": 32 * mib, "fused_bytes": 4 * mib, "saved_bytes": 24 * mib, "caller_read_bytes": 4 * mib,
                   "edges_saved_bytes": 24 * mib}
        self.assertEqual(self.report("dense_dropout")["traffic"], traffic)

    def test_report_tells_every_decision(self):
        for generator in ("mlp_loss", "mlp_loss_forward", "mlp_loss_backward", "softmax"):
            with self.subTest(generator):
                report = self.report(generator)
                t = report["traffic"]
                self.assertEqual(t["unfused_bytes"], t["fused_bytes"] + t["saved_bytes"] + t["caller_read_bytes"])
                self.assertGreater(len(report["edges"]), 0)
                for edge in report["edges"]:
                    self.assertIn(edge["decision"], ("inlined", "at tile", "in block", "in memory"))
                    self.assertGreater(len(edge["reason"]), 20, edge)
                    self.assertIn(edge["grade"], ("exact", "contracting", "reassociating"))
                for group in report["groups"]:
                    self.assertLessEqual({"members", "tile", "cost", "stores_bytes", "loads_bytes", "saved_bytes"}, set(group))
                    self.assertIn(group["root"], group["members"])
                self.assertLessEqual(report["cost"]["total_seconds"], report["unfused_cost"]["total_seconds"])
                self.assertGreater(report["plan_seconds"], 0)
                self.assertLess(report["plan_seconds"], 5)

    def test_residuals_are_reported_with_their_bytes(self):
        report = self.report("mlp_loss_forward")
        self.assertGreater(len(report["residuals"]), 0)
        self.assertEqual(report["total_residual_bytes"], sum(r["bytes"] for r in report["residuals"]))

    def test_two_runs_give_the_same_plan(self):
        for generator in ("dense", "softmax_backward", "mlp_loss_backward"):
            with self.subTest(generator):
                files, hashes = [], []
                for run in ("one", "two"):
                    self.made(generator, "autoscheduler.report=" + run, out=self.out / generator)
                    files.append((self.out / generator / "kernel.schedule.h").read_bytes())
                    hashes.append(json.loads((self.out / run).read_text())["plan_hash"])
                self.assertEqual(files[0].replace(b"report=one", b""), files[1].replace(b"report=two", b""))
                self.assertEqual(*hashes)

    def test_hash_follows_what_the_plan_depends_on(self):
        base = self.report("dense")["plan_hash_parts"]
        other_cores = self.report("dense", "autoscheduler.parallelism=2")["plan_hash_parts"]
        other_size = self.report("dense", "k=785")["plan_hash_parts"]
        unfused = self.report("dense", "autoscheduler.unfused=1")["plan_hash_parts"]
        self.assertEqual(base["pipeline"], other_cores["pipeline"])
        self.assertNotEqual(base["machine"], other_cores["machine"])
        self.assertEqual(base["machine"], other_size["machine"])
        self.assertNotEqual(base["pipeline"], other_size["pipeline"])
        self.assertEqual(base["pipeline"], unfused["pipeline"])
        self.assertNotEqual(base["decisions"], unfused["decisions"])

    def test_a_plan_that_drifts_is_refused(self):
        plan = self.report("dense")["plan_hash"]
        self.made("dense", "autoscheduler.expect_hash=" + plan)
        result = self.generate("dense", "autoscheduler.expect_hash=" + plan, "autoscheduler.unfused=1")
        self.assertEqual(result.returncode, 2)
        self.assertIn("expected to be " + plan.split("-")[2] + "; the pipeline and the machine are the same, so the scheduler or its parameters changed.", result.stderr)

    def test_strict_needs_the_feature_of_the_target(self):
        self.refused(f"Strict numerics were asked for, but the target {TARGET} lacks the feature strict_float, without which the compiler itself "
                     "contracts and reorders: add -strict_float to the target.", "dense", "autoscheduler.numerics=strict")
        self.assertEqual(self.report("softmax")["numerics"], "fast")
        self.made("softmax", "autoscheduler.numerics=strict", "autoscheduler.report=strict.json", target=TARGET + "-strict_float")
        report = json.loads((self.out / "strict.json").read_text())
        self.assertEqual((report["numerics"], report["grade"]), ("strict", "exact"))

    def test_machine_of_the_host(self):
        self.assertTrue(self.report("dense", "autoscheduler.machine=host")["machine"].startswith("host ("))

    def test_report_as_text(self):
        self.made("dense", "autoscheduler.report=report.txt")
        text = (self.out / "report.txt").read_text()
        self.assertIn("traffic: 768 KiB unfused, 128 KiB fused, 512 KiB saved (67 %)", text)

    def test_several_targets_in_one_run(self):
        self.made("dense", "m=8", "k=16", "n=32", emit="static_library,c_header,schedule",
                  target="x86-64-linux-avx2-fma-no_runtime,x86-64-linux-no_runtime")
        self.assertTrue((self.out / "kernel.h").exists())
        self.assertTrue((self.out / "kernel.a").exists())

    def test_refusals_are_one_sentence_and_status_2(self):
        self.refused(f"The scheduler parameter paralellism is unknown: the nearest is parallelism; {KNOWN}", "dense", "autoscheduler.paralellism=4")
        self.refused('The scheduler parameter parallelism was given as "0", which is not a whole number from 1 to 4096: give the number of threads.',
                     "dense", "autoscheduler.parallelism=0")
        self.refused("The target x86-64-linux-no_runtime-vulkan asks for GPU kernels in a language that Eutectic does not schedule for: use cuda or opencl, or a CPU target.",
                     "dense", target="x86-64-linux-vulkan-no_runtime")

    def test_packed_inputs_are_for_those_who_compile_what_packs(self):
        self.refused("The scheduler parameter packed makes another argument of an input and a function that packs it, for which a generator's own run has no place: "
                     "use add_eutectic_library(... PACKED w), or eutectic compile --packed w.", "dense", "autoscheduler.packed=w")

    def test_report_that_cannot_be_written(self):
        self.refused("The report cannot be written to none/report.json: check that its folder exists, is writable and has room.",
                     "dense", "autoscheduler.report=none/report.json")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_report_into_a_folder_without_permission(self):
        closed = self.out / "closed"
        closed.mkdir(mode=0o555)
        self.assertEqual(self.generate("dense", "autoscheduler.report=closed/report.json").returncode, 2)
        self.assertEqual(list(closed.iterdir()), [])


if __name__ == "__main__":
    GENERATORS, PLUGIN = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
