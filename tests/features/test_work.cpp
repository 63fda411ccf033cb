#include <doctest/doctest.h>

#include "features/work.h"
#include "tests/support/graphs.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

/** Which Funcs are inlined, of `n`. */
Table<FuncId, bool> inlined(size_t n, const std::vector<FuncId> &funcs) {
    Table<FuncId, bool> flags(n, false);
    for (const FuncId f : funcs) {
        flags[f] = true;
    }
    return flags;
}

Index index(const std::vector<double> &scale, double halo = 0, bool affine = true) {
    Index i;
    i.scale = scale;
    i.halo = halo;
    i.affine = affine;
    i.exact = halo == 0;
    return i;
}

Index remainder(const std::vector<double> &scale, double period) {
    Index i = index(scale);
    i.wraps = period;
    return i;
}

}  // namespace

TEST_CASE("footprint: min(extent, scale * (tile - 1) + 1 + halo)") {
    const struct {
        const char *what;
        Index index;
        int64_t extent;
        Extents tile;
        double points;
    } table[] = {
        {"the loop itself", index({1, 0}), 100, {8, 4}, 8},
        {"another loop", index({0, 1}), 100, {8, 4}, 4},
        {"no loop", index({0, 0}), 100, {8, 4}, 1},
        {"a stencil of three", index({1, 0}, 2), 100, {8, 4}, 10},
        {"every second", index({2, 0}), 100, {8, 4}, 15},
        {"backwards", index({-1, 0}), 100, {8, 4}, 8},
        {"both loops", index({1, 1}), 100, {8, 4}, 11},
        {"x / 8", index({0.125, 0}, 1), 100, {8, 4}, 2},
        {"x / 8, a long tile", index({0.125, 0}, 1), 100, {64, 4}, 9},
        {"no more than there is", index({4, 0}, 3), 20, {8, 4}, 20},
        {"a tile of one point", index({3, 5}), 100, {1, 1}, 1},
        {"data-dependent", index({0, 0}, 0, false), 100, {8, 4}, 100},
        {"x % 7, a tile of one point", remainder({1, 0}, 7), 100, {1, 1}, 7},
        {"x % 7, a long tile", remainder({1, 0}, 7), 100, {32, 4}, 7},
        {"x % 70 of 20 points", remainder({1, 0}, 70), 20, {1, 1}, 20},
    };
    for (const auto &row : table) {
        INFO(row.what);
        CHECK(footprint(row.index, row.extent, row.tile) == row.points);
    }
    Load load{0, {{index({1, 0}, 2), index({0, 1}, 2)}}, 4, {100, 5}};
    CHECK(footprint(load, {8, 4}) == 10 * 5);  // the second dimension has only five
}

TEST_CASE("the own work of a stage, nothing inlined") {
    const Graph g = dense(128, 784, 256);
    const FuncId matmul = 2;
    const StageWork w = stage_work(g, g.funcs[matmul].stages[1], inlined(g.funcs.size(), {}));
    CHECK(w.func == matmul);
    CHECK(w.update == 0);
    CHECK(w.accumulates);
    CHECK(w.points() == 128.0 * 784 * 256);
    REQUIRE(w.parts.size() == 1);
    CHECK(w.parts[0].multiply_accumulate);
    CHECK(w.parts[0].depends == DimFlags{true, true, true});
    REQUIRE(w.loads.size() == 2);
    CHECK(w.loads[0].extents == Extents{784, 128});
    CHECK(w.recomputed == 0);
    CHECK_FALSE(stage_work(g, g.funcs[matmul].stages[0], inlined(g.funcs.size(), {})).accumulates);
}

TEST_CASE("an inlined Func brings its body and its loads; what it depends on is told per loop") {
    Sketch s;
    const FuncId x = s.input("x", {16, 8});
    const FuncId row = s.pointwise("row", {8}, {{x, {fixed(), at(0)}}}, work(5));
    const FuncId y = s.pointwise("y", {16, 8}, {{x, {at(0), at(1)}}, {row, {at(1)}}}, work(2));
    s.output(y);
    const Graph g = s.graph();

    const StageWork apart = stage_work(g, g.funcs[y].stages[0], inlined(3, {}));
    CHECK(apart.parts.size() == 1);
    CHECK(apart.loads.size() == 2);

    const StageWork merged = stage_work(g, g.funcs[y].stages[0], inlined(3, {row}));
    REQUIRE(merged.parts.size() == 2);
    CHECK(merged.parts[1].body.flops == 5);
    CHECK(merged.parts[1].depends == DimFlags{false, true});
    REQUIRE(merged.loads.size() == 2);
    CHECK(merged.loads[0].producer == x);
    CHECK(merged.loads[1].producer == x);
    CHECK(merged.loads[1].access.indices[1].equals_dim() == 1);
    CHECK(merged.recomputed == 16 * 8 - 8);
}

TEST_CASE("the same access twice is one load; two accesses are two evaluations") {
    Sketch s;
    const FuncId x = s.input("x", {16});
    const FuncId p = s.pointwise("p", {16}, {{x, {at(0)}}}, work(1));
    const FuncId q = s.pointwise("q", {16}, {{p, {at(0)}}, {x, {at(0)}}}, work(1));
    const FuncId blur = s.pointwise("blur", {14}, {{q, {at(0)}}, {q, {tap(0, 1)}}}, work(1));
    s.output(blur);
    const Graph g = s.graph();
    const StageWork plain = stage_work(g, 1, inlined(4, {p}));
    CHECK(plain.loads.size() == 1);  // x through p, and x
    CHECK(plain.recomputed == 0);
    const StageWork twice = stage_work(g, 2, inlined(4, {q}));
    CHECK(twice.parts.size() == 3);
    CHECK(twice.loads.size() == 4);
    CHECK(twice.recomputed == 2 * 14 - 16);  // q has 16 points
}

