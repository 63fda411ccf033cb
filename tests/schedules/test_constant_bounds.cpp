// Pipelines some of whose sizes are the same at every call: plans use that, and stay right where the other
// sizes are not those of the estimates.

#include <doctest/doctest.h>

#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), c("c");

}  // namespace

TEST_CASE("a softmax of rows of a known length, the shortest unrolled") {
    for (const int columns : {1, 5, 33, 300}) {
        const auto make = [&] {
            const ImageParam in = image("in", {columns, 40});
            RDom r(in.dim(0).min(), in.dim(0).extent());
            Func largest("largest"), e("e"), sum("sum"), out("out");
            largest(y) = -1e30f;
            largest(y) = max(largest(y), in(r, y));
            e(x, y) = exp(in(x, y) - largest(y));
            sum(y) += e(r, y);
            out(x, y) = e(x, y) / sum(y);
            in.dim(0).set_bounds(0, columns);
            out.output_buffer().dim(0).set_bounds(0, columns);
            estimate(out, {columns, 40});
            return Program{{in}, {out}, {}};
        };
        INFO(columns << " columns");
        check_same_values(make, {{{{columns, 40}}, {{columns, 40}}},
                                 {{{columns, 3}}, {{columns, 3}}},
                                 {{{columns, 1}}, {{columns, 1}}},
                                 {{{columns, 67}}, {{columns, 67}}}});
    }
}

TEST_CASE("a known number of channels, innermost or outermost, of images of any size") {
    for (const bool innermost : {true, false}) {
        const auto make = [&] {
            const ImageParam in = innermost ? image("in", {3, 66, 42}) : image("in", {66, 42, 3});
            const int channels = innermost ? 0 : 2;
            Func blurred("blurred"), grey("grey"), out("out");
            RDom r(in.dim(channels).min(), in.dim(channels).extent());
            if (innermost) {
                blurred(c, x, y) = in(c, x, y) + in(c, x + 1, y + 1) + in(c, x + 2, y + 2);
                grey(x, y) += blurred(r, x, y);
                out(c, x, y) = blurred(c, x, y) * 0.5f + grey(x, y);
                estimate(out, {3, 64, 40});
            } else {
                blurred(x, y, c) = in(x, y, c) + in(x + 1, y + 1, c) + in(x + 2, y + 2, c);
                grey(x, y) += blurred(x, y, r);
                out(x, y, c) = blurred(x, y, c) * 0.5f + grey(x, y);
                estimate(out, {64, 40, 3});
            }
            in.dim(channels).set_bounds(0, 3);
            out.output_buffer().dim(channels).set_bounds(0, 3);
            return Program{{in}, {out}, {}};
        };
        INFO("innermost: " << innermost);
        const auto size = [&](int w, int h) {
            return innermost ? Sizes{{{3, w + 2, h + 2}}, {{3, w, h}}}
                             : Sizes{{{w + 2, h + 2, 3}}, {{w, h, 3}}};
        };
        check_same_values(make, {size(64, 40), size(1, 1), size(5, 3), size(65, 41)});
    }
}

TEST_CASE("a product of known sizes, and one of which only the sum is known") {
    for (const bool all : {true, false}) {
        const auto make = [&] {
            const ImageParam a = image("a", {48, 40}), b = image("b", {56, 48});
            RDom k(a.dim(0).min(), a.dim(0).extent());
            Func mm("mm"), out("out");
            mm(x, y) += a(k, y) * b(x, k);
            out(x, y) = max(mm(x, y), 0.0f);
            a.dim(0).set_bounds(0, 48);
            b.dim(1).set_bounds(0, 48);
            if (all) {
                a.dim(1).set_bounds(0, 40);
                b.dim(0).set_bounds(0, 56);
                out.bound(x, 0, 56).bound(y, 0, 40);
            }
            estimate(out, {56, 40});
            return Program{{a, b}, {out}, {}};
        };
        std::vector<Sizes> sizes = {{{{48, 40}, {56, 48}}, {{56, 40}}}};
        if (!all) {
            sizes.push_back({{{48, 3}, {5, 48}}, {{5, 3}}});
            sizes.push_back({{{48, 1}, {1, 48}}, {{1, 1}}});
        }
        INFO("all: " << all);
        check_same_values(make, sizes);
    }
}

TEST_CASE("sums along rows and columns, and a long product, all of known sizes") {
    for (const bool columns : {true, false}) {
        const auto make = [&] {
            const ImageParam in = image("in", {300, 2000});
            const int over = columns ? 1 : 0;
            RDom r(in.dim(over).min(), in.dim(over).extent());
            Func out("out");
            out(x) += columns ? in(x, r) * in(x, r) : in(r, x) * in(r, x);
            in.dim(0).set_bounds(0, 300);
            in.dim(1).set_bounds(0, 2000);
            out.output_buffer().dim(0).set_bounds(0, columns ? 300 : 2000);
            return Program{{in}, {out}, {}};
        };
        INFO("along columns: " << columns);
        check_same_values(make, {{{{300, 2000}}, {{columns ? 300 : 2000}}}});
    }
    const auto product = [] {
        const ImageParam a = image("a", {8192, 48}), b = image("b", {40, 8192});
        RDom k(a.dim(0).min(), a.dim(0).extent());
        Func out("out");
        out(x, y) += a(k, y) * b(x, k);
        a.dim(0).set_bounds(0, 8192);
        b.dim(1).set_bounds(0, 8192);
        out.bound(x, 0, 40).bound(y, 0, 48);
        return Program{{a, b}, {out}, {}};
    };
    check_same_values(product, {{{{8192, 48}, {40, 8192}}, {{40, 48}}}});
}
