// What a plan was priced by, written and read again: the price is the same.

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>

#include "cost/stage_json.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

/** A matrix product with everything that a stage may say of itself. */
NestedStage stage() {
    NestedStage s;
    StageWork &work = s.work.edit();
    work.func = 4;
    work.update = 0;
    work.dims = {
        {"j", 96, false, std::nullopt}, {"i", 50, false, std::nullopt}, {"k", 300, true, std::nullopt}};
    ExprSummary body;
    body.flops = 2;
    body.divisions = 0.5;
    body.transcendentals = 1;
    body.libm_calls = 0.25;
    work.parts = {{body, true, {true, true, true}}, {body, false, {false, true, false}}};
    Load load;
    load.producer = 2;
    load.bytes_per_point = 8;
    load.extents = {96, 300};
    load.access.indices = {{{1, 0, 0}, 2, true, false}, {{0, 0, 0.5}, 0, false, true}};
    work.loads = {load};
    work.written = load;
    work.written->access.indices = {{{1, 0, 0}}, {{0, 0, 1}, 0, true, false}};
    work.stored_bytes = 4;
    work.element_bytes = 4;
    work.accumulates = true;
    s.nest.loops = {{1, 10, Loop::Kind::parallel},
                    {2, 1, Loop::Kind::serial, 7},
                    {1, 1, Loop::Kind::unroll},
                    {0, 1, Loop::Kind::vector}};
    s.nest.shared = 1;
    s.local = {3};
    s.in_block = {2};
    s.block_loops = 1;
    s.block_bytes = 50000;
    s.stores_locally = true;
    s.accumulates_in_registers = true;
    return s;
}

}  // namespace

TEST_CASE("the price of what is read is the price of what was written") {
    NestedStage plain = stage();
    plain.local.clear();
    plain.stores_locally = plain.accumulates_in_registers = plain.work.edit().accumulates = false;
    const std::vector<PricedNest> nests = {{{stage(), plain}, 1e-7}, {{plain}, 0}};
    const std::vector<PricedNest> again = priced_nests(to_json(nests));
    REQUIRE(again.size() == 2);
    for (size_t i = 0; i < 2; i++) {
        CHECK(again[i].allocations == nests[i].allocations);
        CHECK(to_string(price(again[i].stages, round_machine())) ==
              to_string(price(nests[i].stages, round_machine())));
        CHECK(price(again[i].stages, round_machine()).total() ==
              price(nests[i].stages, round_machine()).total());
    }
    CHECK(to_json(again) == to_json(nests));
}

TEST_CASE("something else is refused") {
    for (const char *text : {"", "{", "[{}]", "[{\"stages\": 3, \"allocations\": 0}]"}) {
        INFO(text);
        CHECK_THROWS_AS(priced_nests(text), std::runtime_error);
    }
}

TEST_CASE("stages whose parts do not fit together are refused, and why is said") {
    const auto refusal = [](const std::function<void(NestedStage &)> &change) {
        NestedStage s = stage();
        change(s);
        try {
            priced_nests(to_json({{{s}, 0}}));
        } catch (const std::runtime_error &e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(refusal([](NestedStage &) {}).empty());
    CHECK(refusal([](NestedStage &s) { s.block_loops = 9; }) ==
          "not the stages of a plan: func 4 has more loops in common with others than it has");
    CHECK(refusal([](NestedStage &s) { s.work.edit().parts[0].guarded = DimFlags(4, true); }) ==
          "not the stages of a plan: func 4 has a part that depends on other dims than its own");
    CHECK(refusal([](NestedStage &s) { s.work.edit().loads[0].extents = {96}; }) ==
          "not the stages of a plan: func 4 has a load with 2 indices of a buffer of 1 dims");
    CHECK(refusal([](NestedStage &s) { s.work.edit().loads[0].access.indices[1].scale = {1}; }) ==
          "not the stages of a plan: func 4 has an index over 1 dims, and 3 dims of its own");
    CHECK(refusal([](NestedStage &s) { s.work.edit().taken = {{DimId(3), 0.5, 0}}; }) ==
          "not the stages of a plan: func 4 has an update at a share of a dim that it has not");
    // Loops that no stage has can't be built, but written.
    std::string text = to_json({{{stage()}, 0}});
    const std::string loop = "[1,10,1,0]";
    REQUIRE(text.find(loop) != std::string::npos);
    text.replace(text.find(loop), loop.size(), "[5,10,1,0]");
    CHECK_THROWS_WITH_AS(priced_nests(text),
                         "not the stages of a plan: func 4 has a loop over a dim that it has not",
                         std::runtime_error);
}
