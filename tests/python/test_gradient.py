"""Gradients against finite differences in double precision and against what is written out in numpy."""

import unittest

import halide as hl
import numpy

import eutectic


def estimates(*buffers, size):
    for buffer in buffers:
        for d in range(buffer.dimensions()):
            buffer.dim(d).set_estimate(0, size)


def dense(kind, activation, size=48):
    x, w, b = hl.ImageParam(kind, 2, "x"), hl.ImageParam(kind, 2, "w"), hl.ImageParam(kind, 1, "b")
    i, j, r = hl.Var("i"), hl.Var("j"), hl.RDom([(0, x.dim(0).extent())], "r")
    z, y = hl.Func("z"), hl.Func("y")
    z[i, j] = b[i]
    z[i, j] += x[r.x, j] * w[i, r.x]
    y[i, j] = activation(z[i, j])
    estimates(x, w, b, size=size)
    y.set_estimates([(0, size)] * 2)
    return y


def blur(kind, size=64):
    """y(i) of three neighbours of x, of which those outside are 0, times a scale."""
    x, scale = hl.ImageParam(kind, 1, "x"), hl.Param(kind, "scale")
    i = hl.Var("i")
    padded, squared, y = (hl.Func(name) for name in ("padded", "squared", "y"))
    at = hl.clamp(i, 0, x.dim(0).extent() - 1)
    padded[i] = hl.select((i >= 0) & (i < x.dim(0).extent()), x[at], hl.cast(kind, 0))
    squared[i] = padded[i] * padded[i]
    y[i] = scale * (squared[i - 1] + squared[i] * padded[i] + squared[i + 1])
    estimates(x, size=size)
    scale.set_estimate(2.0)
    y.set_estimates([(0, size)])
    return y


