#!/usr/bin/env python3
"""eutectic tune on several ranks: they share one search, each kind of machine has its own, and rank 0 has the database and the sentences."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

EUTECTIC, GENERATORS = sys.argv[1:3]


def mpirun(*parts, cwd):
    """`parts`: (ranks, words) each."""
    command = ["mpirun", "--oversubscribe", "--bind-to", "none"]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    for ranks, words in parts:
        command += [*([":"] if command[-1] not in ("none", "--allow-run-as-root") else []), "-n", str(ranks), EUTECTIC, "tune", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=300)


def sentences(result):
    return [line for line in result.stderr.splitlines() if line.startswith("eutectic: ")]


# Slow enough that ranks differ, small enough to compile in a second.
DENSE = [GENERATORS, "-g", "dense", "m=32", "k=64", "n=32"]
QUICK = ["--seconds", "0.01", "--budget-seconds", "25"]


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name):
        return os.path.join(self.folder, name)

    def test_two_ranks_share_a_search(self):
        words = [*DENSE, *QUICK, "--resume", "tried.db", "-o", "tuned.json", "--json"]
        result = mpirun((2, words), cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        tuned = json.loads(result.stdout)
        trials = tuned["trials"]
        self.assertEqual({trial["rank"] for trial in trials}, {0, 1}, trials)
        # No plan is measured by both, but for those that won, and have to win on rank 0, too.
        of_helper = [trial for trial in trials if trial["rank"] == 1]
        for trial in of_helper:
            self.assertEqual(trial["status"], "ok", trial)
            self.assertLessEqual(trial["max_error"], 1e-4)
            self.assertGreater(len(trial["rounds"]), 0)
            again = [other for other in trials if other["decisions"] == trial["decisions"] and other is not trial]
            if again:
                self.assertTrue(all(other["rank"] == 0 for other in again))
                self.assertTrue(all(r["plan_seconds"] < r["against_seconds"] for r in trial["rounds"]), trial)
        with open(self.file("tuned.json")) as file:
            self.assertEqual(json.load(file), tuned["best"]["pins"])
        with sqlite3.connect(self.file("tried.db")) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM runs").fetchone(), (1,))
            self.assertEqual(database.execute("SELECT count(*) FROM trials").fetchone(), (len(trials),))
            self.assertEqual(
                database.execute("SELECT count(*) FROM rounds").fetchone(), (sum(len(trial["rounds"]) for trial in trials),)
            )
        # One process goes on where they stopped.
        alone = subprocess.run([EUTECTIC, "tune", *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        earlier = {trial["decisions"] for trial in trials}
        self.assertLessEqual(earlier, {trial["decisions"] for trial in json.loads(alone.stdout)["trials"]})

    def test_each_kind_has_a_plan_of_its_own(self):
        words = [*DENSE, *QUICK]
        result = mpirun((1, [*words, "--parallelism", 2, "--resume", "tried.db", "-o", "tuned.json", "--json"]), (1, [*words, "--parallelism", 1]), cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        tuned = json.loads(result.stdout)
        (other,) = tuned["others"]
        self.assertEqual((tuned["threads"], other["threads"]), (2, 1))
        self.assertEqual(other["ranks"], [1])
        self.assertEqual(other["output"], "tuned.2.json")
        self.assertTrue(os.path.exists(self.file("tuned.2.json")))
        self.assertEqual({trial["rank"] for trial in tuned["trials"]}, {0})
        self.assertEqual({trial["rank"] for trial in other["trials"]}, {1})
        with sqlite3.connect(self.file("tried.db")) as database:
            rows = database.execute("SELECT threads, count(trial) FROM runs LEFT JOIN trials USING (run) GROUP BY run ORDER BY threads").fetchall()
        self.assertEqual(rows, [(1, len(other["trials"])), (2, len(tuned["trials"]))])
        # What rank 1 sent is what an own run reads back.
        again = subprocess.run([EUTECTIC, "tune", *words, "--parallelism", "1", "--resume", "tried.db", "--json"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(again.returncode, 0, again.stderr)
        read = {trial["decisions"]: trial for trial in json.loads(again.stdout)["trials"]}
        for trial in other["trials"]:
            for key in ("pins", "change", "predicted_seconds", "status"):
                self.assertEqual(read[trial["decisions"]][key], trial[key], key)

    def test_what_all_are_refused_is_said_once(self):
        result = mpirun((3, [GENERATORS, "-g", "dnse", *QUICK]), cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(sentences(result), ["eutectic: The generator dnse is not in %s: the nearest is dense." % GENERATORS])

    def test_what_one_is_refused_names_it(self):
        result = mpirun((1, [*DENSE, *QUICK]), (1, [GENERATORS, "-g", "dnse", *QUICK]), cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(sentences(result), ["eutectic: Rank 1 was refused: The generator dnse is not in %s: the nearest is dense." % GENERATORS])

    def test_without_its_library_it_refuses_and_other_commands_do_not_mind(self):
        os.makedirs(self.file("bin"))
        shutil.copy(EUTECTIC, self.file("bin"))
        copy, company = self.file("bin/eutectic"), {**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
        result = subprocess.run([copy, "tune", "nothing.hlpipe", *QUICK], capture_output=True, text=True, env=company)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(
            result.stderr,
            "eutectic: tune was started on 2 ranks by mpirun, and this eutectic was built without MPI: install Debian's libopenmpi-dev and build "
            "anew, or start it without mpirun.\n",
        )
        result = subprocess.run([copy, "--version"], capture_output=True, text=True, env=company)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("libmpi", subprocess.run(["ldd", EUTECTIC], capture_output=True, text=True).stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
