// Plan and printed schedule of well-known pipelines as text files, for a made-up machine: whatever changes
// them is seen in review.

#include <doctest/doctest.h>

#include "Halide.h"

#include "fusion/rules/rule.h"
#include "schedules/directive.h"
#include "schedules/rewrites/made_rewrite.h"
#include "tests/support/golden.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/pipelines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

/** The backward of a biased relu: d where y is positive is written, and summed up over the rows. */
Graph mask_and_bias(int64_t columns, int64_t rows) {
    Sketch s;
    const Extents all = {columns, rows};
    const FuncId d = s.input("d", all), y = s.input("y", all);
    const FuncId z = s.pointwise("d_z", all, {{d, {at(0), at(1)}}, {y, {at(0), at(1)}}}, work(2));
    s.output(z);
    s.output(s.reduction("d_b", {columns}, {rows}, {{z, {at(0), at(1)}}}));
    return s.graph();
}

/** A product of bytes in 32 bits. */
Graph quantized(int64_t m, int64_t k, int64_t n) {
    using namespace Halide;
    const int rows = static_cast<int>(m), terms = static_cast<int>(k), columns = static_cast<int>(n);
    const ImageParam a = image("a", {terms, rows}, UInt(8)), b = image("b", {columns, terms}, Int(8));
    const RDom r(0, a.dim(0).extent(), "r");
    const Var i("i"), j("j");
    Func mm("mm"), out("out");
    mm(j, i) += cast<int>(a(r, i)) * cast<int>(b(j, r));
    out(j, i) = max(mm(j, i), 0);
    estimate(out, {columns, rows});
    return graph_of({out});
}

/** With x86's vpmaddwd. */
Machine machine_with_dots() {
    Machine m = round_machine();
    m.dots.pairs = 2;
    return m;
}

std::string everything(const Graph &graph, const Machine &machine = round_machine()) {
    const std::vector<Rule> rules =
        machine.gpu ? gpu_rules(gpu_rewrite_rules()) : cpu_rules(cpu_rewrite_rules());
    const FusionPlan plan = plan_greedy(graph, machine, rules).plan;
    return "== graph\n" + to_string(graph) + "== plan\n" + to_string(plan) + "== schedule\n" +
           print(emit(graph, plan));
}

}  // namespace

TEST_CASE("golden schedules") {
    check_golden("dense.txt", everything(dense(128, 784, 256)));
    check_golden("softmax.txt", everything(softmax(1000, 64)));
    check_golden("mask_and_bias.txt", everything(mask_and_bias(1024, 65536)));
    check_golden("quantized.txt", everything(quantized(128, 783, 256), machine_with_dots()));
}

TEST_CASE("golden schedules for a GPU") {
    check_golden("dense_gpu.txt", everything(dense(128, 784, 256), round_gpu_machine()));
    check_golden("softmax_gpu.txt", everything(softmax(1000, 64), round_gpu_machine()));
}

TEST_CASE("emission is a function of graph and plan") {
    CHECK(everything(dense(128, 784, 256)) == everything(dense(128, 784, 256)));
    CHECK(everything(dense(128, 784, 256)) != everything(dense(3, 5, 7)));
}
