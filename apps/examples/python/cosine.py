"""How alike the rows of two arrays are, by the cosine of the angle between them: a pipeline that is written
with Halide's Python package, planned by Eutectic, and run on numpy arrays.

usage: cosine.py [ROWS TERMS]
"""

import sys

try:
    import halide as hl
    import numpy

    import eutectic
except ImportError as error:
    remedy = "install Eutectic's wheel, or set PYTHONPATH and EUTECTIC_ROOT as README.md says"
    print(f"cosine.py: {error}: {remedy}.", file=sys.stderr)
    sys.exit(2)


def cosines(rows, terms):
    """The pipeline, and its inputs. Halide's first dimension is the last of an array."""
    a, b = (hl.ImageParam(hl.Float(32), 2, name) for name in "ab")
    j, i = hl.Var("j"), hl.Var("i")
    k = hl.RDom([(0, a.dim(0).extent())], "k")
    product, norm_a, norm_b, cosine = (hl.Func(name) for name in ("product", "norm_a", "norm_b", "cosine"))
    product[j, i] += a[k, i] * b[k, j]
    norm_a[i] += a[k, i] * a[k, i]
    norm_b[j] += b[k, j] * b[k, j]
    cosine[j, i] = product[j, i] / hl.sqrt(norm_a[i] * norm_b[j])
    for array in (a, b):  # a plan is made for sizes to expect, and takes others as well
        array.set_estimates([(0, terms), (0, rows)])
    cosine.set_estimates([(0, rows), (0, rows)])
    return cosine, [a, b]


def main(words):
    try:
        rows, terms = map(int, words) if words else (300, 200)
    except ValueError:
        rows = terms = 0
    if not (1 <= rows <= 10_000 and 1 <= terms <= 10_000):
        print("usage: cosine.py [ROWS TERMS], each from 1 to 10000", file=sys.stderr)
        return 2
    pipeline, inputs = cosines(rows, terms)
    run = eutectic.compile_to_callable(pipeline, inputs)
    print(run.report)

    random = numpy.random.default_rng(1)
    a, b = (random.standard_normal((rows, terms), dtype=numpy.float32) for _ in "ab")
    found = numpy.empty((rows, rows), dtype=numpy.float32)
    run(a, b, found)

    wide_a, wide_b = a.astype(numpy.float64), b.astype(numpy.float64)
    lengths = numpy.linalg.norm(wide_a, axis=1)[:, None] * numpy.linalg.norm(wide_b, axis=1)
    error = numpy.abs(found - wide_a @ wide_b.T / lengths).max()
    if not error < 1e-5:
        print(f"cosine.py: the results are {error:.1e} off what numpy finds.", file=sys.stderr)
        return 1
    print(f"\n{rows} rows with {rows}, at most {error:.1e} off what numpy finds")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except eutectic.Error as error:
        print(f"cosine.py: {error}", file=sys.stderr)
        sys.exit(2)
