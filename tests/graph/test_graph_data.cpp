#include <doctest/doctest.h>

#include "tests/support/graphs.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

Index index(std::vector<double> scale, bool exact = true, bool affine = true) {
    Index i;
    i.scale = std::move(scale);
    i.exact = exact;
    i.affine = affine;
    return i;
}

}  // namespace

TEST_CASE("equals_dim: one loop, whole and unmoved") {
    CHECK(index({1, 0}).equals_dim() == 0);
    CHECK(index({0, 1}).equals_dim() == 1);
    CHECK(index({0, 0}).equals_dim() == -1);
    CHECK(index({1, 1}).equals_dim() == -1);
    CHECK(index({2, 0}).equals_dim() == -1);
    CHECK(index({-1, 0}).equals_dim() == -1);
    CHECK(index({0.125, 0}).equals_dim() == -1);
    CHECK(index({1, 0}, false).equals_dim() == -1);
    CHECK(index({1, 0}, true, false).equals_dim() == -1);
}

TEST_CASE("an access is a permutation when its indices are distinct loops") {
    const auto permutation = [](Table<DimId, Index> indices) {
        return Access{std::move(indices)}.permutation();
    };
    CHECK(permutation({index({1, 0}), index({0, 1})}));
    CHECK(permutation({index({0, 1}), index({1, 0})}));
    CHECK(permutation({index({0, 1})}));
    CHECK(permutation({}));
    CHECK_FALSE(permutation({index({1, 0}), index({1, 0})}));
    CHECK_FALSE(permutation({index({1, 0}), index({0, 0})}));
    CHECK_FALSE(permutation({index({1, 0}, false), index({0, 1})}));
}

TEST_CASE("a data-dependent index depends on every loop") {
    const Access known{{index({1, 0})}}, unknown_index{{index({0, 0}, false, false)}};
    CHECK(known.depends_on(0));
    CHECK_FALSE(known.depends_on(1));
    CHECK(unknown_index.depends_on(0));
    CHECK(unknown_index.depends_on(1));
    CHECK(known.affine());
    CHECK_FALSE(unknown_index.affine());
}

TEST_CASE("sizes") {
    FuncInfo f;
    f.bytes_per_point = 8;
    CHECK(f.points() == 1);  // a scalar
    CHECK(f.bytes() == 8);
    f.extents = {100000, 100000};  // more than 32 bits
    CHECK(f.points() == 10000000000);
    CHECK(f.bytes() == 80000000000);
}

TEST_CASE("consumers: each once, in order; a Func is no consumer of itself") {
    Sketch s;
    const FuncId x = s.input("x", {8});
    const FuncId a = s.pointwise("a", {8}, {{x, {at(0)}}, {x, {shifted(0)}}});
    const FuncId total = s.reduction("total", {8}, {4}, {{x, {at(1)}}, {a, {at(0)}}});
    s.output(total);
    const Graph g = s.graph();
    CHECK(g.consumers(x) == std::vector<StageId>{0, 2});
    CHECK(g.consumer_funcs(x) == std::vector<FuncId>{a, total});
    CHECK(g.consumer_funcs(total).empty());
    CHECK(g.pure_stage(total).update == -1);
    CHECK(g.last_stage(total).update == 0);
}

TEST_CASE("to_string: one line a Func, stage and edge; without names, ids alone") {
    Sketch s;
    const FuncId x = s.input("x", {64, 8});
    const FuncId y = s.pointwise(
        "y", {32, 8}, {{x, {scaled(0, 2), at(1)}}, {x, {unknown(), fixed()}}, {x, {shifted(0, 2), at(1)}}},
        work(3, 1, 2));
    s.output(y);
    const Graph g = s.graph();
    CHECK(to_string(g) == "func 0 x [64 x 8] 4 B input\n"
                          "func 1 y [32 x 8] 4 B output\n"
                          "  stage 0 pure pointwise (32, 8) flops 3 div 1 exp 2 libm 0\n"
                          "    reads 0(2*d0, d1)\n"
                          "    reads 0(?, c)\n"
                          "    reads 0(d0 ~2, d1)\n");
    CHECK(to_string(g, false) == "func 0 [64 x 8] 4 B input\n"
                                 "func 1 [32 x 8] 4 B output\n"
                                 "  stage 0 pure pointwise (32, 8) flops 3 div 1 exp 2 libm 0\n"
                                 "    reads 0(2*d0, d1)\n"
                                 "    reads 0(?, c)\n"
                                 "    reads 0(d0 ~2, d1)\n");
}
