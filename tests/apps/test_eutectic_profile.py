#!/usr/bin/env python3
"""profile: the plan's groups as they ran, beside what was predicted; and functions that come from outside."""

import json
import subprocess

import halide as hl
import numpy as np
from eutectic_command import CXX, GENERATORS, Case, main

DOUBLED = """
#include "HalideRuntime.h"
extern "C" int doubled(halide_buffer_t *in, halide_buffer_t *out) {
    if (!in->host) {
        in->dim[0] = out->dim[0];
        return 0;
    }
    for (int i = 0; i < out->dim[0].extent; i++) {
        reinterpret_cast<float *>(out->host)[i] = 2 * reinterpret_cast<float *>(in->host)[out->dim[0].min + i - in->dim[0].min];
    }
    return 0;
}
"""

# Runs a compiled kernel of 100 x 200 points and says how often that called its function from outside.
CALLER = """
#include "HalideBuffer.h"
#include "k/outside.h"
#include <cstdio>
int calls = 0;
extern "C" int reduced(halide_buffer_t *in, halide_buffer_t *out) {
    if (!in->host) {
        in->dim[0] = out->dim[0];
        in->dim[1] = out->dim[1];
        return 0;
    }
    calls++;
    Halide::Runtime::Buffer<float> from(*in), to(*out);
    to.for_each_element([&](int i, int j) { to(i, j) = 2 * from(i, j); });
    return 0;
}
int main() {
    Halide::Runtime::Buffer<float> x(100, 200), out(100, 200);
    x.fill(1);
    const int status = outside(x, out);
    std::printf("%d %d %g", status, calls, out(99, 199));
}
"""


