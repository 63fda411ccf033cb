// Outputs of which one goes over runs of the points of another, as a mask of bits does, in one nest with it:
// the values of the serial program, whatever the sizes. By default every two of the choices of a case
// together once; all of them with EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/schedules/jit_check.h"
#include "tests/support/all_cases.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), z("z"), byte("byte");

REGISTER_EXCEPTION_TRANSLATOR(const Halide::Error &e) {
    return e.what();
}

/** Byte b of a row holds whether `of` is positive at points 8 b … 8 b + 7; beyond `last` it is not. */
void define_mask(Func mask, const Func &of, const Expr &last, int dims) {
    const std::vector<Var> vars = {byte, y, z};
    Expr packed = cast<uint8_t>(0);
    for (int bit = 0; bit < 8; bit++) {
        const Expr at = 8 * byte + bit;
        std::vector<Expr> args(vars.begin(), vars.begin() + dims);
        args[0] = clamp(at, 0, last);
        packed = packed | select(of(args) > 0 && at <= last, cast<uint8_t>(1 << bit), cast<uint8_t>(0));
    }
    mask(std::vector<Var>(vars.begin(), vars.begin() + dims)) = packed;
}

/** relu of `extents` floats and its mask, which reads the relu, or what that reads. */
Program relu(const std::vector<int> &extents, bool of_output) {
    const int dims = static_cast<int>(extents.size());
    const ImageParam a = image("a", extents);
    const std::vector<Var> vars = {x, y, z};
    const std::vector<Var> own(vars.begin(), vars.begin() + dims);
    Func in("in"), out("out"), mask("mask");
    in(own) = a(std::vector<Expr>(own.begin(), own.end())) * 2 + 1;
    out(own) = max(in(own), 0.0f);
    define_mask(mask, of_output ? out : in, a.dim(0).extent() - 1, dims);
    std::vector<int> bytes = extents;
    bytes[0] = (bytes[0] + 7) / 8;
    estimate(out, extents);
    estimate(mask, bytes);
    return {{a}, {out, mask}, {}};
}

Sizes whole(const std::vector<int> &extents) {
    std::vector<int> bytes = extents;
    bytes[0] = (bytes[0] + 7) / 8;
    return {{extents}, {extents, bytes}};
}

int joined(const std::string &schedule) {
    return occurrences(schedule, ".compute_with(");
}

}  // namespace

TEST_CASE("rows of a relu and of its mask") {
    for (const bool of_output : {true, false}) {
        for (const auto &[c, r] : std::vector<std::array<int, 2>>{{1024, 4096}, {1001, 4099}}) {
            for (const int parallelism : {1, 4}) {
                if (!all_cases() && !(of_output && c == 1001 && parallelism == 4)) {
                    continue;
                }
                INFO(of_output << " " << c << " x " << r << " on " << parallelism);
                std::vector<Sizes> sizes;
                for (const auto &[columns, rows] : std::vector<std::array<int, 2>>{
                         {c, 128}, {513, 37}, {64, 5}, {63, 5}, {17, 3}, {9, 2}, {8, 1}, {7, 2}, {1, 1}}) {
                    sizes.push_back(whole({columns, rows}));
                }
                // A caller may ask for less of either.
                sizes.push_back({{{100, 20}}, {{100, 20}, {5, 20}}, {}, {{0, 0}, {3, 0}}});
                sizes.push_back({{{100, 20}}, {{100, 20}, {13, 4}}, {}, {{0, 0}, {0, 7}}});
                sizes.push_back({{{100, 20}}, {{100, 20}, {0, 20}}});
                if (!of_output) {
                    sizes.push_back({{{100, 20}}, {{17, 20}, {13, 20}}, {}, {{80, 0}, {0, 0}}});
                    sizes.push_back({{{100, 20}}, {{100, 3}, {13, 20}}, {}, {{0, 16}, {0, 0}}});
                    sizes.push_back({{{100, 20}}, {{0, 20}, {13, 20}}});
                }
                const std::string schedule =
                    check_same_values([=, columns = c, rows = r] { return relu({columns, rows}, of_output); },
                                      sizes, parallelism);
                INFO(schedule);
                CHECK(joined(schedule) == 1);
                CHECK(occurrences(schedule, "eutectic::recompute(") == (of_output ? 1 : 0));
            }
        }
    }
}

TEST_CASE("a relu of one dimension, in pieces") {
    for (const bool of_output : {true, false}) {
        for (const int parallelism : {1, 4}) {
            if (!all_cases() && (parallelism == 4) != of_output) {
                continue;
            }
            INFO(of_output << " on " << parallelism);
            std::vector<Sizes> sizes;
            for (const int n :
                 {1 << 20, 300007, 70001, 4097, 4096, 1000, 129, 128, 127, 17, 16, 15, 9, 8, 7, 1}) {
                sizes.push_back(whole({n}));
            }
            sizes.push_back({{{5000}}, {{5000}, {3}}, {}, {{0}, {600}}});
            sizes.push_back({{{5000}}, {{5000}, {0}}});
            if (!of_output) {
                sizes.push_back({{{5000}}, {{17}, {625}}, {}, {{4983}, {0}}});
                sizes.push_back({{{5000}}, {{0}, {625}}});
            }
            const std::string schedule =
                check_same_values([=] { return relu({1 << 24}, of_output); }, sizes, parallelism);
            INFO(schedule);
            CHECK(joined(schedule) == 1);
        }
    }
}

TEST_CASE("volumes") {
    const std::string schedule =
        check_same_values([] { return relu({1200, 200, 60}, true); },
                          {whole({60, 20, 6}), whole({61, 3, 2}), whole({7, 1, 1}), whole({8, 33, 1})});
    INFO(schedule);
    CHECK(joined(schedule) == 1);
}
