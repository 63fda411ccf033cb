// What is read across its rows is read from copies that are made in tiles, where lines would share sets of
// a cache: with the values of the program as written, at sizes that no tile divides.

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "Halide.h"

#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), z("z");

/** The schedule for a processor on which copies pay. */
std::string checked(const std::function<Program()> &make, const std::vector<Sizes> &sizes) {
    return check_same_values(make, sizes, 4, {}, "zen4");
}

bool copies(const std::string &source) {
    return source.find("_pack.compute_at(") != std::string::npos;
}

/** Of square images with rows a multiple of a page long. */
int planned(const Type &type) {
    return 8192 / type.bytes();
}

Program of_two(const Type &type, const std::function<Expr(const ImageParam &, const ImageParam &)> &value) {
    const ImageParam a(type, 2, "a"), b(type, 2, "b");
    const int n = planned(type);
    for (ImageParam p : {a, b}) {
        p.set_estimates({{0, n}, {0, n}});
    }
    Func out("out");
    out(x, y) = value(a, b);
    out.set_estimates({{0, n}, {0, n}});
    return {{a, b}, {out}, {}};
}

/** Each input as large as the output, and one point larger. */
std::vector<Sizes> sizes() {
    std::vector<Sizes> all;
    for (const auto &[w, h] : std::vector<std::pair<int, int>>{
             {1, 1}, {1, 40}, {40, 1}, {15, 17}, {16, 16}, {33, 64}, {130, 77}}) {
        all.push_back({{{h + 1, w + 1}, {w + 1, h + 1}}, {{w, h}}});
    }
    all.push_back({{{64, 80}, {80, 64}}, {{50, 40}}, {7, 3}});
    return all;
}

}  // namespace

TEST_CASE("an image and one that is turned, of every type") {
    for (const Type &type : {Float(32), Float(64), Int(16), UInt(8), Int(32)}) {
        CAPTURE(type.bits());
        const auto sum = [](const ImageParam &a, const ImageParam &b) { return a(y, x) + b(x, y); };
        CHECK(copies(checked([&] { return of_two(type, sum); }, sizes())));
    }
}

TEST_CASE("a turned image beside its neighbours, two of them, and one that is read at several places") {
    const auto moved = [](const ImageParam &a, const ImageParam &b) { return a(y + 1, x) * b(x, y + 1); };
    CHECK(copies(checked([&] { return of_two(Float(32), moved); }, sizes())));
    const auto both = [](const ImageParam &a, const ImageParam &b) { return a(y, x) - 2 * b(y, x); };
    const std::string two = checked([&] { return of_two(Float(32), both); },
                                    [] {
                                        std::vector<Sizes> all;
                                        for (const int w : {1, 16, 37}) {
                                            all.push_back({{{33, w}, {33, w}}, {{w, 33}}});
                                        }
                                        return all;
                                    }());
    CHECK(two.find("a_pack.compute_at(") != std::string::npos);
    CHECK(two.find("b_pack.compute_at(") != std::string::npos);
    const auto taps = [](const ImageParam &a, const ImageParam &b) {
        return a(y, x) + a(y + 1, x) + b(x, y);
    };
    checked([&] { return of_two(Float(32), taps); }, sizes());
}

TEST_CASE("planes that are turned one by one, and dims that change places") {
    const auto three = [](const std::function<Expr(const ImageParam &)> &value) {
        return [=] {
            const ImageParam a(Float(32), 3, "a"), b(Float(32), 3, "b");
            for (ImageParam p : {a, b}) {
                p.set_estimates({{0, 1024}, {0, 1024}, {0, 4}});
            }
            Func out("out");
            out(x, y, z) = value(a) * b(x, y, z);
            out.set_estimates({{0, 1024}, {0, 1024}, {0, 4}});
            return Program{{a, b}, {out}, {}};
        };
    };
    const std::string planes =
        checked(three([](const ImageParam &a) { return a(y, x, z) + 1.0f; }),
                {{{{20, 30, 3}, {30, 20, 3}}, {{30, 20, 3}}}, {{{1, 65, 2}, {65, 1, 2}}, {{65, 1, 2}}}});
    CHECK(copies(planes));
    checked(three([](const ImageParam &a) { return a(z, x, y) + 1.0f; }),
            {{{{5, 30, 20}, {30, 20, 5}}, {{30, 20, 5}}}, {{{4, 33, 65}, {33, 65, 4}}, {{33, 65, 4}}}});
}
