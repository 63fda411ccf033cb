// What is read of assembly as LLVM writes it: loops and their names, spills, what instructions are, cycles.

#include <doctest/doctest.h>

#include <sstream>

#include "apps/read_code/assembly.h"
#include "apps/read_code/cycles.h"
#include "apps/read_code/mix.h"

using namespace eutectic;

namespace {

std::vector<std::string> lines(const std::string &text) {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        all.push_back(line);
    }
    return all;
}

/** Two loops, one in the other, a block that runs where a check fails, and one that nothing jumps to. */
const char *const x86_function = R"(	.text
	.type	kernel,@function
kernel:                                 # @kernel
# %bb.0:                                # %entry
	pushq	%rbx
	movq	%rdi, 24(%rsp)                  # 8-byte Spill
.LBB0_1:                                # %"1_for_f.s0.y"
                                        # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_2 Depth 2
	xorl	%eax, %eax
	.p2align	4
.LBB0_2:                                # %"2_for_f.s0.x.us12"
                                        #   Parent Loop BB0_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	vmovups	(%rsi,%rax), %ymm0
	vfmadd231ps	32(%rsp), %ymm0, %ymm1  # 32-byte Folded Reload
                                        # ymm1 = (ymm0 * mem) + ymm1
	vmovups	%ymm1, (%rdi,%rax)
	addq	$32, %rax
	cmpq	%rax, %rdx
	jne	.LBB0_2
# %bb.3:                                # %"2_end_for_f.s0.x"
                                        #   in Loop: Header=BB0_1 Depth=1
	incl	%ecx
	jne	.LBB0_1
# %bb.4:                                # %destructor_block
	popq	%rbx
	retq
.LBB0_5:                                # %"assert failed"
	movl	$1, %eax
	retq
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.type	table,@object
table:
	.long	1
)";

const char *const arm_function = R"(	.text
	.type	kernel,@function
kernel:                                 // @kernel
// %bb.0:                               // %entry
	str	q0, [sp, #16]                   // 16-byte Folded Spill
.LBB0_1:                                // %"7_for_f.s1.r$x"
                                        // =>This Inner Loop Header: Depth=1
	ldr	q1, [x0], #16
	fmla	v0.4s, v1.4s, v2.s[0]
	fmadd	s3, s4, s5, s3
	subs	x1, x1, #1
	b.ne	.LBB0_1
// %bb.2:
	ret
.Lfunc_end0:
)";

std::vector<llvm::MCInst> all_of(const Program &program) {
    std::vector<llvm::MCInst> instructions;
    for (const auto &[line, instruction] : program.instructions()) {
        instructions.push_back(instruction);
    }
    return instructions;
}

double cycles_of(const std::string &cpu, const std::string &text) {
    const ModelledProcessor processor("x86_64-linux-gnu", cpu);
    const Program program(processor, text);
    const Cycles cycles = count_cycles(processor, all_of(program));
    REQUIRE(cycles.failure == "");
    return cycles.turn;
}

struct Row {
    const char *text, *kind;
    int bits, lanes, products;
    bool load, store;
};

void check(const std::string &triple, const std::string &cpu, const Row &row) {
    CAPTURE(std::string(row.text));
    const ModelledProcessor processor(triple, cpu);
    const Program program(processor, "\t" + std::string(row.text) + "\n");
    REQUIRE(program.instructions().size() == 1);
    const llvm::MCInst &instruction = program.instructions()[0].second;
    const InstructionWork w = work_of(processor, instruction, printed(processor, instruction));
    CHECK(w.kind == row.kind);
    CHECK(w.bits == row.bits);
    CHECK(w.lanes == row.lanes);
    CHECK(w.products == row.products);
    CHECK(w.load == row.load);
    CHECK(w.store == row.store);
    CHECK(w.lane == (std::string(row.text).find("extr") != std::string::npos));
}

}  // namespace

