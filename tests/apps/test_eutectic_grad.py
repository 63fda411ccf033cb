#!/usr/bin/env python3
"""`eutectic grad`: pairs of generators and of pipelines from files, their gradients against differences of the forward, and every refusal word for word.
With the environment's EUTECTIC_ALL_CASES: of more and larger generators, and what takes several pairs."""

import ctypes
import json
import os
import pathlib
import subprocess
import unittest

import halide as hl
import numpy as np
from eutectic_command import CXX, GENERATORS, TARGET, Case, main
from halide_call import call
from scaled_layer import drawn, scaled_layer

ALL = "EUTECTIC_ALL_CASES" in os.environ
THOROUGH = unittest.skipUnless(ALL, "in the slow tests")  # several pairs each
HALIDE_HEADERS = pathlib.Path(hl.__file__).parent / "include"
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Pairs(Case):
    def grad(self, *words, folder="k"):
        return json.loads(self.done("grad", *words, "-o", folder, "--json"))

    def library(self, made, folder="k"):
        archives = [self.folder / folder / f"{made['pair']}_{p}.a" for p in ("forward", "backward")]
        path = str(self.folder / f"{made['pair']}.so")
        subprocess.run([CXX, "-shared", "-o", path, "-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive", "-Wl,-z,muldefs", "-ldl", "-lpthread"], check=True)
        return path

    def run_pair(self, made, library, values):
        """Fills in what is kept, the outputs and the gradients, whose arrays are there."""
        for kept in made["residuals"]:
            values[kept["name"]] = np.zeros(kept["shape"][::-1], kept["type"])
        for p in ("forward", "backward"):
            given = [None if p == "backward" and name in made["unread"] else values[name] for name in made[p]]
            self.assertEqual(call(library, f"{made['pair']}_{p}", *given), 0)

    def test_loops_of_several_dims(self):
        """Which Halide reads from a file with a domain for each variable."""
        made = self.grad(GENERATORS, "-g", "conv2d", "type=float64", "batch=2", "width=6", "height=5", "channels_in=3", "channels_out=4")
        inputs = {"x": drawn(2, 5, 6, 3), "w": drawn(3, 3, 3, 4, seed=2), "b": drawn(4, seed=3)}
        self.check_gradients(made, inputs, {"y": (2, 5, 6, 4)}, ["x", "w", "b"])

    def test_a_gradient_of_a_gradient(self):
        """From a file. The upstream gradient of y has a name beside the input d_y."""
        self.done("explain", GENERATORS, "-g", "log1pexp_gradient", "type=float64", "--save", "first.hlpipe")
        made = self.grad("first.hlpipe", "--of", "d_x")
        x, d_y, d_d_x = drawn(1000), drawn(1000, seed=2), drawn(1000, seed=3)
        values = {"x": x, "d_y": d_y, "d_d_x": d_d_x, **{name: np.zeros(1000) for name in ("y", "d_d_y")}}
        values["d_x"] = first = np.zeros(1000)
        library = self.library(made)
        for kept in made["residuals"]:
            values[kept["name"]] = np.zeros(1000, kept["type"])
        self.assertEqual(call(library, made["pair"] + "_forward", *[values[name] for name in made["forward"]]), 0)
        slope = 1 / (1 + np.exp(-x))
        np.testing.assert_allclose(first, d_y * slope, rtol=1e-10)
        second = np.zeros(1000)
        # The forward's own d_x, which the backward does not read, has another name beside the gradient d_x.
        self.assertEqual(made["backward"][:7], ["x", "d_y", "y", "d_x_2", "d_d_x", "d_x", "d_d_y"])
        self.assertIn("d_x_2", made["unread"])
        values["d_x"] = second
        self.assertEqual(call(library, made["pair"] + "_backward", *[None if name in made["unread"] else values[name] for name in made["backward"]]), 0)
        np.testing.assert_allclose(second, d_d_x * d_y * slope * (1 - slope), rtol=1e-10)
        np.testing.assert_allclose(values["d_d_y"], d_d_x * slope, rtol=1e-10)
        self.assertIn("d_y_2", self.grad("first.hlpipe", "--of", "y,d_x", "--wrt", "x", folder="both")["backward"])

    def check_gradients(self, made, inputs, outputs, wrt, step=1e-5):
        """d_INPUT of the sum of what is upstream, in double, against central differences at some elements."""
        library = self.library(made)
        values = {**inputs, **{name: np.zeros(shape) for name, shape in outputs.items()}}
        upstream = {name: drawn(*shape, seed=9) for name, shape in outputs.items() if "d_" + name in made["backward"]}
        values.update({"d_" + name: a for name, a in upstream.items()})
        values.update({"d_" + name: np.zeros_like(inputs[name] if isinstance(inputs[name], np.ndarray) else np.float64(0)) for name in wrt})
        values.update({"d_" + name: np.zeros(()) for name in wrt if not isinstance(inputs[name], np.ndarray)})
        self.run_pair(made, library, values)
        gradients = {name: values["d_" + name].copy() for name in wrt}

        def total(name, index, difference):
            moved = dict(values)
            if isinstance(inputs[name], np.ndarray):
                moved[name] = inputs[name].copy()
                moved[name][index] += difference
            else:
                moved[name] = ctypes.c_double(inputs[name].value + difference)
            self.assertEqual(call(library, f"{made['pair']}_forward", *[moved[n] for n in made["forward"]]), 0)
            return sum(np.vdot(upstream[n], moved[n]) for n in upstream)

        for name in wrt:
            shape = gradients[name].shape
            places = list(np.ndindex(shape))[:: max(1, gradients[name].size // 25)]
            wanted = np.array([(total(name, at, step) - total(name, at, -step)) / (2 * step) for at in places])
            got = np.array([gradients[name][at] for at in places])
            self.assertGreater(np.abs(wanted).max(), 0)
            self.assertLessEqual(np.abs(got - wanted).max(), 1e-6 * max(1, np.abs(wanted).max()), name)

    def test_torch(self):
        self.grad(GENERATORS, "-g", "dense", "m=7", "k=5", "n=9", "activation=gelu", "--wrt", "x,w", "--of", "y")
        report = str(self.folder / "k/dense.report.json")
        text = self.done("torch", report)
        for line in (
            'int dense_forward_argv(void **arguments);',
            'const halide_filter_metadata_t *dense_backward_metadata();',
            '            {"w", c10::ScalarType::Float, 2},',
            '            {"residual_z", c10::ScalarType::Float, 2},',
            '        {"x", "w", "b", "y", "d_y", "d_x", "d_w", "residual_z"},',
            '        {"b", "y"},',
            '             []([[maybe_unused]] const Known &known) { return std::vector<Size>{Size(known.extent("w", 0)), Size(known.extent("x", 1))}; },',
            'TORCH_LIBRARY_FRAGMENT(eutectic, library) {',
        ):
            self.assertIn(line + "\n", text)
        source = str(self.folder / "dense_torch.cpp")
        told = json.loads(self.done("torch", report, "-o", source, "--name", "other", "--json"))
        self.assertEqual(told, {"pair": "dense", "operations": ["eutectic::other", "eutectic::other_forward", "eutectic::other_backward"], "source": source})
        self.assertEqual(pathlib.Path(source).read_text(), text.replace('        "dense",', '        "other",'))
        none = str(self.folder / "none.report.json")
        self.refused(f"The report {none} cannot be read: name the NAME.report.json that eutectic grad wrote.", "torch", none)
        pathlib.Path(none).write_text("{}")
        self.refused(f"{none} is no report of a pair: name the NAME.report.json that stands beside NAME_forward.report.json.", "torch", none)

    def test_generators(self):
        made = self.grad(GENERATORS, "-g", "dense", "m=7", "k=5", "n=9", "activation=gelu", "type=float64", "--wrt", "x,w", "--of", "y")
        self.assertEqual(made["forward"], ["x", "w", "b", "y", "residual_z"])
        self.assertEqual(made["backward"], ["x", "w", "b", "y", "d_y", "d_x", "d_w", "residual_z"])
        self.assertEqual(made["unread"], ["b", "y"])
        self.assertEqual(self.names("k"), sorted([f"dense_{p}{end}" for p in ("forward", "backward") for end in (".a", ".h", ".report.json")] + ["dense.report.json", "dense_residuals.h"]))
        told = json.loads((self.folder / "k/dense.report.json").read_text())
        self.assertEqual(told, {**made, "files": ["dense_forward.a", "dense_backward.a"]})
        self.assertEqual((told["inputs"], told["gradients"]), (["x", "w", "b"], ["x", "w"]))
        self.assertEqual(told["outputs"], [{"name": "y", "extents": ["w.extent(0)", "x.extent(1)"], "differentiated": True}])
        self.assertEqual(sorted(a["name"] for a in told["arguments"]), sorted({*made["forward"], *made["backward"]}))
        self.assertIn({"name": "d_x", "type": "float64", "dimensions": 2}, told["arguments"])
        self.check_gradients(made, {"x": drawn(7, 5), "w": drawn(5, 9), "b": drawn(9)}, {"y": (7, 9)}, ["x", "w"])
        made = self.grad(GENERATORS, "-g", "softmax_xent", "rows=6", "cols=11", "type=float64")
        self.check_gradients(made, {"x": drawn(6, 11), "labels": np.array([0, 10, 3, 3, 5, 1], np.int32)}, {"loss": ()}, ["x"])
        if ALL:
            made = self.grad(GENERATORS, "-g", "layernorm", "rows=6", "cols=16", "type=float64")
            names = [n for n in made["forward"] if n not in ("y", *[r["name"] for r in made["residuals"]])]
            self.check_gradients(made, {n: drawn(6, 16) if n == "x" else drawn(16, seed=k, low=0.5) for k, n in enumerate(names)}, {"y": (6, 16)}, names)

    def test_a_file(self):
        hl.serialize_pipeline(scaled_layer(), self.folder / "layer.hlpipe")
        words = ["layer.hlpipe", "--args-order", "x,w,b,rate", "--arg", "rate=0.5"]
        made = self.grad(*words, "--of", "scaled", "--wrt", "w,b,rate")
        self.assertEqual(made["pair"], "layer")
        self.assertNotIn("d_negative", made["backward"])
        inputs = {"x": drawn(7, 5), "w": drawn(5, 9, seed=2), "b": drawn(9, seed=3), "rate": ctypes.c_double(0.5)}
        library = self.library(made)
        values = {**inputs, "scaled": np.zeros((7, 9)), "negative": np.zeros((7, 9), np.int32), "d_scaled": drawn(7, 9, seed=9), "d_w": np.zeros((5, 9)), "d_b": np.zeros(9), "d_rate": np.zeros(())}
        self.run_pair(made, library, values)
        z = inputs["x"] @ inputs["w"] + inputs["b"]
        slope = values["d_scaled"] * (1 - np.tanh(0.5 * z) ** 2)
        np.testing.assert_allclose(values["scaled"], np.tanh(0.5 * z), rtol=1e-12)
        np.testing.assert_array_equal(values["negative"], z < 0)
        np.testing.assert_allclose(values["d_w"], inputs["x"].T @ (0.5 * slope), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(values["d_b"], (0.5 * slope).sum(0), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(values["d_rate"], (z * slope).sum(), rtol=1e-10)

    @THOROUGH
    def test_the_same_as_the_generators_own_pair(self):
        parameters = ["m=24", "k=30", "n=37", "activation=relu"]
        made = self.grad(GENERATORS, "-g", "dense", *parameters)
        for p in ("forward", "backward"):
            self.done("compile", GENERATORS, "-g", f"dense_{p}", *parameters, "-o", "own", "-f", f"dense_{p}")
            own, ours = (json.loads((self.folder / f / f"dense_{p}.report.json").read_text()) for f in ("own", "k"))
            self.assertEqual(own["residuals"], ours["residuals"])
            self.assertEqual(own["plan_hash_parts"]["decisions"], ours["plan_hash_parts"]["decisions"])
        values = {"x": drawn(24, 30), "w": drawn(30, 37), "b": drawn(37), "y": np.zeros((24, 37)), "d_y": drawn(24, 37, seed=4), "d_x": np.zeros((24, 30)), "d_w": np.zeros((30, 37)), "d_b": np.zeros(37)}
        results = []
        for folder in ("k", "own"):
            arrays = {n: a.astype(np.float32) for n, a in values.items()}
            self.run_pair(made, self.library(made, folder), arrays)
            results.append(arrays)
        for name, array in results[0].items():
            np.testing.assert_array_equal(array, results[1][name], name)

    def test_the_contract_in_a_namespace(self):
        made = self.grad(GENERATORS, "-g", "dense", "m=24", "k=30", "n=37", "activation=gelu", "-f", "nn::inner::dense")
        self.assertEqual(made["residuals"][0]["extents"], ["w.extent(0)", "x.extent(1)"])
        (self.folder / "main.cpp").write_text(r"""
            #include "k/dense_residuals.h"
            #include <cstdio>
            using Tensor = Halide::Runtime::Buffer<float>;
            int main() {
                Tensor x(3, 2), w(11, 3), b(11), y(11, 2), d_y(11, 2), d_x(3, 2), d_w(11, 3), d_b(11);
                for (Tensor *t : {&x, &w, &b, &d_y}) {
                    t->fill(1);
                }
                b(0) = -4;
                nn::inner::dense_residuals kept;
                if (kept.forward({x, w, b}, {y}) == 0) return 1;
                std::printf("%s\n", kept.refusal.c_str());
                if (kept.allocate({x, w, b}, {y}) || kept.forward({x, w, b}, {y}) || kept.backward({x, w, b}, {y}, {d_y}, {d_x, d_w, d_b})) return 2;
                std::printf("%d %g %.3f %.3f %.3f\n", (int)kept.bytes(), kept.residual_z(0, 1), y(1, 0), d_x(0, 0), d_b(0));
                return 0;
            }""")
        subprocess.run([CXX, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-isystem", HALIDE_HEADERS, "-I", ROOT / "src", "-I.", "main.cpp", "k/dense_forward.a", "k/dense_backward.a", "-ldl", "-lpthread", "-o", "main"],
                       cwd=self.folder, check=True)
        said = subprocess.run(["./main"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout), (0, "dense_forward was given residual_z without memory; call allocate() first.\n88 -1 4.000 9.920 -0.166\n"), said.stderr)

    @THOROUGH
    def test_another_library(self):
        dense = [GENERATORS, "-g", "dense", "m=24", "k=30", "n=37"]
        self.grad(*dense, "activation=gelu")
        (self.folder / "main.cpp").write_text(r"""
            #include "k/dense_residuals.h"
            #include <cstdio>
            using Tensor = Halide::Runtime::Buffer<float>;
            int main() {
                Tensor x(3, 2), w(11, 3), b(11), y(11, 2), d_y(11, 2), d_x(3, 2), d_w(11, 3), d_b(11);
                for (Tensor *t : {&x, &w, &b, &d_y}) {
                    t->fill(1);
                }
                dense_residuals kept;
                if (kept.allocate({x, w, b}, {y})) return 1;
                if (!kept.forward({x, w, b}, {y})) kept.backward({x, w, b}, {y}, {d_y}, {d_x, d_w, d_b});
                std::printf("%s", kept.refusal.c_str());
                return 0;
            }""")
        subprocess.run([CXX, "-std=c++17", "-isystem", HALIDE_HEADERS, "-I", ROOT / "src", "-I.", "-c", "main.cpp"], cwd=self.folder, check=True)

        def said(forward, backward):
            libraries = [f"{forward}/dense_forward.a", f"{backward}/dense_backward.a"]
            subprocess.run([CXX, "main.o", *libraries, "-Wl,-z,muldefs", "-ldl", "-lpthread", "-o", "main"], cwd=self.folder, check=True)
            run = subprocess.run(["./main"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            return run.stdout

        end = "; compile the caller with what was written together with the library."
        self.assertEqual(said("k", "k"), "")
        self.grad(*dense, "activation=gelu", "type=float64", folder="doubles")
        self.assertEqual(said("doubles", "k"), f"dense_forward, as it was linked, takes x (float64, 2 dimensions) as argument 1, and its caller was compiled for x (float32, 2 dimensions) there{end}")
        self.assertEqual(said("k", "doubles"), f"dense_backward, as it was linked, takes x (float64, 2 dimensions) as argument 1, and its caller was compiled for x (float32, 2 dimensions) there{end}")
        self.grad(*dense, "activation=gelu", "--wrt", "x,b,w", folder="order")
        self.assertEqual(said("order", "order"), f"dense_backward, as it was linked, takes d_b (float32, 1 dimension) as argument 7, and its caller was compiled for d_w (float32, 2 dimensions) there{end}")
        self.grad(*dense, "activation=none", folder="keeps_nothing")
        self.assertEqual(said("keeps_nothing", "k"), f"dense_forward, as it was linked, takes nothing as argument 5, and its caller was compiled for residual_z (float32, 2 dimensions) there{end}")

    @THOROUGH
    def test_the_contract_has_a_hash(self):
        words = [GENERATORS, "-g", "dense", "m=24", "k=30", "n=37", "activation=gelu"]

        def contract(*more):
            return self.grad(*words, *more)["contract"]

        first = contract()
        self.assertRegex(first, "^[0-9a-f]{16}$")
        for name in ("dense_forward.h", "dense_backward.h", "dense_residuals.h"):
            self.assertIn(f"// Contract {first}: what both take of callers, whatever the budget, effort and target.\n", (self.folder / "k" / name).read_text())
        inside = [("--target", "x86-64-linux-sse41-user_context-no_runtime"), ("m=48",)]
        others = [("--wrt", "w,x,b"), ("--accumulate",)]
        if ALL:
            inside += [("--effort", "best"), ("--target", "x86-64-linux-sse41"), ("--numerics", "strict")]
            others += [("--wrt", "x,w"), ("type=float64",)]
        self.assertEqual({contract(*more) for more in inside}, {first})
        self.assertEqual(len({first, *(contract(*more) for more in others)}), 1 + len(others))
        pair = [GENERATORS, "-g", "mlp_loss", "batch=64", "widths=32,16,8", "--wrt", "w2,b2,w1,b1", "-o", "k"]
        refusal = self.run_command("grad", *pair, "--budget", "10").stderr
        least = refusal.split("least possible, ")[1].split(" bytes")[0].replace(",", "")
        free, bound = (json.loads(self.done("grad", *pair, *budget, "--json")) for budget in ([], ["--budget", least]))
        self.assertNotEqual(free["residuals"], bound["residuals"])
        self.assertEqual(free["contract"], bound["contract"])

    def test_gradients_are_added(self):
        words = [GENERATORS, "-g", "dense", "m=24", "k=30", "n=37", "type=float64", "activation=tanh"]
        made = self.grad(*words, "--accumulate", folder="sum")
        self.assertTrue(made["accumulates"])
        self.assertIn("_d_y_buffer, struct halide_buffer_t *_d_x_buffer", (self.folder / "sum/dense_backward.h").read_text())
        library = self.library(made, "sum")
        for m, k, n in ((24, 30, 37), (5, 3, 2), (1, 1, 1), (65, 31, 33)):
            values = {"x": drawn(m, k), "w": drawn(k, n), "b": drawn(n), "y": np.zeros((m, n)), "d_y": drawn(m, n, seed=4), "d_x": drawn(m, k, seed=5), "d_w": drawn(k, n, seed=6), "d_b": drawn(n, seed=7)}
            before = {name: values[name].copy() for name in ("d_x", "d_w", "d_b")}
            for _ in range(2):
                self.run_pair(made, library, values)
            slope = values["d_y"] * (1 - np.tanh(values["x"] @ values["w"] + values["b"]) ** 2)
            for name, gradient in (("d_x", slope @ values["w"].T), ("d_w", values["x"].T @ slope), ("d_b", slope.sum(axis=0))):
                np.testing.assert_allclose(values[name], before[name] + 2 * gradient, rtol=1e-10, atol=1e-12, err_msg=name)
        device = TARGET.replace("-sse41", "-opencl-sse41")
        with_doubles = device.replace("-f16c", "-cl_doubles-f16c")  # which kernels for OpenCL have in every command
        self.refused(f"--accumulate was given for the target {with_doubles}, and kernels for CPUs add to what buffers hold: leave it out for that target.", "grad", *words, "--accumulate", "--target", device, "-o", "none")
        self.refused("--accumulate was given with --tangent, and is for the gradients of a backward: leave it out.", "grad", *words, "--accumulate", "--tangent", "-o", "none")

    def test_a_budget(self):
        layers = ["--wrt", "w3,b3,w2,b2,w1,b1"] if ALL else ["widths=32,16,8", "--wrt", "w2,b2,w1,b1"]
        words = [GENERATORS, "-g", "mlp_loss", "batch=64", *layers]
        free = self.grad(*words, folder="free")
        refusal = self.run_command("grad", *words, "--budget", "10", "-o", "k").stderr
        least = int(refusal.split("least possible, ")[1].split(" bytes")[0].replace(",", ""))
        made = self.grad(*words, "--budget", str(least))
        self.assertLessEqual(made["total_bytes"] + made["temporary_bytes"], least)
        self.assertLessEqual(made["total_bytes"], free["total_bytes"])
        self.refused(f"A budget of {least - 1:,} bytes is less than the least possible, {least:,} bytes: " + refusal.split(" bytes: ", 1)[1].strip(), "grad", *words, "--budget", str(least - 1), "-o", "k2")

    def test_sizes_of_outputs(self):
        i, n = hl.Var("i"), hl.Var("n")
        x, w, y = hl.ImageParam(hl.Float(64), 2, "x"), hl.ImageParam(hl.Float(64), 1, "w"), hl.Func("y")
        r = hl.RDom([(0, w.dim(0).extent())])
        y[i, n] = hl.f64(0)
        y[i, n] += x[2 * i + r, n] * w[r]
        for p, sizes in ((x, (64, 5)), (w, (3,)), (y, (31, 5))):
            p.set_estimates([(0, size) for size in sizes])
        hl.serialize_pipeline(hl.Pipeline([y]), self.folder / "strided.hlpipe")
        made = self.grad("strided.hlpipe", "--args-order", "x,w")
        self.assertEqual(made["outputs"][0]["extents"], ["(x.extent(0) - w.extent(0)) / 2 + 1", "x.extent(1)"])

    def test_for_several_targets(self):
        targets = f"{TARGET},x86-64-linux-sse41"
        made = self.grad(GENERATORS, "-g", "softmax", "rows=6", "cols=11", "--target", targets)
        self.assertEqual(sum(f.endswith(".report.json") for f in made["files"]), 5)  # two a function, and the pair's

    def test_what_is_printed(self):
        text = self.done("grad", GENERATORS, "-g", "dense", "m=24", "k=30", "n=37", "activation=gelu", "-o", "k", "--target", TARGET)
        self.assertIn("k/dense_residuals.h\n", text)
        self.assertIn("residual_z                  float32  37x24                 3552 bytes  saved ", text)
        self.assertIn("  recomputed from matmul (with matmul kept instead) would take ", text)
        self.assertIn("--wrt", self.done("grad", "--help"))


class Refusals(Case):
    def setUp(self):
        super().setUp()
        self.done("explain", GENERATORS, "-g", "softmax_xent", "rows=6", "cols=11", "--save", "xent.hlpipe", "--target", TARGET)
        hl.serialize_pipeline(scaled_layer(), self.folder / "layer.hlpipe")
        self.before = self.names()

    def refused(self, sentence, *words):
        super().refused(sentence, "grad", *words, "-o", "k", "--target", TARGET)
        self.assertEqual(self.names(), self.before)

    def test_names(self):
        layer = ["layer.hlpipe", "--args-order", "x,w,b,rate", "--arg", "rate=0.5"]
        self.refused("--wrt names labls, which is no input of xent.hlpipe: it has x.", "xent.hlpipe", "--wrt", "labls")
        self.refused("--wrt names rat, which is no input of layer.hlpipe: the nearest is rate.", *layer, "--of", "scaled", "--wrt", "x,rat")
        self.refused("--wrt names labels, which is not of a floating-point type and has no gradient: those of xent.hlpipe that have one are x.", "xent.hlpipe", "--wrt", "labels")
        self.refused("--wrt names x twice: name each input once.", "xent.hlpipe", "--wrt", "x,x")
        self.refused("--of names los, which is no output of xent.hlpipe: the nearest is loss.", "xent.hlpipe", "--of", "los")
        self.refused("--of names negative, which is not of a floating-point type and has no gradient: those of layer.hlpipe that have one are scaled.", *layer, "--of", "negative")
        self.refused("layer.hlpipe has the outputs scaled, negative: say which of them is differentiated as --of scaled.", *layer)

    def test_no_way_from_the_output_to_the_input(self):
        i = hl.Var("i")
        x, u, y = hl.ImageParam(hl.Float(32), 1, "x"), hl.ImageParam(hl.Float(32), 1, "u"), hl.Func("y")
        y[i] = hl.select(u[i] > 0, x[i], 2 * x[i])
        for p in (x, u, y):
            p.set_estimates([(0, 9)])
        hl.serialize_pipeline(hl.Pipeline(y), self.folder / "gate.hlpipe")
        y = hl.Func("y")
        y[i] = hl.floor(x[i])
        y.set_estimates([(0, 9)])
        hl.serialize_pipeline(hl.Pipeline(y), self.folder / "steps.hlpipe")
        self.before = self.names()
        self.refused("Input \"u\" has no gradient: no output depends on it in a differentiable way; leave it out of --wrt.", "gate.hlpipe", "--args-order", "x,u", "--wrt", "u")
        self.refused("Input \"x\" has no gradient: no output depends on it in a differentiable way; leave it out of --wrt.", "steps.hlpipe")

    def test_budgets(self):
        self.refused("--budget 12x is not a number of bytes; write it as 65536, 64KiB, 1.5MiB or 2GiB.", "xent.hlpipe", "--budget", "12x")

    def test_what_is_of_one_plan(self):
        self.refused("--pin was given, whose names are those of one pipeline, and grad makes two: leave it out.", "xent.hlpipe", "--pin", "p.json")
        self.refused("--expect-hash was given, which is that of one plan, and grad makes two: leave it out.", "xent.hlpipe", "--expect-hash", "1f")
        self.refused("The function cannot be called a b: give -f a name of C or C++, such as dense or nn::dense.", "xent.hlpipe", "-f", "a b")


if __name__ == "__main__":
    main()
