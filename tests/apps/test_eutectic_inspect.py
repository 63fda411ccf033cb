#!/usr/bin/env python3
"""inspect: the code that is emitted, read back; and what is said where it cannot be."""

import html.parser
import json
import os
import pathlib
import re
import shutil

from eutectic_command import EUTECTIC, GENERATORS, Case, main
from jsonschema import Draft202012Validator

READER = pathlib.Path(EUTECTIC).with_name("eutectic-read-code")
SCHEMA = pathlib.Path(__file__).parents[2] / "apps/eutectic/inspect.schema.json"
MATMUL = (GENERATORS, "-g", "matmul", "--parallelism", 2)
AVX2 = ("--target", "x86-64-linux-avx-avx2-f16c-fma-sse41", "--no-run")
ARM = ("--target", "arm-64-linux")


CUDA = ("--target", "x86-64-linux-cuda-cuda_capability_80", "--gpu", "a100")
SASS = pathlib.Path(__file__).with_name("kernel.sass").read_text()


def check_schema(case, read):
    for error in Draft202012Validator(json.loads(SCHEMA.read_text())).iter_errors(read):
        case.fail(f"{error.json_path}: {error.message}")
    return read


def page_data(path):
    """The data of a page that needs nothing else."""
    text, found = path.read_text(), []

    class Page(html.parser.HTMLParser):
        data = False

        def handle_starttag(self, tag, attrs):
            assert not [v for k, v in attrs if k in ("src", "href") and v and not v.startswith("data:")], attrs
            self.data = dict(attrs).get("id") == "data"

        def handle_data(self, text):
            if self.data:
                found.append(text)
                self.data = False

    Page().feed(text)
    assert not re.findall(r"@[A-Z]+@", text)
    return json.loads(found[0])


class WithoutLibraries(Case):
    def test_it_says_so(self):
        reason = "EUTECTIC_READ_CODE names nowhere, which is no program"
        sentence = "inspect has nothing to read code with (%s): install Debian's llvm-19-dev and build Eutectic anew, or name an eutectic-read-code in EUTECTIC_READ_CODE." % reason
        result = self.run_command("inspect", *MATMUL, env={**os.environ, "EUTECTIC_READ_CODE": "nowhere"})
        self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", f"eutectic: {sentence}\n"))

    def test_refusals(self):
        self.refused("inspect was given 2 targets, and reads the code of one: give one --target.", "inspect", *MATMUL, "--target", "host,arm-64-linux")
        for target in ("host-opencl", "x86-64-linux-opencl"):
            self.assertRegex(self.run_command("inspect", *MATMUL, "--target", target).stderr, r"^eutectic: inspect reads kernels for CUDA, and those of the target \S+ are compiled by the device's driver: give a target with cuda, or one for a CPU\.$")
        self.refused(f"--cpu names a processor, and the code of the target {CUDA[1]} is a device's: leave it out, or name the device by --gpu.", "inspect", *MATMUL, *CUDA, "--cpu", "znver3")
        self.refused("inspect reads code of x86 and of AArch64, and was given the target wasm-32-wasmrt: give one of those.", "inspect", *MATMUL, "--target", "wasm-32-wasmrt")


