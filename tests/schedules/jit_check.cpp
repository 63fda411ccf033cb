#include "tests/schedules/jit_check.h"

#include <doctest/doctest.h>

#include <cmath>

#include "schedules/autoschedule.h"

REGISTER_EXCEPTION_TRANSLATOR(const Halide::Error &error) {
    return error.what();
}

namespace eutectic::test {

using namespace Halide;

namespace {

void compare(const Buffer<> &got, const Buffer<> &expected) {
    const std::vector<double> g = values(got), e = values(expected);
    REQUIRE(g.size() == e.size());
    double largest = 0, difference = 0;
    size_t where = 0;
    size_t finite = 0;
    for (size_t i = 0; i < e.size(); i++) {
        finite += std::isfinite(e[i]) ? 1 : 0;
        largest = std::max(largest, std::abs(e[i]));
        const double d = std::isfinite(g[i]) ? std::abs(g[i] - e[i]) : HUGE_VAL;
        where = d > difference ? i : where;
        difference = std::max(difference, d);
    }
    REQUIRE(finite == e.size());
    INFO("element " << where << ": " << (g.empty() ? 0 : g[where]) << " instead of "
                    << (e.empty() ? 0 : e[where]));
    CHECK(difference <= (got.type().is_float() ? 1e-4 * std::max(1e-3, largest) : 0));
}

/** What schedules are made for, whatever machine the tests run on: a plan that a test describes is the same
 * everywhere, and its directives run on any. */
Target planned_for() {
    return Target(
        "x86-64-linux-sse41-avx-f16c-fma-avx2-avx512-avx512_skylake-avx512_cannonlake-avx512_sapphirerapids");
}

}  // namespace

std::string check_same_values(const std::function<Program()> &make, const std::vector<Sizes> &sizes,
                              int parallelism, const std::function<Program()> &make_reference,
                              const std::string &processor) {
    const Target target = get_jit_target_from_environment();
    const Program reference = make_reference ? make_reference() : make();
    compute_all_at_root(reference);
    // What is compared with needs no assertions of Halide's, which are much of what is compiled.
    Compiled plain(reference, target.with_feature(Target::NoAsserts)), scheduled(make(), target);
    Parameters parameters;
    parameters.parallelism = parallelism;
    parameters.processor = processor;
    const std::string source = autoschedule(scheduled.pipeline(), planned_for(), parameters);
    INFO(source);
    for (size_t s = 0; s < sizes.size(); s++) {
        INFO("sizes " << s);
        const std::vector<Buffer<>> expected = plain.run(sizes[s]), got = scheduled.run(sizes[s]);
        for (size_t b = 0; b < expected.size(); b++) {
            INFO("output buffer " << b);
            compare(got[b], expected[b]);
        }
    }
    return source;
}

}  // namespace eutectic::test
