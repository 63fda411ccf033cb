#!/usr/bin/env python3
"""What apps/aarch64 counts: in assembly that is written down here, and in a kernel that is compiled.

usage: test_count.py                        assembly alone
       test_count.py GENERATORS PLUGIN      a kernel, and llvm-mca; 77 where there is none
"""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "apps/aarch64"))
import count  # noqa: E402
import loops  # noqa: E402

# As LLVM writes it: a loop around one of a single block, and one of three, of which the second block has no label of its own.
ASSEMBLY = """
kernel:                                 // @kernel
// %bb.0:                               // %entry
	sub	sp, sp, #64
	str	q8, [sp, #16]                   // 16-byte Folded Spill
	fmla	v0.4s, v1.4s, v2.4s
.LBB0_1:                                // %"for y"
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_2 Depth 2
                                        //     Child Loop BB0_4 Depth 2
	mov	x9, x1
.LBB0_2:                                // %"for k"
                                        //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	ldp	q4, q5, [x9], #32
	ld1r	{ v6.4s }, [x10], #4
	subs	x11, x11, #1
	fmla	v0.4s, v6.4s, v4.4s
	fmla	v1.4s, v6.4s, v5.4s
	b.ne	.LBB0_2
// %bb.3:                               // %"end k"
                                        //   in Loop: Header=BB0_1 Depth=1
	str	q0, [x12]
.LBB0_4:                                // %"for tail"
                                        //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	ldr	q7, [sp, #16]                   // 16-byte Folded Reload
	fmla	v7.4s, v4.4s, v6.s[0]
	tbz	w8, #0, .LBB0_6
// %bb.5:                               // %then
                                        //   in Loop: Header=BB0_4 Depth=2
	mov	v3.16b, v7.16b
	str	q7, [sp, #16]                   // 16-byte Folded Spill
.LBB0_6:                                // %after
                                        //   in Loop: Header=BB0_4 Depth=2
	cbnz	x8, .LBB0_4
// %bb.7:
	ret
.LBB1_1:                                // %"for bytes"
                                        // =>This Inner Loop Header: Depth=1
	sdot	v0.4s, v1.16b, v2.4b[0]
	mul	v3.8h, v4.8h, v5.8h
	mul	w8, w9, w10
	fmadd	s0, s1, s2, s3
	b.ne	.LBB1_1
"""


class Loops(unittest.TestCase):
    def setUp(self):
        self.loops = {loop.label: loop for loop in loops.innermost_loops(ASSEMBLY)}

    def test_innermost_loops_are_found_with_all_their_blocks(self):
        self.assertEqual({label: len(loop.instructions) for label, loop in self.loops.items()}, {"BB0_2": 6, "BB0_4": 6, "BB1_1": 5})

    def test_instructions_are_told_apart(self):
        self.assertEqual(self.loops["BB0_2"].counts(), {
            "instructions": 6, "multiply_adds": 2, "products": 8, "loads": 2, "broadcast_loads": 1, "stores": 0, "spills": 0,
            "vector_moves": 0})
        self.assertEqual(self.loops["BB0_4"].counts(), {
            "instructions": 6, "multiply_adds": 1, "products": 4, "loads": 1, "broadcast_loads": 0, "stores": 1, "spills": 2,
            "vector_moves": 1})

    def test_products_of_integers_and_scalars(self):
        # 16 bytes in four sums, eight that are added apart, one of scalars; an address is none.
        self.assertEqual((self.loops["BB1_1"].multiply_adds(), self.loops["BB1_1"].counts()["products"]), (3, 25))

    def test_the_loop_of_whole_tiles_comes_first(self):
        self.assertEqual([loop.label for loop in loops.product_loops(ASSEMBLY)], ["BB1_1", "BB0_2", "BB0_4"])

    def test_processors_take_over_from_others(self):
        n1, v1 = count.processor_fields("neoverse_n1"), count.processor_fields("neoverse_v1")
        self.assertEqual((n1["vector_ops_per_cycle"], v1["vector_ops_per_cycle"]), ("2", "4"))
        self.assertEqual(v1["fma_latency_cycles"], n1["fma_latency_cycles"])


class Kernel(unittest.TestCase):
    def test_a_product_is_planned_compiled_and_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/counts.json"
            status = count.main(["--only", "batched_matmul", "--keep", folder, "--json", path, "--generators", GENERATORS, "--plugin", PLUGIN])
            self.assertEqual(status, 0)
            counts = json.loads(pathlib.Path(path).read_text())
            self.assertTrue((pathlib.Path(folder) / "batched_matmul.loop.s").read_text().count("fmla") >= 8)
        (row,) = counts["rows"]
        self.assertEqual(sorted(row["processors"]), ["apple-m1", "cortex-a76", "neoverse-n1", "neoverse-v1"])
        self.assertEqual(row["loop"]["products"], 4 * row["loop"]["multiply_adds"])
        # A tile in registers: nothing is spilled, and there are more multiply-adds than all else.
        self.assertEqual(row["loop"]["spills"], 0)
        self.assertLess(row["per_multiply_add"]["instructions"], 2)
        self.assertTrue(0.5 < row["processors"]["neoverse-n1"]["share_of_peak"] <= 1.01)
        for processor, figures in row["processors"].items():
            self.assertGreaterEqual(figures["cycles"], row["loop"]["multiply_adds"] / 4, processor)
            self.assertEqual("share_of_peak" in figures, "model" not in figures, processor)

    def test_independent_multiply_adds_are_at_the_peak(self):
        loop = loops.Loop("BB0_0", 1)
        loop.instructions = [loops.Instruction("fmla", "v%d.4s, v30.4s, v31.4s" % v, False) for v in range(16)]
        self.assertAlmostEqual(count.cycles(count.find_mca(), "neoverse-n1", loop), 8, delta=0.1)


if __name__ == "__main__":
    kernel = len(sys.argv) > 2
    if kernel:
        GENERATORS, PLUGIN = sys.argv[1:3]
        try:
            count.find_mca()
        except count.Failure as failure:
            print("Skipped: %s (scripts/aarch64 --count installs it.)" % failure)
            sys.exit(77)
    unittest.main(argv=sys.argv[:1], defaultTest="Kernel" if kernel else ["Loops"])
