// Loads through the digits of a number: as heads are split from a row and merged into one. Their adjoints are
// gathers where each element is read at one point, and right where it is not.

#include "operation_case.h"

#include "autodiff/differentiate.h"

#include <doctest/doctest.h>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Var i("i"), j("j"), h("h"), k("k"), c("c");

/// y(i) = the sum of sin(part(j, i, h)) (j + 2 h + 1) over `heads` parts of `size`, part(j, i, h) = x(`at`,
/// i).
Subject split(int size, int heads, const std::function<Expr(Expr j, Expr h)> &at) {
    return one_input(2, [=](Func y, ImageParam x) {
        Func part("part");
        part(j, i, h) = x(at(j, h), i);
        const RDom r(0, size, 0, heads);
        y(i) = cast(f64, 0);
        y(i) += sin(part(r.x, i, r.y)) * cast(f64, r.x + 2 * r.y + 1);
    });
}

/// y(i) = the sum of sin(merged(c, i)) (c + 1), merged(c, i) = x(c % size, i, c / size).
Subject merge(int size, int heads) {
    return one_input(3, [=](Func y, ImageParam x) {
        Func merged("merged");
        merged(c, i) = x(c % size, i, c / size);
        const RDom r(0, size * heads);
        y(i) = cast(f64, 0);
        y(i) += sin(merged(r, i)) * cast(f64, r + 1);
    });
}

/// Tiles of 2 x 3 of an image of 4 x 6, one after the other.
Subject tiles() {
    return one_input(2, [](Func y, ImageParam x) {
        Func tile("tile"), flat("flat");
        tile(j, i, k, h) = x(2 * k + j, 3 * h + i);
        flat(c) = tile(c % 2, c / 2 % 3, c / 6 % 2, c / 12);
        const RDom r(0, 24);
        y(i) = cast(f64, 0);
        y(i) += exp(flat(r)) * cast(f64, r + i);
    });
}

bool has_scatter(const Subject &subject) {
    const Differentiated d = differentiate(subject.problem);
    for (const NamedOutput &gradient : d.gradients) {
        if (definitions(Func(gradient.func)).find("_scatter") != std::string::npos) {
            return true;
        }
    }
    return false;
}

Shapes of(const std::vector<Extent> &x) {
    return {{"x", x}, {"y", {m}}};
}

}  // namespace

TEST_CASE("each element at one point: gathers") {
    const std::vector<OperationCase> cases{
        {"heads of 3", [] { return split(3, 4, [](Expr j, Expr h) { return h * 3 + j; }); },
         of({{0, 12}, m})},
        {"from an offset on", [] { return split(3, 4, [](Expr j, Expr h) { return 3 * h + j + 5; }); },
         of({{2, 16}, m})},
        {"some of each", [] { return split(3, 4, [](Expr j, Expr h) { return h * 4 + j; }); },
         of({{0, 16}, m})},
        {"every other", [] { return split(3, 4, [](Expr j, Expr h) { return 2 * (h * 3 + j); }); },
         of({{0, 24}, m})},
        {"the other way round", [] { return split(3, 4, [](Expr j, Expr h) { return j * 4 + h; }); },
         of({{0, 12}, m})},
        {"merged", [] { return merge(3, 4); }, of({{0, 3}, m, {0, 4}})},
        {"part of what could be merged", [] { return merge(3, 4); }, of({{-1, 5}, m, {-2, 9}})},
        {"tiles", tiles, of({{0, 4}, {0, 6}})},
    };
    check_cases(cases);
    for (const OperationCase &one : cases) {
        CAPTURE(one.name);
        CHECK_FALSE(has_scatter(one.subject()));
    }
}

TEST_CASE("elements that are read at several points") {
    const std::vector<OperationCase> cases{
        {"overlapping", [] { return split(3, 4, [](Expr j, Expr h) { return h * 2 + j; }); },
         of({{0, 9}, m})},
        {"the same for all", [] { return split(3, 4, [](Expr j, Expr) { return j; }); }, of({{0, 3}, m})},
        {"a sum", [] { return split(3, 4, [](Expr j, Expr h) { return h + j; }); }, of({{0, 6}, m})},
    };
    check_cases(cases);
    CHECK(has_scatter(cases[0].subject()));
}
