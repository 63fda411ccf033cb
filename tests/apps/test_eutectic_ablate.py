"""eutectic ablate: each row is the plan of `explain --disable`, what is measured, means over files, refusals."""

import csv
import json
import math
import pathlib
import re
import subprocess

from eutectic_command import GENERATORS, TARGET, Case, main

EXPERIMENTERS = pathlib.Path(__file__).resolve().parents[2] / "docs/for-experimenters.md"
SMALL = ("-g", "softmax", "rows=64", "cols=256")


class Ablate(Case):
    def rows(self, *words):
        return json.loads(self.done("ablate", *words, "--json"))["rows"]

    def test_rows_are_the_plans_without_something(self):
        how = ("--target", TARGET, "--parallelism", 2)
        rows = self.rows(GENERATORS, *SMALL, "--predict-only", *how)
        self.assertIsNone(rows[0]["without"])
        refusal = self.run_command("explain", GENERATORS, *SMALL, *how, "--disable", "nothing").stderr
        known = refusal[refusal.index("there are ") + len("there are ") :].rstrip(".\n").split(", ")
        on_devices = ["sum_online", "approximate_functions", "price.addresses", "price.first_level", "price.barriers", *(k for k in known if k.startswith("gpu_"))]
        self.assertEqual([r["without"] for r in rows[1:]], [k for k in known if k not in on_devices])  # in order, and all of them
        self.assertEqual({r["kind"] for r in rows[1:]}, {"rule", "rewrite", "preparation", "policy", "term"})
        for row in rows[1:]:
            if row["kind"] == "term" and row["changes"]:
                # By the whole prices a plan that others chose is no better, but for what a greedy search misses.
                self.assertGreater(row["predicted_seconds"], 0.95 * rows[0]["predicted_seconds"], row)
        changing = [r for r in rows[1:] if r["changes"]]
        self.assertIn("tile_producer", [r["without"] for r in changing])
        self.assertIn(False, [r["changes"] for r in rows[1:]])
        for row in [rows[0], *(r for r in changing if r["kind"] != "term")]:
            disable = ("--disable", row["without"]) if row["without"] else ()
            report = self.report(GENERATORS, *SMALL, *how, *disable)
            self.assertAlmostEqual(row["predicted_seconds"] / report["cost"]["total_seconds"], 1, places=9)
            self.assertEqual(row["traffic_bytes"], report["traffic"]["fused_bytes"])
            self.assertEqual((row["measured_seconds"], row["status"]), (None, "ok"))
        for row in rows[1:]:
            if not row["changes"]:
                self.assertEqual(row["predicted_seconds"], rows[0]["predicted_seconds"], row)

    def test_other_searches_and_models_beside_the_plan_without(self):
        how = ("--target", TARGET, "--parallelism", 2, "--predict-only")
        rows = self.rows(GENERATORS, *SMALL, *how, "--try", "cost_model=roofline", "--try", "search=beam", "--try", "cost_model=traffic")
        self.assertEqual([(r["without"], r["with"], r["kind"]) for r in rows], [(None, None, None)] + [(None, w, "parameter") for w in ("cost_model=roofline", "search=beam", "cost_model=traffic")])
        whole, roofline, beam, _ = rows
        self.assertTrue(roofline["changes"])
        self.assertGreaterEqual(roofline["predicted_seconds"], beam["predicted_seconds"])  # by the prices of the whole plan
        self.assertLessEqual(beam["predicted_seconds"], whole["predicted_seconds"] * (1 + 1e-9))
        report = self.report(GENERATORS, *SMALL, "--target", TARGET, "--parallelism", 2, "--cost-model", "roofline")
        self.assertTrue(report["machine"].endswith(", priced by roofline"), report["machine"])
        self.assertNotAlmostEqual(report["cost"]["total_seconds"], roofline["predicted_seconds"])
        both = self.rows(GENERATORS, *SMALL, *how, "--only", "policy", "--try", "search=beam")
        self.assertEqual({r["kind"] for r in both[1:]}, {"policy", "parameter"})

    def test_nests_and_their_prices(self):
        how = ("--target", TARGET, "--parallelism", 2)
        report = self.report(GENERATORS, *SMALL, *how, "--dump-nests", "own.csv")
        self.report(GENERATORS, *SMALL, *how, "--cost-model", "roofline", "--dump-nests", "other.csv")
        with open(self.folder / "own.csv") as own, open(self.folder / "other.csv") as other:
            own, other = list(csv.DictReader(own)), list(csv.DictReader(other))
        columns = re.findall(r"^\| (`[^|]+`) \|", EXPERIMENTERS.read_text().split("`nests.csv` has a line")[1].split("A new search")[0], re.MULTILINE)
        self.assertEqual(list(own[0]), [name for cell in columns for name in re.findall(r"`(\w+)`", cell)])
        self.assertEqual({r["nest"] for r in own}, {g["root"] for g in report["groups"]} if "root" in report["groups"][0] else {r["nest"] for r in own})
        for r in own:
            parts = sum(float(r[f"own_{part}_seconds"]) for part in ("compute", "memory", "idle", "launch"))
            self.assertAlmostEqual(parts / float(r["predicted_seconds"]), 1, places=6)
        nests = {r["nest"]: float(r["predicted_seconds"]) for r in own}
        self.assertLessEqual(sum(nests.values()), report["cost"]["total_seconds"] * 1.000001)  # beside them there are buffers
        self.assertTrue(any(abs(float(r["predicted_seconds"]) / sum(float(r[f"own_{p}_seconds"]) for p in ("compute", "memory", "idle", "launch")) - 1) > 0.01 for r in other))
        self.refused("--dump-nests was given for x86-64-linux-cuda, and its columns are about loops on CPUs: give a CPU target.", "explain", GENERATORS, *SMALL, "--target", "x86-64-linux-cuda", "--dump-nests", "x.csv")

    def test_devices_have_their_own(self):
        rows = self.rows(GENERATORS, *SMALL, "--predict-only", "--target", "x86-64-linux-cuda-cuda_capability_80")
        self.assertNotIn("vectorize_functions", [r["without"] for r in rows])
        self.assertIn("price.barriers", [r["without"] for r in rows])
        self.assertIn("gpu_warps", [r["without"] for r in rows])
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
            self.assertIsNone(mean["with"])
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
        for with_, why in (("search", "--try was given as search, which is no NAME=VALUE"), ("numerics=strict", "--try was given as numerics=strict, which is no NAME=VALUE"),
                           ("search=none", 'The scheduler parameter search was given as "none"'), ("cost_model=none.so", "The cost model none.so was asked for, which is neither a file")):
            said = self.run_command("ablate", GENERATORS, *SMALL, "--try", with_)
            self.assertEqual((said.returncode, said.stdout), (2, ""))
            self.assertIn("eutectic: " + why, said.stderr)
        said = self.run_command("ablate", GENERATORS, *SMALL, "--target", "arm-64-linux")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        said = self.run_command("ablate", "missing.hlpipe")
        self.assertEqual((said.returncode, said.stdout), (2, ""))


main()
