// Which dimensions are the same at every size: those that buffers and Funcs are bound to, and what follows
// from them.

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var j("j"), i("i");

struct Softmax {
    ImageParam x = image("x", {100, 40});
    RDom r{x.dim(0).min(), x.dim(0).extent(), "r"};
    Func m{"m"}, e{"e"}, s{"s"}, y{"y"};

    Softmax() {
        m(i) = -1e30f;
        m(i) = max(m(i), x(r, i));
        e(j, i) = exp(x(j, i) - m(i));
        s(i) = 0.0f;
        s(i) += e(r, i);
        y(j, i) = e(j, i) / s(i);
        estimate(y, {100, 40});
    }
};

/** "x:10 m:0 …": for each Func, in the order of the graph, its dims: 1 the same at every size. */
std::string constant_dims(const Graph &g) {
    std::string text;
    for (const FuncInfo &f : g.funcs) {
        text += (text.empty() ? "" : " ") + f.name + ":";
        for (const DimId d : f.extents.ids()) {
            text += f.is_constant(d) ? "1" : "0";
        }
    }
    return text;
}

/** The same of the loops of a stage. */
std::string constant_loops(const eutectic::Stage &s) {
    std::string text;
    for (const Dim &d : s.dims) {
        text += d.constant ? "1" : "0";
    }
    return text;
}

}  // namespace

TEST_CASE("without bounds nothing of a buffer's size is constant") {
    Softmax p;
    const Graph g = graph_of({p.y});
    CHECK(constant_dims(g).find('1') == std::string::npos);
    for (const eutectic::Stage &s : g.stages) {
        CHECK(constant_loops(s).find('1') == std::string::npos);
    }
}

TEST_CASE("bounds of an input and an output make a row's loops constant") {
    for (const bool on_func : {false, true}) {
        Softmax p;
        p.x.dim(0).set_bounds(0, 100);
        if (on_func) {
            p.y.bound(j, 0, 100);
        } else {
            p.y.output_buffer().dim(0).set_bounds(0, 100);
        }
        const Graph g = graph_of({p.y});
        CHECK(constant_dims(g) == "x:10 m:0 e:10 s:0 y:10");
        for (const FuncInfo &f : g.funcs) {
            if (f.stages.size() == 2) {
                CHECK(constant_loops(g.stages[f.stages[1]]) == "01");
            }
        }
        CHECK(constant_loops(g.last_stage(4)) == "10");
        CHECK(constant_loops(g.last_stage(2)) == "00");  // of what is no output, Halide may compute more
    }
}

TEST_CASE("one end is not enough, and every reader counts") {
    Softmax extents;
    extents.x.dim(0).set_extent(100);
    extents.y.output_buffer().dim(0).set_extent(100);
    Graph g = graph_of({extents.y});
    CHECK(constant_dims(g) == "x:00 m:0 e:00 s:0 y:00");
    CHECK(constant_loops(g.stages[g.funcs[1].stages[1]]) ==
          "01");  // the loop has as many turns wherever it begins

    Softmax input;
    input.x.dim(0).set_bounds(0, 100);
    g = graph_of({input.y});
    CHECK(constant_dims(g) == "x:00 m:0 e:00 s:0 y:00");  // y may be asked for more

    Softmax output;
    output.y.output_buffer().dim(0).set_bounds(0, 100);
    g = graph_of({output.y});
    CHECK(constant_dims(g) == "x:00 m:0 e:00 s:0 y:10");
}

TEST_CASE("bounds go before estimates, and need none") {
    Softmax p;
    p.x.dim(0).set_bounds(0, 60);
    p.y.output_buffer().dim(0).set_bounds(0, 60);
    const Graph g = graph_of({p.y});
    CHECK(g.funcs[0].extents == Extents{60, 40});
    CHECK(g.funcs[4].extents == Extents{60, 40});
    CHECK(g.stages[g.funcs[1].stages[1]].dims[1].extent == 60);

    const ImageParam in = image("in", {8});
    Func out("out");
    out(j) = in(j);
    out.output_buffer().dim(0).set_bounds(0, 8);
    CHECK(graph_of({out}).funcs[1].extents == Extents{8});
}

TEST_CASE("halos, other coordinates and loaded indices") {
    const ImageParam x = image("x", {102, 40}), at = image("at", {40}, Int(32));
    Func blurred("blurred"), shifted("shifted"), y("y");
    blurred(j, i) = x(j, i) + x(j + 2, i);
    shifted(j, i) = blurred(j, i) + x(at(i), i);
    y(j, i) = shifted(i, j);
    estimate(y, {40, 100});
    y.output_buffer().dim(1).set_bounds(0, 100);
    Graph g = graph_of({y});
    CHECK(constant_dims(g) == "x:00 blurred:10 at:0 shifted:10 y:01");
    CHECK(constant_loops(g.last_stage(4)) == "01");
}
