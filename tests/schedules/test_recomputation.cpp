// The points that blocks compute, halos included, as the planner counts them, and as Halide's tracing does.
// By default every other block; all of them with EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "Halide.h"

#include "fusion/policies/cpu/block.h"
#include "graph/patterns/taps.h"
#include "schedules/rewrites.h"
#include "tests/schedules/stencil_pipelines.h"
#include "tests/support/all_cases.h"
#include "tests/support/machines.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int columns = stencil_columns, rows = stencil_rows;
const Var x("x"), y("y"), xo("xo"), yo("yo");

/** Halide numbers names that it has met before. */
std::string plain(const std::string &name) {
    return name.substr(0, name.find('$'));
}

std::map<std::string, int64_t> stored;  // by the name of the Func; tracing calls one function of the process

int count_stores(JITUserContext *, const halide_trace_event_t *event) {
    stored[plain(event->func)] += event->event == halide_trace_store ? event->type.lanes : 0;
    return 0;
}

/** How often each step but the last is stored to where one block of the output is computed after the other;
 * an update's stores count, too. */
std::map<std::string, int64_t> traced(Steps steps, DimId dim, int size) {
    Func out = steps.back();
    if (dim == 0) {
        out.reorder(x, y).split(x, xo, x, size, TailStrategy::GuardWithIf);
    } else {
        out.split(y, yo, y, size, TailStrategy::GuardWithIf);
    }
    for (size_t i = 0; i + 1 < steps.size(); i++) {
        steps[i].compute_at(out, dim == 0 ? xo : yo).trace_stores();
    }
    stored.clear();
    Pipeline pipeline(out);
    pipeline.jit_handlers().custom_trace = count_stores;
    pipeline.realize({columns, rows});
    return stored;
}

/** The same where the rows of a strip slide: what `slides` says is kept through a strip. */
std::map<std::string, int64_t> traced_in_strips(Steps steps, int strip,
                                                const std::function<bool(const std::string &)> &slides) {
    Func out = steps.back();
    out.split(y, yo, y, fitted_step(out.output_buffer().dim(1).extent(), strip, rows / strip),
              TailStrategy::ShiftInwards);
    for (size_t i = 0; i + 1 < steps.size(); i++) {
        steps[i].compute_at(out, y).trace_stores();
        if (slides(plain(steps[i].name()))) {
            steps[i].store_at(out, yo);
        }
    }
    stored.clear();
    Pipeline pipeline(out);
    pipeline.jit_handlers().custom_trace = count_stores;
    pipeline.realize({columns, rows});
    return stored;
}

/** All steps, and sums that Halide made, in blocks of the last one. */
struct InBlocks {
    Graph graph;
    Machine machine = round_machine();
    Placements placements;
    Table<FuncId, bool> inlined;
    std::vector<FuncId> blocked;
    FuncId root;
    mutable MadeIds ids;

    explicit InBlocks(const Steps &steps)
        : graph(with_taps_together(graph_of({steps.back()}))),
          placements(unfused(graph)),
          inlined(graph.funcs.size(), false),
          root(graph.funcs.next_id() - 1),
          ids(graph.funcs.size()) {
        for (FuncId f = 0; f < root; f++) {
            const FuncInfo &info = graph.funcs[f];
            const bool step = std::any_of(steps.begin(), steps.end(),
                                          [&](const Func &s) { return plain(s.name()) == plain(info.name); });
            const bool sum = info.name.compare(0, 3, "sum") == 0;
            if (step || sum) {
                placements[f] = {Placement::Kind::block, root};
                blocked.push_back(f);
            } else if (!info.input) {
                placements[f] = {Placement::Kind::inlined, -1};
                inlined[f] = true;
            }
        }
    }
    GroupRequest request() const {
        return {graph, machine, placements, inlined, ids, root, {}, blocked};
    }
};

