// Sums over the same range whose terms have a costly part in common: it is a Func of its own.

#include <doctest/doctest.h>

#include <map>

#include "Halide.h"

#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** Weighted means of a window, as a bilateral filter takes them: what weighs depends on both ends. */
Program weighted_mean(int radius) {
    const ImageParam in = image("in", {160, 120});
    const Func edge = BoundaryConditions::repeat_edge(in);
    const RDom r(-radius, 2 * radius + 1, -radius, 2 * radius + 1, "r");
    const Expr other = edge(x + r.x, y + r.y), weight = exp(-(other - edge(x, y)) * (other - edge(x, y)));
    Func sum("sum"), total("total"), out("out");
    sum(x, y) = 0.0f;
    sum(x, y) += weight * other;
    total(x, y) = 0.0f;
    total(x, y) += weight;
    out(x, y) = sum(x, y) / total(x, y);
    estimate(out, {160, 120});
    return {{in}, {out}, {}};
}

/** The groups that are found among Funcs. */
std::map<int, int> groups(const std::vector<Func> &funcs) {
    std::vector<std::pair<int, Internal::Function>> numbered;
    for (const Func &f : funcs) {
        numbered.emplace_back(static_cast<int>(numbered.size()), f.function());
    }
    std::map<int, int> found;
    for (const auto &[func, group] : sums_that_share_terms(numbered)) {
        found[func] = group;
    }
    return found;
}

Func sum_of(const Expr &term, const char *name) {
    Func f(name);
    f(x) = 0.0f;
    f(x) += term;
    return f;
}

}  // namespace

TEST_CASE("weights are computed once for the sum of weights and the weighted sum") {
    for (const int radius : {1, 2}) {
        INFO(radius);
        const std::string schedule =
            check_same_values([=] { return weighted_mean(radius); }, {{{{160, 120}}, {{160, 120}}},
                                                                      {{{33, 7}}, {{33, 7}}},
                                                                      {{{5, 3}}, {{5, 3}}},
                                                                      {{{1, 1}}, {{1, 1}}},
                                                                      {{{20, 9}}, {{31, 12}}, {-3, -2}}});
        CHECK(occurrences(schedule, "eutectic::share_terms(pipeline, {{") == 1);
        CHECK(occurrences(schedule, "_terms = pipeline.get_func(") == 1);
    }
}

TEST_CASE("sums share terms with others over the same range alone, whatever their loops are called") {
    const ImageParam in = image("in", {100, 100});
    const RDom r(0, 9, "r"), same(0, 9, "s"), more(0, 10, "t");
    const auto weight = [&](const Expr &k) { return exp(in(x + k, k)); };
    const Func a = sum_of(weight(r) * in(r, x), "a"), b = sum_of(weight(same) + 1.0f, "b"),
               longer = sum_of(weight(more), "longer"), other = sum_of(exp(in(x, r)), "other"),
               plain = sum_of(in(x + r, r), "plain");
    CHECK(groups({a, longer, b, other, plain}) == std::map<int, int>{{0, 0}, {2, 0}});
    CHECK(groups({a, longer, other}).empty());
    const Func c = sum_of(exp(in(x, same)) * 2.0f, "c");
    CHECK(groups({other, a, c, b}) == std::map<int, int>{{0, 0}, {2, 0}, {1, 1}, {3, 1}});
}

TEST_CASE(
    "what does not change along the sum, or is behind a condition or a clamp of what is summed up, is left") {
    const ImageParam in = image("in", {100, 100});
    const RDom r(0, 9, "r");
    CHECK(groups({sum_of(exp(in(x, 0)) * in(r, x), "a"), sum_of(exp(in(x, 0)) + in(x, r), "b")}).empty());
    RDom some(0, 9, "some");
    some.where(some.x != 3);
    CHECK(groups({sum_of(exp(in(x, some.x)), "a"), sum_of(exp(in(x, some.x)) * 2.0f, "b")}).empty());
    const Expr clamped = clamp(x + r, 0, 99);
    CHECK(groups({sum_of(exp(in(clamped, r)), "a"), sum_of(exp(in(clamped, r)) * 2.0f, "b")}).empty());
}

TEST_CASE("what is no sum is refused in a sentence") {
    const ImageParam in = image("in", {100, 100});
    Func f("f");
    f(x) = exp(in(x, 0));
    CHECK_THROWS_WITH(
        share_terms(Pipeline(f), {{1, 0}}),
        "The terms of f were to be shared, but it is no sum in one update at its own points: leave "
        "it as it is.");
}
