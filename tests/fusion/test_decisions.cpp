// What is fused, and the sentence for what is not: (pipeline, Func -> placement, reason) on a made-up
// machine. Tile sizes have no say here.

#include <doctest/doctest.h>

#include <functional>

#include "fusion/rules/rule.h"
#include "fusion/rules/rules.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

std::string name_of(const Graph &g, FuncId f) {
    return g.funcs[f].name;
}

/** "z inlined; mm at y; e in memory", of the operations that are no outputs, in graph order. */
std::string decisions(const Graph &g, const FusionPlan &plan) {
    std::string text;
    for (const FuncId f : g.funcs.ids()) {
        if (g.funcs[f].input || g.funcs[f].output) {
            continue;
        }
        const Placement &p = plan.placements[f];
        text += (text.empty() ? "" : "; ") + g.funcs[f].name +
                (p.kind == Placement::Kind::inlined ? " inlined"
                 : p.kind == Placement::Kind::at    ? " at " + name_of(g, p.consumer)
                 : p.kind == Placement::Kind::block ? " in a block of " + name_of(g, p.consumer)
                                                    : " in memory");
    }
    return text;
}

/** The step about `f` that was weighed last and not taken, or null. */
const Step *weighed(const Planned &planned, FuncId f) {
    for (const Step &s : planned.weighed) {
        if (s.site.producer == f) {
            return &s;
        }
    }
    return nullptr;
}

std::string reason(const Graph &g, const Planned &planned, const std::string &name) {
    for (const FuncId f : g.funcs.ids()) {
        if (g.funcs[f].name == name) {
            return keep_materialized(g, planned.plan.placements, f, weighed(planned, f));
        }
    }
    FAIL("no Func " << name);
    return "";
}

/** Three elementwise steps after one another. */
Graph chain(int64_t n) {
    Sketch s;
    const FuncId x = s.input("x", {n, n});
    const FuncId a = s.pointwise("a", {n, n}, {{x, {at(0), at(1)}}});
    const FuncId b = s.pointwise("b", {n, n}, {{a, {at(0), at(1)}}}, work(0, 0, 1));
    s.output(s.pointwise("c", {n, n}, {{b, {at(0), at(1)}}}));
    return s.graph();
}

/** An elementwise step of `body` read by a sum over each row. */
Graph into_row_sum(const ExprSummary &body) {
    Sketch s;
    const FuncId x = s.input("x", {1024, 1024});
    const FuncId p = s.pointwise("p", {1024, 1024}, {{x, {at(0), at(1)}}}, body);
    s.output(s.reduction("sum", {1024}, {1024}, {{p, {at(1), at(0)}}}));
    return s.graph();
}

/** A costly elementwise step (20 exps a point) on the right operand of a matmul, which reads it once a row.
 */
Graph into_matmul() {
    Sketch s;
    const FuncId a = s.input("a", {256, 256}), x = s.input("x", {256, 256});
    const FuncId p = s.pointwise("p", {256, 256}, {{x, {at(0), at(1)}}}, work(0, 0, 20));
    s.output(s.matmul("mm", a, p, 256, 256, 256));
    return s.graph();
}

/** The same step on the bias of a matmul. */
Graph bias_and_two_outputs() {
    Sketch s;
    const FuncId a = s.input("a", {256, 128}), b = s.input("b", {256, 256});
    const FuncId mm = s.matmul("mm", a, b, 256, 128, 256);
    s.output(s.pointwise("y", {256, 128}, {{mm, {at(0), at(1)}}}));
    s.output(s.pointwise("dy", {256, 128}, {{mm, {at(0), at(1)}}}));
    return s.graph();
}

// Rows of these are no power of two long: such rows share a cache's sets (tests/cost/test_memory.cpp).
Graph shifted_read() {
    Sketch s;
    const FuncId a = s.input("a", {520, 256}), b = s.input("b", {520, 520});
    const FuncId mm = s.matmul("mm", a, b, 520, 256, 520);
    s.output(s.pointwise("y", {519, 256}, {{mm, {shifted(0), at(1)}}}));
    return s.graph();
}

Graph transposed_read() {
    Sketch s;
    const FuncId a = s.input("a", {272, 128}), b = s.input("b", {272, 272});
    const FuncId mm = s.matmul("mm", a, b, 272, 128, 272);
    s.output(s.pointwise("y", {128, 272}, {{mm, {at(1), at(0)}}}));
    return s.graph();
}

Graph outputs_in_a_row() {
    Sketch s;
    const FuncId x = s.input("x", {512, 512});
    const FuncId a = s.pointwise("a", {512, 512}, {{x, {at(0), at(1)}}});
    s.output(a);
    const FuncId hidden = s.pointwise("hidden", {512, 512}, {{a, {at(0), at(1)}}});
    s.output(s.pointwise("b", {512, 512}, {{hidden, {at(0), at(1)}}}));
    return s.graph();
}

Graph users_own() {
    Sketch s;
    const FuncId x = s.input("x", {512, 512});
    const FuncId a = s.pointwise("a", {512, 512}, {{x, {at(0), at(1)}}});
    const FuncId mine = s.pointwise("mine", {512, 512}, {{a, {at(0), at(1)}}});
    s.user_scheduled(mine);
    const FuncId b = s.pointwise("b", {512, 512}, {{mine, {at(0), at(1)}}});
    s.output(s.pointwise("y", {512, 512}, {{b, {at(0), at(1)}}}));
    return s.graph();
}

