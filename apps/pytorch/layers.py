"""The fused layers of the transformer, as Halide pipelines without a schedule, and pairs of them by `eutectic grad`; apps/jax has them, too."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import halide as hl

import eutectic

Made = tuple[hl.Pipeline, list[str], list[str]]


def _estimates(*of: tuple[Any, Sequence[int]]) -> None:
    for parameter, sizes in of:
        parameter.set_estimates([(0, size) for size in sizes])


def normalized(rows: int, width: int) -> Made:
    """y = (x - mean) / sqrt(variance + 1e-5) scale + shift, along the rows of x[row, feature]."""
    c, s = hl.Var("c"), hl.Var("s")
    x, scale, shift = hl.ImageParam(hl.Float(32), 2, "x"), hl.ImageParam(hl.Float(32), 1, "scale"), hl.ImageParam(hl.Float(32), 1, "shift")
    r, count = hl.RDom([(0, x.dim(0).extent())]), hl.cast(hl.Float(32), x.dim(0).extent())
    total, mean, fixed, squares = hl.Func("total"), hl.Func("mean"), hl.Func("fixed"), hl.Func("squares")
    inverse, y = hl.Func("inverse"), hl.Func("y")
    total[s] = hl.f32(0)
    total[s] += x[r, s]
    mean[s] = total[s] / count
    # To the squares the mean is a constant: what it would add to their gradient is a sum of all x - mean, which is 0, and one pass more.
    fixed[s] = mean[s]
    eutectic.stop_gradient(fixed)
    squares[s] = hl.f32(0)
    squares[s] += (x[r, s] - fixed[s]) * (x[r, s] - fixed[s])
    # A Func, so that what is summed up over a row in the backward is a product without a quotient.
    inverse[s] = hl.f32(1) / hl.sqrt(squares[s] / count + hl.f32(1e-5))
    y[c, s] = (x[c, s] - mean[s]) * inverse[s] * scale[c] + shift[c]
    _estimates((x, (width, rows)), (scale, (width,)), (shift, (width,)), (y, (width, rows)))
    return hl.Pipeline([y]), ["x", "scale", "shift"], []


def dense_gelu(rows: int, inputs: int, outputs: int) -> Made:
    """y = gelu(x w + b), by tanh, of x[row, input] and w[input, output]."""
    o, s = hl.Var("o"), hl.Var("s")
    x, w, b = hl.ImageParam(hl.Float(32), 2, "x"), hl.ImageParam(hl.Float(32), 2, "w"), hl.ImageParam(hl.Float(32), 1, "b")
    r, product, z, y = hl.RDom([(0, x.dim(0).extent())]), hl.Func("product"), hl.Func("z"), hl.Func("y")
    product[o, s] = hl.f32(0)
    product[o, s] += x[r, s] * w[o, r]
    z[o, s] = product[o, s] + b[o]
    v = z[o, s]
    y[o, s] = hl.f32(0.5) * v * (hl.f32(1) + hl.tanh(hl.f32(0.7978845608) * (v + hl.f32(0.044715) * v * v * v)))
    _estimates((x, (inputs, rows)), (w, (outputs, inputs)), (b, (outputs,)), (y, (outputs, rows)))
    return hl.Pipeline([y]), ["x", "w", "b"], []


def dense_residual(rows: int, inputs: int, outputs: int) -> Made:
    """y = x w + b + skip, of x[row, input], w[input, output] and skip[row, output]."""
    o, s = hl.Var("o"), hl.Var("s")
    x, w, b = hl.ImageParam(hl.Float(32), 2, "x"), hl.ImageParam(hl.Float(32), 2, "w"), hl.ImageParam(hl.Float(32), 1, "b")
    skip = hl.ImageParam(hl.Float(32), 2, "skip")
    r, product, y = hl.RDom([(0, x.dim(0).extent())]), hl.Func("product"), hl.Func("y")
    product[o, s] = hl.f32(0)
    product[o, s] += x[r, s] * w[o, r]
    y[o, s] = product[o, s] + b[o] + skip[o, s]
    _estimates((x, (inputs, rows)), (w, (outputs, inputs)), (b, (outputs,)), (skip, (outputs, rows)), (y, (outputs, rows)))
    return hl.Pipeline([y]), ["x", "w", "b", "skip"], []


def cross_entropy(rows: int, classes: int) -> Made:
    """The mean over rows of log(sum(exp(x))) - x[label], of logits x[row, class]."""
    s = hl.Var("s")
    x, labels = hl.ImageParam(hl.Float(32), 2, "x"), hl.ImageParam(hl.Int(32), 1, "labels")
    c, every = hl.RDom([(0, x.dim(0).extent())]), hl.RDom([(0, x.dim(1).extent())])
    largest, sums, row, loss = hl.Func("largest"), hl.Func("sums"), hl.Func("row"), hl.Func("loss")
    largest[s] = hl.Float(32).min()
    largest[s] = hl.max(largest[s], x[c, s])
    sums[s] = hl.f32(0)
    sums[s] += hl.exp(x[c, s] - largest[s])
    label = hl.clamp(labels[s], 0, x.dim(0).extent() - 1)
    row[s] = hl.log(sums[s]) + largest[s] - x[label, s]
    loss[()] = hl.f32(0)
    loss[()] += row[every] / hl.cast(hl.Float(32), x.dim(1).extent())
    _estimates((x, (classes, rows)), (labels, (rows,)))
    return hl.Pipeline([loss]), ["x", "labels"], ["--wrt", "x"]


def compiled(name: str, made: Made, folder: Path, tell: Callable[[str], None]) -> Path:
    """The report of the pair `name` of a pipeline, compiled into the folder."""
    pipeline, order, options = made
    tell(f"compiling {name}, forward and backward")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.hlpipe"
    hl.serialize_pipeline(pipeline, str(file))
    words = [str(eutectic.command()), "grad", str(file), "--args-order", ",".join(order), *options, "-o", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise eutectic.Error(done.stderr.strip())
    return folder / f"{name}.report.json"