TEST_CASE("accesses compose: scales multiply, halos add up, what is unknown stays so") {
    const struct {
        const char *what;
        At inner, outer;  // of x by p, and of p by y
        double scale, halo;
        bool affine, exact;
    } table[] = {
        {"straight", at(0), at(0), 1, 0, true, true},
        {"two stencils of three", shifted(0, 2), shifted(0, 2), 1, 4, true, false},
        {"a stencil of three at every second point", shifted(0, 2), scaled(0, 2), 2, 2, true, false},
        {"every second point of a stencil of three", scaled(0, 2), shifted(0, 2), 2, 4, true, false},
        {"every fourth", scaled(0, 2), scaled(0, 2), 4, 0, true, true},
        {"one point", fixed(), at(0), 0, 0, true, true},
        {"data-dependent outside", at(0), unknown(), 0, 0, false, false},
        {"data-dependent inside", unknown(), at(0), 0, 0, false, false},
    };
    for (const auto &row : table) {
        INFO(row.what);
        Sketch s;
        const FuncId x = s.input("x", {1000});
        const FuncId p = s.pointwise("p", {200}, {{x, {row.inner}}});
        s.output(s.pointwise("y", {100}, {{p, {row.outer}}}));
        const StageWork w = stage_work(s.graph(), 1, inlined(3, {p}));
        REQUIRE(w.loads.size() == 1);
        const Index &i = w.loads[0].access.indices[0];
        CHECK(i.affine == row.affine);
        CHECK(i.exact == row.exact);
        if (i.affine) {
            CHECK(i.scale == std::vector<double>{row.scale});
            CHECK(i.halo == row.halo);
        }
    }
}

TEST_CASE("a chain is inlined through; a transposed read moves the loops") {
    Sketch s;
    const FuncId x = s.input("x", {16, 8});
    const FuncId a = s.pointwise("a", {16, 8}, {{x, {at(0), at(1)}}}, work(1));
    const FuncId b = s.pointwise("b", {8, 16}, {{a, {at(1), at(0)}}}, work(2));
    const FuncId c = s.pointwise("c", {8, 16}, {{b, {at(0), at(1)}}}, work(4));
    s.output(c);
    const StageWork w = stage_work(s.graph(), 2, inlined(4, {a, b}));
    REQUIRE(w.parts.size() == 3);
    CHECK(w.parts[0].body.flops + w.parts[1].body.flops + w.parts[2].body.flops == 7);
    REQUIRE(w.loads.size() == 1);
    CHECK(w.loads[0].access.indices[0].equals_dim() == 1);
    CHECK(w.loads[0].access.indices[1].equals_dim() == 0);
    CHECK(w.loads[0].access.permutation());
}

TEST_CASE("written together: everything is computed and loaded by each, and what an earlier one has read is "
          "marked") {
    Sketch s;
    const FuncId x = s.input("x", {16, 8}), z = s.input("z", {16, 8});
    const FuncId a = s.pointwise("a", {16, 8}, {{x, {at(0), at(1)}}}, work(1));
    const FuncId b = s.pointwise("b", {16, 8}, {{x, {at(0), at(1)}}, {z, {at(0), at(1)}}}, work(2));
    const FuncId c = s.pointwise("c", {16, 8}, {{x, {shifted(0), at(1)}}, {z, {at(0), at(1)}}}, work(4));
    s.func(b).bytes_per_point = s.func(b).element_bytes = 8;
    s.func(c).tuple_size = 2;
    s.func(c).bytes_per_point = 8;
    std::vector<StageWork> works;
    for (const StageId stage : {0, 1, 2}) {
        works.push_back(stage_work(s.graph(), stage, std::vector<bool>(5, false)));
    }
    const StageWork all = written_together(works);
    CHECK(all.func == c);
    CHECK(a < c);
    CHECK(all.parts.size() == 3);
    CHECK(all.stored_bytes == 4 + 8 + 8);
    CHECK(all.element_bytes == 8);
    CHECK(all.stores == 4);
    REQUIRE(all.loads.size() == 5);
    std::string marks;
    for (const Load &load : all.loads) {
        marks += std::string(load.producer == x ? "x" : "z") + (load.reread ? "' " : " ");
    }
    CHECK(marks == "x z x x' z' ");  // c's own first: x to the side, and z; a's x; b's of both
}

TEST_CASE("a loaded index takes one value for each point of what changes it, but may be anything") {
    Index loaded;
    loaded.affine = loaded.exact = false;
    loaded.scale = {0, 1, 0};
    CHECK(!loaded.depends_on(0));
    CHECK(loaded.depends_on(1));
    CHECK(points_read(loaded, 1000, {16, 4, 8}) == 4);
    CHECK(points_read(loaded, 3, {16, 4, 8}) == 3);
    CHECK(footprint(loaded, 1000, {16, 4, 8}) == 1000);
    loaded.scale = {0, 0, 0};  // not known
    CHECK(loaded.depends_on(0));
    CHECK(points_read(loaded, 1000, {16, 4, 8}) == 512);
}
