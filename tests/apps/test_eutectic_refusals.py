#!/usr/bin/env python3
"""Every bad input is one sentence and exit status 2, and nothing is left behind."""

import signal
import subprocess

from eutectic_command import EUTECTIC, GENERATORS, TARGET, Case, main

# How the list begins and ends: tests/schedules/test_parameters.cpp has all of it.
MECHANISMS = ("there are drop_cancelled_loads, choose_by_condition, gather_segments, ", ", gpu_copies, gpu_shared_copies, price.addresses, price.first_level, price.barriers.")


class Refusals(Case):
    def setUp(self):
        super().setUp()
        self.done("explain", GENERATORS, "-g", "dense", "--save", "dense.hlpipe", "--target", TARGET)
        (self.folder / "bare.hlpipe").write_bytes(self.content())
        (self.folder / "text.txt").write_text("no pipeline\n" * 20)

    def content(self):
        return (self.folder / "dense.hlpipe").read_bytes()

    def test_the_command_line(self):
        lists = "lists what there is."
        for words, sentence in (
                ([], "The command line is not understood (A subcommand is required): eutectic --help tells how to write it."),
                (["explian", "dense.hlpipe"], "The command line has explian, which is unknown: the nearest is explain; eutectic --help " + lists),
                (["explain", "dense.hlpipe", "--efort", "best"], "The command line has --efort, which is unknown: the nearest is --effort; eutectic explain --help " + lists),
                (["explain"], "The command line is not understood (FILE is required): eutectic explain --help tells how to write it."),
                (["compile", "dense.hlpipe"], "The command line is not understood (--output is required): eutectic compile --help tells how to write it."),
                (["explain", "dense.hlpipe", "--parallelism", "0"],
                 "The command line is not understood (--parallelism: Value 0 not in range 1 to 4096): eutectic explain --help tells how to write it."),
                (["explain", "dense.hlpipe", "m=3"], "The word m=3 follows dense.hlpipe, and only a generator takes parameters: name it with -g, or give one file."),
                (["explain", "dense.hlpipe", "--save", "s.hlpipe"], "--save keeps the pipeline of a generator, and dense.hlpipe is a file already: leave --save out."),
                (["explain", "dense.hlpipe", "--target", "host,host"], "explain was given 2 targets, and a plan is for one: give one --target."),
                (["explain", "dense.hlpipe", "--targets", "host,x86-64-linux", "--write-pins", "p.json"], "--targets puts several plans side by side, and --write-pins is about one: leave one of the two out."),
                (["explain", "dense.hlpipe", "--gpu", "h100"],
                 "The GPU h100 was asked for, but the target has no kernels for one: add -cuda or -opencl to the target, or leave the GPU out.")):
            with self.subTest(words):
                self.refused(sentence, *words)

    def test_help(self):
        self.assertIn("eutectic explain dense.hlpipe", self.done("--help"))
        for command in ("explain", "compare", "compile", "profile", "calibrate"):
            self.assertIn("examples:", self.done(command, "--help"))
        self.assertRegex(self.done("--version"), r"^eutectic \d+\.\d+\.\d+, Halide 21\.\d+\.\d+\n$")

    def test_files_that_are_no_pipeline(self):
        damaged = "is no serialized Halide pipeline, or a damaged one"
        remedy = "write one with a generator's -e hlpipe."
        self.refused("The file none.hlpipe cannot be read: check that it exists and is a file.", "explain", "none.hlpipe")
        self.refused("The file . cannot be read: check that it exists and is a file.", "explain", ".")
        self.refused(f"The file {GENERATORS} is a program and no pipeline: name the generator in it with -g.", "explain", GENERATORS)
        self.refused(f"The file text.txt {damaged} (reading it ended with: Segmentation fault): {remedy}", "explain", "text.txt")
        (self.folder / "cut.hlpipe").write_bytes(b"")
        self.refused(f"The file cut.hlpipe {damaged} (it has 0 bytes): {remedy}", "explain", "cut.hlpipe")
        content = self.content()
        for length in (10, 100, 1000, 3000, 6000, len(content) - 100):
            with self.subTest(length):
                (self.folder / "cut.hlpipe").write_bytes(content[:length])
                result = self.run_command("explain", "cut.hlpipe")
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(result.stderr, rf"^eutectic: The file cut.hlpipe {damaged} \(.*\): {remedy}\n$")

    def test_rubbish_never_aborts(self):
        content = self.content()
        for n in range(40):
            with self.subTest(n):
                rubbish = bytearray(content)
                for k in range(n):
                    rubbish[(k * 7919 + n * 104729) % len(rubbish)] ^= 1 << (k + n) % 8
                (self.folder / "r.hlpipe").write_bytes(bytes(rubbish))
                result = self.run_command("explain", "r.hlpipe", timeout=100)
                self.assertIn(result.returncode, (0, 2))
                self.assertEqual(result.stderr.count("\n"), result.returncode // 2, result.stderr)

    def test_another_halide(self):
        for old, new, which in ((b"21.0.0", b"22.0.0", ""), (b"18.0.1", b"19.0.1", "serialization ")):
            (self.folder / "other.hlpipe").write_bytes(self.content().replace(old, new))
            self.refused(f"The file other.hlpipe was written by another Halide ({which}version {new.decode()}) than this one ({old.decode()}): write it again with this one.",
                         "explain", "other.hlpipe")

    def test_what_is_left_out(self):
        for name, nearest in (("zzzzzzzzzzzz", ""), ("inline_pointwize", "the nearest is inline_pointwise; ")):
            said = self.run_command("explain", "dense.hlpipe", "--disable", name)
            self.assertEqual((said.returncode, said.stdout), (2, ""))
            begins, ends = MECHANISMS
            self.assertTrue(said.stderr.startswith(f'eutectic: The scheduler parameter disable names "{name}", which is nothing that can be left out: {nearest}{begins}'), said.stderr)
            self.assertTrue(said.stderr.endswith(ends + "\n"), said.stderr)

    def test_scheduling(self):
        for words, sentence in (
                (["--target", "x86-64-linux-avx3"], "The target x86-64-linux-avx3 is unknown to Halide because of avx3: the nearest is avx."),
                (["--target", "86-64-linux"], "The target 86-64-linux is unknown to Halide because of 86: the nearest is x86."),
                (["--target", "x86-64-linux-vulkan"], "The target x86-64-linux-vulkan asks for GPU kernels in a language that Eutectic does not schedule for: use cuda or opencl, or a CPU target."),
                (["--effort", "high"], "The scheduler parameter effort was given as \"high\", which is neither fast nor best: give best for a search of some seconds, else leave it out."),
                (["--cost-model", "rooflines"], "The cost model rooflines was asked for, which is neither a file nor a name that is known: the nearest is roofline; names are roofline, traffic; or give the path of a shared library."),
                (["--search", "beem"], 'The scheduler parameter search was given as "beem", which is neither greedy nor beam nor exhaustive: give one of them, or leave it out for greedy.'),
                (["--search", "beam", "--effort", "best"], "The scheduler parameters search and effort contradict each other: effort=fast is a greedy search, and effort=best one with a beam; leave one of them out."),
                (["--target", "x86-64-linux-cuda", "--gpu", "h10"], 'The GPU "h10" is neither a preset nor a file that can be read: the nearest is h100; give a100, h100, h200, rtx4090, or the path of a file.'),
                (["--library", "onednnn"], 'The library "onednnn" was asked for, which is unknown: the nearest is onednn.'),
                (["--pin", "none.json"], "The pin file none.json cannot be read: give the path of a JSON file."),
                (["--machine", "none.json"], "The machine file none.json cannot be read: give the path of a file that scripts/calibrate wrote."),
                (["--numerics", "fast", "--target", TARGET + "-strict_float"],
                 f"Fast numerics were asked for, but the target {TARGET}-strict_float has the feature strict_float, which implies strict ones: leave out one of the two.")):
            with self.subTest(words):
                self.refused(sentence, "explain", "dense.hlpipe", *words)

    def test_an_arena_beside_a_runtime(self):
        self.refused(f"--arena was given for the target {TARGET}, whose library would hold Halide's runtime, with an allocator of its own: add -no_runtime to the target and link one "
                     "runtime and eutectic_arena beside it.", "compile", "dense.hlpipe", "--target", TARGET, "--arena", "-o", "k")

    def test_pins(self):
        (self.folder / "p.json").write_text('{"matmul": "inline"}')
        self.refused("The pins in p.json ask for what cannot be: the pin of matmul, inline: matmul has update definitions, which cannot be inlined.", "explain", "dense.hlpipe", "--pin", "p.json")
        (self.folder / "p.json").write_text('{"matmul": {"at": ["y", "j"]}, "z": "root"}')
        self.refused("The pins in p.json contradict each other: the pin of matmul, at y's j, and the pin of z, root, cannot both hold, because z reads matmul, or something made of it, outside "
                     "the loops of y: leave one of them out.", "compile", "dense.hlpipe", "--pin", "p.json", "-o", "k")
        self.assertNotIn("k", self.names())

    def test_arguments(self):
        for words, sentence in (
                (["--arg", "q=3"], "--arg names q, which is no argument of dense.hlpipe: it has b, w, x, y."),
                (["--arg", "xx=3x5"], "--arg names xx, which is no argument of dense.hlpipe: the nearest is x."),
                (["--arg", "x=3"], 'The argument x was given as "3", and it is a buffer of 2 dimensions: give its size in points, innermost first, such as --arg x=784x128.'),
                (["--arg", "x"], "--arg was given as x, which names no value: write --arg NAME=784x128 for a buffer's size, or NAME=0.5 for a scalar."),
                (["--args-order", "x,w"], "--args-order leaves out b: name each input of dense.hlpipe once."),
                (["--args-order", "x,w,w"], "--args-order names w twice: name each input of dense.hlpipe once."),
                (["--args-order", "x,w,c"], "--args-order names c, which is no argument of dense.hlpipe: it has x, w, b.")):
            with self.subTest(words):
                self.refused(sentence, "explain", "dense.hlpipe", *words)
        self.refused("The file bare.hlpipe does not tell in which order a function takes its inputs b, w and x: give them in the right order as --args-order b,w,x, or put "
                     "bare.args.json beside it.", "compile", "bare.hlpipe", "-o", "k")
        self.assertNotIn("k", self.names())

    def test_arguments_files(self):
        wrong = "docs/eutectic.md describes it; the command writes one with --save."
        x = '{"name": "x", "type": "float32", "dimensions": [%s, {}]}'
        for text, sentence in (
                ("{", "The arguments file bare.args.json is not JSON: " + wrong),
                ('{"format": 2}', 'The arguments file bare.args.json has no "format": 1: ' + wrong),
                ('{"format": 1, "inpts": []}', 'The arguments file bare.args.json has the unknown key "inpts": ' + wrong),
                ('{"format": 1, "inputs": [{"type": "float32"}]}', 'The arguments file bare.args.json has no text as "name" in inputs[0]: ' + wrong),
                ('{"format": 1, "inputs": [' + x % '{"estimate": 3}' + "]}",
                 'The arguments file bare.args.json has an "estimate" that is not [min, extent] in inputs[0] (x), dimension 0: ' + wrong),
                ('{"format": 1, "inputs": [' + x % '{"stride": "1 +"}' + "]}",
                 'The stride of dimension 0 of x in the arguments file bare.args.json is "1 +", which is no arithmetic of whole numbers, sizes such as x.extent.0, and scalar '
                 "parameters: write one of those."),
                ('{"format": 1, "inputs": [' + x.replace("32", "64") % "{}" + "]}",
                 "The arguments file bare.args.json says that x is a buffer of 2 dimensions of float64, but in the pipeline it is a buffer of 2 dimensions of float32: put the file "
                 "beside the pipeline that it was written with."),
                ('{"format": 1, "ordered": true, "inputs": [' + x % "{}" + "]}",
                 "The arguments file bare.args.json leaves out b, which the pipeline reads: put the file beside the pipeline that it was written with.")):
            with self.subTest(text):
                (self.folder / "bare.args.json").write_text(text)
                self.refused(sentence, "explain", "bare.hlpipe")

    def test_generators(self):
        for words, sentence in (
                (["-g", "dens"], f"The generator dens is not in {GENERATORS}: the nearest is dense."),
                (["-g", "dense", "mm=3"], "The generator dense has no parameter mm: the nearest is m."),
                (["-g", "dense", "bach=3"], "The generator dense has no parameter bach: it has type, m, k, n, activation."),
                (["-g", "dense", "m"], "The generator parameter m has no value: write NAME=VALUE."),
                (["-g", "dense", "autoscheduler.effort=best"],
                 "The parameter autoscheduler.effort is not the generator's: use this command's own options, such as --target, --machine and --effort.")):
            with self.subTest(words):
                self.refused(sentence, "explain", GENERATORS, *words)
        self.refused("The file nothing does not exist: give the path of a generator executable.", "explain", "nothing", "-g", "dense")
        self.refused("The file text.txt is no program, as -g dense needs: give the path of a generator executable, or leave -g out for a .hlpipe file.",
                     "explain", "text.txt", "-g", "dense")
        result = self.run_command("explain", "/bin/true", "-g", "dense")
        self.assertRegex(result.stderr, r"^eutectic: The file /bin/true is no generator executable of Halide 21 \(.*\): give one that lists its generators when it is started, "
                                        r"or a \.hlpipe file without -g\.\n$")
        self.assertEqual(result.returncode, 2)

    def generator_that_says(self, said, *ends):
        """An executable that lists one generator, and fails with this on standard error."""
        (self.folder / "said").write_text(said)
        (self.folder / "gens").write_text("\n".join(["#!/bin/sh", "if [ $# = 0 ]; then echo 'generators:' >&2; echo '    any' >&2; exit 1; fi", "cat said >&2", *ends]) + "\n")
        (self.folder / "gens").chmod(0o755)

    def test_what_generators_say_is_told_whole(self):
        aborted = "terminate called after throwing an instance of 'std::runtime_error'\n  what():  the size is odd\nand was to be even\n"
        for said, ends, told in (
                ("a warning\nUnhandled exception: Error: Func f\n  is not defined,\nbut read\n", ["exit 1"], "Func f is not defined, but read"),
                ("the size is odd\n\nand was to be even.\n", ["exit 3"], "the size is odd and was to be even."),
                (aborted, ["kill -ABRT $$"], "ended by signal: Aborted (the size is odd and was to be even)"),
                ("", ["exit 3"], "exit status 3")):
            with self.subTest(said):
                self.generator_that_says(said, *ends)
                self.refused(f"The generator any of gens failed: {told}", "explain", "gens", "-g", "any")

    def test_generators_that_are_not_differentiable(self):
        self.generator_that_says("Unhandled exception: Error: Generator not found\n", "exit 1")
        for part in ("forward", "backward", "gradient", "tangent", "hvp", "batched"):
            self.refused(f"The generator any of gens is not registered as differentiable, and any_{part} was asked for: register it with EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, any) of "
                         "autodiff/register.h in place of HALIDE_REGISTER_GENERATOR, and link Eutectic::autodiff.", "explain", "gens", "-g", f"any_{part}")
        self.refused("The generator many_forward is not in gens: it has any.", "explain", "gens", "-g", "many_forward")

    def test_places_to_write(self):
        self.refused("The table of features cannot be written to no/x.csv: check that its folder exists, is writable and has room.",
                     "explain", "dense.hlpipe", "--dump-features", "no/x.csv")
        self.refused("The table of features cannot be written to /dev/full: check that its folder exists, is writable and has room.",
                     "explain", "dense.hlpipe", "--dump-features", "/dev/full")
        self.refused(f"No folder can be made in {self.folder}/text.txt: check that it is a folder, is writable and has room.", "compile", "dense.hlpipe", "-o", "text.txt/k")
        self.refused("No folder can be made in /proc: check that it is a folder, is writable and has room.", "compile", "dense.hlpipe", "-o", "/proc/k")
        self.refused("The function cannot be called 3 bad: give -f a name of C or C++, such as dense or nn::dense.", "compile", "dense.hlpipe", "-o", "k", "-f", "3 bad")
        self.assertNotIn("k", self.names())
        for words in (["explain", "dense.hlpipe"], ["explain", "dense.hlpipe", "--json"], ["--help"]):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([EUTECTIC, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=self.folder)
                self.assertEqual((result.returncode, result.stderr),
                                 (2, "eutectic: The output cannot be written to standard output: check that it is open and has room.\n"))

    def test_a_reader_that_goes_away(self):
        with subprocess.Popen([EUTECTIC, "explain", "dense.hlpipe", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder) as process:
            process.stdout.close()  # as head does, sooner or later
            self.assertEqual((process.stderr.read(), process.wait()), ("", -signal.SIGPIPE))

    def test_a_disk_that_fills_up_while_compiling(self):
        # The same as a full disk for who writes: no file may grow beyond 20 KiB.
        result = subprocess.run(["bash", "-c", 'trap "" XFSZ; ulimit -f 20; exec "$0" compile dense.hlpipe -o k', EUTECTIC], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"^eutectic: Compiling dense\.hlpipe ended with: .*; check that the folder has room\.\n$")
        self.assertNotIn("k", self.names())
        self.assertEqual([n for n in self.names() if n.startswith(".eutectic")], [])


if __name__ == "__main__":
    main()