class Code(Case):
    def setUp(self):
        super().setUp()
        if not READER.exists():
            self.skipTest("eutectic-read-code was not built: LLVM's libraries were not found")

    def inspected(self, *words):
        return check_schema(self, json.loads(self.done("inspect", *words, "--json")))

    def inner(self, nest):
        return next(r for r in nest["regions"] if r["innermost"])

    def test_a_product(self):
        """What is counted of a product is what it is: multiply-adds of all points, in vectors, at the rate of the units."""
        read = self.inspected(*MATMUL, *AVX2, "--cpu", "znver3")
        self.assertEqual((read["cpu"], read["cpu_known"], read["model"], read["model_note"]), ("znver3", True, "znver3", ""))
        (nest,) = read["nests"]
        inner = self.inner(nest)
        products = sum(r["products"] * r["turns"] for r in nest["regions"])
        self.assertTrue(1024**3 <= products < 1.05 * 1024**3, products)  # tiles at the end overlap others
        self.assertEqual((inner["vector_bits"], inner["stores"], inner["spill_stores"], inner["spill_loads"], inner["scalar_arithmetic"]), (256, 0, 0, 0, 0))
        self.assertLess(inner["loads_per_multiply_add"], 0.8)
        # Zen 3 begins two multiply-adds a cycle, and no more.
        self.assertGreaterEqual(inner["cycles"], inner["multiply_adds"] / 2)
        self.assertLess(inner["cycles"], inner["multiply_adds"] / 2 * 1.3)
        self.assertEqual(inner["mix"]["multiply_add"], inner["multiply_adds"])
        self.assertEqual(len(inner["assembly"]), inner["instructions"])
        self.assertEqual(sum("vfmadd" in line for line in inner["assembly"]), inner["multiply_adds"])
        self.assertAlmostEqual(sum(nest["mix"].values()), 1)
        # The model has the loops in the first level, the price what they wait for besides.
        self.assertTrue(0.4 < nest["model_cycles"] / nest["price_cycles"] < 1.3, nest["model_cycles"] / nest["price_cycles"])
        self.assertEqual((nest["measured_cycles"], read["not_measured"]), (None, "Nothing was measured, as --no-run asks."))

    def test_measured(self):
        read = self.inspected(*MATMUL, "--seconds", 0.2)
        (nest,) = read["nests"]
        self.assertEqual(read["not_measured"], "")
        self.assertTrue(5e8 < read["measured_hertz"] < 1e10)
        self.assertAlmostEqual(nest["measured_cycles"], nest["seconds"] * read["measured_hertz"], delta=1e-6 * nest["measured_cycles"])
        self.assertGreater(nest["measured_cycles"], 0.3 * nest["model_cycles"])

    def test_the_nests_are_the_plan_s(self):
        for generator in ("softmax", "conv2d", "blur"):
            read, report = self.inspected(GENERATORS, "-g", generator, *AVX2), self.report(GENERATORS, "-g", generator, *AVX2[:2])
            self.assertEqual([(n["root"], n["members"], n["policy"]) for n in read["nests"]], [(g["root"], g["members"], g["policy"]) for g in report["groups"]])
            for nest, group in zip(read["nests"], report["groups"]):
                self.assertAlmostEqual(nest["predicted_seconds"], group["cost"]["total_seconds"])
                self.assertGreater(nest["model_cycles"], 0, nest["root"])
                self.assertTrue(all(r["turns"] > 0 for r in nest["regions"]))

    def test_a_processor_that_llvm_does_not_know(self):
        read = self.inspected(*MATMUL, *AVX2, "--cpu", "znver99")
        self.assertFalse(read["cpu_known"])
        self.assertRegex(read["model_note"], r"^LLVM \S+ does not know the processor znver99: cycles are by the model of znver\d, the nearest$")
        text = self.done("inspect", *MATMUL, *AVX2, "--cpu", "znver99")
        self.assertIn(read["model_note"], text)
        # One that cannot run the code has no cycles for it, and everything else.
        read = self.inspected(*MATMUL, "--target", "x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41", "--no-run", "--cpu", "znver3")
        self.assertIsNone(read["nests"][0]["model_cycles"])
        self.assertRegex(read["nests"][0]["no_cycles"], r'^the model of znver3 has no "\S+ .*%zmm')

    def test_another_architecture(self):
        read = self.inspected(*MATMUL, *ARM)
        self.assertEqual(read["model"], "neoverse-n1")
        self.assertRegex(read["not_measured"], r"^Nothing was measured: the target arm-64-linux is not this machine \(.*\)\.$")
        inner = self.inner(read["nests"][0])
        self.assertEqual(inner["vector_bits"], 128)
        # Two a cycle, as its optimization guide has it.
        self.assertTrue(0.99 * inner["multiply_adds"] / 2 < inner["cycles"] < 1.2 * inner["multiply_adds"] / 2)
        self.assertTrue(any(line.startswith("fmla v") for line in inner["assembly"]))

    def test_text(self):
        text = self.done("inspect", *MATMUL, *AVX2)
        self.assertRegex(text, r"(?m)^    cycles: \S+( [kMG])? by llvm-mca's model, \S+( [kMG])? by the price \(.*s\)$")
        self.assertRegex(text, r"(?m)^    for matmul\S+: .* turns of \S+ cycles \(\d+ %\), \d+ instructions, vectors of 256 bits, \d+ multiply-adds with \S+ loads and \S+ stores each$")
        self.assertGreater(len(re.findall(r"(?m)^        vfmadd", text)), 4)

    def test_page(self):
        read = self.inspected(*MATMUL, *AVX2, "--html", "page.html")
        self.assertEqual(page_data(self.folder / "page.html"), read)

    def test_a_reader_that_fails(self):
        reader = self.folder / "reader"
        reader.write_text("#!/bin/sh\necho nonsense\n")
        reader.chmod(0o755)
        result = self.run_command("inspect", *MATMUL, *AVX2, env={**os.environ, "EUTECTIC_READ_CODE": str(reader)})
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, f"eutectic: The code of {GENERATORS} -g matmul could not be read back ({reader} printed what is no answer): give another --target or --cpu.\n")