Graph around_an_extern_stage() {
    Sketch s;
    const FuncId x = s.input("x", {512, 512});
    const FuncId a = s.pointwise("a", {512, 512}, {{x, {at(0), at(1)}}});
    const FuncId b = s.pointwise("b", {512, 512}, {{a, {at(0), at(1)}}});
    const FuncId fft = s.external("fft", {512, 512}, {b});
    const FuncId c = s.pointwise("c", {512, 512}, {{fft, {at(0), at(1)}}});
    s.output(s.pointwise("y", {512, 512}, {{c, {at(0), at(1)}}}));
    return s.graph();
}

/** Two layers: what the first writes is read by the second's every column. */
Graph two_layers(int64_t n) {
    Sketch s;
    const FuncId x = s.input("x", {n, 2 * n});
    const FuncId w1 = s.input("w1", {4 * n, n}), w2 = s.input("w2", {2 * n, 4 * n});
    const FuncId mm1 = s.matmul("mm1", x, w1, 4 * n, 2 * n, n);
    const FuncId h = s.pointwise("h", {4 * n, 2 * n}, {{mm1, {at(0), at(1)}}});
    const FuncId mm2 = s.matmul("mm2", h, w2, 2 * n, 2 * n, 4 * n);
    s.output(s.pointwise("y", {2 * n, 2 * n}, {{mm2, {at(0), at(1)}}}));
    return s.graph();
}

}  // namespace

TEST_CASE("decisions") {
    const struct {
        const char *what;
        Graph graph;
        const char *expected;
    } table[] = {
        {"bias and relu at the matmul's tile", dense(128, 784, 256), "matmul at relu; z inlined"},
        {"and dropout", dense_dropout(1024, 1024, 1024), "matmul at dropped; z inlined; relu inlined"},
        {"a chain is one pass", chain(1024), "a inlined; b inlined"},
        {"a cheap step into a row sum", into_row_sum(work(2)), "p inlined"},
        {"a costly step read once a row stays", into_matmul(), "p in memory"},
        {"two readers: no tile serves both", bias_and_two_outputs(), "mm in memory"},
        {"a transposed reader's tile will do", transposed_read(), "mm at y"},
        {"a shifted reader's will not, a block with its halo will", shifted_read(), "mm in a block of y"},
        {"an output stays; what is between outputs goes", outputs_in_a_row(), "hidden inlined"},
        {"the user's own stays; its neighbours fuse", users_own(), "a inlined; mine in memory; b inlined"},
        {"an extern stage stays, and what it reads; the rest fuses", around_an_extern_stage(),
         "a inlined; b in memory; fft in memory; c inlined"},
        {"the second layer's operand stays", two_layers(128), "mm1 at h; h in memory; mm2 at y"},
    };
    for (const auto &row : table) {
        INFO(row.what);
        CHECK(decisions(row.graph, plan_greedy(row.graph, round_machine(), cpu_rules()).plan) ==
              row.expected);
    }
}

TEST_CASE("what stays in memory says why") {
    const auto planned = [](const Graph &g) { return plan_greedy(g, round_machine(), cpu_rules()); };
    const Graph twice = bias_and_two_outputs(), shift = shifted_read(), own = users_own(),
                outputs = outputs_in_a_row(), around = around_an_extern_stage(), costly = into_matmul();
    CHECK(reason(twice, planned(twice), "mm") ==
          "kept in memory: mm is read by 2 Funcs at Root, and one tile can serve only one of them");
    CHECK(reason(shift, planned(shift), "mm") == "kept in memory: y reads mm at other coordinates than its "
                                                 "own, so one tile of y needs more than one tile of mm");
    CHECK(reason(own, planned(own), "mine") ==
          "kept in memory: mine carries a schedule of the user's, which is left as it is");
    CHECK(reason(outputs, planned(outputs), "a") == "an output: the caller gets it in memory");
    CHECK(reason(around, planned(around), "fft") ==
          "kept in memory: fft is not understood by any rule, because it is an extern stage");

    CHECK(reason(around, planned(around), "b") ==
          "kept in memory: fft is an extern stage, which takes b as a buffer");

    // A price: the rule, what it would save (2 x 256 KiB) and what it would cost.
    const std::string price = reason(costly, planned(costly), "p");
    INFO(price);
    CHECK(price.rfind("kept in memory: fuse_on_read would save 512 KiB of traffic and cost ", 0) == 0);
    CHECK(price.find("65,536 values") != std::string::npos);
    CHECK(price.find("16,777,216 points") != std::string::npos);
}

TEST_CASE(
    "softmax: the sums stay at Root or at a tile, never recomputed; nothing is refused without a sentence") {
    const Graph g = softmax(1024, 1024);
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules());
    for (const FuncId f : g.funcs.ids()) {
        if (g.funcs[f].input) {
            continue;
        }
        INFO(g.funcs[f].name);
        if (g.funcs[f].stages.size() > 1) {
            CHECK(planned.plan.placements[f].kind != Placement::Kind::inlined);
        }
        if (planned.plan.placements[f].kind == Placement::Kind::root) {
            CHECK(keep_materialized(g, planned.plan.placements, f, weighed(planned, f)).size() > 30);
        }
    }
}

TEST_CASE("cost decides: the same pipeline, another machine") {
    // Where an exp is free and memory slow, even the costly step is inlined into nothing but the sum; where
    // memory is free, nothing needs to be.
    Machine slow_memory = round_machine();
    slow_memory.l2.bytes_per_second = slow_memory.l3.bytes_per_second = slow_memory.memory_bytes_per_second =
        1e7;
    const Graph sum = into_row_sum(work(0, 0, 20));
    CHECK(decisions(sum, plan_greedy(sum, slow_memory, cpu_rules()).plan) == "p inlined");

    Machine costly_exp = round_machine();
    costly_exp.exp_cycles = 1e5;
    const Graph g = into_matmul();
    CHECK(decisions(g, plan_greedy(g, costly_exp, cpu_rules()).plan) == "p in memory");
}
