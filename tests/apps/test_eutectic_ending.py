#!/usr/bin/env python3
"""How the command ends before its work is done: by a signal, or by --timeout. Nothing that it started is left, and no folder. The fifth argument: a library of schedulers that misbehave."""

import os
import pathlib
import signal
import subprocess
import sys
import time

from eutectic_command import EUTECTIC, GENERATORS, Case, main

BAD = sys.argv[5]
ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
# A generator executable that never ends, nor does what it has started.
HANGS = "#!/bin/sh\nsleep 1000 &\nsleep 1000\n"
SLOW = ("-g", "mlp_loss_gradient", "gradient_wrt=w1,b1,w2,b2,w3,b3")  # takes seconds to compile


class Ending(Case):
    def setUp(self):
        super().setUp()
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        self.mark = f"EUTECTIC_TEST_MARK={self.folder}"  # of all that is started from here
        (self.folder / "gens").write_text(HANGS)
        (self.folder / "gens").chmod(0o755)
        self.addCleanup(self.kill_all)

    def kill_all(self):
        for pid in self.running():
            os.kill(pid, signal.SIGKILL)

    def environment(self):
        name, value = self.mark.split("=")
        return {**os.environ, "TMPDIR": str(self.scratch), name: value}

    def running(self, word=""):
        """The processes started from here, whose command line has this word."""
        found = []
        for process in pathlib.Path("/proc").iterdir():
            try:
                if process.name.isdigit() and self.mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    if word.encode() in (process / "cmdline").read_bytes() and (process / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                        found.append(int(process.name))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                pass
        return found

    def until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def start(self, *words, **options):
        return subprocess.Popen([EUTECTIC, *map(str, words)], cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def check_gone(self):
        self.until(lambda: not self.running(), "all have ended", 10)

    def check_nothing_left(self):
        self.check_gone()
        self.assertEqual(list(self.scratch.iterdir()), [])
        self.assertEqual([n for n in self.names() if n.startswith(".eutectic")], [])

    def test_signals_while_a_generator_hangs(self):
        for number in ENDING:
            with self.subTest(number), self.start("explain", "gens", "-g", "any") as process:
                self.until(lambda: len(self.running("sleep")) == 2, "the generator runs")
                self.assertNotEqual(list(self.scratch.iterdir()), [])
                process.send_signal(number)
                self.assertEqual((*process.communicate(timeout=30), process.returncode), ("", "", -number))
                self.check_nothing_left()

    def test_control_c_goes_to_the_whole_group(self):
        with self.start("compile", "gens", "-g", "any", "-o", "kernels", start_new_session=True) as process:
            self.until(lambda: len(self.running("sleep")) == 2, "the generator runs")
            os.killpg(process.pid, signal.SIGINT)
            self.assertEqual((*process.communicate(timeout=30), process.returncode), ("", "", -signal.SIGINT))
            self.check_nothing_left()

    def test_no_process_outlives_one_that_is_killed(self):
        with self.start("explain", "gens", "-g", "any") as process:
            self.until(lambda: len(self.running("sleep")) == 2, "the generator runs")
            process.kill()
            process.communicate(timeout=30)
            self.check_gone()
        self.save()
        with self.start("compare", "p.hlpipe", "--against", "root", "--plugin", f"Hang={BAD}") as process:
            self.until(lambda: self.running("Hang"), "the scheduler hangs")
            process.kill()
            process.communicate(timeout=30)
            self.check_gone()

    def save(self):
        self.done("explain", GENERATORS, "-g", "pointwise_chain", "n=100", "--save", "p.hlpipe")

    def test_signals_while_a_scheduler_hangs(self):
        self.save()
        for number in ENDING:
            with self.subTest(number), self.start("compare", "p.hlpipe", "--against", "root", "--plugin", f"Hang={BAD}") as process:
                self.until(lambda: self.running("\"Hang\""), "the scheduler hangs")
                process.send_signal(number)
                process.communicate(timeout=30)
                self.assertEqual(process.returncode, -number)
                self.check_nothing_left()

    def test_signals_while_it_compiles(self):
        for number in ENDING:
            with self.subTest(number), self.start("compile", GENERATORS, *SLOW, "-o", "kernels") as process:
                self.until(lambda: any(n.startswith(".eutectic") for n in self.names()), "it has a folder for what it compiles")
                time.sleep(1)
                process.send_signal(number)
                self.assertEqual((*process.communicate(timeout=30), process.returncode), ("", "", -number))
                self.check_nothing_left()
                self.assertNotIn("kernels", self.names())

    def test_a_signal_that_was_ignored_before_stays_so(self):
        with self.start("explain", "gens", "-g", "any", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:  # nohup
            self.until(lambda: len(self.running("sleep")) == 2, "the generator runs")
            process.send_signal(signal.SIGHUP)
            time.sleep(1)
            self.assertIsNone(process.poll())
            process.terminate()
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, -signal.SIGTERM)
            self.check_nothing_left()

    def ended(self, what, seconds):
        return f"eutectic: {what} took longer than {seconds} s, and was ended: find out what it waits for, or give more as --timeout SECONDS.\n"

    def test_timeout_of_a_generator(self):
        for words in (["explain"], ["compare"], ["compile", "-o", "kernels"], ["grad", "-o", "kernels"], ["profile"]):
            with self.subTest(words):
                result = self.run_command(words[0], "gens", "-g", "any", *words[1:], "--timeout", 1, env=self.environment(), timeout=60)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (124, "", self.ended("Running the generator any of gens", 1)))
                self.check_nothing_left()
                self.assertNotIn("kernels", self.names())

    def test_timeout_of_compiling(self):
        result = self.run_command("compile", GENERATORS, *SLOW, "-o", "kernels", "--effort", "best", "--timeout", 1, env=self.environment(), timeout=60)
        self.assertEqual((result.returncode, result.stdout), (124, ""), result.stderr)
        self.assertIn(result.stderr, [self.ended(f"{doing} {GENERATORS} -g mlp_loss_gradient", 1) for doing in ("Working on", "Compiling")])
        self.check_nothing_left()
        self.assertNotIn("kernels", self.names())

    def test_what_takes_long_is_told(self):
        with self.start("explain", "gens", "-g", "any", "--timeout", 12) as process:
            said = process.communicate(timeout=60)[1]
        step = "Running the generator any of gens"
        self.assertRegex(said, rf"^eutectic: {step}: 1[0-2] s so far\n{self.ended(step, 12)}$")

    def test_help(self):
        self.assertIn("124 a step took longer than --timeout", self.done("--help"))
        self.assertIn("--timeout 60", self.done("--help"))
        for command in ("explain", "compare", "compile", "grad", "profile"):
            self.assertRegex(self.done(command, "--help"), r"--timeout SECONDS\S*( .*)?\s+seconds that a step may take")


if __name__ == "__main__":
    main()
