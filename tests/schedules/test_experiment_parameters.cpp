// disable=, search= and cost_model=: what experiments change, and what is refused.

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "Halide.h"

#include "base/user_error.h"
#include "cost/pricer.h"
#include "schedules/autoschedule.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

const Target target("x86-64-linux-avx-avx2-f16c-fma-sse41");

std::string refusal(const std::map<std::string, std::string> &extra) {
    try {
        parse_parameters(extra);
    } catch (const UserError &e) {
        return e.what();
    }
    return "accepted";
}

Pipeline small_pipeline() {
    Var x("x");
    const ImageParam in = image("in", {1024});
    Func a("a"), out("out");
    a(x) = in(x) * 2;
    out(x) = a(x) + 1;
    estimate(out, {1024});
    return Pipeline(out);
}

}  // namespace

TEST_CASE("experiments change the machine that is planned for, and nothing else does") {
    const Machine plain = choose_machine(target, parse_parameters({}));
    CHECK(to_string(plain.experiment).empty());
    const Machine changed = choose_machine(
        target,
        parse_parameters({{"disable", "block,price.memory,tile_producer"}, {"cost_model", "traffic"}}));
    CHECK(to_string(changed.experiment) == ", priced by traffic, without block, without price.memory");
    CHECK(changed.name == plain.name + to_string(changed.experiment));
    CHECK(changed.memory_run_seconds == 0);
    CHECK(changed.experiment.pricer != nullptr);
    // Policies and terms of devices say nothing of CPUs.
    CHECK(to_string(
              choose_machine(target, parse_parameters({{"disable", "gpu_warps,price.barriers"}})).experiment)
              .empty());
    CHECK(autoschedule(small_pipeline(), target, parse_parameters({{"cost_model", "roofline"}})) != "");

    CHECK(parse_parameters({{"search", "greedy"}}).effort == Effort::fast);
    CHECK(parse_parameters({{"search", "beam"}}).effort == Effort::best);
    CHECK(parse_parameters({{"search", "exhaustive"}}).effort == Effort::exhaustive);
    CHECK(refusal({{"search", "wide"}}) ==
          "The scheduler parameter search was given as \"wide\", which is neither greedy nor beam nor "
          "exhaustive: give one of them, or leave it out for greedy.");
    CHECK(refusal({{"search", "beam"}, {"effort", "best"}}) ==
          "The scheduler parameters search and effort contradict each other: effort=fast is a greedy search, "
          "and effort=best one with a beam; leave one of them out.");
    CHECK(
        refusal({{"search", "exhaustive"}, {"unfused", "1"}}) ==
        "The scheduler parameters search and unfused contradict each other: there is nothing to search for; "
        "leave one of them out.");
    CHECK(
        refusal({{"search", "exhaustive"}, {"disable", "tile_producer"}}) ==
        "The scheduler parameters search and disable contradict each other: search=exhaustive goes over all "
        "legal places, whatever rule or rewrite leads there; leave one of them out.");
    CHECK(parse_parameters({{"search", "exhaustive"}, {"disable", "block,price.idle"}}).disable.size() == 2);
    CHECK(
        refusal({{"cost_model", "rooflin"}}) ==
        "The cost model rooflin was asked for, which is neither a file nor a name that is known: the nearest "
        "is roofline; names are roofline, traffic; or give the path of a shared library.");
    CHECK_THROWS_WITH_AS(autoschedule(small_pipeline(), Target("x86-64-linux-cuda"),
                                      parse_parameters({{"search", "exhaustive"}})),
                         "The search exhaustive was asked for, which goes over placements for CPUs, but "
                         "kernels are planned for "
                         "preset a100: search with a beam, or give a CPU target.",
                         UserError);
}
