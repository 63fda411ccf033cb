"""What the tests of the command `eutectic` share. usage of each: TEST EUTECTIC GENERATORS PLUGIN CXX"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EUTECTIC, GENERATORS, PLUGIN, CXX = sys.argv[1:5]
# What is only planned or compiled; what runs is for the host.
TARGET = "x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41"


def generators():
    listed = subprocess.run([GENERATORS], capture_output=True, text=True).stderr
    return re.findall(r"^    (\w+)$", listed, re.MULTILINE)


class Case(unittest.TestCase):
    """A folder of its own, in which everything runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_command(self, *words, **options):
        """What it did. That something takes long, as anything may on a busy machine, is left out of what it said."""
        result = subprocess.run([EUTECTIC, *map(str, words)], capture_output=True, text=True, cwd=self.folder, **options)
        result.stderr = re.sub(r"^eutectic: [^\n]*: \d+ s so far\n", "", result.stderr, flags=re.MULTILINE)
        return result

    def done(self, *words):
        result = self.run_command(*words)
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        return result.stdout

    def report(self, *words):
        return json.loads(self.done("explain", *words, "--json"))

    def refused(self, sentence, *words):
        """One line on standard error, nothing on standard output, status 2."""
        result = self.run_command(*words)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", f"eutectic: {sentence}\n"), words)

    def names(self, folder="."):
        return sorted(p.name for p in (self.folder / folder).iterdir())

    def shared(self, archive, *more):
        """A library that can be loaded, out of a static one with its runtime."""
        path = self.folder / "kernel.so"
        subprocess.run([CXX, "-shared", "-o", path, "-Wl,--whole-archive", self.folder / archive, *more, "-Wl,--no-whole-archive", "-ldl", "-lpthread"], check=True)
        return str(path)


def main():
    unittest.main(argv=sys.argv[:1])
