#!/usr/bin/env python3
"""--graph of every command: generators joined, outputs to inputs, as one pipeline with one plan, and a training step that is right."""

import ctypes
import ctypes.util
import json
import unittest

import numpy as np
from eutectic_command import GENERATORS, Case, main
from halide_call import call

STEP = {
    "nodes": {
        "loss": {"generator": "mlp_loss", "params": {"batch": 16, "widths": "8,12,5", "type": "float64"}, "gradient": ["w1", "b1", "w2", "b2"]},
        "adam_b1": {"generator": "adam", "params": {"n": 12, "separate": True, "type": "float64"}},
        "adam_b2": {"generator": "adam", "params": {"n": 5, "separate": True, "type": "float64"}},
    },
    "bind": {
        "adam_b1.p": "loss.b1", "adam_b1.g": "loss.d_b1", "adam_b1.beta1": 0.9, "adam_b1.beta2": 0.999, "adam_b1.epsilon": 1e-8,
        "adam_b2.p": "loss.b2", "adam_b2.g": "loss.d_b2", "adam_b2.beta1": 0.9, "adam_b2.beta2": 0.999, "adam_b2.epsilon": 1e-8,
        "adam_b2.lr": "adam_b1.lr", "adam_b2.step": "adam_b1.step",
    },
    "inputs": ["loss.x", "loss.labels", "loss.w1", "loss.b1", "loss.w2", "loss.b2", "adam_b1.m", "adam_b1.v", "adam_b2.m", "adam_b2.v", "adam_b1.lr", "adam_b1.step"],
    "outputs": ["loss.loss", "loss.d_w1", "adam_b1.p_next", "adam_b1.m_next", "adam_b1.v_next", "adam_b2.p_next", "adam_b2.m_next", "adam_b2.v_next"],
}  # fmt: skip


def drawn(*shape, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def mlp_gradients(x, labels, w1, b1, w2, b2):
    """Loss, then d_w1, d_b1, d_w2, d_b2."""
    h = np.maximum(x @ w1 + b1, 0)
    logits = h @ w2 + b2
    shifted = logits - logits.max(axis=1, keepdims=True)
    lse = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    rows = np.arange(len(x))
    loss = -(shifted - lse)[rows, labels].mean()
    d_logits = np.exp(shifted - lse)
    d_logits[rows, labels] -= 1
    d_logits /= len(x)
    d_h = (d_logits @ w2.T) * (h > 0)
    return loss, x.T @ d_h, d_h.sum(axis=0), h.T @ d_logits, d_logits.sum(axis=0)


def adam(p, g, m, v, lr, step):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - lr * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8), m, v


def decisions(report, producer):
    return sorted({edge["decision"] for edge in report["edges"] if edge["producer"] == producer})


