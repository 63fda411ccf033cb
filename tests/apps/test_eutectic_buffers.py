#!/usr/bin/env python3
"""Runs of pipelines that ask for certain buffers: strides, mins and extents that every caller's have; and that take a user_context."""

import json
import subprocess

import halide as hl
import numpy as np

from eutectic_command import EUTECTIC, Case, main


class Buffers(Case):
    def save(self, pipeline, name, inputs, outputs):
        """The pipeline, with what an arguments file says of its float32 buffers: a list of dimensions each."""
        hl.serialize_pipeline(pipeline, str(self.folder / f"{name}.hlpipe"))

        def records(buffers):
            return [{"name": n, "type": "float32", "dimensions": dimensions} for n, dimensions in buffers.items()]

        (self.folder / f"{name}.args.json").write_text(json.dumps({"format": 1, "ordered": True, "inputs": records(inputs), "outputs": records(outputs)}))

    def image(self, name, inside, outside):
        """out(x, y, c) = 2 img(x, y, c), whose buffers are so; the innermost stride is free unless it is told."""
        img, out = hl.ImageParam(hl.Float(32), 3, "img"), hl.Func("out")
        x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
        out[x, y, c] = img[x, y, c] * 2.0
        img.dim(0).set_stride(hl.Expr())
        out.output_buffer().dim(0).set_stride(hl.Expr())
        self.save(hl.Pipeline(out), name, {"img": inside}, {"out": outside})
        return out.name()

    def compared(self, file, *words):
        result = self.run_command("compare", file, "--against", "root,as-is", "--seconds", 0.01, "--parallelism", 2, "--json", *words)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertEqual([(r["status"], r["reason"]) for r in json.loads(result.stdout)["rows"]], [("ok", "")] * 3)

    def profiled(self, file, *words):
        self.assertGreater(json.loads(self.done("profile", file, "--seconds", 0.05, "--parallelism", 2, "--json", *words))["runs"], 0)

    LAYOUTS = {
        "planar": [{"estimate": [0, 50], "stride": 1}, {"estimate": [0, 20]}, {"estimate": [0, 3], "min": 0, "extent": 3}],
        "interleaved": [{"estimate": [0, 50], "stride": 3}, {"estimate": [0, 20]}, {"min": 0, "extent": 3, "estimate": [0, 3], "stride": 1}],
        "apart": [{"estimate": [0, 50], "stride": 5}, {"estimate": [0, 20], "stride": 400}, {"estimate": [0, 3]}],
        "shifted": [{"estimate": [4, 50], "min": 4, "extent": 50, "stride": 1}, {"estimate": [-3, 20], "min": -3}, {"estimate": [0, 3]}],
    }

    def test_layouts(self):
        for name, dimensions in self.LAYOUTS.items():
            with self.subTest(name):
                self.image(name, dimensions, dimensions)
                self.compared(f"{name}.hlpipe")
                self.profiled(f"{name}.hlpipe")

    def test_without_an_estimate_a_bounds_query_keeps_to_constraints(self):
        self.image("p", [{"stride": 3}, {}, {"stride": 1, "min": 0, "extent": 3}], self.LAYOUTS["interleaved"])
        self.compared("p.hlpipe", "--arg", "out=50x20x3")

    def test_constraints_that_speak_of_other_sizes(self):
        self.image("p", [{"estimate": [0, 50], "stride": 1}, {"estimate": [0, 20], "stride": "(img.extent.0 + 14)"}, {"estimate": [0, 3], "stride": "(img.stride.1 * img.extent.1)"}],
                   [{"estimate": [0, 50], "stride": 1}, {"estimate": [0, 20], "stride": "img.stride.1"}, {"estimate": [0, 3], "min": "img.min.2"}])
        self.compared("p.hlpipe")
        self.profiled("p.hlpipe")

    def test_a_row_that_is_read_again(self):
        # As programs broadcast: every row of the input is the same one.
        self.image("p", [{"estimate": [0, 50], "stride": 1}, {"estimate": [0, 20], "stride": 0}, {"estimate": [0, 3], "stride": 0}], [{"estimate": [0, 50], "stride": 1}, {"estimate": [0, 20]}, {"estimate": [0, 3]}])
        self.compared("p.hlpipe")

    def test_values_of_files(self):
        out = self.image("p", self.LAYOUTS["interleaved"], self.LAYOUTS["interleaved"])
        values = np.arange(50 * 20 * 3, dtype=np.float32).reshape(3, 20, 50)
        np.save(self.folder / "img.npy", values)
        self.compared("p.hlpipe", "--input", "img=img.npy")
        self.profiled("p.hlpipe", "--input", "img=img.npy", "--values", f"{out}=out.npy", "--unfused")
        np.testing.assert_array_equal(np.load(self.folder / "out.npy"), 2 * values)

    def test_buffers_that_cannot_be(self):
        ending = ", and a run here has no such buffer: leave that constraint out of what is run."
        plain = [{"estimate": [0, 50], "stride": 1}, {"estimate": [0, 20]}, {"estimate": [0, 3]}]
        for changed, what in (("inside", "The buffer img has the stride -1 along dimension 1"), ("outside", "The buffer out has strides by which several of its values lie in one place")):
            dimensions = [plain[0], {"estimate": [0, 20], "stride": -1 if changed == "inside" else 1}, plain[2]]
            self.image("p", dimensions if changed == "inside" else plain, dimensions if changed == "outside" else plain)
            for command in ("compare", "profile"):
                with self.subTest((changed, command)):
                    self.refused(what + ending, command, "p.hlpipe")

    def test_a_run_that_halide_refuses(self):
        # One point less than what is read.
        self.image("p", [{"estimate": [0, 50], "stride": 1}, {"estimate": [0, 20], "extent": 19}, {"estimate": [0, 3]}], [{"estimate": [0, 50], "stride": 1}, {"estimate": [0, 20]}, {"estimate": [0, 3]}])
        result = self.run_command("profile", "p.hlpipe")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"^eutectic: The pipeline failed with status -\d+: .*img.*\n$")

    def test_user_context(self):
        a, out, x = hl.ImageParam(hl.Float(32), 1, "a"), hl.Func("out"), hl.Var("x")
        out[x] = a[x] + hl.select(hl.reinterpret(hl.UInt(64), hl.user_context_value()) == hl.u64(0), 1.0, 2.0)
        a.set_estimates([(0, 1000)])
        out.set_estimates([(0, 1000)])
        hl.serialize_pipeline(hl.Pipeline(out), str(self.folder / "p.hlpipe"))
        target = ("--target", "host-user_context")
        self.assertNotIn("__user_context", self.done("explain", "p.hlpipe", *target))
        self.compared("p.hlpipe", *target)
        self.profiled("p.hlpipe", *target)
        self.done("compile", "p.hlpipe", *target, "-o", "k")
        header = (self.folder / "k/p.h").read_text()
        self.assertRegex(header.split("int p_argv")[0][-400:], r"\bint p\(void const \*__user_context, struct halide_buffer_t \*_a_buffer, struct halide_buffer_t \*_\w+_buffer\);")
        for words in (["compile", "-o", "none"], ["grad", "-o", "none"], ["profile"]):
            self.refused("The pipeline p.hlpipe reads user_context_value(), which functions for x86-64-linux do not take: add -user_context to the target.", words[0], "p.hlpipe", *words[1:],
                         "--target", "x86-64-linux")
        self.assertNotIn("none", self.names())
        # Names of arguments are those of inputs.
        result = subprocess.run([EUTECTIC, "explain", "p.hlpipe", "--arg", "b=3"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.stderr, f"eutectic: --arg names b, which is no argument of p.hlpipe: it has a, {out.name()}.\n")


if __name__ == "__main__":
    main()
