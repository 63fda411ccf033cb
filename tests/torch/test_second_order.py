#!/usr/bin/env python3
"""Hessian-vector products of generators against jax.jvp of jax.value_and_grad, and their tangents against jax.jvp, all in double."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "apps/bench/peers"), str(ROOT / "tests/apps")]

import jax_rows  # noqa: E402
from halide_call import call  # noqa: E402

BUILT = pathlib.Path(os.environ["EUTECTIC_ROOT"])
TOLERANCE = 1e-10  # of sums of some hundred terms, in other orders

# The generator, its parameters, the inputs that are differentiated, and below what its integers are.
MODELS = [
    ("dense", "m=7 k=9 n=11 activation=relu", "x,w,b", 0),
    ("matmul", "m=7 k=9 n=11 epilogue=none", "a,b", 0),
    ("matmul", "m=7 k=9 n=11 epilogue=bias_relu", "a,b,bias", 0),
    ("matmul", "m=7 k=9 n=11 epilogue=none transpose_a=true transpose_b=true", "a,b", 0),
    ("batched_matmul", "batch=3 m=7 k=9 n=11", "a,b", 0),
    ("softmax", "rows=5 cols=13", "x", 0),
    ("log_softmax", "rows=5 cols=13", "x", 0),
    ("softmax_xent", "rows=5 cols=13", "x", 13),
    ("mlp", "batch=5 widths=9,8,7,6", "x,w1,b1,w2,b2,w3,b3", 0),
    ("mlp_loss", "batch=5 widths=9,8,7,6", "w1,b1,w2,b2,w3,b3", 6),
    ("gelu", "n=37", "x", 0),
    ("log1pexp", "n=37", "x", 0),
    ("sum_exp", "n=37", "x", 0),
    ("pointwise_chain", "n=37 length=11", "x", 0),
    ("layernorm", "rows=5 cols=13", "x,scale,bias", 0),
    ("rmsnorm", "rows=5 cols=13", "x,scale", 0),
    ("attention", "queries=6 keys=7 d=5", "q,k,v", 0),
    ("attention", "queries=6 keys=6 d=5 causal=true", "q,k,v", 0),
    ("conv2d", "batch=2 width=6 height=5 channels_in=3 channels_out=4", "x,w,b", 0),
    ("conv2d", "batch=2 width=9 height=6 channels_in=3 channels_out=4 stride=2", "x,w,b", 0),
    ("depthwise_separable", "batch=2 width=6 height=5 channels_in=3 channels_out=4", "x,w1,w2,b", 0),
    ("bottleneck", "batch=1 width=6 height=5 channels=4 inner=3", "x,w1,b1,w2,b2,w3,b3", 0),
    ("avg_pool", "batch=2 width=6 height=4 channels=3", "x", 0),
    ("embedding", "width=5 vocabulary=7 count=9", "table", 7),
]


class SecondOrder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def eutectic(self, *words):
        result = subprocess.run([BUILT / "bin/eutectic", *words], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)

    def kernel(self, generator, words, wrt, mode):
        """The compiled kernel as a function of its inputs by name, and what they are."""
        name = f"{generator}_{mode}"
        self.eutectic("grad", BUILT / "bin/generators", "-g", generator, "type=float64", *words, f"--{mode}", "--wrt", wrt, "--pipelines", "-o", self.folder)
        self.eutectic("compile", self.folder / f"{name}.hlpipe", "-o", self.folder)
        library = tempfile.NamedTemporaryFile(dir=self.folder, suffix=".so", delete=False).name
        subprocess.run(["c++", "-shared", "-o", library, "-Wl,--whole-archive", self.folder / f"{name}.a", "-Wl,--no-whole-archive", "-ldl", "-lpthread"], check=True)
        arguments = json.loads((self.folder / f"{name}.args.json").read_text())

        shapes = {a["name"]: [d["estimate"][1] for d in a["dimensions"]][::-1]
                  for a in [*arguments["inputs"], *arguments["outputs"]] if all("estimate" in d for d in a["dimensions"])}

        def shape(a):
            """A direction that nothing depends on has the shape of its input."""
            return shapes[a["name"] if a["name"] in shapes else a["name"][2:]]

        def run(inputs):
            outputs = {a["name"]: np.zeros(shape(a), a["type"]) for a in arguments["outputs"]}
            self.assertEqual(call(library, name, *[inputs[a["name"]] for a in arguments["inputs"]], *outputs.values()), 0)
            return outputs

        return run, {a["name"]: (shape(a), a["type"]) for a in arguments["inputs"]}

    def check(self, mode):
        derived = {"tangent": jax_rows.tangent, "hvp": jax_rows.hvp}[mode]
        for generator, parameters, wrt, below in MODELS:
            with self.subTest(f"{generator} {parameters}"):
                words = parameters.split()
                run, wanted = self.kernel(generator, words, wrt, mode)
                random = np.random.default_rng(1)
                inputs = {name: random.uniform(-1, 1, shape) if kind == "float64" else random.integers(0, below, shape).astype(kind)
                          for name, (shape, kind) in wanted.items()}
                got = run(inputs)
                options = [dict(word.split("=") for word in words)]
                layout = {"layout": "NHWC"} if generator in jax_rows.LAYOUTS else {}
                right = derived(jax_rows.ROWS[generator], wrt.split(","))(options=options, **layout, **inputs)
                self.assertEqual(sorted(got), sorted(right))
                for name, value in got.items():
                    want = np.asarray(right[name])
                    self.assertEqual(value.shape, want.shape, name)
                    np.testing.assert_allclose(value, want, atol=TOLERANCE * max(1, np.abs(want).max()), rtol=0, err_msg=name)

    def test_products_of_second_derivatives(self):
        self.check("hvp")

    def test_tangents(self):
        self.check("tangent")


if __name__ == "__main__":
    jax_rows.start("jax", "cpu", 2, pathlib.Path(tempfile.gettempdir()))
    jax_rows.jax.config.update("jax_enable_x64", True)
    unittest.main()
