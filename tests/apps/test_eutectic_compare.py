#!/usr/bin/env python3
"""compare: every scheduler gives a row, whatever it does; results are checked and inputs are sensible. The fifth argument: a library of schedulers that misbehave;
the sixth, thorough: many pipelines."""

import ctypes.util
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import time
import unittest

import halide as hl
import numpy as np

from eutectic_command import EUTECTIC, GENERATORS, Case, generators, main

BAD = sys.argv[5]
THOROUGH = sys.argv[6:] == ["thorough"]  # minutes
HALIDES = ["Mullapudi2016", "Adams2019", "Li2018", "Anderson2021"]
KEYS = {"file", "scheduler", "status", "reason", "seconds", "min_seconds", "spread", "schedule_seconds", "compile_seconds", "peak_bytes", "kernels", "max_error"}


class Compare(Case):
    def compare(self, *words, status=0):
        result = self.run_command("compare", *words, "--json", "--parallelism", 2, "--seconds", 0.01)
        self.assertEqual((result.returncode, result.stderr), (status, ""), (words, result.stdout))
        document = json.loads(result.stdout)
        self.assertEqual(set(document), {"machine", "rows"})
        for row in document["rows"]:
            self.assertEqual(set(row), KEYS)
            self.assertIn(row["status"], ("ok", "wrong", "crash", "timeout", "memory", "unsupported"))
            self.assertEqual(row["status"] == "ok", row["reason"] == "", row)
            if row["status"] == "ok":
                self.assertGreater(row["seconds"], 0)
                self.assertLessEqual(row["min_seconds"], row["seconds"])
                self.assertGreater(row["kernels"], 0)
                self.assertGreaterEqual(row["peak_bytes"], 0)
        return document["rows"]

    def save(self, generator, *parameters, name=None):
        self.done("explain", GENERATORS, "-g", generator, *parameters, "--save", f"{name or generator}.hlpipe")

    def test_every_scheduler_has_a_row(self):
        rows = self.compare(GENERATORS, "-g", "dense", "m=32", "k=48", "n=64")
        self.assertEqual([r["scheduler"] for r in rows], ["eutectic", "root", "as-is", "Mullapudi2016", "Adams2019", "Li2018", "Anderson2021"])
        by_name = {r["scheduler"]: r for r in rows}
        for name in ("eutectic", "root", "as-is", "Mullapudi2016", "Adams2019", "Li2018"):
            self.assertEqual(by_name[name]["status"], "ok", by_name[name])
        self.assertEqual(by_name["Anderson2021"]["status"], "unsupported")
        # The unfused program holds matmul and z, 64 x 32 floats each, at once; the fused one neither.
        self.assertEqual(by_name["root"]["peak_bytes"], 2 * 4 * 64 * 32)
        self.assertEqual(by_name["root"]["kernels"], 3)
        self.assertEqual(by_name["eutectic"]["kernels"], 1)
        self.assertEqual(by_name["root"]["max_error"], 0)

    def test_memory_from_an_arena(self):
        rows = self.compare(GENERATORS, "-g", "dense", "m=64", "k=64", "n=64", "--against", "root", "--arena")
        self.assertEqual([r["status"] for r in rows], ["ok", "ok"])

    @unittest.skipUnless(ctypes.util.find_library("OpenCL"), "there is no OpenCL")
    def test_results_of_a_device_are_fetched(self):
        rows = self.compare(GENERATORS, "-g", "gelu", "n=5000", "--target", "host-opencl", "--against", "root")
        self.assertEqual([(r["scheduler"], r["status"], r["reason"]) for r in rows], [("eutectic", "ok", ""), ("root", "ok", "")])

    def test_long_sums_by_winograds_algorithm_are_within_rounding(self):
        layer = ("width=7", "height=7", "channels_in=512", "channels_out=512", "kernel=3", "stride=1", "padding=1")
        words = (GENERATORS, "-g", "conv2d", *layer, "--target", "x86-64-linux-avx-avx2-f16c-fma-sse41", "--machine", "zen4")
        notes = self.report(*words, "--parallelism", 2)["notes"]
        self.assertTrue(any("is computed by Winograd's algorithm in tiles of 4 x 4" in note for note in notes), notes)
        eutectic = self.compare(*words, "--against", "root")[0]
        self.assertEqual(eutectic["status"], "ok")
        self.assertGreater(eutectic["max_error"], 1e-4)  # larger than a sum of 4,608 terms has as it is written

    def test_bytes_that_are_rounded_from_floats(self):
        words = (GENERATORS, "-g", "unsharp", "width=300", "height=200", "--against", "root")
        for row in self.compare(*words):
            self.assertEqual(row["status"], "ok", row)
            self.assertLessEqual(row["max_error"], 1)
        self.assertEqual({row["max_error"] for row in self.compare(*words, "--numerics", "strict")}, {0})

    def test_a_file_with_a_manual_schedule(self):
        j, i, jo, io, ji, ii = (hl.Var(n) for n in ("j", "i", "jo", "io", "ji", "ii"))
        x, w, product, out = hl.ImageParam(hl.Float(32), 2, "x"), hl.ImageParam(hl.Float(32), 2, "w"), hl.Func("product"), hl.Func("out")
        r = hl.RDom([(0, 48)])
        product[j, i] = 0.0
        product[j, i] += x[r, i] * w[j, r]
        out[j, i] = hl.max(product[j, i], 0.0)
        x.set_estimates([(0, 48), (0, 32)])
        w.set_estimates([(0, 64), (0, 48)])
        out.set_estimates([(0, 64), (0, 32)])
        out.tile(j, i, jo, io, ji, ii, 16, 4).vectorize(ji, 8).parallel(io)
        product.compute_at(out, jo).vectorize(j, 8)
        product.update(0).reorder(j, i, r).vectorize(j, 8)
        hl.serialize_pipeline(hl.Pipeline(out), str(self.folder / "manual.hlpipe"))
        rows = {r["scheduler"]: r for r in self.compare("manual.hlpipe")}
        self.assertEqual({s: r["status"] for s, r in rows.items()},
                         {"eutectic": "ok", "root": "ok", "as-is": "ok", "Mullapudi2016": "ok", "Adams2019": "ok", "Li2018": "ok", "Anderson2021": "unsupported"})
        # The schedule in the file computes the product in tiles; without it, as root leaves it, it is a nest of its own.
        self.assertEqual((rows["as-is"]["kernels"], rows["root"]["kernels"]), (1, 2))
        self.assertEqual(rows["root"]["peak_bytes"], 4 * 64 * 32)
        self.assertLess(rows["as-is"]["peak_bytes"], 4 * 64 * 32)

    def test_a_table_for_people(self):
        self.save("softmax", "rows=16", "cols=64")
        text = self.done("compare", "softmax.hlpipe", "--against", "root")
        self.assertRegex(text, r"^softmax\.hlpipe\n +scheduler +status +median +min +spread +x eutectic +schedule +compile +peak +kernels +error\n +eutectic +ok ")
        self.assertEqual(len(text.splitlines()), 4)

    def test_schedulers_that_misbehave(self):
        self.save("pointwise_chain", "n=100")
        bad = [w for name in ("Crash", "Hang", "Eat", "Reserve", "Exit", "Chatty", "Wrong") for w in ("--plugin", f"{name}={BAD}")]
        rows = self.compare("pointwise_chain.hlpipe", "--against", "root", *bad, "--timeout", 6, "--memory", 1000, status=1)
        self.assertEqual({r["scheduler"]: r["status"] for r in rows},
                         {"eutectic": "ok", "root": "ok", "Crash": "crash", "Hang": "timeout", "Eat": "memory", "Reserve": "memory", "Exit": "crash", "Chatty": "ok", "Wrong": "wrong"})

    def test_a_folder_survives_schedulers_that_misbehave(self):
        count = 20 if THOROUGH else 2
        (self.folder / "all").mkdir()
        for i in range(count):
            self.save("pointwise_chain", f"n={100 + i}", name=f"all/p{i:02}")
        bad = {"Crash": "crash", "Hang": "timeout", "Eat": "memory"}
        rows = self.compare("all", "--against", "root", *[w for name in bad for w in ("--plugin", f"{name}={BAD}")], "--timeout", 6, "--memory", 1000)
        for scheduler in ("eutectic", "root", *bad):
            self.assertEqual([(r["file"], r["status"]) for r in rows if r["scheduler"] == scheduler], [(f"all/p{i:02}.hlpipe", bad.get(scheduler, "ok")) for i in range(count)])

    def test_control_c_leaves_the_table(self):
        (self.folder / "all").mkdir()
        for i in range(4):
            self.save("pointwise_chain", f"n={100 + i}", name=f"all/p{i}")
        scratch = self.folder / "scratch"
        scratch.mkdir()
        process = subprocess.Popen([EUTECTIC, "compare", "all", "--against", "root", "--plugin", f"Hang={BAD}", "--timeout", "10"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True, env={**os.environ, "TMPDIR": str(scratch)})
        time.sleep(17)  # in the wait for the second pipeline's
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, -signal.SIGINT, err)
        self.assertIn("all/p0.hlpipe", out)
        self.assertRegex(out, r"Hang +timeout")
        self.assertEqual(list(pathlib.Path(scratch).iterdir()), [])

    def test_progress_on_a_terminal(self):
        self.save("pointwise_chain", "n=100")
        leader, follower = pty.openpty()
        result = subprocess.run([EUTECTIC, "compare", "pointwise_chain.hlpipe", "--against", "root"], cwd=self.folder, stdout=subprocess.PIPE, stderr=follower, text=True)
        os.close(follower)
        said = os.read(leader, 1 << 16).decode()
        os.close(leader)
        self.assertEqual(result.returncode, 0)
        self.assertIn("[1/1] pointwise_chain.hlpipe, eutectic: timing, 1 of 3", said)

    def test_inputs(self):
        self.save("dense", "m=8", "k=12", "n=16")
        np.save(self.folder / "x.npy", np.full((8, 12), 0.5, np.float32))
        rows = self.compare("dense.hlpipe", "--against", "root", "--input", "x=x.npy", "--input", "w=uniform(0,1)", "--input", "b=int(-1,1)")
        self.assertEqual([r["status"] for r in rows], ["ok", "ok"])
        # Nothing is left of negative sums: that compares nothing.
        rows = self.compare("dense.hlpipe", "--against", "root", "--input", "x=uniform(-1,-1)", "--input", "w=uniform(1,1)", "--input", "b=int(0,0)", status=1)
        self.assertEqual(rows[0]["status"], "wrong")
        self.assertIn("is 0 in the unfused program as well", rows[0]["reason"])

    def test_refusals(self):
        self.save("dense", "m=8", "k=12", "n=16")
        np.save(self.folder / "small.npy", np.zeros((8, 4), np.float32))
        np.save(self.folder / "double.npy", np.zeros((8, 12)))
        (self.folder / "text.hlpipe").write_text("no pipeline\n" * 20)
        for words, sentence in (
                (["--input", "x=some"], "The input x was given as some, which says no values: write --input x=FILE.npy, uniform(-1,1) or int(0,9)."),
                (["--input", "x=uniform(0,1e999)"], "The input x was given as uniform(0,1e999), whose ends are larger than a double holds: give ends up to 1e308."),
                (["--input", "x=int(3,1)"], "The input x was given as int(3,1), whose ends are in the wrong order: write the smaller one first."),
                (["--input", "q=int(0,1)"], "--input names q, which is no input of dense.hlpipe: it has b, w, x."),
                (["--input", "x=small.npy"], "The array in small.npy has 4 points along dimension 0 of the input x, which is read from 0 to 11: give a larger array, or plan for smaller sizes."),
                (["--input", "x=double.npy"], "The array in double.npy has 2 axes of <f8, but the input x has 2 dimensions of <f4: give an array of that kind."),
                (["--input", "x=text.npy"], "The file text.npy cannot be read: give the path of an array that numpy.save() wrote."),
                (["--against", "Adams2018"], "The scheduler Adams2018 is unknown: the nearest is Adams2019; others come with --plugin NAME=LIB.so."),
                (["--plugin", "Mine"], "--plugin was given as Mine, which names no library: write --plugin NAME=LIB.so, with the name that the library registers."),
                (["--plugin", "Mine=none.so"], "The plugin none.so of Mine does not exist: give the path of a scheduler's shared library."),
                (["--target", "arm-64-linux"], None)):
            with self.subTest(words):
                if sentence:
                    self.refused(sentence, "compare", "dense.hlpipe", *words)
                else:
                    self.assertRegex(self.run_command("compare", "dense.hlpipe", *words).stderr, r"^eutectic: The target arm-64-linux is not this machine \(.*\), and what is compared has to run")
        result = self.run_command("compare", "text.hlpipe")
        self.assertRegex(result.stderr, r"^eutectic: The file text\.hlpipe is no serialized Halide pipeline, or a damaged one \(.*\): write one with a generator's -e hlpipe\.\n$")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        # Among others it costs its rows.
        rows = self.compare("text.hlpipe", "dense.hlpipe", "--against", "root", status=1)
        self.assertEqual([r["status"] for r in rows], ["unsupported", "unsupported", "ok", "ok"])
        (self.folder / "empty").mkdir()
        self.refused("The folder empty holds no .hlpipe file: write some with a generator's -e hlpipe.", "compare", "empty")

    def test_default_inputs_of_every_generator_compare_something(self):
        for name in generators() if THOROUGH else ("softmax_xent", "adam", "scatter_add", "color_matrix"):
            with self.subTest(name):
                # An alpha below 0 leaves nothing but rounding to divide by.
                values = ("--input", "in=uniform(0,1)") if name == "interpolate" else ()
                result = self.run_command("compare", GENERATORS, "-g", name, "--against", "root", "--json", "--parallelism", 2, "--seconds", 0.001, *values)
                rows = json.loads(result.stdout)["rows"]
                self.assertEqual({r["scheduler"]: r["status"] for r in rows}, {"eutectic": "ok", "root": "ok"}, rows)


if __name__ == "__main__":
    main()
