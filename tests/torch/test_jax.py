"""Pairs as functions of JAX (apps/jax): gradients against differences, sizes, numbers, what is refused; and a few steps of its training."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

APP = pathlib.Path(__file__).parents[2] / "apps" / "jax"
if importlib.util.find_spec("jax") is None:
    print(f"{__file__} is skipped: there is no jax; scripts/peers installs it.")
    sys.exit(77)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import eutectic  # noqa: E402
import pairs  # noqa: E402

sys.path.insert(0, str(APP))
from pair import operation  # noqa: E402

jax.config.update("jax_enable_x64", True)
random = np.random.default_rng(0)


def normal(*shape):
    return jnp.asarray(random.normal(size=shape))


class Jax(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.made = {make.__name__: operation(pairs.compiled(make, cls.folder.name)) for make in (pairs.layer, pairs.strided, pairs.two, pairs.bordered, pairs.rows)}

    def test_values_and_gradients(self):
        def layer(x, w, b, rate):
            y = jnp.tanh(rate * (x @ w + b))
            return y, (y < 0).astype(jnp.int32)

        for rows, inputs, outputs in ((7, 5, 9), (1, 1, 1), (33, 17, 20)):
            x, w, b, rate = normal(rows, inputs), normal(inputs, outputs), normal(outputs), jnp.asarray(0.7)
            got = jax.jit(self.made["layer"])(x, w, b, rate)
            for a, wanted in zip(got, layer(x, w, b, rate)):
                np.testing.assert_allclose(a, wanted, rtol=1e-12, atol=1e-12)
            scaled = jax.jit(lambda *p, x=x: self.made["layer"](x, *p)[0])
            check_grads(scaled, (w, b, rate), order=1, modes=["rev"])

    def test_sizes_that_follow(self):
        x, w = normal(5, 64), normal(3)
        wanted = sum(x[:, r : r + 61 + 1 : 2] * w[r] for r in range(3))
        np.testing.assert_allclose(self.made["strided"](x, w), wanted, rtol=1e-12)
        check_grads(self.made["strided"], (x, w), order=1, modes=["rev"])

    def test_numbers_and_several_outputs(self):
        x = normal(6, 8)
        total, product = self.made["two"](x, 3)
        np.testing.assert_allclose(total, x + 3)
        np.testing.assert_allclose(product, x * x)
        check_grads(lambda x: self.made["two"](x, 3), (x,), order=1, modes=["rev"])

    def test_labels_have_no_gradient(self):
        x, labels = normal(6, 10), jnp.asarray(random.integers(0, 10, 6), jnp.int32)
        wanted = -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1).mean()
        np.testing.assert_allclose(self.made["rows"](x, labels), wanted, rtol=1e-12)
        check_grads(lambda x: self.made["rows"](x, labels), (x,), order=1, modes=["rev"])

    def test_vmap(self):
        x, w = normal(4, 5, 64), normal(3)
        got = jax.vmap(self.made["strided"], (0, None))(x, w)
        np.testing.assert_allclose(got[2], self.made["strided"](x[2], w), rtol=1e-12)

    def test_refusals(self):
        layer = self.made["layer"]
        x, w, b = normal(7, 5), normal(5, 9), normal(9)
        with self.assertRaisesRegex(eutectic.Error, "takes x, w, b, rate, and was given 3"):
            layer(x, w, b)
        with self.assertRaisesRegex(eutectic.Error, "input x of layer was given as float32 of 2 dimensions: give an array of float64 of 2"):
            layer(x.astype(jnp.float32), w, b, jnp.asarray(0.5))
        with self.assertRaisesRegex(eutectic.Error, "input b of layer was given as float64 of 2 dimensions"):
            layer(x, w, w, jnp.asarray(0.5))
        with self.assertRaisesRegex(Exception, r"layer_forward|w "):  # what the kernel says of sizes that do not fit
            jax.block_until_ready(layer(x, normal(3, 9), b, jnp.asarray(0.5)))
        with self.assertRaisesRegex(eutectic.Error, "sizes of y, which bordered gives, do not follow"):
            self.made["bordered"](normal(8))
        with self.assertRaisesRegex(eutectic.Error, "cannot be read"):
            operation(pathlib.Path(self.folder.name) / "nothing.report.json")

    def test_training(self):
        words = [sys.executable, "-B", str(APP / "train.py"), "--steps", "12", "--rows", "96", "--json"]
        done = subprocess.run(words, capture_output=True, text=True, env=os.environ)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertLess(told["largest_difference"], 1e-4)
        self.assertLess(told["losses"]["eutectic"][-1], told["losses"]["eutectic"][0])
        done = subprocess.run([*words, "--book", "nothing.txt"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
