// Inputs that are handed over in panels: who may read them so, and what a plan then is.

#include <doctest/doctest.h>

#include <algorithm>

#include "fusion/plan/panels.h"
#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

struct Layer {
    Sketch s;
    FuncId x, w, product, y;

    explicit Layer(int64_t m = 512, int64_t k = 512, int64_t n = 1000, bool transposed = false) {
        x = s.input("x", {k, m});
        w = s.input("w", transposed ? Extents{k, n} : Extents{n, k});
        const Read of_w = transposed ? Read{w, {at(2), at(0)}} : Read{w, {at(0), at(2)}};
        product = s.contraction("product", {n, m}, {k}, {{x, {at(2), at(1)}}, of_w});
        y = s.pointwise("y", {n, m}, {{product, {at(0), at(1)}}});
        s.output(y);
    }

    FusionPlan plan(bool packed) const {
        const Graph g = s.graph();
        Placements placements = unfused(g);
        placements[product] = {Placement::Kind::at, y};
        Pins pins;
        if (packed) {
            pins.packed = {{w, product}};
        }
        const Machine machine = round_machine();
        return Completer(g, machine, pins).plan(placements);
    }
};

}  // namespace

TEST_CASE("a plan reads panels as wide as its tile, in tiles that begin where they do") {
    for (const int64_t k : {512, 16384}) {  // as a whole, and in chunks
        for (const bool transposed : {false, true}) {
            INFO(k << " " << transposed);
            const Layer layer(512, k, 1000, transposed);
            const FusionPlan plan = layer.plan(true);
            const std::vector<Panels> panels = panels_of(plan);
            REQUIRE(panels.size() == 1);
            CHECK(panels[0].input == layer.w);
            CHECK(panels[0].order == (transposed ? std::vector<DimId>{1, 0} : std::vector<DimId>{0, 1}));
            const Group &group = plan.groups[0];
            const TreeFunc &writer = group.tree.funcs().front();
            const TreeStage &stage = writer.stages.front();
            int64_t block = 1;
            for (const Loop &loop : stage.loops) {
                CHECK((loop.dim != 0 || loop.tail == Loop::Tail::guarded));
                block = loop.dim == 0 ? std::max(block, loop.size) : block;
            }
            CHECK(block == panels[0].columns * panels[0].at_once);
            CHECK(std::any_of(stage.whole.begin(), stage.whole.end(), [&](const Condition &c) {
                return c.kind == Condition::Kind::multiple && c.points == panels[0].columns;
            }));
            // Nothing is copied: the sum and what writes it are all that there is.
            for (const TreeFunc &f : group.tree.funcs()) {
                CHECK(algorithm_func(group, f.func) != layer.w);
            }
            CHECK(plan.cost().total() <= layer.plan(false).cost().total());
        }
    }
}

TEST_CASE("who reads a panel has all its columns at every size, and so has what that is computed in") {
    const Layer layer(512, 16384, 1000);
    const FusionPlan plan = layer.plan(true);
    const Group &group = plan.groups[0];
    CHECK(group.policy == "cache_block");
    const auto panels = std::find_if(group.added.begin(), group.added.end(),
                                     [](const Added &a) { return a.name == "panels"; });
    REQUIRE(panels != group.added.end());
    const std::vector<WholeColumns> whole = whole_columns(group, *panels);
    REQUIRE(whole.size() == 2);
    CHECK(whole[0].func == panels->read_by.front());
    CHECK(whole[0].points == panels->factor);
    CHECK(algorithm_func(group, whole[1].func) == layer.product);
    CHECK(whole[1].points % panels->factor == 0);
}

TEST_CASE("a search keeps to panels") {
    const Layer layer;
    Pins pins;
    pins.packed = {{layer.w, layer.product}};
    const Graph g = layer.s.graph();
    const Planned planned = plan_greedy(g, round_machine(), cpu_rules({}), pins);
    CHECK(panels_of(planned.plan).size() == 1);
}

TEST_CASE("what cannot be read in panels, and why") {
    Sketch s;
    const FuncId x = s.input("x", {64, 64}), w = s.input("w", {64, 64}), v = s.input("v", {64, 64}),
                 b = s.input("b", {64}), u = s.input("u", {64, 64});
    const FuncId p = s.matmul("p", x, w, 64, 64, 64), q = s.matmul("q", p, w, 64, 64, 64);
    const FuncId r = s.contraction("r", {64, 64}, {64}, {{q, {at(2), at(1)}}, {v, {tap(0, 0, 2), at(2)}}});
    const FuncId t = s.matmul("t", u, u, 64, 64, 64);
    s.output(s.pointwise("y", {64, 64}, {{r, {at(0), at(1)}}, {t, {at(0), at(1)}}, {b, {at(0)}}}));
    Graph g = s.graph();
    CHECK(may_read_panels(g, w).reason() == "p and q both read it, each of which may want other panels");
    CHECK(may_read_panels(g, b).reason() == "y, which reads it, is no product that sums it up");
    CHECK(may_read_panels(g, v).reason() == "r reads it at other places than its own coordinates");
    CHECK(may_read_panels(g, u).reason() == "t reads it twice");
    CHECK(may_read_panels(g, x));
    g.gpu = true;
    CHECK(may_read_panels(g, x).reason() == "kernels for a device copy their tiles of it to shared memory");
}
