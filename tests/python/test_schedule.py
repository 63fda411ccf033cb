"""apply, explain, compile_to_callable, and what is refused."""

import dataclasses
import os
import subprocess
import sys
import tempfile
import unittest

import halide as hl
import numpy

import eutectic


def layer(size=64):
    """y = max(x w, floor), of arrays (rows, columns)."""
    x, w = (hl.ImageParam(hl.Float(32), 2, name) for name in "xw")
    floor = hl.Param(hl.Float(32), "floor")
    i, j, r = hl.Var("i"), hl.Var("j"), hl.RDom([(0, x.dim(0).extent())], "r")
    product, y = hl.Func("product"), hl.Func("y")
    product[i, j] = 0.0
    product[i, j] += x[r.x, j] * w[i, r.x]
    y[i, j] = hl.max(product[i, j], floor)
    for p in (x, w):
        for d in range(2):
            p.dim(d).set_estimate(0, size)
    floor.set_estimate(0.0)
    y.set_estimates([(0, size)] * 2)
    return y, x, w, floor


def expected(x, w, floor):
    return numpy.maximum(x.astype(numpy.float64) @ w, floor)


class Schedule(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(0)

    def array(self, *shape):
        return self.random.standard_normal(shape).astype(numpy.float32)

    def refused(self, call):
        with self.assertRaises(eutectic.Error) as caught:
            call()
        return str(caught.exception)

    def test_explain_leaves_the_pipeline_as_it_is(self):
        y, *_ = layer()
        report = eutectic.explain(y)
        self.assertEqual([sorted(g.members) for g in report.groups], [["product", "y"]])
        self.assertEqual([(e.producer, e.consumer) for e in report.edges], [("product", "y")])
        self.assertGreater(report.cost.total_seconds, 0)
        self.assertLess(report.traffic.fused_bytes, report.traffic.unfused_bytes)
        self.assertEqual(eutectic.explain(y).plan_hash, report.plan_hash)
        self.assertEqual(eutectic.apply(y).report.plan_hash, report.plan_hash)  # would be refused, were it scheduled

    def test_a_report_is_data_text_and_html(self):
        y, *_ = layer()
        report = eutectic.explain(y)
        self.assertIn("product → y", str(report))
        self.assertIn(report.groups[0].policy, str(report))
        self.assertIn("<td style=\"text-align:left\">product → y</td>", report._repr_html_())
        self.assertIn("compute_root()", report.schedule)
        self.assertEqual(len(report.group_table()), 1 + len(report.groups))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            report.plan_hash = ""

    def test_a_report_tells_of_places_without_loops(self):
        y, *_ = layer()
        data = eutectic.explain(y).json
        edge = {**data["edges"][0], "runner_up": {"decision": "in block", "of": "y", "total_seconds": None, "more_seconds": None}}
        report = eutectic.Report.from_json({**data, "edges": [edge]})
        self.assertIn("in block, for which no policy has loops", str(report))
        self.assertIn("in block, for which no policy has loops", report._repr_html_())

    def test_applied_pipelines_run(self):
        for rows, terms, columns in ((64, 64, 64), (37, 5, 3), (1, 1, 1), (130, 70, 129)):
            with self.subTest(rows=rows, terms=terms, columns=columns):
                y, x, w, floor = layer()
                eutectic.apply(y, effort="best")
                a, b = self.array(rows, terms), self.array(terms, columns)
                x.set(hl.Buffer(a))
                w.set(hl.Buffer(b))
                floor.set(0.25)
                numpy.testing.assert_allclose(numpy.array(y.realize([columns, rows])), expected(a, b, 0.25), atol=1e-4)

    def test_callables_take_arrays(self):
        y, x, w, floor = layer()
        run = eutectic.compile_to_callable(y, [x, w, floor])
        self.assertEqual(run.names, ("x", "w", "floor", "y"))
        for rows, terms, columns in ((64, 64, 64), (37, 5, 3)):
            a, b, c = self.array(rows, terms), self.array(terms, columns), numpy.empty((rows, columns), numpy.float32)
            run(a, b, -0.5, c)
            numpy.testing.assert_allclose(c, expected(a, b, -0.5), atol=1e-4)
        by_name = eutectic.compile_to_callable(y)
        self.assertEqual(by_name.names, ("floor", "w", "x", "y"))
        self.assertEqual(by_name.report.plan_hash, run.report.plan_hash)

    def test_parameters_reach_the_scheduler(self):
        y, *_ = layer()
        self.assertNotEqual(eutectic.explain(y, unfused=True).plan_hash, eutectic.explain(y).plan_hash)
        self.assertIn("AMD Zen 3", eutectic.explain(y, target="x86-64-linux-avx2-fma", machine="zen3").machine)
        self.assertEqual(eutectic.explain(y, target="x86-64-linux-avx2-fma-strict_float").numerics, "strict")
        self.assertIn("parallelism 3", eutectic.explain(y, target="x86-64-linux-avx2-fma", parallelism=3).machine)

    def test_refusals_are_sentences(self):
        y, x, w, floor = layer()
        run = eutectic.compile_to_callable(y, [x, w, floor])
        a = self.array(8, 8)
        self.assertRegex(self.refused(lambda: eutectic.explain(y, speed=9)), r"^The scheduler parameter speed is unknown: .*\.$")
        self.assertRegex(self.refused(lambda: eutectic.apply(y, report="r.json")), r"^The parameter report names a file, .*\.$")
        self.assertRegex(self.refused(lambda: eutectic.explain(y, target="x86-65")), r"^The target x86-65 is none that Halide knows: .*\.$")
        self.assertEqual(self.refused(lambda: run(a, a)), "The pipeline takes 4 arguments (x, w, floor, y), and was given 2.")
        self.assertRegex(self.refused(lambda: run(a, a, 0.0, a.astype(numpy.float64))), "y has type float32 but .* float64")
        self.assertRegex(self.refused(lambda: run(a, a[:5], 0.0, a.copy())), "Input buffer w is accessed at 7, which is beyond the max")
        self.assertRegex(self.refused(lambda: eutectic.compile_to_callable(y, [x])), "^The pipeline reads the inputs floor, w, x, and was given x: name each once.$")
        unknown, i = hl.Func("unknown"), hl.Var("i")
        unknown[i] = i
        self.assertRegex(self.refused(lambda: eutectic.explain(unknown)), "^Output unknown has no estimate for its dimension 0 ")

    def test_what_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as empty:
            code = "import eutectic\ntry:\n    eutectic.load()\nexcept eutectic.Error as e:\n    print(e)\n"
            said = subprocess.run([sys.executable, "-B", "-c", code], env={**os.environ, "EUTECTIC_ROOT": empty}, capture_output=True, text=True, check=True)
        self.assertEqual(
            said.stdout,
            f"The plugin of Eutectic is not in {empty}: install the wheel, or set EUTECTIC_ROOT to a folder that has lib/libautoschedule_eutectic.so.\n",
        )

    def test_loading_twice_is_loading_once(self):
        self.assertEqual(eutectic.load(), eutectic.load())
        self.assertTrue(eutectic.command().is_file())


if __name__ == "__main__":
    unittest.main()
