#!/usr/bin/env python3
"""The scheduler in Halide's Python bindings: load, apply, run, compare.

usage: test_python.py GENERATORS PLUGIN
"""

import json
import os
import sys
import tempfile
import unittest

import halide as hl
import numpy as np


def dense(m, k, n):
    """relu(x w + b) as three Funcs, with estimates and no schedule."""
    i, j = hl.Var("i"), hl.Var("j")
    x, w, b = hl.ImageParam(hl.Float(32), 2, "x"), hl.ImageParam(hl.Float(32), 2, "w"), hl.ImageParam(hl.Float(32), 1, "b")
    r = hl.RDom([(0, x.dim(0).extent())], "r")
    matmul, z, y = hl.Func("matmul"), hl.Func("z"), hl.Func("y")
    matmul[j, i] = 0.0
    matmul[j, i] += x[r, i] * w[j, r]
    z[j, i] = matmul[j, i] + b[j]
    y[j, i] = hl.max(z[j, i], 0.0)
    x.set_estimates([(0, k), (0, m)])
    w.set_estimates([(0, n), (0, k)])
    b.set_estimates([(0, n)])
    y.set_estimates([(0, n), (0, m)])
    return hl.Pipeline(y), x, w, b


def apply(pipeline, **extra):
    values = {name: str(value) for name, value in extra.items()}
    return pipeline.apply_autoscheduler(hl.get_jit_target_from_environment(), hl.AutoschedulerParams("Eutectic", values))


class Python(unittest.TestCase):
    def test_scheduled_pipeline_gives_numpys_values(self):
        pipeline, x, w, b = dense(64, 100, 96)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            result = apply(pipeline, parallelism=2, report=path)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        self.assertIn("compute_root()", result.schedule_source)
        self.assertEqual(len(report["groups"]), 1)
        random = np.random.default_rng(7)
        for m, k, n in ((64, 100, 96), (1, 1, 1), (5, 3, 33)):
            xs, ws, bs = (random.standard_normal(shape, dtype=np.float32) for shape in ((m, k), (k, n), (n,)))
            for parameter, values in ((x, xs), (w, ws), (b, bs)):
                parameter.set(hl.Buffer(values))  # the last axis is Halide's innermost dimension
            got = np.array(pipeline.realize([n, m]))
            np.testing.assert_allclose(got, np.maximum(xs @ ws + bs, 0), rtol=1e-4, atol=1e-4)

    def test_bad_parameter_is_an_exception_with_its_sentence(self):
        pipeline = dense(8, 8, 8)[0]
        with self.assertRaisesRegex(hl.HalideError, "The scheduler parameter speed is unknown: known parameters are parallelism, "):
            apply(pipeline, speed=11)


if __name__ == "__main__":
    hl.load_plugin(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
