#!/usr/bin/env python3
"""EUTECTIC_DUMP: every plan of a process in a folder of its own.

usage: test_dump.py GENERATORS PLUGIN EUTECTIC
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TARGET = "x86-64-linux-avx2-fma-no_runtime"
FILES = {"command.txt", "page.html", "pins.json", "plan.txt", "report.json", "schedule.h"}
SMALL = ["m=8", "k=16", "n=32"]


def body(path):
    """The directives of a printed schedule."""
    lines = path.read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(") {"))
    return [line for line in lines[begin : lines.index("}", begin)] if line]


class Dump(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name)
        self.dump = self.out / "dump" / "deep"

    def tearDown(self):
        self.folder.cleanup()

    def command(self, name, *parameters, target=TARGET, emit="schedule"):
        command = [GENERATORS, "-g", "dense", "-n", name, "-f", name, "-e", emit, "-p", PLUGIN, "-o", self.out, f"target={target}"]
        return [str(c) for c in command] + ["autoscheduler=Eutectic", *SMALL, *parameters]

    def start(self, command, dump=None, environment={}):
        env = {**os.environ, **environment, "EUTECTIC_DUMP": str(self.dump if dump is None else dump)}
        return subprocess.Popen(command, env=env, cwd=self.out, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_well(self, command, dump=None):
        process = self.start(command, dump)
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        return output

    def refused(self, command, sentence, dump=None):
        process = self.start(command, dump)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 2, errors)
        self.assertIn(sentence, errors)

    def plans(self):
        return sorted(path.name for path in self.dump.iterdir())

    def test_all_of_a_plan(self):
        self.run_well(self.command("kernel", "autoscheduler.report=report.json"))
        self.assertEqual(self.plans(), ["y"])
        plan = self.dump / "y"
        self.assertEqual({path.name for path in plan.iterdir()}, FILES)
        report, asked = (json.loads(path.read_text()) for path in (plan / "report.json", self.out / "report.json"))
        for key in ("plan_hash", "groups", "edges", "traffic"):
            self.assertEqual(report[key], asked[key])
        self.assertTrue(any("runner_up" in edge for edge in report["edges"]))
        self.assertIn("group 1:", (plan / "plan.txt").read_text())
        self.assertEqual(body(plan / "schedule.h"), body(self.out / "kernel.schedule.h"))
        self.assertIn("-g dense -n kernel", (plan / "command.txt").read_text())

    def page(self, name="y"):
        """The page's title, its data, and the rest of it."""
        text = (self.dump / name / "page.html").read_text()
        data = re.search(r'<script type="application/json" id="\w+">(.*?)</script>', text, re.S)
        return re.search("<title>(.*?)</title>", text)[1], json.loads(data[1]), text

    def test_the_page(self):
        self.run_well(self.command("kernel"))
        title, data, text = self.page()
        self.assertEqual(title, f"y for {data['target']}")
        self.assertEqual(data, json.loads((self.dump / "y" / "report.json").read_text()))
        self.assertTrue(text.rstrip().endswith("</html>"))
        self.assertIn("<svg", text)

    def test_a_page_without_graphviz(self):
        (self.out / "bin").mkdir()
        process = self.start(self.command("kernel"), environment={"PATH": str(self.out / "bin")})
        self.assertEqual((process.communicate()[1], process.returncode)[1], 0)
        _, data, text = self.page()
        self.assertIn("plan_hash", data)
        self.assertNotIn("<svg", text)
        self.assertIn("The graph is laid out by Graphviz, which is not installed here: install it, such as Debian's package graphviz, and write this page again.", text)

    def test_decisions_can_be_given_back(self):
        self.run_well(self.command("kernel"))
        self.run_well(self.command("kernel", f"autoscheduler.pin={self.dump}/y/pins.json"))
        first, second = (json.loads((self.dump / name / "report.json").read_text()) for name in ("y", "y-2"))
        self.assertEqual(first["plan_hash"], second["plan_hash"])

    def test_the_plan_is_the_one_without(self):
        self.run_well(self.command("kernel"))
        with_dump = body(self.out / "kernel.schedule.h")
        (self.out / "kernel.schedule.h").unlink()
        self.run_well(self.command("kernel"), dump="")
        self.assertEqual(with_dump, body(self.out / "kernel.schedule.h"))
        self.assertEqual(self.plans(), ["y"])

    def test_processes_at_once_keep_apart(self):
        processes = [self.start(self.command(f"kernel{i}")) for i in range(5)]
        for process in processes:
            self.assertEqual((process.communicate()[1], process.returncode)[1], 0)
        self.assertEqual(self.plans(), ["y", "y-2", "y-3", "y-4", "y-5"])
        lines = {(self.dump / name / "command.txt").read_text() for name in self.plans()}
        self.assertEqual(len(lines), 5)
        for name in self.plans():
            self.assertEqual({path.name for path in (self.dump / name).iterdir()}, FILES)

    def test_several_plans_of_a_process(self):
        self.run_well(self.command("kernel", emit="object,c_header", target=f"{TARGET},x86-64-linux-no_runtime"))
        targets = [json.loads((self.dump / name / "report.json").read_text())["target"] for name in self.plans()]
        self.assertEqual(len(set(targets)), 2, targets)

    def test_a_plan_that_is_refused_leaves_nothing(self):
        (self.out / "pins.json").write_text('{"nothing": "inline"}')
        self.refused(self.command("kernel", "autoscheduler.pin=pins.json"), "nothing")
        self.assertEqual(self.plans(), [])

    def test_a_folder_that_cannot_be_written_to(self):
        (self.out / "file").write_text("")
        for folder in (self.out / "file", self.out / "file" / "below"):
            sentence = f"Plans cannot be written to {folder}, which EUTECTIC_DUMP names (Not a directory): name a folder that is writable and has room, or unset that variable."
            self.refused(self.command("kernel"), sentence, dump=folder)
            self.refused([EUTECTIC, "explain", GENERATORS, "-g", "dense", *SMALL], "eutectic: " + sentence, dump=folder)
        self.assertEqual([path.name for path in self.out.iterdir()], ["file"])

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_folder_without_permission(self):
        self.dump.mkdir(parents=True, mode=0o555)
        self.refused(self.command("kernel"), f"Plans cannot be written to {self.dump}, which EUTECTIC_DUMP names (Permission denied): ")
        self.assertEqual(self.plans(), [])

    def test_a_disk_without_room(self):
        # Files may not grow, which writes are told of as of a full disk.
        script = f"ulimit -f 0; trap '' XFSZ; exec {' '.join(self.command('kernel'))}"
        self.refused(["bash", "-c", script], f"Plans cannot be written to {self.dump}, which EUTECTIC_DUMP names (no report.json can be written there): ")
        self.assertEqual(self.plans(), [])

    def test_the_command_writes_the_same(self):
        self.run_well([EUTECTIC, "explain", GENERATORS, "-g", "dense", *SMALL])
        self.run_well([EUTECTIC, "compile", GENERATORS, "-g", "dense", *SMALL, "-o", self.out / "kernels"])
        self.assertEqual(self.plans(), ["y", "y-2"])
        for name in self.plans():
            self.assertEqual({path.name for path in (self.dump / name).iterdir()}, FILES)
        self.assertIn("EUTECTIC_DUMP=DIR", self.run_well([EUTECTIC, "--help"]))


if __name__ == "__main__":
    GENERATORS, PLUGIN, EUTECTIC = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