class Kernels(Case):
    """With an assembler and a disassembler that are made up, so that they are the same everywhere."""

    def tool(self, name, script):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return str(path)

    def inspect(self, *words, **tools):
        result = self.run_command("inspect", *MATMUL, *CUDA, *words, env={**os.environ, **tools})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def ptxas(self):
        """Says of the kernels of the file, and leaves an empty one."""
        return self.tool("ptxas", """for word; do case $word in *.ptx) ptx=$word;; *.cubin) : > $word;; esac; done
sed -n 's/^\\.visible \\.entry \\([A-Za-z0-9_$]*\\).*/\\1/p' $ptx | while read name; do
echo "ptxas info    : Compiling entry function '$name' for 'sm_80'"
echo "    128 bytes stack frame, 24 bytes spill stores, 40 bytes spill loads"
echo "ptxas info    : Used 63 registers, used 1 barriers, 436 bytes cmem[0]"
done
""")

    def test_what_the_assembler_says(self):
        tools = {"EUTECTIC_PTXAS": self.ptxas(), "EUTECTIC_NVDISASM": str(self.folder / "nowhere")}
        read = check_schema(self, json.loads(self.inspect("--json", "--html", "page.html", **tools)))
        self.assertEqual(page_data(self.folder / "page.html"), read)
        self.assertEqual(read["architecture"], "sm_80")
        self.assertEqual(read["no_machine_code"], f"There is no machine code to see (EUTECTIC_NVDISASM names {self.folder / 'nowhere'}, which is no program): install the CUDA toolkit's nvdisasm, or name one in EUTECTIC_NVDISASM.")
        (nest,) = read["nests"]
        self.assertEqual((nest["regions"], nest["model_cycles"], nest["measured_cycles"]), ([], None, None))
        for kernel in nest["kernels"]:
            self.assertEqual((kernel["registers"], kernel["spill_store_bytes"], kernel["spill_load_bytes"], kernel["frame_bytes"], kernel["instructions"]), (63, 24, 40, 128, 0))
        self.assertIn("63 registers a thread", self.inspect(**tools))

    def test_machine_code(self):
        ptxas = self.ptxas()
        name = json.loads(self.inspect("--json", EUTECTIC_PTXAS=ptxas, EUTECTIC_NVDISASM=""))["nests"][0]["kernels"][0]["name"]
        (self.folder / "code.sass").write_text(SASS.replace("KERNEL", name))
        nvdisasm = self.tool("nvdisasm", f'test "$1" = -c && cat {self.folder}/code.sass\n')
        read = check_schema(self, json.loads(self.inspect("--json", EUTECTIC_PTXAS=ptxas, EUTECTIC_NVDISASM=nvdisasm)))
        kernel = next(k for k in read["nests"][0]["kernels"] if k["name"] == name)
        self.assertEqual(read["no_machine_code"], "")
        self.assertEqual(kernel["instructions"], 14)  # NOP is none
        self.assertEqual(kernel["mix"], {"arithmetic": 1, "barrier": 1, "integer": 2, "jump": 3, "load_shared": 1, "local": 1, "move": 2, "multiply_add": 2, "store_global": 1})
        self.assertEqual(kernel["assembly"], ["LDS.128 R20, [R37]", "LDL R3, [R1]", "FFMA R61, R20.reuse, R24, R61", "FFMA R58, R20, R25, R58", "ISETP.GE.AND P1, PT, R4, R5, PT", "@P1 BRA `(.L_x_2)"])
        text = self.inspect(EUTECTIC_PTXAS=ptxas, EUTECTIC_NVDISASM=nvdisasm)
        self.assertIn("        the inner loop, 6 instructions: 33 % multiply-add, 17 % integer, 17 % jump, 17 % load-shared, 17 % local\n            LDS.128 R20, [R37]\n", text)

    def test_the_toolkit_s(self):
        if not shutil.which("ptxas", path=os.environ["PATH"] + ":/usr/local/cuda/bin"):
            self.skipTest("there is no ptxas here")
        read = check_schema(self, json.loads(self.inspect("--json")))
        self.assertTrue(all(0 < k["registers"] <= 255 and k["occupancy"] > 0 for n in read["nests"] for k in n["kernels"]))

    def test_without_an_assembler(self):
        result = self.run_command("inspect", *MATMUL, *CUDA, env={**os.environ, "EUTECTIC_PTXAS": "nowhere"})
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, "eutectic: inspect has nothing to assemble kernels with (EUTECTIC_PTXAS names nowhere, which is no program): install the CUDA toolkit, or name its ptxas in EUTECTIC_PTXAS.\n")


main()
