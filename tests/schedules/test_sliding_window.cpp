// A tree may say that rows which one turn of a loop has computed are there for the next. Here the plan is
// made by hand.

#include <doctest/doctest.h>

#include "Halide.h"

#include "fusion/policies/policy.h"
#include "schedules/directive.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int columns = 40, rows = 20, chunk = 8;  // the last chunk has four rows
const Sizes sizes = {{{columns, rows + 2}}, {{columns, rows}}};

Program three_rows() {
    const ImageParam in = image("in", {columns, rows + 2}, Int(32));
    Func f("f"), out("out");
    const Var x("x"), y("y");
    f(x, y) = in(x, y) * in(x, y) + x;
    out(x, y) = f(x, y) + 2 * f(x, y + 1) + 3 * f(x, y + 2);
    estimate(out, {columns, rows});
    return {{in}, {out}, {}};
}

FuncId named(const Graph &graph, const std::string &name) {
    FuncId found = -1;
    for (const FuncId f : graph.funcs.ids()) {
        found = graph.funcs[f].name.substr(0, graph.funcs[f].name.find('$')) == name ? f : found;
    }
    return found;
}

/** f in each row of its reader's, which runs in chunks of rows; `slides`: what it computes stays for the rest
 * of a chunk. */
FusionPlan row_by_row(const Graph &graph, bool slides) {
    const FuncId f = named(graph, "f"), out = named(graph, "out");
    FusionPlan plan;
    plan.placements = unfused(graph);
    plan.placements[f] = {Placement::Kind::block, out};
    Group group;
    group.root = out;
    group.members = {f, out};
    group.tree.add_at_root(out);
    group.tree.add_stage(out, -1, graph.pure_stage(out).dims, {{1, chunk}, {1, 1}, {0, 1}});
    group.tree.add_in_loop(f, {out, -1, 1}, {0, 1});
    if (slides) {
        group.tree.slide_in(f, {out, -1, 0});
    }
    group.tree.add_stage(f, -1, graph.pure_stage(f).dims, {{1, 1}, {0, 1}});
    plan.groups.push_back(group);
    return plan;
}

int64_t stored = 0;  // points; tracing calls one function of the process

int count_stores(JITUserContext *, const halide_trace_event_t *event) {
    stored += event->event == halide_trace_store ? event->type.lanes : 0;
    return 0;
}

}  // namespace

TEST_CASE("rows that slide through a chunk are computed once in it, not for each row that reads them") {
    const Target target = get_jit_target_from_environment();
    const Program reference = three_rows();
    compute_all_at_root(reference);
    const std::vector<double> expected = values(Compiled(reference, target).run(sizes).at(0));
    for (const bool slides : {false, true}) {
        const Program program = three_rows();
        const Graph graph = graph_of(program.outputs);
        const FusionPlan plan = row_by_row(graph, slides);
        const Schedule schedule = emit(graph, plan);
        const std::string source = print(schedule), text = to_string(plan);
        INFO(text << source);
        const FuncId f = named(graph, "f"), out = named(graph, "out");
        const std::string &name = schedule.names[f];
        const std::string loop = "(Halide::LoopLevel(" + schedule.names[out] + ", v_y_";
        CHECK(source.find(name + ".compute_at" + loop + "i));\n") != std::string::npos);
        CHECK((source.find(name + ".store_at" + loop + "o));\n") != std::string::npos) == slides);
        CHECK((text.find(" loop 1 sliding in loop 0\n") != std::string::npos) == slides);
        Compiled compiled(program, target);
        apply(schedule, compiled.pipeline()).at(f).trace_stores();
        compiled.pipeline().jit_handlers().custom_trace = count_stores;
        stored = 0;
        CHECK(values(compiled.run(sizes).at(0)) == expected);
        const int chunks = (rows + chunk - 1) / chunk;
        CHECK(stored == columns * (slides ? rows + 2 * chunks : 3 * rows));
    }
}

namespace {

constexpr int strips = 2, strip = (rows + 2) / strips;
static_assert(strip * strips == rows + 2);

Program two_stencils() {
    const ImageParam in = image("in", {columns, rows + 4}, Int(32));
    Func f("f"), middle("middle"), out("out");
    const Var x("x"), y("y");
    f(x, y) = in(x, y) * in(x, y) + x;
    middle(x, y) = f(x, y) + 2 * f(x, y + 1) + 3 * f(x, y + 2);
    out(x, y) = middle(x, y) + middle(x, y + 1) + middle(x, y + 2);
    estimate(out, {columns, rows});
    return {{in}, {out}, {}};
}

Group in_memory(const Graph &graph, FuncId func, const Loops &loops) {
    Group group;
    group.root = func;
    group.members = {func};
    group.tree.add_at_root(func);
    group.tree.add_stage(func, -1, graph.pure_stage(func).dims, loops);
    return group;
}

/** `middle` in two strips, through which rows of f slide. */
FusionPlan in_two_strips(const Graph &graph) {
    const FuncId f = named(graph, "f"), middle = named(graph, "middle");
    FusionPlan plan;
    plan.placements = unfused(graph);
    plan.placements[f] = {Placement::Kind::block, middle};
    Loops loops{{1, strip}, {1, 1}, {0, 1}};
    loops.set_tail(0, Loop::Tail::fitted);
    Group group = in_memory(graph, middle, loops);
    group.members.push_back(f);
    group.tree.funcs().front().stages.front().whole = {whole_tiles(graph.pure_stage(middle).dims[1], 1)};
    group.tree.add_in_loop(f, {middle, -1, 1}, {0, 1});
    group.tree.slide_in(f, {middle, -1, 0});
    group.tree.add_stage(f, -1, graph.pure_stage(f).dims, {{1, 1}, {0, 1}});
    plan.groups = {group, in_memory(graph, named(graph, "out"), {{1, 1}, {0, 1}})};
    return plan;
}

}  // namespace

TEST_CASE("strips of a Func with a halo are as many as planned, and share few rows") {
    // `middle` has two rows more than the output, whose rows are what the length of a strip is found from.
    const Target target = get_jit_target_from_environment();
    for (const int height : {rows, 2 * rows, 3, 1}) {
        const Program program = two_stencils();
        const Graph graph = graph_of(program.outputs);
        const Schedule schedule = emit(graph, in_two_strips(graph));
        INFO(height << " rows\n" << print(schedule));
        Compiled compiled(program, target);
        apply(schedule, compiled.pipeline()).at(named(graph, "middle")).trace_stores();
        compiled.pipeline().jit_handlers().custom_trace = count_stores;
        stored = 0;
        compiled.run({{{columns, height + 4}}, {{columns, height}}});
        const int most = height <= rows ? strips : (height + 2 + strip - 1) / strip;
        CHECK(stored >= columns * (height + 2));
        CHECK(stored < columns * (height + 2 + most));  // one that is shifted inwards computes some again
        CHECK((height != rows || stored == columns * (rows + 2)));
    }
}
