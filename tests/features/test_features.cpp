#include <doctest/doctest.h>

#include "features/features.h"
#include "tests/support/graphs.h"

using namespace eutectic;
using namespace eutectic::test;

TEST_CASE("dense 5 x 7 x 3: work and bytes of every stage") {
    const Graph g = dense(5, 7, 3);  // m, k, n
    const Features f = measure(g);
    REQUIRE(f.stages.size() == g.stages.size());
    REQUIRE(f.edges.size() == g.edges.size());
    for (const StageId s : g.stages.ids()) {
        const Stage &stage = g.stages[s];
        CHECK(f.stages[s].points == (stage.update < 0 ? 15.0 : 105.0));
        CHECK(f.stages[s].stored_bytes == (stage.update < 0 ? 60 : 0));
        if (stage.update == 0) {
            CHECK(f.stages[s].flops == 210.0);  // a multiply and an add a point
        }
    }
}

TEST_CASE("edges: what is read of an operand, whole and by a tile") {
    const Graph g = dense(5, 7, 3);
    const Features f = measure(g);
    bool seen = false;
    for (const EdgeId e : g.edges.ids()) {
        const FuncInfo &producer = g.funcs[g.edges[e].producer];
        CHECK(f.edges[e].loaded_bytes == producer.bytes());  // nothing is left out, nothing counted twice
        REQUIRE(f.edges[e].scale.size() == producer.extents.size());
        if (producer.input && producer.extents == Extents{7, 5}) {  // x(k, i), read in loops j, i, k
            CHECK(f.edges[e].scale == Table<DimId, Table<DimId, double>>{{0, 0, 1}, {0, 1, 0}});
            CHECK(f.edges[e].halo == Table<DimId, double>{0, 0});
            seen = true;
        }
    }
    CHECK(seen);
}

TEST_CASE("softmax: transcendentals are counted once a point") {
    const Graph g = softmax(11, 3);
    const Features f = measure(g);
    double exps = 0;
    for (const StageFeatures &s : f.stages) {
        exps += s.transcendentals;
    }
    CHECK(exps == 33.0);
}

TEST_CASE("as CSV: a line a stage") {
    Sketch s;
    const FuncId x = s.input("x", {4, 3});
    const FuncId sum = s.reduction("a, \"sum\"", {3}, {4}, {{x, {at(1), at(0)}}});
    s.output(sum);
    const Graph g = s.graph();
    CHECK(to_csv(g, measure(g)) == "stage,func,update,role,dims,points,flops,divisions,transcendentals,"
                                   "loaded_bytes,stored_bytes,element_bytes\n"
                                   "0,\"a, \"\"sum\"\"\",-1,pointwise,3,3,0,0,0,0,12,4\n"
                                   "1,\"a, \"\"sum\"\"\",0,reduction,3x4r,12,12,0,0,48,0,4\n");
}
