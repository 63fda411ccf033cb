// Updates that are no sums: which loops they get, at Root and in blocks of what reads them.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "fusion/plan/plan.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int64_t columns = 1024, rows = 512, steps = 511;

/** f = x, then an update over `steps` that writes the dims which are `own` at its own coordinates; y = 2 f.
 */
struct Scan {
    Sketch s;
    FuncId x, f, y;

    explicit Scan(const DimFlags &own) {
        x = s.input("x", {columns, rows});
        f = s.reduction("f", {columns, rows}, {steps},
                        {{x, {own[0] ? at(0) : at(2), own[1] ? at(1) : at(2)}}}, work(3));
        Stage &update = s.stage(f, 0);
        update.role = Role::scan;
        update.why_opaque = "its update reads what it wrote at other coordinates (a scan)";
        update.reassociable = false;
        update.own = own;
        for (const DimId d : own.ids()) {
            update.dims[d].extent = own[d] ? update.dims[d].extent : 1;
        }
        y = s.pointwise("y", {columns, rows}, {{f, {at(0), at(1)}}});
        s.output(y);
    }

    /** The plan with f at Root, or in blocks of y. */
    FusionPlan plan(bool in_block = false) const {
        const Graph graph = s.graph();
        Placements placements = unfused(graph);
        if (in_block) {
            placements[f] = {Placement::Kind::block, y};
        }
        return complete(graph, round_machine(), placements);
    }

    const Group &group_of_f(const FusionPlan &plan) const {
        return plan.groups.front();
    }
};

std::string loops(const Group &group, FuncId func, int update) {
    return to_string(group.tree.nest(func, update).nest);
}

bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("loops over a dim that an update leaves alone are vectors and tasks, the others keep their order") {
    const Scan down({true, false}), along({false, true}), layers({true, true});
    const std::string of_down = loops(down.group_of_f(down.plan()), down.f, 0),
                      of_along = loops(along.group_of_f(along.plan()), along.f, 0),
                      of_layers = loops(layers.group_of_f(layers.plan()), layers.f, 0);
    INFO(of_down << "\n" << of_along << "\n" << of_layers);
    for (const Scan *scan : {&down, &along, &layers}) {
        CHECK(scan->group_of_f(scan->plan()).policy == "updates");
    }
    CHECK(has(of_down, "d0 vector"));
    CHECK(has(of_down, "d0/256 parallel"));  // a task for each of four cores
    CHECK_FALSE(has(of_down, "d1"));
    CHECK(of_along == "d1/32 parallel unpartitioned, d2, d1");  // several rows' chains at once
    CHECK(has(of_layers, "d0 vector"));
    CHECK(has(of_layers, "d1/128 parallel"));
    CHECK(has(of_layers, "d2"));
}

TEST_CASE("what goes where it likes in every dim runs as it is defined, and what has effects does, too") {
    const Scan nowhere({false, false});
    CHECK(nowhere.group_of_f(nowhere.plan()).policy == "serial");
    Scan noted({true, true});
    for (const int update : {-1, 0}) {
        noted.s.stage(noted.f, update).role = Role::opaque;
        noted.s.stage(noted.f, update).why_opaque = "it calls note, which may have effects";
    }
    const FusionPlan plan = noted.plan();
    const Group &group = noted.group_of_f(plan);
    CHECK(group.policy == "serial");
    CHECK(std::any_of(group.refused.begin(), group.refused.end(), [](const std::string &sentence) {
        return has(sentence, "because it calls note, which may have effects");
    }));
}

TEST_CASE("a block computes of an update's dims what it needs, and of those that it goes along all") {
    const Scan along({false, true}), down({true, false});
    for (const Scan *scan : {&along, &down}) {
        const FusionPlan plan = scan->plan(true);
        REQUIRE(plan.groups.size() == 1);
        const Group &group = plan.groups.front();
        INFO(to_string(plan));
        CHECK(group.policy == "block");
        double points = 0;  // of the update, over all blocks
        for (const NestedStage &s : group.tree.priced()) {
            if (s.work->func == scan->f && s.work->update == 0) {
                points = s.work->points();
                for (size_t l = 0; l < static_cast<size_t>(s.nest.shared); l++) {
                    points *= static_cast<double>(trips(s.nest, l, s.work->dims));
                }
            }
        }
        // A block has rows of the one, and columns of the other: nothing of a scan is computed twice.
        CHECK(points == static_cast<double>((scan == &along ? rows : columns) * steps));
    }
}
