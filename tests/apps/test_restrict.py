#!/usr/bin/env python3
"""What --isa tells the frameworks: their environment and Inductor's compiler.

usage: test_restrict.py COMPILER            environment, compiler
       test_restrict.py inductor [PYTHON]   no 512-bit register in what torch.compile makes for avx2; 77 where that cannot be seen
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

peers = pathlib.Path(__file__).resolve().parents[2] / "apps/bench/peers"
sys.path.insert(0, str(peers))
import restrict  # noqa: E402

COMPILER = "g++"


class Environment(unittest.TestCase):
    def setUp(self):
        self.before = dict(os.environ)
        self.folder = tempfile.TemporaryDirectory()
        os.environ["CXX"] = COMPILER

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self.before)
        self.folder.cleanup()

    def test_every_library_is_told(self):
        os.environ["XLA_FLAGS"] = "--xla_dump_to=here"
        restrict.restrict("avx2", self.folder.name)
        told = {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2",
                "OPENBLAS_CORETYPE": "Haswell", "XLA_FLAGS": "--xla_dump_to=here --xla_cpu_max_isa=AVX2"}
        self.assertEqual({name: os.environ[name] for name in told}, told)

    def test_the_widest_is_told_too(self):
        restrict.restrict("avx512", self.folder.name)
        self.assertEqual(os.environ["ATEN_CPU_CAPABILITY"], "avx512")
        self.assertTrue(os.environ["XLA_FLAGS"].endswith("--xla_cpu_max_isa=AVX512"))

    def test_the_compiler_keeps_to_it_though_told_native(self):
        for isa, wide in [("avx2", False), ("avx512", True)]:
            restrict.restrict(isa, pathlib.Path(self.folder.name) / isa)
            macros = subprocess.run([os.environ["CXX"], "-march=native", "-dM", "-E", "-x", "c++", "/dev/null"], check=True,
                                    stdout=subprocess.PIPE, text=True).stdout
            self.assertIn("__AVX2__", macros)
            self.assertEqual("__AVX512F__" in macros, wide)
            os.environ["CXX"] = COMPILER

    def test_a_compiler_that_is_not_there_is_said(self):
        os.environ["CXX"] = "no-such-compiler"
        with self.assertRaisesRegex(FileNotFoundError, "there is no no-such-compiler; install g"):
            restrict.restrict("avx2", self.folder.name)


COMPILE = """
import os, pathlib, sys
isa, cache, peers = sys.argv[1:]
sys.path.insert(0, peers)
os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache + "/inductor"
import restrict
if isa: restrict.restrict(isa, cache)
import torch
if isa: restrict.restrict_inductor(isa)
x = torch.randn(1 << 16)
torch.compile(lambda x: torch.tanh(x * 2 + 1).relu())(x)
"""


def registers(python, isa):
    """How many instructions in Inductor's objects use a 512-bit register, and how many objects there are."""
    with tempfile.TemporaryDirectory() as cache:
        subprocess.run([python, "-c", COMPILE, isa, cache, str(peers)], check=True)
        objects = list(pathlib.Path(cache, "inductor").rglob("*.so"))
        code = [subprocess.run(["objdump", "-d", path], check=True, stdout=subprocess.PIPE, text=True).stdout for path in objects]
        return sum(text.count("zmm") for text in code), len(objects)


def inductor(python):
    if not pathlib.Path(python).exists():
        return "PyTorch is not installed (scripts/peers installs it)"
    if "avx512vl" not in pathlib.Path("/proc/cpuinfo").read_text().split():
        return "this processor has no 512-bit vectors that would have to be absent"
    wide, objects = registers(python, "")
    assert wide > 0 and objects > 0, "unrestricted, Inductor's %d objects have no 512-bit register: the test sees nothing" % objects
    narrow, objects = registers(python, "avx2")
    assert narrow == 0 and objects > 0, "%d instructions in %d objects of Inductor use 512-bit registers with --isa avx2" % (narrow, objects)
    return ""


if __name__ == "__main__":
    if sys.argv[1:2] == ["inductor"]:
        skipped = inductor(sys.argv[2] if len(sys.argv) > 2 else str(peers.parents[2] / ".venv-peers/bin/python"))
        print("Skipped: " + skipped if skipped else "no 512-bit register")
        sys.exit(77 if skipped else 0)
    if len(sys.argv) > 1:
        COMPILER = sys.argv.pop()
    unittest.main()