class Profile(Case):
    def profile(self, *words):
        return json.loads(self.done("profile", *words, "--seconds", 0.3, "--parallelism", 2, "--json"))

    def test_every_group_beside_its_prediction(self):
        report = self.report(GENERATORS, "-g", "mlp_loss", "--parallelism", 2, "--save", "mlp.hlpipe")
        profile = self.profile("mlp.hlpipe")
        self.assertEqual({g["root"]: (set(g["members"]), g["predicted_seconds"]) for g in profile["groups"]},
                         {g["root"]: (set(g["members"]), g["cost"]["total_seconds"]) for g in report["groups"]})
        off = [abs(g["seconds"] - g["predicted_seconds"]) for g in profile["groups"]]
        self.assertEqual(off, sorted(off, reverse=True))
        self.assertGreater(profile["runs"], 10)
        self.assertGreater(profile["samples"], 10)
        parts = sum(g["seconds"] for g in profile["groups"]) + sum(o["seconds"] for o in profile["other"])
        self.assertAlmostEqual(parts, profile["seconds"], delta=0.05 * profile["seconds"])
        text = self.done("profile", "mlp.hlpipe", "--seconds", 0.1)
        self.assertIn("in all: ", text)
        self.assertEqual(text.count(" that); allocates "), len(report["groups"]))

    def test_what_stays_in_memory_is_what_was_predicted(self):
        for generator in ("dense", "softmax", "pointwise_chain"):
            with self.subTest(generator):
                report = self.report(GENERATORS, "-g", generator, "--parallelism", 2)
                profile = self.profile(GENERATORS, "-g", generator, "--unfused")
                self.assertEqual({m for g in profile["groups"] for m in g["members"]}, {o["func"] for o in report["operations"]})
                for group in profile["groups"]:
                    self.assertEqual(len(group["members"]), 1)
                    if group["predicted_bytes"]:
                        self.assertEqual(group["peak_bytes"], group["predicted_bytes"], group)

    def test_values_of_intermediates(self):
        random = np.random.default_rng(7)
        x, w, b = (random.standard_normal(shape, dtype=np.float32) for shape in ((6, 12), (12, 10), (10,)))
        for name, array in (("x", x), ("w", w), ("b", b)):
            np.save(self.folder / f"{name}.npy", array)
        self.done("explain", GENERATORS, "-g", "dense", "m=6", "k=12", "n=10", "--save", "dense.hlpipe")
        inputs = [word for name in "xwb" for word in ("--input", f"{name}={name}.npy")]
        self.done("profile", "dense.hlpipe", "--seconds", 0.01, *inputs, "--unfused", *[word for f in ("matmul", "z", "y") for word in ("--values", f"{f}=got_{f}.npy")])
        for name, expected in (("matmul", x @ w), ("z", x @ w + b), ("y", np.maximum(x @ w + b, 0))):
            got = np.load(self.folder / f"got_{name}.npy")
            self.assertEqual(got.dtype, np.float32)
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
        quick = ("profile", "dense.hlpipe", "--seconds", 0.01)
        self.refused("The values of z were asked for, and this plan never has all of them in memory: add --unfused.", *quick, "--values", "z=z.npy")
        self.refused("The values of matmull were asked for, and there is no such Func: the nearest is matmul.", *quick, "--unfused", "--values", "matmull=z.npy")
        self.refused("The array cannot be written to no/z.npy: check that its folder exists, is writable and has room.", *quick, "--unfused", "--values", "z=no/z.npy")

    def test_refusals(self):
        self.done("explain", GENERATORS, "-g", "dense", "--save", "dense.hlpipe")
        (self.folder / "p.json").write_text("{}")
        self.refused("--unfused and --pin contradict each other: the unfused program has no decisions to pin; leave one of them out.", "profile", "dense.hlpipe", "--unfused", "--pin", "p.json")
        self.refused("--input names q, which is no input of dense.hlpipe: it has b, w, x.", "profile", "dense.hlpipe", "--input", "q=int(0,1)")
        self.refused("The input x was given as one, which says no values: write --input x=FILE.npy, uniform(-1,1) or int(0,9).", "profile", "dense.hlpipe", "--input", "x=one")

    def test_functions_from_outside(self):
        i = hl.Var("i")
        x, y, out = hl.ImageParam(hl.Float(32), 1, "x"), hl.Func("y"), hl.Func("out")
        inside = hl.Func("inside")
        inside[i] = x[i] + 1.0
        y.define_extern("doubled", [inside], hl.Float(32), 1)
        out[i] = y[i] * 3.0
        x.set_estimates([(0, 1000)])
        y.set_estimates([(0, 1000)])
        out.set_estimates([(0, 1000)])
        inside.compute_root()
        y.compute_root()
        pipeline = hl.Pipeline(out)
        hl.serialize_pipeline(pipeline, str(self.folder / "outside.hlpipe"))
        (self.folder / "doubled.cpp").write_text(DOUBLED)
        include = subprocess.run([CXX, "-shared", "-fPIC", "-o", "doubled.so", "doubled.cpp", "-I", hl.install_dir() + "/include"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(include.returncode, 0, include.stderr)
        for command in ("profile", "compare"):
            self.refused("The pipeline calls doubled, which is in none of the libraries given: give the one that has it as --extern LIB.so.", command, "outside.hlpipe")
        self.assertIn("in all: ", self.done("profile", "outside.hlpipe", "--extern", "./doubled.so", "--seconds", 0.1))
        rows = json.loads(self.done("compare", "outside.hlpipe", "--extern", "./doubled.so", "--against", "root,as-is", "--seconds", 0.01, "--json"))["rows"]
        self.assertEqual([r["status"] for r in rows], ["ok"] * 3, rows)

    def test_an_extern_stage_is_called_once_for_a_region(self):
        i, j = hl.Var("i"), hl.Var("j")
        x, y, out, inside = hl.ImageParam(hl.Float(32), 2, "x"), hl.Func("y"), hl.Func("out"), hl.Func("inside")
        inside[i, j] = x[i, j] + 1.0
        y.define_extern("reduced", [inside], hl.Float(32), 2)
        out[i, j] = y[i, j] * 3.0
        for f in (x, out):
            f.set_estimates([(0, 100), (0, 200)])
        inside.compute_root()
        y.compute_root()
        hl.serialize_pipeline(hl.Pipeline(out), str(self.folder / "outside.hlpipe"))
        self.done("compile", "outside.hlpipe", "-o", "k", "-f", "outside")
        (self.folder / "caller.cpp").write_text(CALLER)
        built = subprocess.run([CXX, "-o", "caller", "caller.cpp", "k/outside.a", "-I.", "-I", hl.install_dir() + "/include", "-ldl", "-lpthread"],
                               cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(subprocess.run(["./caller"], cwd=self.folder, capture_output=True, text=True).stdout, "0 1 12")


if __name__ == "__main__":
    main()
