"""Small pipelines in double, as pairs that `eutectic grad` compiles: what operations are tested on. One more is a function here."""

import pathlib
import sys

import halide as hl

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "apps" / "pytorch"))
import layers  # noqa: E402


def _estimates(*of):
    for p, sizes in of:
        p.set_estimates([(0, n) for n in sizes])


def layer():
    """scaled = tanh(rate (x w + b)); negative, which has no gradient, has 1 where that is below 0."""
    o, s = hl.Var("o"), hl.Var("s")
    x, w, b = hl.ImageParam(hl.Float(64), 2, "x"), hl.ImageParam(hl.Float(64), 2, "w"), hl.ImageParam(hl.Float(64), 1, "b")
    rate, r = hl.Param(hl.Float(64), "rate"), hl.RDom([(0, x.dim(0).extent())])
    product, y, negative = hl.Func("product"), hl.Func("scaled"), hl.Func("negative")
    product[o, s] = hl.f64(0)
    product[o, s] += x[r, s] * w[o, r]
    y[o, s] = hl.tanh(rate * (product[o, s] + b[o]))
    negative[o, s] = hl.cast(hl.Int(32), y[o, s] < 0)
    _estimates((x, (5, 7)), (w, (9, 5)), (b, (9,)), (y, (9, 7)), (negative, (9, 7)))
    rate.set_estimate(0.5)
    return hl.Pipeline([y, negative]), ["x", "w", "b", "rate"], ["--of", "scaled", "--wrt", "w,b,rate", "--arg", "rate=0.5"]


def strided():
    """A window that moves by two, so that an element may be left over: y[n, i] = sum of x[n, 2 i + r] w[r]."""
    i, n = hl.Var("i"), hl.Var("n")
    x, w, y = hl.ImageParam(hl.Float(64), 2, "x"), hl.ImageParam(hl.Float(64), 1, "w"), hl.Func("y")
    r = hl.RDom([(0, w.dim(0).extent())])
    y[i, n] = hl.f64(0)
    y[i, n] += x[2 * i + r, n] * w[r]
    _estimates((x, (64, 5)), (w, (3,)), (y, (31, 5)))
    return hl.Pipeline([y]), ["x", "w"], []


def two():
    """Two outputs with gradients, and a number that has none: sum = x + n, product = x x."""
    i, j = hl.Var("i"), hl.Var("j")
    x, n = hl.ImageParam(hl.Float(64), 2, "x"), hl.Param(hl.Int(32), "n")
    total, product = hl.Func("total"), hl.Func("product")
    total[i, j] = x[i, j] + n
    product[i, j] = x[i, j] * x[i, j]
    _estimates((x, (8, 6)), (total, (8, 6)), (product, (8, 6)))
    n.set_estimate(3)
    return hl.Pipeline([total, product]), ["x", "n"], ["--of", "total,product", "--arg", "n=3"]


def bordered():
    """As many elements of x as a caller wants, squared, the last one again and again."""
    i = hl.Var("i")
    x, y = hl.ImageParam(hl.Float(64), 1, "x"), hl.Func("y")
    y[i] = x[hl.clamp(i, 0, x.dim(0).extent() - 1)] * x[hl.clamp(i, 0, x.dim(0).extent() - 1)]
    _estimates((x, (8,)), (y, (12,)))
    return hl.Pipeline([y]), ["x"], []


def rows():
    """The loss of rows of logits at labels, a single number: mean over rows of log(sum(exp(x))) - x[label]."""
    s = hl.Var("s")
    x, labels = hl.ImageParam(hl.Float(64), 2, "x"), hl.ImageParam(hl.Int(32), 1, "labels")
    c, all_rows = hl.RDom([(0, x.dim(0).extent())]), hl.RDom([(0, x.dim(1).extent())])
    sums, row, loss = hl.Func("sums"), hl.Func("row"), hl.Func("loss")
    sums[s] = hl.f64(0)
    sums[s] += hl.exp(x[c, s])
    row[s] = hl.log(sums[s]) - x[hl.clamp(labels[s], 0, x.dim(0).extent() - 1), s]
    loss[()] = hl.f64(0)
    loss[()] += row[all_rows] / hl.cast(hl.Float(64), x.dim(1).extent())
    _estimates((x, (10, 6)), (labels, (6,)))
    return hl.Pipeline([loss]), ["x", "labels"], ["--wrt", "x"]


def compiled(make, folder, *words):
    """The report of the pair `make`, compiled into the folder."""
    pipeline, order, options = make()
    return str(layers.compiled(make.__name__, (pipeline, order, [*options, *words]), pathlib.Path(folder), lambda text: None))
