"""A small layer in double, of which tests of `eutectic grad` take gradients, and values for it."""

import halide as hl
import numpy as np


def drawn(*shape, seed=1, low=-1, high=1):
    return np.random.default_rng(seed).uniform(low, high, shape)


def scaled_layer():
    """tanh(rate * (x w + b)) in double, of which only the output has a name; and how many of its values are negative."""
    i, j = hl.Var(), hl.Var()
    x, w, b, rate = hl.ImageParam(hl.Float(64), 2, "x"), hl.ImageParam(hl.Float(64), 2, "w"), hl.ImageParam(hl.Float(64), 1, "b"), hl.Param(hl.Float(64), "rate")
    r = hl.RDom([(0, x.dim(0).extent())])
    product, y, negative = hl.Func(), hl.Func("scaled"), hl.Func("negative")
    product[j, i] = hl.f64(0)
    product[j, i] += x[r, i] * w[j, r]
    y[j, i] = hl.tanh(rate * (product[j, i] + b[j]))
    negative[j, i] = hl.cast(hl.Int(32), y[j, i] < 0)
    for p, sizes in ((x, (5, 7)), (w, (9, 5)), (b, (9,)), (y, (9, 7)), (negative, (9, 7))):
        p.set_estimates([(0, n) for n in sizes])
    rate.set_estimate(0.5)
    return hl.Pipeline([y, negative])
