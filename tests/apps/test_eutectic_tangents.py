#!/usr/bin/env python3
"""`eutectic grad --tangent` and `--hvp` of a pipeline from a file, against differences, and what they refuse."""

import ctypes
import json
import subprocess

import halide as hl
import numpy as np
from eutectic_command import CXX, TARGET, Case, main
from halide_call import call
from scaled_layer import drawn, scaled_layer


class Tangents(Case):
    """--tangent and --hvp, and the gradient of a gradient, against differences."""

    def library(self, name):
        path = str(self.folder / f"{name}.so")
        subprocess.run([CXX, "-shared", "-o", path, "-Wl,--whole-archive", self.folder / "k" / f"{name}.a", "-Wl,--no-whole-archive", "-Wl,-z,muldefs", "-ldl", "-lpthread"], check=True)
        return path

    def layer(self):
        """The scaled layer as a file, its inputs, and a direction."""
        hl.serialize_pipeline(scaled_layer(), self.folder / "layer.hlpipe")
        inputs = {"x": drawn(7, 5), "w": drawn(5, 9, seed=2), "b": drawn(9, seed=3)}
        return inputs, {name: drawn(*a.shape, seed=4) for name, a in inputs.items()}

    def value(self, inputs, rate=0.5):
        return np.tanh(rate * (inputs["x"] @ inputs["w"] + inputs["b"]))

    def moved(self, inputs, direction, step):
        return {name: a + step * direction[name] for name, a in inputs.items()}

    def test_tangents_of_a_file(self):
        inputs, t = self.layer()
        made = json.loads(self.done("grad", "layer.hlpipe", "--tangent", "--of", "scaled", "--args-order", "x,w,b,rate", "-o", "k", "--json"))
        self.assertEqual(made["function"], "layer_tangent")
        y, negative, t_y = np.zeros((7, 9)), np.zeros((7, 9), np.int32), np.zeros((7, 9))
        arguments = [inputs["x"], inputs["w"], inputs["b"], ctypes.c_double(0.5), t["x"], t["w"], t["b"], y, negative, t_y]
        self.assertEqual(call(self.library("layer_tangent"), "layer_tangent", *arguments), 0)
        np.testing.assert_allclose(y, self.value(inputs), rtol=1e-12)
        difference = (self.value(self.moved(inputs, t, 1e-5)) - self.value(self.moved(inputs, t, -1e-5))) / 2e-5
        np.testing.assert_allclose(t_y, difference, atol=1e-8)

    def test_second_derivatives_of_a_file(self):
        inputs, t = self.layer()
        self.done("grad", "layer.hlpipe", "--hvp", "--wrt", "w", "--of", "scaled", "--args-order", "x,w,b,rate", "-o", "k")
        d_y, d_w, t_d_w = drawn(7, 9, seed=6), np.zeros((5, 9)), np.zeros((5, 9))
        arguments = [inputs["x"], inputs["w"], inputs["b"], ctypes.c_double(0.5), d_y, t["w"], np.zeros((7, 9)), np.zeros((7, 9), np.int32), d_w, t_d_w]
        self.assertEqual(call(self.library("layer_hvp"), "layer_hvp", *arguments), 0)

        def gradient(w):
            return inputs["x"].T @ (d_y * 0.5 * (1 - self.value({**inputs, "w": w}) ** 2))

        np.testing.assert_allclose(d_w, gradient(inputs["w"]), rtol=1e-10)
        difference = (gradient(inputs["w"] + 1e-5 * t["w"]) - gradient(inputs["w"] - 1e-5 * t["w"])) / 2e-5
        np.testing.assert_allclose(t_d_w, difference, atol=1e-8)

    def test_refusals(self):
        self.layer()
        self.before = self.names()
        words = ["layer.hlpipe", "--of", "scaled", "--args-order", "x,w,b,rate"]
        self.refused("--tangent and --hvp were both given, and grad makes one function of either: run it twice.", *words, "--tangent", "--hvp")
        self.refused("--budget was given with --tangent, which keeps nothing between two calls: leave it out.", *words, "--tangent", "--budget", "1MiB")

    def refused(self, sentence, *words):
        super().refused(sentence, "grad", *words, "-o", "k", "--target", TARGET)
        self.assertEqual(self.names(), self.before)


if __name__ == "__main__":
    main()
