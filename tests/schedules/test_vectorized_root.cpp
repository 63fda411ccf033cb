// The plainest schedule computes what the algorithm says, at sizes that no vector divides, and leaves nothing
// inlined.

#include "schedules/hlpipe/vectorized_root.h"

#include <doctest/doctest.h>

using namespace Halide;
using eutectic::count_funcs;
using eutectic::vectorized_root;

namespace {

const Var x("x"), y("y");

/// A pure Func, a sum, a scatter and a single value: every kind of update that is or is not vectorized.
struct Sample {
    ImageParam in{Int(32), 2, "in"};
    Func scaled{"scaled"}, sum{"sum"}, scattered{"scattered"}, single{"single"}, out{"out"};

    Sample() {
        const RDom r(0, 5);
        scaled(x, y) = in(x, y) * 3 + x;
        sum(x, y) = 0;
        sum(x, y) += scaled(x + r, y);
        scattered(x, y) = sum(x, y);
        scattered(r, y) += 7 * r;
        single() = 1;
        single() += in(r, 0);
        out(x, y) = scattered(x, y) - single();
    }
};

}  // namespace

TEST_CASE("the plainest schedule computes what the algorithm says") {
    constexpr int height = 3;
    for (const int width : {16, 17, 33}) {
        CAPTURE(width);
        // Wider than what is read: vectors of the Funcs before the output go beyond what it needs.
        Buffer<int> data(width + 200, height);
        data.for_each_element([&](int i, int j) { data(i, j) = (i * 31 + j * 17) % 11; });
        Sample plain, vectorized;
        plain.scattered.compute_root();
        plain.sum.compute_root();
        vectorized_root(Pipeline(vectorized.out), get_jit_target_from_environment());
        Buffer<int> wanted(width, height), got(width, height);
        plain.in.set(data);
        vectorized.in.set(data);
        plain.out.realize(wanted);
        vectorized.out.realize(got);
        wanted.for_each_element([&](int i, int j) { CHECK(got(i, j) == wanted(i, j)); });
    }
}

TEST_CASE("Funcs that only stand for an input do not count") {
    const Sample sample;
    CHECK(count_funcs(Pipeline(sample.out)) == 5);
    Func direct("direct");
    direct(x, y) = sample.in(x, y) + 1;
    CHECK(count_funcs(Pipeline(direct)) == 1);
}