class Graphs(Case):
    def write(self, graph, name="step.json"):
        (self.folder / name).write_text(graph if isinstance(graph, str) else json.dumps(graph))
        return name

    def compiled(self, graph, *words):
        name = self.write(graph)
        self.done("compile", GENERATORS, "--graph", name, "-o", "k", *words)
        return self.shared("k/step.a")

    def test_a_training_step(self):
        library = self.compiled(STEP)
        for batch in (16, 3):
            x, labels = drawn(batch, 8), np.arange(batch, dtype=np.int32) % 5
            w1, b1, w2, b2 = drawn(8, 12, seed=2), drawn(12, seed=3), drawn(12, 5, seed=4), drawn(5, seed=5)
            m1, v1, m2, v2 = drawn(12, seed=6), drawn(12, seed=7) ** 2, drawn(5, seed=8), drawn(5, seed=9) ** 2
            made = [np.zeros(()), np.zeros((8, 12)), *(np.zeros(12) for _ in range(3)), *(np.zeros(5) for _ in range(3))]
            given = [x, labels, w1, b1, w2, b2, m1, v1, m2, v2, ctypes.c_double(0.01), ctypes.c_int(3)]
            self.assertEqual(call(library, "step", *given, *made), 0)
            loss, d_w1, d_b1, _, d_b2 = mlp_gradients(x, labels, w1, b1, w2, b2)
            wanted = [loss, d_w1, *adam(b1, d_b1, m1, v1, 0.01, 3), *adam(b2, d_b2, m2, v2, 0.01, 3)]
            for got, want in zip(made, wanted):
                np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)

    def test_names_and_report(self):
        self.compiled(STEP)
        header = (self.folder / "k/step.h").read_text()
        self.assertIn("struct halide_buffer_t *_adam_b1_m_buffer", header)  # two nodes have an m
        self.assertIn("double _lr, int32_t _step", header)
        self.assertIn("struct halide_buffer_t *_loss_buffer, struct halide_buffer_t *_d_w1_buffer, struct halide_buffer_t *_adam_b1_p_next_buffer", header)
        report = json.loads((self.folder / "k/step.report.json").read_text())
        names = json.dumps(report)
        self.assertIn("d_w1", names)
        self.assertIn("p_next", names)
        self.assertLess(report["cost"]["total_seconds"], report["unfused_cost"]["total_seconds"])

    def test_layers_in_a_row(self):
        """The second asks for the sizes of what it is bound to: those of the first one's inputs."""
        params = {"m": 16, "k": 8, "n": 12, "type": "float64", "activation": "tanh"}
        graph = {"nodes": {"first": {"generator": "dense", "params": params}, "second": {"generator": "dense", "params": {**params, "k": 12, "n": 6}}}, "bind": {"second.x": "first.y"}}
        library = self.compiled(graph)
        for m, k, n, o in ((16, 8, 12, 6), (5, 3, 7, 1), (33, 9, 2, 11)):
            x, w, b, w2, b2, y = drawn(m, k), drawn(k, n, seed=2), drawn(n, seed=3), drawn(n, o, seed=4), drawn(o, seed=5), np.zeros((m, o))
            self.assertEqual(call(library, "step", x, w, b, w2, b2, y), 0)
            np.testing.assert_allclose(y, np.tanh(np.tanh(x @ w + b) @ w2 + b2), rtol=1e-10)

    def test_every_input_and_output_that_is_left(self):
        graph = {"nodes": {"a": {"generator": "log1pexp", "params": {"type": "float64"}}, "b": {"generator": "log1pexp", "params": {"type": "float64"}}}, "bind": {"b.x": "a.y"}}
        library = self.compiled(graph)
        x, y = drawn(1000), np.zeros(1000)
        self.assertEqual(call(library, "step", x, y), 0)
        np.testing.assert_allclose(y, np.log1p(np.exp(np.log1p(np.exp(x)))), rtol=1e-10)

    def test_funcs_are_named_by_their_node(self):
        params = {"m": 16, "k": 8, "n": 12}
        graph = {"nodes": {"first": {"generator": "dense", "params": params}, "second": {"generator": "dense", "params": {**params, "k": 12, "n": 6}}}, "bind": {"second.x": "first.y"}}
        words = (GENERATORS, "--graph", self.write(graph))
        (self.folder / "pins.json").write_text('{"first_y": "root"}')
        free, pinned = self.report(*words), self.report(*words, "--pin", "pins.json")
        self.assertEqual(decisions(free, "first_y"), ["inlined"])
        self.assertEqual(decisions(pinned, "first_y"), ["in memory"])

    def test_commands_that_run_it(self):
        """Each has it in processes of their own, which read it from a file."""
        params = {"m": 16, "k": 8, "n": 12}
        graph = {"nodes": {"first": {"generator": "dense", "params": params}, "second": {"generator": "dense", "params": {**params, "k": 12, "n": 6}}}, "bind": {"second.x": "first.y"}}
        words = (GENERATORS, "--graph", self.write(graph))
        self.done("explain", *words, "--save", "both.hlpipe")
        rows = json.loads(self.done("compare", *words, "--against", "root", "--json"))["rows"]
        self.assertEqual([(r["file"], r["scheduler"], r["status"]) for r in rows], [("step.json", "eutectic", "ok"), ("step.json", "root", "ok")])
        of_file = json.loads(self.done("compare", "both.hlpipe", "--against", "root", "--json"))["rows"]
        self.assertEqual([r["status"] for r in of_file], ["ok", "ok"])
        self.assertEqual([r["kernels"] for r in of_file], [r["kernels"] for r in rows])
        ablated = json.loads(self.done("ablate", *words, "--only", "tile_producer", "--json"))["rows"]
        self.assertEqual([r["status"] for r in ablated], ["ok"] * len(ablated))
        tuned = json.loads(self.done("tune", *words, "--budget-seconds", 1, "--resume", "t.db", "-o", "pins.json", "--json"))
        self.assertGreater(tuned["best"]["seconds"], 0)

    @unittest.skipUnless(ctypes.util.find_library("OpenCL"), "there is no OpenCL")
    def test_a_device(self):
        rows = json.loads(self.done("compare", GENERATORS, "--graph", self.write(STEP), "--target", "host-opencl", "--against", "root", "--json"))["rows"]
        self.assertEqual([(r["scheduler"], r["status"], r["reason"]) for r in rows], [("eutectic", "ok", ""), ("root", "ok", "")])

    def refused_graph(self, sentence, graph):
        self.refused(sentence, "explain", GENERATORS, "--graph", self.write(graph))

    def test_refusals(self):
        node = {"generator": "log1pexp", "params": {"type": "float64"}}
        one = {"nodes": {"a": node}}
        self.refused("The graph none.json cannot be read: give a file of JSON.", "explain", GENERATORS, "--graph", "none.json")
        self.refused_graph('The graph step.json is no JSON object: write {"nodes": {…}, "bind": {…}}.', "[")
        self.refused_graph('The graph step.json has no nodes: name a generator in "nodes".', {})
        self.refused_graph('The graph step.json says "binds" of it, which is not known: the nearest is bind.', {**one, "binds": {}})
        self.refused_graph('The graph step.json has a node a without a generator: write {"generator": "NAME", "params": {…}}.', {"nodes": {"a": {}}})
        self.refused_graph("The graph step.json names a.z, which is no input of its nodes: the nearest is a.x.", {**one, "bind": {"a.z": 1}})
        self.refused_graph("The graph step.json names a.q, which is no output or input of its nodes: the nearest is a.y.", {**one, "bind": {"a.x": "a.q"}})
        self.refused_graph("The graph step.json binds a.x to [1]: give an output or input such as \"loss.d_w1\", or a number.", {**one, "bind": {"a.x": [1]}})
        self.refused_graph("The graph step.json goes round in a circle at a: let no node be bound to what depends on it.", {**one, "bind": {"a.x": "a.y"}})
        self.refused_graph("The graph step.json binds a.x to itself: bind it to another input, or to an output.", {**one, "bind": {"a.x": "a.x"}})
        single = {"nodes": {"a": node, "b": {"generator": "log1pexp"}}, "bind": {"b.x": "a.y"}}
        self.refused_graph("The graph step.json binds b.x to a.y, which is of another type or has 1 dimensions: bind what is alike.", single)
        self.refused_graph('The graph step.json has the input b.x, which is neither bound nor among its "inputs": bind it, or name it there.', {"nodes": {"a": node, "b": node}, "inputs": ["a.x"]})
        self.refused(f"The generator log1pex is not in {GENERATORS}: the nearest is log1pexp.", "explain", GENERATORS, "--graph", self.write({"nodes": {"a": {"generator": "log1pex"}}}))
        said = self.run_command("explain", GENERATORS, "--graph", self.write({"nodes": {"d": {"generator": "dense"}}, "bind": {"d.x": 1}})).stderr
        self.assertRegex(said, r"^eutectic: The input d\.x is bound to what has no buffer, and its size \(x\.\w+\.\d\) is asked for, which does not follow from inputs: make it an output of its own and an input of another kernel\.\n$")
        self.refused("--graph was given with -g or with parameters, and the graph names both: leave them out.", "explain", GENERATORS, "-g", "dense", "--graph", self.write(one))


if __name__ == "__main__":
    main()
