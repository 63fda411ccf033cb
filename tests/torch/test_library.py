"""Pairs as operations of PyTorch in C++: shared libraries that add_eutectic_torch_library and add_eutectic_library(… TORCH) make in a project outside of the
tree, held to what operations in Python are held to."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import pairs
import test_operation
import torch

HERE = pathlib.Path(__file__).parent
CMAKE = os.environ.get("CMAKE", "cmake")


class Project:
    """The project, built in a folder against the build that EUTECTIC_ROOT names, installed there."""

    def __init__(self, folder):
        self.folder, self.prefix = folder, folder / "prefix"
        self.environment = {k: v for k, v in os.environ.items() if k != "EUTECTIC_ROOT"}  # where find_package would look first
        self.run("--install", os.environ["EUTECTIC_ROOT"], "--prefix", self.prefix)

    def run(self, *words):
        done = subprocess.run([CMAKE, *map(str, words)], env=self.environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def configure(self, reports, torch_folder=torch.__path__[0]):
        return self.run(
            "-G", "Ninja", "-S", HERE / "project", "-B", self.folder / "build", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DREPORTS={';'.join(reports)}", f"-DGENERATOR={HERE.parent / 'install' / 'project' / 'layer.cpp'}", f"-DEUTECTIC_TORCH={torch_folder}",
        )  # fmt: skip

    def build(self, *targets):
        return self.run("--build", self.folder / "build", "--parallel", "2", *(["--target", *targets] if targets else []))


def succeeded(result):
    status, told = result
    if status != 0:
        raise AssertionError(told)


class Registered(test_operation.Checks, unittest.TestCase):
    @classmethod
    def made(cls, reports):
        project = Project(cls.folder)
        succeeded(project.configure(reports.values()))
        succeeded(project.build())
        for library in sorted((cls.folder / "build").glob("lib*.so")):
            torch.ops.load_library(library)
        return {name: getattr(torch.ops.eutectic, name) for name in reports}

    def test_of_a_generator(self):
        x, w, b = torch.rand(9, 5), torch.rand(5, 7).requires_grad_(), torch.rand(7).requires_grad_()
        y, wanted = torch.ops.eutectic.perceptron(x, w, b), torch.relu(x @ w + b)
        torch.testing.assert_close(y, wanted)
        torch.testing.assert_close(torch.autograd.grad(y.sum(), (w, b)), torch.autograd.grad(wanted.sum(), (w, b)))

    def test_runs_on_the_threads_of_torch(self):
        def threads():
            return len(os.listdir("/proc/self/task"))

        x, w, b = torch.rand(512, 256), torch.rand(256, 512), torch.rand(512)
        torch.set_num_threads(2)
        torch.rand(1 << 20).exp()
        before = threads()
        for _ in range(20):
            torch.ops.eutectic.perceptron(x, w, b)
        self.assertLessEqual(threads(), before)

    def test_is_not_made_again_in_python(self):
        import eutectic.torch

        with self.assertRaisesRegex(eutectic.Error, "^A library that was loaded has registered eutectic::two: call torch.ops.eutectic.two, or"):
            eutectic.torch.operation(self.folder / "two.report.json")


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.project = Project(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def refused(self, sentence, result):
        self.assertNotEqual(result[0], 0)
        self.assertIn(sentence, " ".join(result[1].split()))  # CMake wraps what it prints

    def test_configured(self):
        report = pairs.compiled(pairs.two, self.folder)
        self.refused(
            f"two_registered is a library for PyTorch, whose headers were not found in EUTECTIC_TORCH={self.folder}; install torch, call find_package(Torch), or set EUTECTIC_TORCH to the folder torch of a Python's packages.",
            self.project.configure([report], self.folder),
        )
        self.refused("add_eutectic_torch_library(none_registered) was given REPORT none.report.json, which is no file; write it with eutectic grad first.", self.project.configure(["none.report.json"]))
        other = self.folder / "two_forward.report.json"
        other.write_text("{}")
        self.refused(f"add_eutectic_torch_library(two_forward_registered) was given REPORT {other}, which is no report of a pair; name the one that stands beside NAME_forward.report.json.", self.project.configure([str(other)]))

    def test_built(self):
        report = pathlib.Path(pairs.compiled(pairs.bordered, self.folder))
        told = json.loads(report.read_text())
        for change, sentence in (
            ({}, "gives y, whose sizes do not follow from its inputs: make it an operation in Python, by eutectic.torch.operation(..., shapes=...)."),
            ({"version": 2}, "has a report of version 2, and this Eutectic reads 1: build both with one version."),
            ({"pair": "nn::bordered"}, "is in a namespace of C++, nn::bordered, whose functions cannot be looked up by name: compile it without one."),
            ({"inputs": []}, "takes no tensor, so that there is nothing to dispatch an operation by: give it an input that is a buffer."),
        ):
            report.write_text(json.dumps({**told, **change}))
            succeeded(self.project.configure([str(report)]))
            self.refused(f"The pair of {report} {sentence}", self.project.build("bordered_registered"))


if __name__ == "__main__":
    unittest.main()
