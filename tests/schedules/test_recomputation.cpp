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
#include "tests/support/all_cases.h"
#include "tests/support/machines.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int columns = 48, rows = 32;
const Var x("x"), y("y"), xo("xo"), yo("yo");

/** Funcs before an output of columns x rows, producers first; the output is the last. */
using Steps = std::vector<Func>;

struct Stencils {
    std::string what;
    std::function<Steps(Func)> make;  ///< of a source that has a value everywhere
};

Func named(const char *name) {
    return Func(name);
}

Steps chain(const Func &source, int length, const std::function<Expr(Func)> &next) {
    Steps steps;
    Func last = source;
    for (int i = 0; i < length; i++) {
        Func f("step_" + std::to_string(i) + "_");
        f(x, y) = next(last);
        steps.push_back(f);
        last = f;
    }
    return steps;
}

Expr box(Func f, int radius) {
    Expr sum = 0.f;
    for (int j = -radius; j <= radius; j++) {
        for (int i = -radius; i <= radius; i++) {
            sum = sum + f(x + i, y + j);
        }
    }
    return sum;
}

std::vector<Stencils> stencils_of_taps() {
    return {
        {"3 taps across, then 3 taps down",
         [](Func in) {
             Func a = named("across"), b = named("down");
             a(x, y) = in(x - 1, y) + in(x, y) + in(x + 1, y);
             b(x, y) = a(x, y - 1) + a(x, y) + a(x, y + 1);
             return Steps{a, b};
         }},
        {"3 taps down, then 3 taps across",
         [](Func in) {
             Func a = named("down"), b = named("across");
             a(x, y) = in(x, y - 1) + in(x, y) + in(x, y + 1);
             b(x, y) = a(x - 1, y) + a(x, y) + a(x + 1, y);
             return Steps{a, b};
         }},
        {"four boxes of 3 x 3", [](Func in) { return chain(in, 4, [](Func f) { return box(f, 1); }); }},
        {"three boxes of 5 x 5", [](Func in) { return chain(in, 3, [](Func f) { return box(f, 2); }); }},
        {"three crosses",
         [](Func in) {
             return chain(in, 3, [](Func f) {
                 return f(x, y) + f(x - 1, y) + f(x + 1, y) + f(x, y - 1) + f(x, y + 1);
             });
         }},
        {"points along a diagonal, of a shifted copy",
         [](Func in) {
             Func f = named("copy"), out = named("out");
             f(x, y) = in(x + 8, y + 8);
             out(x, y) = f(x - 1, y - 1) + f(x, y) + f(x + 1, y + 1);
             return Steps{f, out};
         }},
        {"taps far apart",
         [](Func in) { return chain(in, 2, [](Func f) { return f(x - 7, y) + f(x + 5, y + 3); }); }},
        {"a stencil that looks ahead only",
         [](Func in) { return chain(in, 3, [](Func f) { return f(x, y) + f(x + 1, y + 2); }); }},
    };
}

std::vector<Stencils> windows() {
    return {
        {"a window as a reduction over -1 … 1",
         [](Func in) {
             Func a = named("a"), out = named("out");
             const RDom r(-1, 3, -1, 3);
             a(x, y) = in(x, y) * 2.f;
             out(x, y) = sum(a(x + r.x, y + r.y));
             return Steps{a, out};
         }},
        {"a window of 2 x 5 from 0, then one of 5 x 2 from -3",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             const RDom r(0, 2, 0, 5), q(-3, 5, 1, 2);
             a(x, y) = in(x, y) * 2.f;
             b(x, y) = 0.f;
             b(x, y) += a(x + r.x, y + r.y);
             out(x, y) = sum(b(x + q.x, y + q.y));
             return Steps{a, b, out};
         }},
        {"a window and taps on one Func",
         [](Func in) {
             Func a = named("a"), out = named("out");
             const RDom r(-2, 4);
             a(x, y) = in(x, y) * 2.f;
             out(x, y) = sum(a(x + r, y)) - a(x, y - 1) - a(x + 3, y);
             return Steps{a, out};
         }},
    };
}

std::vector<Stencils> resampling() {
    return {
        {"down by two",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) =
                 a(2 * x - 1, 2 * y) + a(2 * x, 2 * y) + a(2 * x + 1, 2 * y + 1) + a(2 * x + 2, 2 * y);
             return Steps{a, out};
         }},
        {"down by three, then a box",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = a(3 * x, 3 * y) + a(3 * x + 1, 3 * y + 2);
             out(x, y) = box(b, 1);
             return Steps{a, b, out};
         }},
        {"up by two, the nearest point",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) = a(x / 2, y / 2) * 3.f;
             return Steps{a, out};
         }},
        {"up by two, between two points",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) = a(x / 2, y / 4) + a(x / 2 + 1, y / 4 + 1);
             return Steps{a, out};
         }},
        {"up by two, and a box of that",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = a(x / 2, y / 2) * 3.f;
             out(x, y) = b(x, y) + b(x + 2, y + 2);
             return Steps{a, b, out};
         }},
        {"down by two and up again",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = a(2 * x, 2 * y) + a(2 * x + 1, 2 * y + 1);
             out(x, y) = a(x, y) - b(x / 2, y / 2);
             return Steps{a, b, out};
         }},
    };
}

std::vector<Stencils> several_accesses() {
    return {
        {"two readers with halos of their own",
         [](Func in) {
             Func a = named("a"), b = named("b"), c = named("c"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = a(x - 2, y) + a(x + 1, y);
             c(x, y) = a(x, y - 3) + a(x, y + 1);
             out(x, y) = b(x, y) * c(x + 1, y);
             return Steps{a, b, c, out};
         }},
        {"a stencil and the point itself",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = box(a, 1);
             out(x, y) = a(x, y) * 2.f - b(x, y);
             return Steps{a, b, out};
         }},
        {"backwards across, and a transposed copy",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) = a(columns - 1 - x, y) + a(columns - x, y);
             return Steps{a, out};
         }},
        {"read with x and y exchanged",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) = a(y, x) + a(y + 1, x - 1);
             return Steps{a, out};
         }},
        {"one column wide windows, three times",
         [](Func in) { return chain(in, 3, [](Func f) { return f(x, y - 4) + f(x, y) + f(x, y + 4); }); }},
    };
}

const std::vector<Stencils> &all() {
    static const std::vector<Stencils> pipelines = [] {
        std::vector<Stencils> list;
        for (const std::vector<Stencils> &kind :
             {stencils_of_taps(), windows(), resampling(), several_accesses()}) {
            list.insert(list.end(), kind.begin(), kind.end());
        }
        return list;
    }();
    return pipelines;
}

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

/** The same as the planner sees it. */
std::map<std::string, int64_t> counted(const Steps &steps, DimId dim, int size) {
    const Graph graph = with_taps_together(graph_of({steps.back()}));
    const Machine machine = round_machine();
    Placements placements = unfused(graph);
    Table<FuncId, bool> inlined(graph.funcs.size(), false);
    std::vector<FuncId> blocked;
    const FuncId root = graph.funcs.next_id() - 1;
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
    MadeIds ids(graph.funcs.size());
    const GroupRequest request{graph, machine, placements, inlined, ids, root, {}, blocked};
    const Inside inside = extents_inside(Blocks(request), dim, size);
    std::map<std::string, int64_t> result;
    for (const FuncId f : blocked) {
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
    REQUIRE(all().size() >= 20);
    size_t number = 0;
    for (const Stencils &pipeline : all()) {
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
