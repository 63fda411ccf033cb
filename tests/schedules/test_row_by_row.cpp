// Sums whose terms lie along rows, as the sums do, give the serial program's values, at odd and tiny sizes.

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/schedules/jit_check.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** Are eight terms added while a vector of sums is in registers? */
bool goes_row_by_row(const std::string &schedule) {
    return occurrences(schedule, "v_k_x_o") > 0 || occurrences(schedule, "_x_u0_o") > 0;
}

}  // namespace

TEST_CASE("a matrix times a vector, of several types, alone and with what reads it") {
    for (const Type type : {Float(32), Float(64), Int(32), UInt(16)}) {
        for (const bool read : {false, true}) {
            INFO(type, read);
            const auto make = [=] {
                const ImageParam a = image("a", {2048}, type), b = image("b", {4096, 2048}, type);
                RDom k(0, a.dim(0).extent(), "k");
                Func mv("mv"), out("out");
                mv(x) = cast(type, 0);
                mv(x) += a(k) * b(x, k);
                out(x) = max(mv(x) + cast(type, 1), cast(type, 3));
                const Func result = read ? out : mv;
                estimate(result, {4096});
                return Program{{a, b}, {result}, {}};
            };
            const std::string schedule = check_same_values(make, {{{{2048}, {4096, 2048}}, {{4096}}},
                                                                  {{{13}, {1021, 13}}, {{1021}}},
                                                                  {{{8}, {5, 8}}, {{5}}},
                                                                  {{{1}, {1, 1}}, {{1}}}});
            CHECK(goes_row_by_row(schedule));
        }
    }
}

TEST_CASE("columns of an image: sums, maxima, and sums over two variables, of each of several planes") {
    const auto make = [](int kind) {
        const ImageParam a = image("a", {3000, 500, 2, 3});
        Var p("p");
        RDom k(0, a.dim(1).extent(), 0, a.dim(2).extent(), "k");
        Func f("f");
        if (kind == 0) {
            f(x, p) += a(x, k.x, k.y, p);
        } else if (kind == 1) {
            f(x, p) = a(x, 0, 0, p);
            f(x, p) = max(f(x, p), a(x, k.x, k.y, p) * 2);
        } else {
            f(x, p) += select(a(x, k.x, k.y, p) > 0.5f, a(x, k.x, k.y, p) * a(k.x, k.x, k.y, p), 0.0f);
        }
        estimate(f, {3000, 3});
        return Program{{a}, {f}, {}};
    };
    for (const int kind : {0, 1, 2}) {
        INFO(kind);
        check_same_values([&] { return make(kind); }, {{{{3000, 500, 2, 3}}, {{3000, 3}}},
                                                       {{{501, 33, 1, 2}}, {{501, 2}}},
                                                       {{{7, 3, 2, 1}}, {{3, 1}}}});
    }
}
