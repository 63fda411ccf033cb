"""eutectic ablate: each row is the plan of `explain --disable`, what is measured, means over files, refusals."""

import json
import math
import subprocess

from eutectic_command import GENERATORS, TARGET, Case, main

SMALL = ("-g", "softmax", "rows=64", "cols=256")


class Ablate(Case):
    def rows(self, *words):
        return json.loads(self.done("ablate", *words, "--json"))["rows"]

    def test_rows_are_the_plans_without_something(self):
        how = ("--target", TARGET, "--parallelism", 2)
        rows = self.rows(GENERATORS, *SMALL, "--predict-only", *how)
        self.assertIsNone(rows[0]["without"])
        refusal = self.run_command("explain", GENERATORS, *SMALL, *how, "--disable", "nothing").stderr
        known = refusal[refusal.index("known rules are ") + len("known rules are ") :].rstrip(".\n").split(", ")
        on_devices = ["sum_online"]
        self.assertEqual([r["without"] for r in rows[1:]], [k for k in known if k not in on_devices])  # in order, and all of them
        self.assertLessEqual({r["kind"] for r in rows[1:]}, {"rule", "rewrite", "preparation"})
        changing = [r for r in rows[1:] if r["changes"]]
        self.assertIn("tile_producer", [r["without"] for r in changing])
        self.assertIn(False, [r["changes"] for r in rows[1:]])
        for row in [rows[0], *changing]:
            disable = ("--disable", row["without"]) if row["without"] else ()
            report = self.report(GENERATORS, *SMALL, *how, *disable)
            self.assertAlmostEqual(row["predicted_seconds"] / report["cost"]["total_seconds"], 1, places=9)
            self.assertEqual(row["traffic_bytes"], report["traffic"]["fused_bytes"])
            self.assertEqual((row["measured_seconds"], row["status"]), (None, "ok"))
        for row in rows[1:]:
            if not row["changes"]:
                self.assertEqual(row["predicted_seconds"], rows[0]["predicted_seconds"], row)

    def test_devices_have_their_own(self):
        rows = self.rows(GENERATORS, *SMALL, "--predict-only", "--target", "x86-64-linux-cuda-cuda_capability_80")
        self.assertNotIn("vectorize_functions", [r["without"] for r in rows])
        self.assertTrue(any(r["changes"] for r in rows[1:]))

    def test_plans_that_differ_are_measured(self):
        words = (GENERATORS, *SMALL, "--only", "tile_producer,widen_factors", "--seconds", 0.01)
        whole, widen, tile = self.rows(*words)
        self.assertEqual((widen["without"], widen["changes"], widen["measured_seconds"]), ("widen_factors", False, None))
        self.assertEqual((tile["without"], tile["changes"], tile["kind"]), ("tile_producer", True, "rule"))
        for row in (whole, tile):
            self.assertGreater(row["measured_seconds"], 0)
            self.assertEqual(row["status"], "ok")
        text = self.done("ablate", *words)
        self.assertRegex(text, r"nothing +[\d.]+ \w+ +1\.00 +[\d.]+ \w+ +1\.00 +[\d.]+ \w+ +1\.00\n")
        self.assertIn("the same plan without: widen_factors", text)

    def test_means_are_over_the_files_that_change(self):
        for name in ("softmax", "gelu"):
            subprocess.run([GENERATORS, "-g", name, "-e", "hlpipe", "-o", ".", f"target={TARGET}"], check=True, cwd=self.folder, capture_output=True)
        words = ("softmax.hlpipe", "gelu.hlpipe", "--predict-only", "--target", TARGET)
        told = json.loads(self.done("ablate", *words, "--json"))
        wholes = {r["file"]: r for r in told["rows"] if r["without"] is None}
        self.assertEqual(len(wholes), 2)
        for mean in told["geometric_means"]:
            ratios = [r["predicted_seconds"] / wholes[r["file"]]["predicted_seconds"] for r in told["rows"] if r["without"] == mean["without"] and r["changes"]]
            self.assertEqual(mean["files"], len(ratios))
            if ratios:
                self.assertAlmostEqual(mean["predicted"], math.exp(sum(map(math.log, ratios)) / len(ratios)), places=9)
            else:
                self.assertIsNone(mean["predicted"])
        self.assertIn("all, times the whole plan", self.done("ablate", *words))

    def test_refusals(self):
        said = self.run_command("ablate", GENERATORS, *SMALL, "--only", "inline_pointwse")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertIn('eutectic: --only names "inline_pointwse", which is nothing that ablate can leave out on', said.stderr)
        self.assertIn("inline_pointwise", said.stderr)
        said = self.run_command("ablate", GENERATORS, *SMALL, "--target", "arm-64-linux")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        said = self.run_command("ablate", "missing.hlpipe")
        self.assertEqual((said.returncode, said.stdout), (2, ""))


main()
