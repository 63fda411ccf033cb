#include <doctest/doctest.h>
#include <functional>
#include <stdexcept>
#include <string>

#include "cost/nest.h"

using namespace eutectic;

namespace {

using Kind = Loop::Kind;

std::string text(const Loops &loops) {
    Nest nest;
    nest.loops = loops;
    return to_string(nest);
}

}  // namespace

TEST_CASE("loops are built from the outermost in") {
    Loops loops;
    loops.parallel(1, 16).split(0, 64).unroll(1).unroll(0, 8).vectorize(0);
    CHECK(text(loops) == "d1/16 parallel, d0/64, d1 unroll, d0/8 unroll, d0 vector");
    Loops kernel;
    kernel.repeat(1, Kind::gpu_block).gpu_blocks(0, 32).gpu_threads(0);
    CHECK(text(kernel) == "d-1 block, d0/32 block, d0 thread");
}

TEST_CASE("operations on loops that are there") {
    const auto tiled = [] { return Loops().split(1, 4).split(0, 8).vectorize(0); };
    const struct {
        const char *what;
        std::function<void(Loops &)> change;
        const char *then;
    } table[] = {
        {"around", [](Loops &l) { l.around({1, 32, Kind::parallel}); },
         "d1/32 parallel, d1/4, d0/8, d0 vector"},
        {"insert", [](Loops &l) { l.insert(2, {1, 1, Kind::unroll}); }, "d1/4, d0/8, d1 unroll, d0 vector"},
        {"remove", [](Loops &l) { l.remove(0); }, "d0/8, d0 vector"},
        {"split_at", [](Loops &l) { l.split_at(1, 64); }, "d1/4, d0/64, d0/8, d0 vector"},
        {"reorder", [](Loops &l) { l.reorder(0, 1); }, "d0/8, d1/4, d0 vector"},
        {"run_as", [](Loops &l) { l.run_as(0, Kind::parallel); }, "d1/4 parallel, d0/8, d0 vector"},
        {"set_tail", [](Loops &l) { l.set_tail(1, Loop::Tail::guarded); }, "d1/4, d0/8 guarded, d0 vector"},
        {"set_partitioned", [](Loops &l) { l.set_partitioned(0, false); },
         "d1/4 unpartitioned, d0/8, d0 vector"},
        {"only_in_whole", [](Loops &l) { l.only_in_whole(2); }, "d1/4, d0/8, d0 vector only whole"},
        {"nest", [](Loops &l) { l.remove(2).nest(Loops().unroll(1).vectorize(0)); },
         "d1/4, d0/8, d1 unroll, d0 vector"},
    };
    for (const auto &row : table) {
        INFO(row.what);
        Loops loops = tiled();
        row.change(loops);
        CHECK(text(loops) == row.then);
    }
}

TEST_CASE("what makes no nest is refused by the operation that asks for it") {
    const struct {
        const char *says;
        std::function<void()> asks;
    } table[] = {
        {"d1 is inside the lanes of a vector", [] { Loops().vectorize(0).split(1, 1); }},
        {"d0 is inside the lanes of a vector", [] { Loops().split(0, 8).vectorize(1).reorder(0, 1); }},
        {"d1 is parallel inside unrolled ones", [] { Loops().unroll(0).parallel(1, 1); }},
        {"d1 is parallel inside unrolled ones",
         [] { Loops().unroll(0).split(1, 1).run_as(1, Kind::parallel); }},
        {"d0 steps by no points", [] { Loops().split(0, 0); }},
        {"d-1 is over none of the dims and has no number of turns", [] { Loops().split(-1, 1); }},
        {"d0 has larger steps than the one around it", [] { Loops().split(0, 4).split(1, 1).split(0, 8); }},
        {"d0 has larger steps than the one around it", [] { Loops().split(0, 8).split_at(0, 4); }},
        {"d0 has larger steps than the one around it", [] { Loops().split(0, 8).around({0, 4}); }},
    };
    for (const auto &refusal : table) {
        const std::string says = std::string("loops: that over ") + refusal.says;
        INFO(says);
        CHECK_THROWS_WITH_AS(refusal.asks(), says.c_str(), std::logic_error);
    }
}

TEST_CASE("loops of other stages around a stage's own may have smaller steps") {
    const Loops own = Loops().split(0, 10).vectorize(0);
    CHECK(text(Loops::inside({{0, 8, Kind::parallel}}, own)) == "d0/8 parallel, d0/10, d0 vector");
}