TEST_CASE("loops, their names and their nesting are those of the comments") {
    const Assembly a = read_assembly(lines(x86_function));
    REQUIRE(a.regions.size() == 3);
    CHECK(a.regions[0].function == "kernel");
    CHECK(a.regions[0].label == "");
    CHECK(a.regions[0].lines.size() == 4);  // push, mov, pop, ret: the failing check is in no region
    CHECK(a.regions[1].loop == 1);
    CHECK(a.regions[1].name == "f.s0.y");
    CHECK_FALSE(a.regions[1].innermost);
    CHECK(a.regions[1].lines.size() == 3);
    CHECK(a.regions[2].loop == 2);
    CHECK(a.regions[2].name == "f.s0.x");
    CHECK(a.regions[2].parent == "BB0_1");
    CHECK(a.regions[2].innermost);
    CHECK(a.regions[2].lines.size() == 6);
    REQUIRE(a.spills.size() == 2);
    CHECK(a.spills.begin()->second.store);
    CHECK(a.spills.begin()->second.bytes == 8);
    CHECK(a.spills.rbegin()->second.load);
    CHECK(a.spills.rbegin()->second.bytes == 32);
    const Assembly arm = read_assembly(lines(arm_function));
    REQUIRE(arm.regions.size() == 2);
    CHECK(arm.regions[1].loop == 7);
    CHECK(arm.regions[1].name == "f.s1.r$x");
    CHECK(arm.regions[1].lines.size() == 5);
    CHECK(arm.regions[0].lines.size() == 2);
    CHECK(arm.spills.begin()->second.bytes == 16);
}

TEST_CASE("what instructions of x86 are") {
    const Row rows[] = {
        {"vfmadd231ps (%rsi), %zmm1, %zmm2", "multiply_add", 512, 16, 16, true, false},
        {"vfmadd213pd %ymm0, %ymm1, %ymm2", "multiply_add", 256, 4, 4, false, false},
        {"vfmadd231ss %xmm0, %xmm1, %xmm2", "multiply_add", 128, 1, 1, false, false},
        {"vpdpbusd %zmm0, %zmm1, %zmm2", "multiply_add", 512, 16, 64, false, false},
        {"vpmaddwd %ymm0, %ymm1, %ymm2", "multiply_add", 256, 8, 16, false, false},
        {"vmulps %ymm0, %ymm1, %ymm2", "multiply", 256, 8, 8, false, false},
        {"mulps %xmm0, %xmm1", "multiply", 128, 4, 4, false, false},
        {"addps (%rax), %xmm1", "arithmetic", 128, 4, 0, true, false},
        {"vaddss %xmm0, %xmm1, %xmm2", "arithmetic", 128, 1, 0, false, false},
        {"vmaxps %zmm0, %zmm1, %zmm2", "arithmetic", 512, 16, 0, false, false},
        {"vdivps %ymm0, %ymm1, %ymm2", "divide", 256, 8, 0, false, false},
        {"vcvtdq2ps %ymm0, %ymm1", "convert", 256, 8, 0, false, false},
        {"vmovups (%rsi,%rax), %zmm0", "load", 512, 16, 0, true, false},
        {"vbroadcastss (%rsi), %zmm0", "load", 512, 16, 0, true, false},
        {"vbroadcastss %xmm1, %zmm0", "shuffle", 512, 16, 0, false, false},
        {"vmovaps %ymm0, 32(%rsp)", "store", 256, 8, 0, false, true},
        {"vpextrd $1, %xmm0, %eax", "shuffle", 128, 4, 0, false, false},
        {"vgatherdps %ymm2, (%rax,%ymm1,4), %ymm0", "gather", 256, 8, 0, true, false},
        {"vbroadcastsd (%rsi), %zmm0", "load", 512, 16, 0, true, false},
        {"vcvtsi2ss %eax, %xmm0, %xmm1", "convert", 128, 1, 0, false, false},
        {"vpabsd %ymm0, %ymm1", "arithmetic", 256, 8, 0, false, false},
        {"leaq 4(%rax,%rsi), %rdi", "integer", 0, 0, 0, false, false},
        {"movq (%rax), %rdi", "load", 0, 0, 0, true, false},
        {"addq $4, %rax", "integer", 0, 0, 0, false, false},
        {"jne .LBB0_1", "jump", 0, 0, 0, false, false},
        {"callq expf", "call", 0, 0, 0, false, false},
    };
    for (const Row &row : rows) {
        check("x86_64-linux-gnu", "skylake-avx512", row);
    }
}

