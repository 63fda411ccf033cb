"""Writes unknown.hlpipe and unknown.args.json: given `save`, the scheduler does that and plans nothing.

What the pipeline computes, and nothing in the file tells: for each row of u the mean of the rows of w,
weighted by how near the same rows of v are to it.

usage: make.py PLUGIN
"""

import sys

import halide as hl


def pipeline():
    u, v, w = (hl.ImageParam(hl.Float(32), 2, name) for name in "uvw")
    s = hl.Param(hl.Float(32), "s")
    i, j, l = hl.Var("i"), hl.Var("j"), hl.Var("l")
    k, m = hl.RDom([(0, u.dim(0).extent())], "k"), hl.RDom([(0, v.dim(1).extent())], "m")
    f0, f1, f2, f3, f4 = (hl.Func(f"f{n}") for n in range(5))
    f0[j, i] += (u[k, i] - v[k, j]) * (u[k, i] - v[k, j])
    f1[j, i] = hl.exp(-s * f0[j, i])
    f2[i] += f1[m, i]
    f3[l, i] += f1[m, i] * w[l, m]
    f4[l, i] = f3[l, i] / f2[i]
    u.set_estimates([(0, 16), (0, 512)])
    v.set_estimates([(0, 16), (0, 256)])
    w.set_estimates([(0, 32), (0, 256)])
    s.set_estimate(0.5)
    f4.set_estimates([(0, 32), (0, 512)])
    return hl.Pipeline(f4)


def main(words):
    if len(words) != 1:
        print("usage: make.py PLUGIN", file=sys.stderr)
        return 2
    try:
        hl.load_plugin(words[0])
        parameters = hl.AutoschedulerParams("Eutectic", {"save": "unknown.hlpipe"})
        pipeline().apply_autoscheduler(hl.get_host_target(), parameters)
    except hl.HalideError as error:
        print(f"make.py: {str(error).strip()}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