class Gradients(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(1)

    def array(self, *shape, kind=numpy.float64):
        return self.random.standard_normal(shape).astype(kind)

    def check_by_differences(self, pair, inputs, d_output, wrt, step=1e-6, shapes=None):
        """Directional derivatives of sum(d_output * y), along random directions."""
        outputs, kept = pair.forward(shapes=shapes, **inputs)
        gradients = pair.backward(kept, y=d_output)
        for name in wrt:
            direction = self.array(*numpy.shape(inputs[name]))
            values = []
            for sign in (1, -1):
                moved = {**inputs, name: inputs[name] + sign * step * direction}
                values.append((pair.forward(shapes=shapes, **moved)[0]["y"] * d_output).sum())
            slope = (values[0] - values[1]) / (2 * step)
            self.assertAlmostEqual(float((gradients[name] * direction).sum()), slope, delta=1e-6 * max(1, abs(slope)), msg=name)
        return outputs, gradients

    def test_of_doubles(self):
        pair = eutectic.Gradient(dense(hl.Float(64), hl.tanh))
        self.assertEqual(sorted(pair.inputs), ["b", "w", "x"])
        self.assertEqual(pair.outputs, ("y",))
        for rows, terms, columns in ((48, 48, 48), (7, 3, 5), (1, 1, 1), (65, 50, 33)):
            with self.subTest(rows=rows, terms=terms, columns=columns):
                inputs = {"x": self.array(rows, terms) / terms, "w": self.array(terms, columns), "b": self.array(columns)}
                outputs, _ = self.check_by_differences(pair, inputs, self.array(rows, columns), ["x", "w", "b"])
                numpy.testing.assert_allclose(outputs["y"], numpy.tanh(inputs["x"] @ inputs["w"] + inputs["b"]), atol=1e-12)

    def test_of_floats_that_keep_a_mask(self):
        pair = eutectic.Gradient(dense(hl.Float(32), lambda z: hl.max(z, 0.0), size=256), wrt=["w", "b"])
        kept_kinds = {r["kind"] for r in pair.residuals}
        for rows, terms, columns in ((256, 256, 256), (9, 20, 13)):
            x, w, b = self.array(rows, terms, kind=numpy.float32), self.array(terms, columns, kind=numpy.float32), self.array(columns, kind=numpy.float32)
            dy = self.array(rows, columns, kind=numpy.float32)
            outputs, kept = pair.forward(x=x, w=w, b=b)
            gradients = pair.backward(kept, y=dy)
            self.assertEqual(list(gradients), ["w", "b"])
            dz = numpy.where(outputs["y"] > 0, dy, 0).astype(numpy.float64)
            numpy.testing.assert_allclose(gradients["w"], x.T.astype(numpy.float64) @ dz, atol=1e-3)
            numpy.testing.assert_allclose(gradients["b"], dz.sum(0), atol=1e-4)
            self.assertEqual(kept.bytes > 0, bool(kept_kinds))
        self.assertIn("-> (y), keeps ", repr(pair))

    def test_a_constant(self):
        i, x = hl.Var("i"), hl.ImageParam(hl.Float(64), 1, "x")
        rounded, y = hl.Func("rounded"), hl.Func("y")
        rounded[i] = hl.round(x[i]) * x[i]
        self.assertIs(eutectic.stop_gradient(rounded), rounded)
        y[i] = rounded[i] * x[i]
        for of in (x, y):
            of.set_estimates([(0, 9)])
        given, upstream = numpy.linspace(-4, 4, 9) + 0.3, numpy.arange(9.0)
        layer = eutectic.Gradient(y)
        outputs, kept = layer.forward(x=given)
        numpy.testing.assert_allclose(outputs["y"], numpy.round(given) * given * given)
        numpy.testing.assert_allclose(layer.backward(kept, y=upstream)["x"], upstream * numpy.round(given) * given)

    def test_of_a_scalar_and_of_what_lies_beyond_an_end(self):
        pair = eutectic.Gradient(blur(hl.Float(64)), wrt=["x", "scale"])
        for size in (64, 1, 7):
            with self.subTest(size=size):
                inputs = {"x": self.array(size), "scale": 1.5}
                self.check_by_differences(pair, inputs, self.array(size), ["x", "scale"], shapes={"y": (size,)})
        with self.assertRaisesRegex(eutectic.Error, r"^The size of output y does not follow from the inputs: give it as shapes=\{'y': \(\.\.\.\)\}\.$"):
            pair.forward(x=self.array(8), scale=1.0)

    def test_reports_of_both(self):
        pair = eutectic.Gradient(dense(hl.Float(32), hl.tanh), budget="64KiB")
        self.assertTrue(pair.forward_report.groups)
        self.assertTrue(any(g.root.startswith("d_") for g in pair.backward_report.groups))

    def test_refusals_are_sentences(self):
        def refused(call):
            with self.assertRaises(eutectic.Error) as caught:
                call()
            return str(caught.exception)

        y = dense(hl.Float(32), hl.tanh)
        self.assertEqual(refused(lambda: eutectic.Gradient(y, wrt=["v"])), "--wrt names v, which is no input of the pipeline: it has b, w, x.")
        self.assertRegex(refused(lambda: eutectic.Gradient(y, budget="lots")), r"^--budget .*\.$")
        pair = eutectic.Gradient(y)
        a, b = self.array(4, 4, kind=numpy.float32), self.array(4, kind=numpy.float32)
        _, kept = pair.forward(x=a, w=a, b=b)
        self.assertEqual(refused(lambda: pair.forward(x=a, w=a)), "The call of forward() lacks the input b: it takes b, w, x, by name.")
        self.assertEqual(refused(lambda: pair.forward(x=a, w=a, b=b, c=b)), "The call of forward() was given c: it takes b, w, x, by name.")
        self.assertRegex(refused(lambda: pair.forward(x=a.astype(numpy.float64), w=a, b=b)), "has the type float64, and the pipeline takes float32: convert it")
        self.assertRegex(refused(lambda: pair.forward(x=a, w=b, b=b)), "has 1 dimensions, and the pipeline takes 2")
        self.assertRegex(refused(lambda: pair.backward(kept, y=a[:3])), r"has the shape \(3, 4\), and the output has \(4, 4\)")
        self.assertEqual(refused(lambda: pair.backward(kept)), "The call of backward() lacks the gradient of output y: it takes y, by name.")


if __name__ == "__main__":
    unittest.main()
