"""Pairs as operations that C++ registers, compiled by the Python module: what operations in Python are held to, and refusals."""

import json
import os
import pathlib
import unittest
import unittest.mock

import pairs
import test_operation
import torch

import eutectic
import eutectic.torch


class Compiled(test_operation.Checks, unittest.TestCase):
    @classmethod
    def made(cls, reports):
        return {name: eutectic.torch.operation(report, compiled=True) for name, report in reports.items()}

    def test_beside_one_of_python(self):
        report = self.folder / "two.report.json"
        in_python = eutectic.torch.operation(report, name="two_in_python")
        x = torch.rand(3, 4, dtype=torch.double)
        for got, wanted in zip(self.two(x, 3), in_python(x, 3)):
            self.assertTrue(torch.equal(got, wanted))
        self.assertEqual(repr(eutectic.torch.operation(report, compiled=True)), "<eutectic.torch.Operation eutectic::two(Tensor x, SymInt n) -> (Tensor, Tensor)>")


class Refusals(test_operation.InFolder):
    def refused(self, sentence, report, **options):
        with self.assertRaises(eutectic.Error) as caught:
            eutectic.torch.operation(report, compiled=True, **options)
        self.assertRegex(str(caught.exception), sentence)

    def test_sizes(self):
        report = pairs.compiled(pairs.bordered, self.folder)
        self.refused(r"^The pair of .*bordered.report.json gives y, whose sizes do not follow from its inputs: make it an operation in Python, by eutectic.torch.operation\(\.\.\., shapes=\.\.\.\)\.$", report, name="bordered_a")
        self.refused(r"^The operation eutectic::bordered_b was given shapes, which are functions of Python, and compiled=True: leave one of them out.$", report, name="bordered_b", shapes={"y": lambda x: x})

    def test_other_code(self):
        report = pathlib.Path(pairs.compiled(pairs.two, self.folder))
        told = json.loads(report.read_text())
        for key, sentence in (
            ("forward", "two_forward, as it was linked, takes x (float64, 2 dimensions) as argument 1, and its caller was compiled for n (int32, a number) there; compile the caller with what was written together with the library."),
            ("backward", "two_backward, as it was linked, takes x (float64, 2 dimensions) as argument 1, and its caller was compiled for n (int32, a number) there; compile the caller with what was written together with the library."),
        ):
            report.write_text(json.dumps({**told, key: ["n", "x", *told[key][2:]]}))
            other = eutectic.torch.operation(report, compiled=True, name=f"two_other_{key}")
            x = torch.rand(2, 3, dtype=torch.double).requires_grad_()
            with self.assertRaises(RuntimeError) as caught:
                sum(y.sum() for y in other(x, 3)).backward()
            self.assertEqual(str(caught.exception).splitlines()[0], sentence)

    def test_compilers(self):
        report = pairs.compiled(pairs.two, self.folder)
        with unittest.mock.patch.dict(os.environ, CXX="/bin/false"):
            self.refused(r"^/bin/false cannot compile what operations have in common \(.*\): name another C\+\+ compiler in CXX, or leave compiled=True out.$", report, name="two_false")
        with unittest.mock.patch.dict(os.environ, CXX="no-such-compiler"):
            self.refused(r"^There is no no-such-compiler to compile what operations have in common with: install g\+\+, name a C\+\+ compiler in CXX, or leave compiled=True out.$", report, name="two_none")


if __name__ == "__main__":
    unittest.main()
