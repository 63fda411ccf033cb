#!/usr/bin/env python3
"""explain and compile over every generator, as they are and from a file with its arguments beside it: one plan. A fifth argument: thorough, or quick for every 54th generator, which takes
one as it is, a forward, a backward and a gradient."""

import json
import subprocess
import sys

from eutectic_command import EUTECTIC, GENERATORS, PLUGIN, TARGET, Case, generators, main


EVERY = {"quick": 54, "thorough": 1}[sys.argv[5]]


class EveryGenerator(Case):
    def test_the_plugin_the_generator_and_its_file_have_one_plan(self):
        self.assertGreater(len(generators()), 20)
        for name in generators()[::EVERY]:
            with self.subTest(name):
                direct = self.report(GENERATORS, "-g", name, "--target", TARGET, "--parallelism", 4, "--save", f"{name}.hlpipe")
                loaded = self.report(f"{name}.hlpipe", "--target", TARGET, "--parallelism", 4)
                subprocess.run([GENERATORS, "-g", name, "-n", name, "-o", ".", "-e", "schedule", "-p", PLUGIN, f"target={TARGET}", "autoscheduler=Eutectic",
                                "autoscheduler.parallelism=4", f"autoscheduler.report={name}.json"], check=True, cwd=self.folder)
                plugin = json.loads((self.folder / f"{name}.json").read_text())
                self.assertEqual(direct["plan_hash"], plugin["plan_hash"])
                self.assertEqual(loaded["plan_hash"], plugin["plan_hash"])
                self.assertEqual(set(direct), set(plugin))
                self.assertEqual(direct["edges"], plugin["edges"])
                self.check_edges(direct)

    def check_edges(self, report):
        """The ledger adds up: what fusion saves on edges is what its buffers no longer move."""
        for edge in report["edges"]:
            self.assertEqual(edge["saved_bytes"], edge["unfused_bytes"] - edge["fused_bytes"], edge)
            self.assertGreater(edge["unfused_bytes"], 0, edge)
            if edge["decision"] != "in memory":
                self.assertEqual(edge["fused_bytes"], 0, edge)
            if edge["runner_up"] and edge["runner_up"]["total_seconds"]:
                if edge["decision"] in ("inlined", "in memory"):  # there are many tiles and blocks
                    self.assertNotEqual(edge["runner_up"]["decision"], edge["decision"], edge)
                self.assertAlmostEqual(edge["runner_up"]["total_seconds"] - edge["runner_up"]["more_seconds"], report["cost"]["total_seconds"], delta=1e-12)
        for operation in report["operations"]:
            edges = [e for e in report["edges"] if e["producer"] == operation["func"]]
            if edges:
                reads = sum(e["unfused_bytes"] for e in edges) - edges[0]["bytes"]
                self.assertLessEqual(reads, len(edges) * edges[0]["bytes"])

    def test_text(self):
        text = self.done("explain", GENERATORS, "-g", "dense", "--target", TARGET, "--parallelism", 2)
        for part in (f"Plan for {TARGET} on preset x86", "group 1: matmul z y\n", ", predicted ", " % of the whole: compute ", "matmul -> z: at tile, epilogue; ",
                     "256 KiB unfused, 0 B fused, 256 KiB saved; runner-up: in memory, ", "traffic: 768 KiB unfused, 128 KiB fused, 512 KiB saved (67 %)",
                     "\npredicted: ", "\nunfused: ", "the schedule, as the body of a function", "y.compute_root();"):
            self.assertIn(part, text)

    def test_every_generator_compiles(self):
        names = generators()[::EVERY]
        for name in names:
            with self.subTest(name):
                written = self.done("compile", GENERATORS, "-g", name, "-o", "kernels", "--target", TARGET + "-no_runtime").split()
                self.assertEqual(written, [f"kernels/{name}.a", f"kernels/{name}.h", f"kernels/{name}.report.json"])
                for path in written:
                    self.assertGreater((self.folder / path).stat().st_size, 500)
                self.assertIn(f"int {name}(", (self.folder / "kernels" / f"{name}.h").read_text())
        self.assertEqual(len(self.names("kernels")), 3 * len(names))

    def test_a_weight_that_is_packed_once(self):
        how = (GENERATORS, "-g", "dense", "--target", TARGET + "-no_runtime", "--parallelism", 2, "--packed", "w")
        written = self.done("compile", *how, "-f", "nn::layer", "-o", "kernels", "--object").split()
        self.assertEqual(written, ["kernels/layer.o", "kernels/layer.h", "kernels/layer.report.json"])
        packed, = self.report(*how)["packed"]
        self.assertEqual(json.loads((self.folder / "kernels/layer.report.json").read_text())["packed"], [packed])
        columns, step = packed["columns"], packed["columns"] * packed["panels_at_once"]
        self.assertEqual((packed["input"], packed["order"]), ("w", [0, 1]))
        self.assertEqual(packed["extents"][:2], [str(columns), "w.extent(1)"])
        self.assertTrue(packed["extents"][2].startswith(f"(w.extent(0) + {step - 1}) / {step}"))
        header = (self.folder / "kernels/layer.h").read_text()
        for part in (f"layer takes w in panels of {columns} columns, which layer_pack_w(w, packed) makes", "#define layer_pack_w_dimensions 3\n", "    packed[1] = w[1];\n",
                     f"    packed[2] = (w[0] + {step - 1}) / {step}", "int layer(struct halide_buffer_t *_x_buffer, struct halide_buffer_t *_w_buffer,",
                     "int layer_pack_w(struct halide_buffer_t *_w_buffer, struct halide_buffer_t *_w_packed_buffer)"):
            self.assertIn(part, header)
        text = self.done("explain", *how)
        self.assertIn(f"w is handed over packed, in panels of {columns} columns: {columns} x w.extent(1) x (w.extent(0) + {step - 1}) / {step}", text)
        self.assertIn(f"eutectic::read_panels(pipeline, w, {{0, 1}}, {columns});", text)
        self.refused("--packed was given for 2 targets, and the kernel for each would take panels of its own: give one --target.",
                     "compile", GENERATORS, "-g", "dense", "--packed", "w", "--target", "x86-64-linux-avx2,x86-64-linux", "-o", "none")
        self.assertEqual(self.names(), ["kernels"])

    def test_what_else_is_written(self):
        dense = (GENERATORS, "-g", "dense", "m=8", "k=16", "n=32")
        holds = {"s": r"\tv?(mul|fmadd)", "bc": r"^BC", "conceptual.stmt": r"produce y", "conceptual.stmt.html": r"produce", "ll": r"\ndefine ", "py.cpp": r"PyObject \*",
                 "pytorch.h": r"inline int dense_th_\(", "registration.cpp": r"dense_argv", "schedule.h": r"apply_schedule_dense\((?s:.*)compute_root\(\);", "stmt": r"produce y", "stmt.html": r"produce"}
        outputs = "assembly,bitcode,conceptual_stmt,conceptual_stmt_html,llvm_assembly,python_extension,pytorch_wrapper,registration,schedule,stmt,stmt_html"
        written = self.done("compile", *dense, "--target", TARGET, "-o", "one", "--emit", outputs).split()
        self.assertEqual(written, [f"one/dense.{extension}" for extension in ("a", "h", *holds, "report.json")])
        for extension, text in holds.items():
            self.assertRegex((self.folder / "one" / f"dense.{extension}").read_text(errors="replace"), text)

        targets = ["x86-64-linux-avx2-fma-no_runtime", "x86-64-linux-no_runtime"]
        written = self.done("compile", *dense, "--target", ",".join(targets), "-o", "two", "--emit", "stmt,registration,schedule").split()
        names = ["a", "h"] + [f"-{target}.stmt" for target in targets] + ["registration.cpp", "schedule.h"] + [f"-{target}.report.json" for target in targets]
        self.assertEqual(written, [f"two/dense{'' if name.startswith('-') else '.'}{name}" for name in names])
        self.assertEqual({path.name for path in (self.folder / "two").iterdir()}, {path.partition("/")[2] for path in written})

        self.refused(f"--emit was given stmnt, which is no output: the nearest is stmt; there are {outputs.replace(',', ', ').replace(', stmt_html', ' and stmt_html')}.",
                     "compile", *dense, "-o", "none", "--emit", "stmnt")
        self.refused("--emit was given python_extension and 2 targets, and Halide writes it for one: give one --target, or leave python_extension out.",
                     "compile", *dense, "--target", ",".join(targets), "-o", "none", "--emit", "python_extension")


if __name__ == "__main__":
    main()
