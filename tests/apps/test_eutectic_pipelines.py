#!/usr/bin/env python3
"""Pipelines from files that other programs wrote: nothing in them has a name, or all is scheduled, or the sizes hang on a scalar."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess

import halide as hl
import numpy as np
from eutectic_command import EUTECTIC, GENERATORS, PLUGIN, TARGET, Case, main
from halide_call import call


def unnamed_layer():
    """max(x w + b, 0) of which nothing has a name: what a plan adds may not take the names that this program gave."""
    i, j = hl.Var(), hl.Var()
    x, w, b = hl.ImageParam(hl.Float(32), 2), hl.ImageParam(hl.Float(32), 2), hl.ImageParam(hl.Float(32), 1)
    r = hl.RDom([(0, x.dim(0).extent())])
    product, biased, out = hl.Func(), hl.Func(), hl.Func()
    product[j, i] = 0.0
    product[j, i] += x[r, i] * w[j, r]
    biased[j, i] = product[j, i] + b[j]
    out[j, i] = hl.max(biased[j, i], 0.0)
    x.set_estimates([(0, 300), (0, 100)])
    w.set_estimates([(0, 120), (0, 300)])
    b.set_estimates([(0, 120)])
    out.set_estimates([(0, 120), (0, 100)])
    return hl.Pipeline(out), [x.name(), w.name(), b.name()], out.name()


def unnamed_softmax():
    """Softmax of rows without a name: sums in lanes and a reciprocal are Funcs that the plan adds."""
    i, j = hl.Var(), hl.Var()
    x = hl.ImageParam(hl.Float(32), 2)
    r = hl.RDom([(0, x.dim(0).extent())])
    largest, e, total, y = hl.Func(), hl.Func(), hl.Func(), hl.Func()
    largest[i] = hl.f32(-1e30)
    largest[i] = hl.max(largest[i], x[r, i])
    e[j, i] = hl.exp(x[j, i] - largest[i])
    total[i] = 0.0
    total[i] += e[r, i]
    y[j, i] = e[j, i] / total[i]
    x.set_estimates([(0, 1024), (0, 1024)])
    y.set_estimates([(0, 1024), (0, 1024)])
    return hl.Pipeline(y)


def rows(scheduled, split=False):
    """y(j, i) = exp(x(j, i)) / the sum of its row; with every kind of directive or with none."""
    i, j, jo, ji, u = (hl.Var(n) for n in ("i", "j", "jo", "ji", "u"))
    x = hl.ImageParam(hl.Float(32), 2, "x")
    r = hl.RDom([(0, 256)], "r")
    e, s, y = hl.Func("e"), hl.Func("s"), hl.Func("y")
    e[j, i] = hl.exp(x[j, i])
    s[i] = 0.0
    s[i] += e[r, i]
    y[j, i] = e[j, i] / s[i]
    x.set_estimates([(0, 256), (0, 200)])
    y.set_estimates([(0, 256), (0, 200)])
    rows.output = y.name()  # another one each time
    if split:
        ro, ri = hl.RVar("ro"), hl.RVar("ri")
        s.update().split(r.x, ro, ri, 8)
        s.update().rfactor(ri, u).compute_root()
    if scheduled:
        y.split(j, jo, ji, 16).vectorize(ji).parallel(i).specialize(x.dim(0).extent() >= 64)
        s.compute_at(y, i)
        e.compute_root().store_in(hl.MemoryType.Heap).vectorize(j, 8)
        e.in_(s).compute_at(y, i)
        x.in_().compute_root()
    return hl.Pipeline(y)


def long_sum():
    """A sum whose length is a scalar argument."""
    n, scale = hl.Param(hl.Int(32), "n"), hl.Param(hl.Float(32), "scale")
    x, i = hl.ImageParam(hl.Float(32), 2, "x"), hl.Var("i")
    r = hl.RDom([(0, n)], "r")
    y = hl.Func("y")
    y[i] = 0.0
    y[i] += x[r, i] * scale
    x.set_estimates([(0, 512), (0, 64)])
    y.set_estimates([(0, 64)])
    return hl.Pipeline(y)


class Pipelines(Case):
    def save(self, pipeline, name):
        hl.serialize_pipeline(pipeline, str(self.folder / name))

    def test_nothing_has_a_name(self):
        pipeline, inputs, output = unnamed_layer()
        self.save(pipeline, "p.hlpipe")
        self.assertEqual(len(self.report("p.hlpipe")["groups"][0]["members"]), 3)
        self.done("compile", "p.hlpipe", "-o", "k", "-f", "layer", "--args-order", ",".join(inputs), "--arg", f"{output}=120x100")
        random = np.random.default_rng(3)
        library = self.shared("k/layer.a")
        for m, k, n in ((100, 300, 120), (1, 1, 1), (5, 7, 33)):
            x, w, b = (random.standard_normal(shape, dtype=np.float32) for shape in ((m, k), (k, n), (n,)))
            out = np.zeros((m, n), dtype=np.float32)
            self.assertEqual(call(library, "layer", x, w, b, out), 0)
            np.testing.assert_allclose(out, np.maximum(x @ w + b, 0), rtol=1e-4, atol=1e-4)

    def test_nothing_has_a_name_and_the_plan_makes_more_of_it(self):
        self.save(unnamed_softmax(), "p.hlpipe")
        made = [a["kind"] for g in self.report("p.hlpipe", "--target", TARGET)["groups"] for a in g["added"]]
        self.assertIn("lanes", made)
        self.assertIn("reciprocal", made)
        self.done("compile", "p.hlpipe", "-o", "k", "-f", "softmax")
        library = self.shared("k/softmax.a")
        for shape in ((64, 1024), (3, 5)):
            x = np.random.default_rng(5).standard_normal(shape, dtype=np.float32)
            y = np.zeros_like(x)
            self.assertEqual(call(library, "softmax", x, y), 0)
            e = np.exp(x - x.max(axis=1, keepdims=True))
            np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=1e-5)

    def test_directives_come_off(self):
        self.save(rows(scheduled=False), "plain.hlpipe")
        self.save(rows(scheduled=True), "scheduled.hlpipe")
        plain, scheduled = (self.report(f, "--target", TARGET) for f in ("plain.hlpipe", "scheduled.hlpipe"))
        self.assertEqual(plain["plan_hash"], scheduled["plan_hash"])
        self.assertEqual([e["reason"] for e in plain["edges"]], [e["reason"] for e in scheduled["edges"]])

    def test_directives_stay_with_keep_schedule(self):
        self.save(rows(scheduled=True), "scheduled.hlpipe")
        reasons = {e["reason"] for e in self.report("scheduled.hlpipe", "--target", TARGET, "--keep-schedule")["edges"]}
        self.assertTrue(any("carries a schedule of the user's, which is left as it is" in r for r in reasons), reasons)
        self.done("compile", "scheduled.hlpipe", "-o", "k", "--keep-schedule")
        library = self.shared("k/scheduled.a")
        for shape in ((200, 256), (3, 256)):
            x = np.random.default_rng(6).standard_normal(shape, dtype=np.float32)
            y = np.zeros_like(x)
            self.assertEqual(call(library, "scheduled", x, y), 0)
            e = np.exp(x)
            np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=1e-4)
        rows_of = json.loads(self.done("compare", "scheduled.hlpipe", "--keep-schedule", "--against", "as-is", "--seconds", 0.01, "--json"))["rows"]
        self.assertEqual([r["status"] for r in rows_of], ["ok"] * len(rows_of), rows_of)

    def test_what_rfactor_split_stays_split_and_is_told(self):
        self.save(rows(scheduled=True, split=True), "p.hlpipe")
        report = self.report("p.hlpipe", "--target", TARGET)
        self.assertEqual(len(report["notes"]), 1)
        self.assertRegex(report["notes"][0], r"^s\S*_intm and s\S* are one reduction in two steps, as rfactor\(\) leaves it: each is scheduled as it stands$")
        self.assertIn("\nnote: " + report["notes"][0], self.done("explain", "p.hlpipe", "--target", TARGET))
        self.assertEqual(self.report(GENERATORS, "-g", "softmax")["notes"], [])
        self.done("compile", "p.hlpipe", "-o", "k")
        x = np.random.default_rng(4).standard_normal((200, 256), dtype=np.float32)
        y = np.zeros_like(x)
        self.assertEqual(call(self.shared("k/p.a"), "p", x, y), 0)
        e = np.exp(x)
        np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=1e-5)

    def test_sizes_that_hang_on_a_scalar_are_asked_for_by_name(self):
        self.save(long_sum(), "p.hlpipe")
        self.refused("The sizes of p.hlpipe do not follow from what is known of its arguments, for n and scale lack estimates: give --arg n=VALUE, or an "
                     "arguments file beside it.", "explain", "p.hlpipe")
        given = self.report("p.hlpipe", "--arg", "n=500")  # scale says nothing about sizes
        self.assertEqual(given["operations"][0]["flops"], 2.0 * 500 * 64)
        (self.folder / "p.args.json").write_text(
            '{"format": 1, "function": "total", "ordered": true, "inputs": [{"name": "scale", "type": "float32"}, {"name": "n", "type": "int32", "estimate": 500},'
            ' {"name": "x", "type": "float32", "dimensions": [{}, {}]}]}')
        self.assertEqual(self.report("p.hlpipe")["plan_hash"], given["plan_hash"])
        self.assertEqual(self.report("p.hlpipe", "--arg", "n=100")["operations"][0]["flops"], 2.0 * 100 * 64)
        self.done("compile", "p.hlpipe", "-o", "k")
        x = np.ones((64, 512), dtype=np.float32)
        y = np.zeros(64, dtype=np.float32)
        self.assertEqual(call(self.shared("k/total.a"), "total", ctypes.c_float(0.5), ctypes.c_int(300), x, y), 0)
        np.testing.assert_array_equal(y, np.full(64, 150, dtype=np.float32))

    def test_another_size(self):
        self.save(rows(scheduled=False), "p.hlpipe")
        small, large = (self.report("p.hlpipe", "--arg", f"{rows.output}=256x{n}", "--arg", f"x=256x{n}") for n in (10, 1000))
        self.assertEqual(small["traffic"]["caller_read_bytes"] * 100, large["traffic"]["caller_read_bytes"])

    def test_a_plan_that_drifts(self):
        self.save(rows(scheduled=False), "p.hlpipe")
        how = ["--target", TARGET, "--parallelism", "4"]
        plan = self.report("p.hlpipe", *how)["plan_hash"]
        for expected in (plan, plan.split("-")[2]):
            self.done("explain", "p.hlpipe", *how, "--expect-hash", expected)
        pipeline, machine, decisions = plan.split("-")
        same = "; the pipeline and the machine are the same, so the scheduler or its parameters changed."
        for words, expected, why in (
                (["--disable", "tile_producer"], plan, same),
                (["--disable", "tile_producer"], decisions, "; what else changed, the whole hash would tell."),
                (["--disable", "tile_producer", "--arg", rows.output + "=256x300"], plan, "; the pipeline changed too, in its structure or its estimates, and the machine did not."),
                (["--disable", "tile_producer", "--parallelism", "2"], plan, "; the machine changed too, and the pipeline did not.")):
            with self.subTest(words):
                for command in (["explain", "p.hlpipe", "--json"], ["compile", "p.hlpipe", "-o", "k"]):
                    result = self.run_command(*command, *how[:2], *(words if "--parallelism" in words else how[2:] + words), "--expect-hash", expected)
                    self.assertEqual(result.returncode, 1)
                    self.assertRegex(result.stderr, r"^eutectic: The plan has drifted: its decisions are [0-9a-f]{16} and were expected to be " + decisions + re.escape(why) + "\n$")
        self.assertNotIn("k", self.names())
        self.refused("The expected hash \"1f\" is none: give the plan_hash of a report, or its last part, the decisions.", "compile", "p.hlpipe", "-o", "k", "--expect-hash", "1f")

    def test_features(self):
        self.save(rows(scheduled=False), "p.hlpipe")
        self.done("explain", "p.hlpipe", "--dump-features", "stages.csv")
        lines = (self.folder / "stages.csv").read_text().splitlines()
        self.assertEqual(lines[0], "stage,func,update,role,dims,points,flops,divisions,transcendentals,loaded_bytes,stored_bytes,element_bytes")
        self.assertEqual(lines[1], f"0,e,-1,pointwise,256x200,51200,0,0,51200,{4 * 51200},{4 * 51200},4")
        self.assertEqual(lines[3], f"2,s,0,reduction,200x256r,51200,51200,0,0,{4 * 51200},0,4")
        self.assertEqual(len(lines), 5)

    def test_several_targets_in_one_library(self):
        self.save(rows(scheduled=False), "p.hlpipe")
        written = self.done("compile", "p.hlpipe", "-o", "k", "-f", "nn::rows", "--target", "x86-64-linux-avx2-fma-f16c-avx-sse41,x86-64-linux").split()
        self.assertEqual(len(written), 4)
        self.assertEqual(sum(name.endswith(".report.json") for name in self.names("k")), 2)
        self.assertIn("namespace nn", (self.folder / "k/rows.h").read_text())

    def test_memory_from_an_arena(self):
        call = (GENERATORS, "-g", "dense", "m=64", "k=64", "n=64")
        with_heap, with_arena = self.report(*call), self.report(*call, "--arena")
        self.assertEqual(with_heap["allocator"]["kind"], "heap")
        self.assertEqual(with_arena["allocator"], {"kind": "arena", "trimming_seconds": 0, "unfused_trimming_seconds": 0})
        self.assertIn("\ntemporaries: from an arena, which keeps their pages\n", self.done("explain", *call, "--arena"))
        several = self.done("explain", GENERATORS, "-g", "mlp_gradient", "--target", "x86-64-linux-avx-avx2-f16c-fma-sse41", "--parallelism", 2)
        self.assertRegex(several, "\ntemporaries: from the heap; mapping their pages anew, which an arena keeps, is [0-9.]+ us of the predicted time and [0-9.]+ [mu]s of the unfused\n")
        # Kernels for any architecture, and for several; nothing of the heap's is left in them.
        for targets in (TARGET + "-no_runtime", "arm-64-linux-no_runtime", "x86-64-linux-avx2-fma-no_runtime,x86-64-linux-no_runtime"):
            with self.subTest(targets):
                self.done("compile", *call, "--target", targets, "--arena", "-o", "kept")
                library = (self.folder / "kept" / "dense.a").read_bytes()
                self.assertNotIn(b"halide_malloc\0", library)
                self.assertIn(b"eutectic_arena_malloc\0", library)
                self.assertIn(b"eutectic_arena_free\0", library)

    def test_a_plan_for_an_arena_holds_better_than_the_one_for_the_heap(self):
        # Where pages have no price, a search ends elsewhere: these at plans that take up to twice as long.
        for name in ("harris", "unsharp"):
            with self.subTest(name):
                call = (GENERATORS, "-g", name, "--target", "x86-64-linux-avx-avx2-f16c-fma-sse41", "--parallelism", 2)
                heap, arena = ({m["processor"]: m["seconds"] for m in self.report(*call, *more)["family"]} for more in ((), ("--arena",)))
                self.assertGreater(len(heap), 2)
                self.assertLessEqual(max(arena[p] / heap[p] for p in heap), 1.1)

    def test_strict(self):
        self.save(rows(scheduled=False), "p.hlpipe")
        report = self.report("p.hlpipe", "--numerics", "strict")
        self.assertEqual((report["numerics"], report["grade"]), ("strict", "exact"))
        self.assertIn("strict_float", report["target"])


class Pins(Case):
    def test_pinned_plans(self):
        free = self.report(GENERATORS, "-g", "dense", "--target", TARGET, "--parallelism", 4, "--save", "dense.hlpipe", "--write-pins", "plan.json")
        self.assertEqual(json.loads((self.folder / "plan.json").read_text()), {"matmul": {"at": ["y", "i"]}, "z": "inline"})
        again = self.report("dense.hlpipe", "--target", TARGET, "--parallelism", 4, "--pin", "plan.json", "--expect-hash", free["plan_hash"])
        self.assertTrue(all(e["reason"].startswith("pinned; ") for e in again["edges"]), again["edges"])
        for pins, decisions in (({"z": "root"}, {"matmul": "at tile", "z": "in memory"}), ({"edges": {"matmul→z": "never fuse"}}, {"matmul": "in memory"}),
                                ({"matmul": {"at": ["y", "j"]}}, {"matmul": "at tile", "z": "inlined"})):
            with self.subTest(pins):
                (self.folder / "p.json").write_text(json.dumps(pins))
                pinned = self.report("dense.hlpipe", "--target", TARGET, "--parallelism", 4, "--pin", "p.json")
                edges = {e["producer"]: e for e in pinned["edges"]}
                self.assertEqual({name: edges[name]["decision"] for name in decisions}, decisions)
                self.assertNotEqual(pinned["plan_hash_parts"]["decisions"], free["plan_hash_parts"]["decisions"])
                self.assertEqual({k: v for k, v in pinned["plan_hash_parts"].items() if k != "decisions"}, {k: v for k, v in free["plan_hash_parts"].items() if k != "decisions"})
                plugin = subprocess.run([GENERATORS, "-g", "dense", "-n", "p", "-o", ".", "-e", "schedule", "-p", PLUGIN, f"target={TARGET}", "autoscheduler=Eutectic",
                                         "autoscheduler.parallelism=4", "autoscheduler.pin=p.json", "autoscheduler.expect_hash=" + pinned["plan_hash"]], capture_output=True, text=True, cwd=self.folder)
                self.assertEqual(plugin.returncode, 0, plugin.stderr)
                self.assertIn("kept in memory: the pin of", self.done("explain", "dense.hlpipe", "--pin", "p.json")) if "in memory" in decisions.values() else None
                drifted = self.run_command("explain", "dense.hlpipe", "--target", TARGET, "--parallelism", 4, "--pin", "p.json", "--expect-hash", free["plan_hash"])
                self.assertEqual(drifted.returncode, 1)
                self.assertIn("the pipeline and the machine are the same, so the scheduler or its parameters changed", drifted.stderr)


class Readme(Case):
    def test_from_an_unknown_pipeline_to_a_pinned_library(self):
        root = pathlib.Path(__file__).parents[2]
        lines = re.search(r"```sh\n(eutectic explain unknown.*?)```", (root / "README.md").read_text(), re.DOTALL).group(1)
        self.assertEqual(lines.count("\n"), 6)
        for name in ("unknown.hlpipe", "unknown.args.json"):
            shutil.copy(root / "apps/examples/unknown" / name, self.folder)
        result = subprocess.run(["bash", "-euo", "pipefail", "-c", lines], capture_output=True, text=True, cwd=self.folder,
                                env={**os.environ, "PATH": f"{pathlib.Path(EUTECTIC).parent}:{os.environ['PATH']}"})
        # On a busy machine it tells that it is still at it.
        self.assertEqual((result.returncode, re.sub(r"eutectic: .* s so far\n", "", result.stderr)), (0, ""))
        self.assertEqual(self.names("kernels"), ["unknown.a", "unknown.h", "unknown.report.json"])
        report = json.loads((self.folder / "kernels/unknown.report.json").read_text())
        for edge in report["edges"]:
            self.assertRegex(edge["reason"], "^(pinned; |kept in memory: the pin of )")


if __name__ == "__main__":
    main()
