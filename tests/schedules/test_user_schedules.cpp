// What the user scheduled is left as it is: buffers, places and loops of its own; the rest is scheduled
// around it and gives the serial program's values.

#include "boundaries.h"

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

const char *const root_only = ".compute_root();";

}  // namespace

TEST_CASE("what the user wants as a buffer stays one, with loops of ours") {
    const struct {
        const char *what;
        std::function<void(Func)> schedule;
        const char *expected;
    } table[] = {
        {"asynchronous", [](Func f) { f.async(); },
         "kept in memory: middle is computed asynchronously, as its user asked"},
        {"on the heap", [](Func f) { f.store_in(MemoryType::Heap); },
         "kept in memory: middle has a storage that its user chose"},
        {"aligned", [](Func f) { f.align_storage(x, 16); },
         "kept in memory: middle has a storage that its user chose"},
    };
    for (const auto &row : table) {
        INFO(std::string(row.what));
        const auto make = [&] {
            return chain([&](const Func &middle, const Func &) { row.schedule(middle); });
        };
        CHECK(verdict(make().outputs, "middle") == row.expected);
        CHECK(verdict(make().outputs, "before") == "fused");
        CHECK(verdict(make().outputs, "after") == "fused");
        const std::string source = check_chain(make);
        CHECK(directives(source, "middle").size() > 1);
    }
    const Program traced = chain([](Func middle, const Func &) { middle.trace_stores(); });
    CHECK(verdict(traced.outputs, "middle") ==
          "kept in memory: middle is traced: every load and store of it is told");
}

TEST_CASE("loops of the user's stay as they are; what has no place yet gets one") {
    const char *const left =
        "kept in memory: middle carries a schedule of the user's, which is left as it is";
    const struct {
        const char *what;
        std::function<void(Func, Func)> schedule;
        std::vector<std::string> expected;  ///< directives on middle
    } table[] = {
        {"vectors",
         [](Func middle, const Func &) { middle.vectorize(x, 4, TailStrategy::GuardWithIf); },
         {root_only}},
        {"a place", [](Func middle, const Func &) { middle.compute_root(); }, {}},
        {"a place and vectors",
         [](Func middle, const Func &) { middle.compute_root().vectorize(x, 4, TailStrategy::GuardWithIf); },
         {}},
        {"a specialization",
         [](Func middle, const Func &out) {
             middle.specialize(out.output_buffer().width() > 100).vectorize(x, 8, TailStrategy::GuardWithIf);
         },
         {root_only}},
        {"a wrapper", [](Func middle, const Func &) { middle.in().compute_root(); }, {root_only}},
    };
    for (const auto &row : table) {
        INFO(std::string(row.what));
        const auto make = [&] { return chain(row.schedule); };
        CHECK(verdict(make().outputs, "middle") == left);
        CHECK(directives(check_same_values(make, chain_sizes), "middle") == row.expected);
    }
}

TEST_CASE("a Func in whose loops the user placed another keeps them") {
    const struct {
        const char *what;
        std::function<void(Func, Func)> schedule;
    } table[] = {
        {"computed in the output's rows", [](Func middle, const Func &out) { middle.compute_at(out, y); }},
        {"with a ring buffer",
         [](Func middle, const Func &out) {
             middle.compute_at(out, y).hoist_storage_root().ring_buffer(2).async();
         }},
    };
    for (const auto &row : table) {
        INFO(std::string(row.what));
        const auto make = [&] { return chain(row.schedule); };
        CHECK(verdict(make().outputs, "middle") ==
              "kept in memory: middle carries a schedule of the user's, which is left as it is");
        const std::string source = check_chain(make);
        CHECK(directives(source, "middle").empty());
        for (const std::string &directive : directives(source, "out")) {
            CHECK(directive == root_only);
        }
    }
}

TEST_CASE("loops that the user fused stay fused; an update with a schedule of its own") {
    const auto fused = [] {
        const ImageParam in = image("in", {100, 50});
        Func a("a"), b("b"), sum("sum");
        a(x, y) = in(x, y) + 1;
        b(x, y) = in(x, y) * 2;
        sum(x, y) = a(x, y) + b(x, y);
        estimate(sum, {100, 50});
        a.compute_root();
        b.compute_root().compute_with(a, y);
        return Program{{in}, {sum}, {}};
    };
    const std::string source = check_same_values(fused, {{{{100, 50}}, {{100, 50}}}, {{{3, 1}}, {{3, 1}}}});
    CHECK(directives(source, "a").empty());
    CHECK(directives(source, "b").empty());

    const auto updated = [] {
        const ImageParam in = image("in", {100, 50});
        RDom r(0, in.dim(0).extent());
        Func sum("sum"), out("out");
        sum(y) += in(r, y);
        out(y) = sum(y) + 1;
        sum.update().parallel(y);
        estimate(out, {50});
        return Program{{in}, {out}, {}};
    };
    CHECK(directives(check_same_values(updated, {{{{100, 50}}, {{50}}}, {{{3, 1}}, {{1}}}}), "sum") ==
          std::vector<std::string>{root_only});
}
