#!/usr/bin/env python3
"""tune: what it measures is kept, whatever happens to it, and what it leaves is taken by the other commands."""

import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import time

from eutectic_command import EUTECTIC, GENERATORS, Case, main

FIT = str(pathlib.Path(EUTECTIC).with_name("fit"))
MACHINE = str(pathlib.Path(__file__).resolve().parents[2] / "docs/accuracy/machine.json")
SHORT = ["--seconds", "0.02", "--parallelism", "2"]


class Tune(Case):
    def tune(self, *words, budget=8):
        return json.loads(self.done("tune", *words, "--budget-seconds", budget, *SHORT, "--json"))

    def rows(self, query, database="t.db"):
        connection = sqlite3.connect(self.folder / database)
        self.addCleanup(connection.close)
        return connection.execute(query).fetchall()

    def test_trials_pins_and_page(self):
        tuned = self.tune(GENERATORS, "-g", "dense", "m=32", "k=48", "n=40", "--save", "dense.hlpipe", "--resume", "t.db", "-o", "p.json", "--plot", "p.html", "--jobs", 2, budget=24)
        trials = tuned["trials"]
        self.assertGreater(len(trials), 3)
        self.assertEqual([t["status"] for t in trials], ["ok"] * len(trials))
        self.assertEqual(trials[0]["ratio"], 1)
        decisions = [t["decisions"] for t in trials if not t["last"]]
        self.assertEqual(len(decisions), len(set(decisions)))
        self.assertGreaterEqual(tuned["plans_priced"], len(decisions))
        # A plan whose trial is not over has lost a round, and no more are timed after that.
        for t in trials[1:]:
            lost = [r["plan_seconds"] >= r["against_seconds"] for r in t["rounds"]]
            self.assertFalse(any(lost[:-1]), t)
        self.assertEqual(json.loads((self.folder / "p.json").read_text()), tuned["best"]["pins"])
        # The database has the same, and what each plan was priced by.
        self.assertEqual(self.rows("SELECT decisions_hash, status, ratio FROM trials JOIN plans USING (plan) ORDER BY trial"), [(t["decisions"], t["status"], t["ratio"]) for t in trials])
        self.assertEqual(self.rows("SELECT plan_seconds, against_seconds FROM rounds ORDER BY trial, round"),
                         [(r["plan_seconds"], r["against_seconds"]) for t in trials for r in t["rounds"]])
        self.assertTrue(all(json.loads(priced) for (priced,) in self.rows("SELECT priced FROM plans")))
        page = (self.folder / "p.html").read_text()
        self.assertIn(trials[-1]["decisions"], page)
        self.assertNotIn("http://", page.replace("http://www.w3.org/2000/svg", ""))
        # Each trial's pins make that plan.
        for t in random.Random(1).sample(trials, 3):
            (self.folder / "one.json").write_text(json.dumps(t["pins"]))
            report = self.report("dense.hlpipe", "--parallelism", 2, "--pin", "one.json")
            self.assertEqual(report["plan_hash"].split("-")[-1], t["decisions"], t["change"])
        self.done("compile", "dense.hlpipe", "--pin", "p.json", "-o", "kernels")

    def test_a_second_run_goes_on(self):
        first = self.tune(GENERATORS, "-g", "softmax", "--resume", "t.db", budget=5)
        again = self.tune(GENERATORS, "-g", "softmax", "--resume", "t.db", budget=5)
        self.assertEqual(again["trials_of_earlier_runs"], len(first["trials"]))
        self.assertEqual(again["trials"][: len(first["trials"])], first["trials"])
        best = min(first["trials"], key=lambda t: t["ratio"])["decisions"]
        new = [t["decisions"] for t in again["trials"][len(first["trials"]) :]]
        self.assertFalse(set(new) & ({t["decisions"] for t in first["trials"]} - {best}))
        # Another pipeline in the same file is another subject.
        other = self.tune(GENERATORS, "-g", "box_blur", "--resume", "t.db", budget=3)
        self.assertEqual(other["trials_of_earlier_runs"], 0)
        self.assertEqual(len(self.rows("SELECT DISTINCT pipeline_hash FROM plans")), 2)

    def made(self, times):
        """A database whose plans took `times` of their prices, of a pipeline that was tuned before."""
        while not (self.folder / "t.db").exists() or len(self.rows("SELECT plan FROM plans")) < 3:  # a machine that is busy takes longer
            self.tune(GENERATORS, "-g", "softmax", "--resume", "t.db", budget=7)
        connection = sqlite3.connect(self.folder / "t.db")
        connection.execute("DELETE FROM rounds")
        connection.execute("DELETE FROM trials WHERE last")
        prices = connection.execute("SELECT trial, predicted_seconds FROM trials JOIN plans USING (plan) ORDER BY trial").fetchall()
        for i, (trial, price) in enumerate(prices):
            connection.execute("UPDATE trials SET seconds = ?, ratio = ? WHERE trial = ?", (times(i) * price, times(i) * price / prices[0][1] / times(0), trial))
        connection.commit()
        connection.close()
        return len(prices)

    def test_accuracy_of_right_prices(self):
        plans = self.made(lambda i: 3)
        (told,) = json.loads(self.done("accuracy", "t.db", "--json"))["pipelines"]
        self.assertEqual((told["plans"], told["threads"]), (plans, 2))
        self.assertAlmostEqual(told["regret"], 1)
        self.assertLess(told["log_error"], 1e-6)
        # The same plans at other prices: those of a roofline, which cannot tell them apart as well, and of another machine.
        (roofline,) = json.loads(self.done("accuracy", "t.db", "--cost-model", "roofline", "--json"))["pipelines"]
        (other,) = json.loads(self.done("accuracy", "t.db", "--machine", "skylake", "--json"))["pipelines"]
        self.assertEqual([r["plans"] for r in (roofline, other)], [told["plans"]] * 2)
        for otherwise in (roofline, other):
            self.assertGreater(otherwise["log_error"], 0.001)
        self.assertIn("softmax, 2 threads", self.done("accuracy", "t.db"))
        fitted = subprocess.run([FIT, "t.db", "--machine", MACHINE, "--constants", "loop_cycles"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((fitted.returncode, fitted.stderr), (0, ""))
        self.assertIn("loop_cycles", fitted.stdout)

    def test_accuracy_of_wrong_prices(self):
        self.made(lambda i: 1 + i)
        (told,) = json.loads(self.done("accuracy", "t.db", "--json"))["pipelines"]
        self.assertGreater(told["log_error"], 0.2)
        self.refused("The database nowhere.db cannot be opened (unable to open database file): give a file that eutectic tune --resume has made.", "accuracy", "nowhere.db")
        self.assertFalse((self.folder / "nowhere.db").exists())

    def test_killed_at_any_moment_it_goes_on(self):
        dice, kept = random.Random(7), 0
        for _ in range(20 if os.environ.get("EUTECTIC_ALL_CASES") else 4):
            words = [EUTECTIC, "tune", GENERATORS, "-g", "box_blur", "--resume", "t.db", "--budget-seconds", "60", *SHORT]
            process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            time.sleep(dice.uniform(0.2, 4))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if (self.folder / "t.db").exists():
                self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])
                if self.rows("SELECT name FROM sqlite_schema"):
                    self.assertEqual(self.rows("PRAGMA foreign_key_check"), [])
                    trials = self.rows("SELECT COUNT(*) FROM trials")[0][0]
                    self.assertGreaterEqual(trials, kept)
                    kept = trials
        tuned = self.tune(GENERATORS, "-g", "box_blur", "--resume", "t.db", budget=4)
        self.assertEqual(tuned["trials_of_earlier_runs"], kept)
        self.assertGreater(len(tuned["trials"]), kept)

    def test_what_the_user_pinned_stays(self):
        (self.folder / "mine.json").write_text('{"z": "root"}')
        tuned = self.tune(GENERATORS, "-g", "dense", "m=32", "k=48", "n=40", "--pin", "mine.json")
        self.assertGreater(len(tuned["trials"]), 1)
        self.assertEqual({t["pins"]["z"] for t in tuned["trials"]}, {"root"})

    def test_interrupted_it_leaves_what_it_has(self):
        words = [EUTECTIC, "tune", GENERATORS, "-g", "softmax", "--budget-seconds", "600", *SHORT, "--json", "-o", "p.json"]
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, text=True)
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        tuned = json.loads(output)
        self.assertEqual(tuned["ended"], "it was interrupted")
        self.assertTrue((self.folder / "p.json").exists())

    def test_refusals(self):
        self.assertIn("--budget-seconds is required", self.run_command("tune", GENERATORS, "-g", "dense").stderr)
        self.refused("tune was given 2 targets, and programs run on one: give one --target.", "tune", GENERATORS, "-g", "dense", "--budget-seconds", 5, "--target", "host,host-opencl")
        self.refused("--batch makes another pipeline, and what is compared and timed is the one that was given: leave --batch and --over out.",
                     "tune", GENERATORS, "-g", "dense", "--budget-seconds", 5, "--batch", 4, "--over", "x")
        (self.folder / "text.db").write_text("no database, but longer than the header of one is, which has a hundred bytes; so it goes on and on, on and on")
        what = "The database text.db cannot be written (file is not a database): give --resume a file that eutectic tune has made, or one that is not there yet, in a folder with room."
        self.refused(what, "tune", GENERATORS, "-g", "box_blur", "--budget-seconds", 5, "--resume", "text.db")
        self.assertIn("no database", (self.folder / "text.db").read_text())
        connection = sqlite3.connect(self.folder / "other.db")
        connection.execute("CREATE TABLE mine (x)")
        connection.commit()
        connection.close()
        self.refused("The file other.db is a database of something else: give --resume a file that eutectic tune has made, or one that is not there yet.",
                     "tune", GENERATORS, "-g", "box_blur", "--budget-seconds", 5, "--resume", "other.db")
        self.assertIn("is not there yet, in a folder with room.", self.run_command("tune", GENERATORS, "-g", "box_blur", "--budget-seconds", 5, "--resume", "nowhere/t.db").stderr)
        (self.folder / "loops.json").write_text('{"loops": {"x": 3}}')
        refused = self.run_command("explain", GENERATORS, "-g", "dense", "--pin", "loops.json")
        self.assertIn("which is an input and has none", refused.stderr)
        self.assertEqual(self.names(), ["loops.json", "other.db", "text.db"])


main()
