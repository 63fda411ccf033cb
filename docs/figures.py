#!/usr/bin/env python3
"""Writes what docs/bench says of suites cpu and grad between the marks of README.md.

    docs/figures.py            rewrite what is between them
    docs/figures.py --check    exit 1 if it is not what the bench says
"""

import json
import pathlib
import sys

docs = pathlib.Path(__file__).parent
begin, end = "<!-- figures of docs/bench, by docs/figures.py -->", "<!-- end of figures -->"
# Which rows of the suite stand in the table: the nine that are compared with frameworks everywhere, and others that tell something.
shown = ["dense_relu", "mlp_step", "softmax_1024", "softmax_32000", "softmax_xent", "matmul_1024", "log1pexp", "layernorm", "attention",
         "bottleneck", "conv2d", "embedding", "scatter_add", "views_flatten"]
peers = ["torch", "torch_compile", "jax"]
halide = ["Mullapudi2016", "Adams2019", "Li2018"]


def read(name):
    return json.loads((docs / "bench" / f"{name}.json").read_text())


def seconds_text(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def times_as_fast(row, contenders):
    theirs = [row["seconds"][c] for c in contenders if c in row["seconds"]]
    return f"{min(theirs) / row['seconds']['eutectic']:.2f}" if theirs else "–"


def table(rows):
    lines = ["| | eutectic | best of PyTorch, torch.compile, JAX | best of Halide's schedulers | by hand | unfused |", "|---|---|---|---|---|---|"]
    for name in shown:
        row = rows[name]
        ratios = [times_as_fast(row, c) for c in (peers, halide, ["manual"], ["unfused"])]
        lines.append(f"| `{name}` | {seconds_text(row['seconds']['eutectic'])} | " + " | ".join(ratios) + " |")
    return "\n".join(lines)


def mean(suite, against):
    of = suite["means"]["eutectic"][against]
    return f"{of['ratio']:.2f} ({of['worst']:.2f} at worst, `{of['worst_row']}`)"


def means_table(suites):
    lines = ["| geometric mean | best of the frameworks | best of Halide's schedulers | by hand |", "|---|---|---|---|"]
    for what, name in suites:
        suite = read(name)
        known = suite["means"]["eutectic"]
        against = ["best_peer_table" if "best_peer_table" in known else "best_peer", "best_halide", "manual"]
        lines.append(f"| {what}, [`{name}.json`](docs/bench/{name}.json) | " +
                     " | ".join(mean(suite, a) if a in known else "–" for a in against) + " |")
    return "\n".join(lines)


def section():
    cpu = read("cpu-avx512")
    rows = {row["name"]: row for row in cpu["rows"]}
    slowest = max(row.get("plan_seconds", 0) for row in cpu["rows"])
    return f"""{begin}
{table(rows)}

{means_table([("forward kernels, 512-bit vectors", "cpu-avx512"), ("the same, 256-bit vectors", "cpu-avx2"),
              ("forward and backward, 512-bit vectors", "grad-avx512"), ("the same, 256-bit vectors", "grad-avx2")])}

Against the frameworks the means of forward kernels are over the nine rows from `dense_relu` to `bottleneck`, all others over all rows. Each plan took less than {slowest * 1.05:.1g} s.
{end}"""


if any(argument in ("-h", "--help") for argument in sys.argv[1:]):
    print(__doc__)
    sys.exit(0)
readme = docs.parent / "README.md"
old = readme.read_text()
if old.count(begin) != 1 or old.count(end) != 1:
    sys.exit(f"README.md has not one mark '{begin}' and one '{end}': put them around the figures.")
new = old[: old.index(begin)] + section() + old[old.index(end) + len(end):]
if "--check" in sys.argv[1:]:
    sys.exit(0 if old == new else "README.md has other figures than docs/bench: run docs/figures.py.")
readme.write_text(new)