/** The same as the planner sees it. */
std::map<std::string, int64_t> counted(const Steps &steps, DimId dim, int size) {
    const InBlocks in(steps);
    const GroupRequest request = in.request();
    const Inside inside = extents_inside(Blocks(request), dim, size);
    std::map<std::string, int64_t> result;
    for (const FuncId f : in.blocked) {
        double evaluations = 0;
        for (const StageId s : inside.graph.funcs[f].stages) {
            double points = inside.blocks;
            for (const Dim &d : inside.graph.stages[s].dims) {
                points *= static_cast<double>(d.extent);
            }
            evaluations += points;
        }
        result[plain(inside.graph.funcs[f].name)] = static_cast<int64_t>(evaluations);
    }
    return result;
}

}  // namespace

TEST_CASE("blocks of stencils compute the points that are counted, one by one") {
    REQUIRE(stencil_pipelines().size() >= 20);
    size_t number = 0;
    for (const Stencils &pipeline : stencil_pipelines()) {
        number++;  // the other half than of the pipeline before
        for (const DimId dim : {0, 1}) {
            for (const int size : {1, 2, 8}) {
                if (number++ % 2 > 0 && !all_cases()) {
                    continue;
                }
                Func source("source");
                source(x, y) = cast<float>(x * 3 + y);
                Steps steps = pipeline.make(source);
                estimate(steps.back(), {columns, rows});
                const std::map<std::string, int64_t> expected = counted(steps, dim, size),
                                                     seen = traced(steps, dim, size);
                for (size_t i = 0; i + 1 < steps.size(); i++) {
                    const std::string name = plain(steps[i].name());
                    INFO(pipeline.what << ", blocks of " << size << " points of dim " << dim << ": " << name);
                    REQUIRE(expected.count(name) == 1);
                    CHECK(expected.at(name) == seen.at(name));
                }
            }
        }
    }
}

TEST_CASE("blocks that slide compute each point of a strip once, and their price knows how many there are") {
    constexpr int strip = 16, size = 1;
    size_t slid = 0;
    for (const Stencils &pipeline : stencil_pipelines()) {
        Func source("source");
        source(x, y) = cast<float>(x * 3 + y);
        const Steps steps = pipeline.make(source);
        estimate(steps.back(), {columns, rows});
        const InBlocks in(steps);
        const GroupRequest request = in.request();
        const Blocks blocks(request);
        const std::optional<Inside> inside =
            BlockPlanner(blocks).plan({1, size, {}, true}, std::numeric_limits<double>::infinity());
        if (!inside) {
            continue;  // nothing in it has rows that the next block needs, too
        }
        const Outside outside = loops_of_strips(blocks, {1, size, {}, true}, *inside, strip);
        const Group group = block_nest(blocks, *inside, outside, std::numeric_limits<double>::infinity());
        const std::map<std::string, int64_t> seen =
            traced_in_strips(steps, strip, [&](const std::string &name) {
                return std::any_of(in.blocked.begin(), in.blocked.end(), [&](FuncId f) {
                    return inside->computed.at(f).slides >= 0 && plain(in.graph.funcs[f].name) == name;
                });
            });
        for (const FuncId f : in.blocked) {
            if (inside->computed.at(f).slides < 0) {
                continue;
            }
            slid++;
            const StageNest nest = group.tree.nest(f, -1);
            double points = 1;
            for (int l = 0; l < nest.nest.shared; l++) {
                points *= static_cast<double>(trips(nest.nest, static_cast<size_t>(l), nest.dims));
            }
            double turn = 1;
            for (const Dim &d : nest.dims) {
                turn *= static_cast<double>(d.extent);
            }
            points *= turn;
            const std::string name = plain(in.graph.funcs[f].name);
            INFO(pipeline.what << ": " << name);
            // The first turn of a strip may be only a part of one.
            const double beyond = points - static_cast<double>(seen.at(name));
            CHECK(beyond >= 0);
            CHECK(beyond < (turn > columns ? rows / strip * turn : 1));
        }
    }
    CHECK(slid >= 10);
}