TEST_CASE("what instructions of AArch64 are") {
    const Row rows[] = {
        {"fmla v0.4s, v1.4s, v2.s[1]", "multiply_add", 128, 4, 4, false, false},
        {"fmla v0.2s, v1.2s, v2.2s", "multiply_add", 64, 2, 2, false, false},
        {"sdot v0.4s, v1.16b, v2.4b[0]", "multiply_add", 128, 4, 16, false, false},
        {"fmadd s0, s1, s2, s3", "multiply_add", 32, 1, 1, false, false},
        {"fmul v0.4s, v1.4s, v2.4s", "multiply", 128, 4, 4, false, false},
        {"fadd v0.4s, v1.4s, v2.4s", "arithmetic", 128, 4, 0, false, false},
        {"ldr q0, [x0]", "load", 128, 1, 0, true, false},
        {"ldp q0, q1, [x0]", "load", 128, 1, 0, true, false},
        {"str q0, [sp, #16]", "store", 128, 1, 0, false, true},
        {"ldr x0, [x1]", "load", 0, 0, 0, true, false},
        {"madd x0, x1, x2, x3", "integer", 0, 0, 0, false, false},
        {"b.ne .LBB0_1", "jump", 0, 0, 0, false, false},
    };
    for (const Row &row : rows) {
        check("aarch64-linux-gnu", "neoverse-n1", row);
    }
}

TEST_CASE("cycles of a chain are its latency, those of independent instructions their units'") {
    const std::string chain = "\tvfmadd231ps %ymm0, %ymm1, %ymm2\n";
    std::string ten;
    for (int r = 3; r < 13; r++) {
        ten += "\tvfmadd231ps %ymm0, %ymm1, %ymm" + std::to_string(r) + "\n";
    }
    CHECK(cycles_of("skylake", chain) ==
          doctest::Approx(4));  // its manual: four cycles, two of them at a time
    CHECK(cycles_of("skylake", ten) == doctest::Approx(5));
    CHECK(cycles_of("znver3", chain) == doctest::Approx(4));
    CHECK(cycles_of("znver3", ten) == doctest::Approx(5));
    CHECK(cycles_of("haswell", chain) == doctest::Approx(5));
    CHECK(cycles_of("skylake", "\tvmovups (%rsi), %ymm0\n\tvmovups 32(%rsi), %ymm1\n") == doctest::Approx(1));
}

TEST_CASE("what a model lacks is named") {
    const ModelledProcessor processor("x86_64-linux-gnu", "znver3");
    const Program program(processor, "\tvaddps %zmm0, %zmm1, %zmm2\n");
    CHECK(count_cycles(processor, all_of(program)).failure ==
          "the model of znver3 has no \"vaddps %zmm0, %zmm1, %zmm2\"");
}

TEST_CASE("the nearest processor") {
    const std::vector<std::string> known = {"cascadelake", "haswell",     "neoverse-n1", "neoverse-n2",
                                            "neoverse-v1", "neoverse-v2", "skylake",     "skylake-avx512",
                                            "znver1",      "znver4"};
    CHECK(nearest_processor("znver9", known) == "znver4");
    CHECK(nearest_processor("znver2", known) == "znver1");
    CHECK(nearest_processor("neoverse-v9", known) == "neoverse-v2");
    CHECK(nearest_processor("neoverse-n3", known) == "neoverse-n2");
    CHECK(nearest_processor("skylake-x", known) == "skylake-avx512");
    CHECK(nearest_processor("quark", known) == "");
}

TEST_CASE("a processor without a model has another one's, and both are said") {
    const ModelledProcessor unknown("x86_64-linux-gnu", "znver99"), known("x86_64-linux-gnu", "znver3"),
        nonsense("aarch64-linux-gnu", "quark");
    CHECK_FALSE(unknown.known);
    CHECK(unknown.asked == "znver99");
    CHECK(unknown.model.rfind("znver", 0) == 0);
    CHECK(known.known);
    CHECK(known.model == "znver3");
    CHECK_FALSE(nonsense.known);
    CHECK(nonsense.model == "neoverse-n1");
    CHECK_THROWS_AS(ModelledProcessor("pdp11-linux", "any"), Refused);
}

TEST_CASE("what cannot be assembled is told with its line") {
    const ModelledProcessor processor("x86_64-linux-gnu", "znver3");
    try {
        const Program program(processor, "\tnop\n\tvnonsense %ymm0\n");
        FAIL("it was taken");
    } catch (const Refused &e) {
        CHECK(std::string(e.what()).find("in line 2, \"vnonsense %ymm0\"") != std::string::npos);
    }
}
