// Sizes at the estimates: what they follow from, and the sentence where they do not.

#include "graph_text.h"

#include <doctest/doctest.h>

#include "Halide.h"

#include "base/user_error.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x");

/** The sentence of the UserError that reading the pipeline ends in. */
std::string error_of(const std::vector<Func> &outputs) {
    try {
        graph_of(outputs);
    } catch (const UserError &e) {
        return e.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a size that does not follow from the estimates: the sentence says which") {
    const ImageParam in = image("in", {128});
    ImageParam bare(Float(32), 1, "bare");
    Func no_estimate("no_estimate"), reads_bare("reads_bare"), sums_bare("sums_bare"), unclamped("unclamped");
    no_estimate(x) = in(x);
    CHECK(error_of({no_estimate}) == "Output no_estimate has no estimate for its dimension 0 (x), and a plan "
                                     "needs the size to expect: call set_estimate() on it in the generator.");

    RDom r(0, bare.dim(0).extent(), "r");
    sums_bare(x) += bare(r) + in(x);
    estimate(sums_bare, {8});
    CHECK(error_of({sums_bare}) ==
          "The size of dimension 0 of bare does not follow from the estimates: give an estimate to every "
          "input dimension and scalar parameter, or clamp the index that reads it.");

    const ImageParam labels = image("labels_of_sizes", {8}, Int(32));
    Func producer("producer");
    producer(x) = in(x) + 1;
    unclamped(x) = producer(labels(x));
    estimate(unclamped, {8});
    CHECK(error_of({unclamped}) ==
          "The size of dimension 0 of producer does not follow from the estimates: unclamped reads it at "
          "labels_of_sizes(x), which nothing bounds; clamp that index there, as in clamp(INDEX, 0, SIZE - "
          "1), or "
          "give an "
          "estimate to every input dimension and scalar parameter.");

    Func exchanged("exchanged");
    exchanged(x) = producer(x ^ 1);
    estimate(exchanged, {8});
    CHECK(error_of({exchanged}) ==
          "The size of dimension 0 of producer does not follow from the estimates: exchanged reads it at "
          "bitwise_xor(x, 1), which nothing bounds; clamp that index there, as in clamp(INDEX, 0, SIZE - 1), "
          "or give an "
          "estimate to every input dimension and scalar parameter.");
    // More points than an int counts: Halide's own bounds inference does not take them either.
    Func last("last");
    last(x) = producer(clamp(labels(x), 0, 2147483647));
    estimate(last, {8});
    CHECK(error_of({last}).find("last reads it at max(labels_of_sizes(x), 0), which nothing bounds") !=
          std::string::npos);
}

TEST_CASE("sizes by what other Funcs compute, by strict constants, and by bound()") {
    const ImageParam in = image("in", {128}), bytes = image("bytes", {128}, UInt(8));
    Param<float> scale("scale");
    scale.set_estimate(4.0f);
    const auto extent_of = [](Func f, const char *producer) {
        estimate(f, {128});
        const Graph g = graph_of({f});
        for (const FuncInfo &info : g.funcs) {
            if (info.name == producer) {
                return info.extents[0];
            }
        }
        return int64_t{-1};
    };
    SUBCASE("an index that another Func clamps") {
        Func index("index"), p("p"), f("f");
        index(x) = clamp(cast<int>(in(x)), 3, 40);
        p(x) = in(x) * 2;
        f(x) = p(index(x) + 1) + p(4);
        CHECK(extent_of(f, "p") == 38);
    }
    SUBCASE("of two Funcs of bytes") {
        Func half("half"), p("p"), f("f");
        half(x) = cast<int>(bytes(x)) / 2;
        p(x) = cast<float>(x);
        f(x) = p(half(x) + half(127 - x));
        CHECK(extent_of(f, "p") == 255);
    }
    SUBCASE("strict arithmetic of constants") {
        Func p("p"), f("f");
        p(x) = in(x) + 1;
        f(x) = p(cast<int>(x * strict_float(1.0f / scale)));
        CHECK(extent_of(f, "p") == 32);
    }
    SUBCASE("bound()") {
        Func p("p"), f("f");
        p(x) = in(clamp(x, 0, 127)) + 1;
        p.bound(x, 0, 64);
        f(x) = p(x ^ 1);
        CHECK(extent_of(f, "p") == 64);
    }
}

TEST_CASE("a plan is for some points") {
    const ImageParam in = image("in", {128}), none = image("none", {0});
    Func below("below"), of_none("of_none"), never("never");
    below(x) = in(x);
    estimate(below, {-3});
    CHECK(error_of({below}) ==
          "The estimate of dimension 0 of below is -3 points, and there is no plan for none: "
          "give the size to expect, at least 1.");
    of_none(x) = none(x);
    estimate(of_none, {8});
    CHECK(error_of({of_none}) ==
          "The estimate of dimension 0 of none is 0 points, and there is no plan for none: give "
          "the size to expect, at least 1.");
    const RDom constant(0, 0, "constant");
    never(x) += in(x + constant);  // a window that its author left empty
    estimate(never, {8});
    CHECK(error_of({never}) == "no error");
}
