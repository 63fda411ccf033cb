// Programs of every kind that Halide users write go through the scheduler, compile, and give the values of
// the serial program: at the estimates, at odd and tiny sizes, and away from the origin. What no rule
// understands stays at Root and does not stop the rest.

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), c("c");

/** Doubles each element: an extern stage with its bounds query. */
int double_all(halide_buffer_t *in, halide_buffer_t *out) {
    if (in->host == nullptr) {
        for (int d = 0; d < in->dimensions; d++) {
            in->dim[d].min = out->dim[d].min;
            in->dim[d].extent = out->dim[d].extent;
        }
        return 0;
    }
    for (int i = out->dim[0].min; i < out->dim[0].min + out->dim[0].extent; i++) {
        reinterpret_cast<float *>(out->host)[i - out->dim[0].min] =
            2 * reinterpret_cast<float *>(in->host)[i - in->dim[0].min];
    }
    return 0;
}

}  // namespace

TEST_CASE("a matmul, and one whose right operand is transposed, alone and with bias and relu") {
    for (const bool transposed : {false, true}) {
        for (const bool bias : {false, true}) {
            INFO(transposed << bias);
            const auto make = [=] {
                const ImageParam a = image("a", {100, 96}),
                                 b = image("b", transposed ? std::vector<int>{100, 64}
                                                           : std::vector<int>{64, 100}),
                                 z = image("z", {64});
                RDom k(0, a.dim(0).extent());
                Func mm("mm"), out("out");
                mm(x, y) += a(k, y) * (transposed ? b(k, x) : b(x, k));
                out(x, y) = max(mm(x, y) + z(x), 0.0f);
                const Func result = bias ? out : mm;
                estimate(result, {64, 96});
                return Program{
                    bias ? std::vector<ImageParam>{a, b, z} : std::vector<ImageParam>{a, b}, {result}, {}};
            };
            std::vector<Sizes> sizes;
            for (const auto &[n, m, k] : std::vector<std::array<int, 3>>{
                     {64, 96, 100}, {1, 1, 1}, {3, 5, 7}, {65, 97, 101}, {15, 96, 100}, {64, 1, 3}}) {
                sizes.push_back(
                    {{{k, m}, transposed ? std::vector<int>{k, n} : std::vector<int>{n, k}, {n}}, {{n, m}}});
            }
            check_same_values(make, sizes);
        }
    }
}

TEST_CASE("two outputs with one shared producer") {
    const auto make = [] {
        const ImageParam in = image("in", {514, 128});
        Func shared("shared"), blurred("blurred"), total("total");
        shared(x, y) = exp(in(x, y));
        blurred(x, y) = shared(x, y) + shared(x + 1, y) + shared(x + 2, y);
        RDom r(0, 512);
        total(y) += shared(r, y);
        estimate(blurred, {512, 128});
        estimate(total, {128});
        return Program{{in}, {blurred, total}, {}};
    };
    check_same_values(
        make,
        {{{{514, 128}}, {{512, 128}, {128}}}, {{{514, 7}}, {{3, 7}, {7}}}, {{{514, 1}}, {{1, 1}, {1}}}});
}

TEST_CASE("one output is read by another, and both have readers") {
    const auto make = [] {
        const ImageParam in = image("in", {300});
        Func first("first"), second("second"), third("third");
        first(x) = in(x) * 2;
        second(x) = first(x) + first(x + 1);
        third(x) = second(x) + first(x);
        estimate(first, {300});
        estimate(second, {299});
        estimate(third, {299});
        return Program{{in}, {first, second, third}, {}};
    };
    check_same_values(make, {{{{300}}, {{300}, {299}, {299}}}, {{{8}}, {{8}, {7}, {7}}}});
}

TEST_CASE("tuples: a pure pair, and the position of each row's largest element") {
    const auto make = [] {
        const ImageParam in = image("in", {200, 40});
        RDom r(0, in.dim(0).extent());
        Func pair("pair"), best("best"), out("out");
        pair(x, y) = Tuple(in(x, y), in(x, y) * in(x, y));
        best(y) = Tuple(-2.0f, 0);
        const Expr value = pair(r, y)[0] - pair(r, y)[1], better = value > best(y)[0];
        best(y) = Tuple(select(better, value, best(y)[0]), select(better, r, best(y)[1]));
        out(y) = Tuple(best(y)[0] * 2, best(y)[1]);
        estimate(out, {40});
        return Program{{in}, {out}, {}};
    };
    check_same_values(make, {{{{200, 40}}, {{40}}}, {{{1, 1}}, {{1}}}, {{{7, 13}}, {{13}}}});
}

TEST_CASE("updates: several of them, a predicate, a triangular range, an update of a row") {
    const auto make = [] {
        const ImageParam in = image("in", {64, 64});
        RDom r(0, 64, 0, 64), q(0, 64);
        r.where(r.x < r.y);
        Func below("below"), f("f"), out("out");
        below(x) = 1.0f;
        below(x) += in(r.x, r.y) * cast<float>(x);
        below(x) = below(x) * 0.5f;
        f(x, y) = in(x, y);
        f(x, 0) = below(x);
        f(x, y) += q * 0.125f;
        out(x, y) = f(x, y) + below(x);
        estimate(out, {64, 64});
        return Program{{in}, {out}, {}};
    };
    check_same_values(make, {{{{64, 64}}, {{64, 64}}}, {{{64, 64}}, {{5, 3}}}, {{{64, 64}}, {{1, 1}}}});
}

TEST_CASE("a sum with a predicate along contiguous memory") {
    const auto make = [] {
        const ImageParam in = image("in", {1000, 50});
        RDom r(0, in.dim(0).extent());
        r.where(r % 3 != 0);
        Func sum("sum");
        sum(y) += in(r, y);
        estimate(sum, {50});
        return Program{{in}, {sum}, {}};
    };
    check_same_values(make, {{{{1000, 50}}, {{50}}}, {{{5, 1}}, {{1}}}, {{{1, 3}}, {{3}}}});
}

TEST_CASE("reductions: every associative operator, down to a single value") {
    const auto make = [] {
        const ImageParam in = image("in", {999, 33}), bytes = image("bytes", {999, 33}, UInt(8));
        RDom r(0, in.dim(0).extent()), all(0, in.dim(0).extent(), 0, in.dim(1).extent());
        Func sum("sum"), product("product"), largest("largest"), least("least"), total("total"),
            count("count");
        sum() += in(all.x, all.y);
        product(y) = 1.0f;
        product(y) *= 1 + 0.001f * in(r, y);
        largest(y) = -100.0f;
        largest(y) = max(largest(y), in(r, y));
        least(y) = cast<uint8_t>(255);
        least(y) = min(least(y), bytes(r, y));
        total(y) += cast<int>(bytes(r, y));
        count(y) += cast<uint16_t>(select(bytes(r, y) > 50, 1, 0));
        for (const Func &f : {product, largest, least, total, count}) {
            estimate(f, {33});
        }
        return Program{{in, bytes}, {sum, product, largest, least, total, count}, {}};
    };
    const auto sizes = [](int k, int n) { return Sizes{{{k, n}, {k, n}}, {{}, {n}, {n}, {n}, {n}, {n}}}; };
    check_same_values(make, {sizes(999, 33), sizes(1, 1), sizes(7, 2), sizes(2000, 5)});
}

TEST_CASE("scans along both dimensions") {
    const auto make = [] {
        const ImageParam in = image("in", {120, 80}, Int(32));
        RDom rx(1, 119), ry(1, 79);
        Func rows("rows"), area("area"), out("out");
        rows(x, y) = in(x, y);
        rows(rx, y) += rows(rx - 1, y);
        area(x, y) = rows(x, y);
        area(x, ry) += area(x, ry - 1);
        out(x, y) = area(x, y) + 1;
        estimate(out, {120, 80});
        return Program{{in}, {out}, {}};
    };
    check_same_values(make, {{{{120, 80}}, {{120, 80}}}});
}

TEST_CASE("scatters: a histogram, its running sum, and a table look-up of it") {
    const auto make = [] {
        const ImageParam in = image("in", {300, 200}, UInt(8));
        RDom all(0, in.dim(0).extent(), 0, in.dim(1).extent()), r(1, 255);
        Func histogram("histogram"), cumulative("cumulative"), out("out");
        histogram(x) = 0;
        histogram(cast<int>(in(all.x, all.y))) += 1;
        cumulative(x) = histogram(x);
        cumulative(r) = cumulative(r - 1) + histogram(r);
        out(x, y) = cumulative(cast<int>(in(x, y)));
        estimate(out, {300, 200});
        return Program{{in}, {out}, {}};
    };
    check_same_values(make, {{{{300, 200}}, {{300, 200}}}, {{{3, 3}}, {{3, 3}}}, {{{1, 1}}, {{1, 1}}}});
}

TEST_CASE(
    "rows that are added or written where an index says: vectors of columns, every index in its order") {
    for (const bool adds : {true, false}) {
        INFO(adds);
        const auto make = [adds] {
            const ImageParam table = image("table", {256, 300}), rows = image("rows", {256, 500}),
                             at = image("at", {500}, Int(32));
            const RDom i(at.dim(0).min(), at.dim(0).extent());
            const Expr row = clamp(at(i), table.dim(1).min(), table.dim(1).max());
            Func out("out");
            out(x, y) = table(x, y) * 2;
            if (adds) {
                out(x, row) += rows(x, i);
            } else {
                out(x, row) = rows(x, i) + i;  // the last one stays
            }
            estimate(out, {256, 300});
            return Program{{table, rows, at}, {out}, {}};
        };
        const std::string schedule =
            check_same_values(make, {{{{256, 300}, {256, 500}, {500}}, {{256, 300}}},
                                     {{{37, 5}, {37, 9}, {9}}, {{37, 5}}},
                                     {{{1, 1}, {1, 1}, {1}}, {{1, 1}}},
                                     {{{256, 300}, {256, 500}, {500}}, {{100, 300}}}});
        INFO(schedule);
        CHECK(schedule.find(".update(0).vectorize(") != std::string::npos);
    }
}

TEST_CASE("a stencil with a boundary condition, separable and not") {
    const auto make = [] {
        const ImageParam in = image("in", {256, 192});
        const Func safe = BoundaryConditions::repeat_edge(in);
        Func horizontal("horizontal"), vertical("vertical"), sharp("sharp");
        horizontal(x, y) = (safe(x - 1, y) + 2 * safe(x, y) + safe(x + 1, y)) / 4;
        vertical(x, y) = (horizontal(x, y - 1) + 2 * horizontal(x, y) + horizontal(x, y + 1)) / 4;
        sharp(x, y) = 2 * safe(x, y) - vertical(x, y);
        estimate(sharp, {256, 192});
        return Program{{in}, {sharp}, {}};
    };
    check_same_values(make, {{{{256, 192}}, {{256, 192}}},
                             {{{5, 3}}, {{5, 3}}},
                             {{{1, 1}}, {{1, 1}}},
                             {{{256, 192}}, {{33, 17}}, {-5, 11}}});
}

TEST_CASE("a pyramid: down, up, and a difference at every level") {
    const auto make = [] {
        const int levels = 4;
        const ImageParam in = image("in", {256, 256});
        std::vector<Func> gaussian = {BoundaryConditions::mirror_image(in)}, laplacian;
        const auto half = [](const Func &f, const std::string &name) {
            Func dx(name + "_x"), dy(name + "_y");
            dx(x, y) = (f(2 * x - 1, y) + 2 * f(2 * x, y) + f(2 * x + 1, y)) / 4;
            dy(x, y) = (dx(x, 2 * y - 1) + 2 * dx(x, 2 * y) + dx(x, 2 * y + 1)) / 4;
            return dy;
        };
        const auto twice = [](const Func &f, const std::string &name) {
            Func u(name);
            u(x, y) = (f(x / 2, y / 2) + f((x + 1) / 2, y / 2) + f(x / 2, (y + 1) / 2) +
                       f((x + 1) / 2, (y + 1) / 2)) /
                      4;
            return u;
        };
        for (int l = 1; l < levels; l++) {
            gaussian.push_back(half(gaussian.back(), "down" + std::to_string(l)));
        }
        Func sum = gaussian.back();
        for (int l = levels - 2; l >= 0; l--) {
            const std::string level = std::to_string(l);
            Func detail("detail" + level), next("sum" + level);
            detail(x, y) = gaussian[l](x, y) - twice(gaussian[l + 1], "up" + level)(x, y);
            next(x, y) = 1.5f * detail(x, y) + twice(sum, "wide" + level)(x, y);
            sum = next;
        }
        estimate(sum, {256, 256});
        return Program{{in}, {sum}, {}};
    };
    check_same_values(make, {{{{256, 256}}, {{256, 256}}}, {{{7, 5}}, {{7, 5}}}, {{{1, 1}}, {{1, 1}}}});
}

TEST_CASE("an extern stage between fused ones") {
    const auto make = [] {
        const ImageParam in = image("in", {500});
        Func before("before"), shared("shared"), stage("stage"), after("after"), out("out");
        before(x) = in(x) + 1;
        shared(x) = before(x) * 3;
        stage.define_extern("double_all", {shared}, Float(32), 1);
        after(x) = stage(x) + shared(x);
        out(x) = after(x) * 0.5f;
        estimate(out, {500});
        return Program{{in}, {out}, {{"double_all", JITExtern(double_all)}}};
    };
    check_same_values(make, {{{{500}}, {{500}}}, {{{3}}, {{3}}}, {{{1}}, {{1}}}});
}

TEST_CASE("what the user scheduled stays so; the rest is scheduled around it") {
    const auto make = [] {
        const ImageParam in = image("in", {128, 64});
        Func a("a"), mine("mine"), b("b"), out("out");
        a(x, y) = in(x, y) + 1;
        mine(x, y) = a(x, y) * 2;
        b(x, y) = mine(x, y) + mine(x + 1, y);
        out(x, y) = b(x, y) * 2;
        estimate(out, {127, 64});
        mine.compute_root().vectorize(x, 4, TailStrategy::GuardWithIf);
        return Program{{in}, {out}, {}};
    };
    const std::string source = check_same_values(make, {{{{128, 64}}, {{127, 64}}}, {{{6, 3}}, {{5, 3}}}});
    // The printed schedule fetches it, and gives it no directive.
    const size_t start = source.find("Halide::Func mine");
    REQUIRE(start != std::string::npos);
    const size_t name = start + std::string("Halide::Func ").size();
    const std::string mine = source.substr(name, source.find(' ', name) - name);
    CHECK(source.find("\n" + mine + ".") == std::string::npos);
    CHECK(source.find("\nout") != std::string::npos);
}

TEST_CASE("a Func inside a loop of the user's own stays there") {
    const auto make = [] {
        const ImageParam in = image("in", {130, 64});
        Func producer("producer"), mine("mine"), out("out");
        Var xo("xo"), xi("xi");
        producer(x, y) = sqrt(abs(in(x, y)));
        mine(x, y) = producer(x, y) + producer(x + 1, y);
        out(x, y) = mine(x, y) * 2;
        estimate(out, {128, 64});
        mine.compute_root().split(x, xo, xi, 16, TailStrategy::GuardWithIf);
        producer.compute_at(mine, xo);
        return Program{{in}, {out}, {}};
    };
    check_same_values(make, {{{{130, 64}}, {{128, 64}}}, {{{6, 3}}, {{5, 3}}}});
}

TEST_CASE("convolution, softmax, gather: operators of networks") {
    SUBCASE("convolution with bias and relu") {
        const auto make = [] {
            const ImageParam in = image("in", {34, 34, 8}), w = image("w", {16, 3, 3, 8}),
                             bias = image("bias", {16});
            RDom r(0, 3, 0, 3, 0, 8);
            Func conv("conv"), out("out");
            conv(c, x, y) += in(x + r.x, y + r.y, r.z) * w(c, r.x, r.y, r.z);
            out(c, x, y) = max(conv(c, x, y) + bias(c), 0.0f);
            estimate(out, {16, 32, 32});
            return Program{{in, w, bias}, {out}, {}};
        };
        check_same_values(make, {{{{34, 34, 8}, {16, 3, 3, 8}, {16}}, {{16, 32, 32}}},
                                 {{{34, 34, 8}, {16, 3, 3, 8}, {16}}, {{3, 5, 1}}}});
    }
    SUBCASE("softmax") {
        const auto make = [] {
            const ImageParam in = image("in", {100, 30});
            RDom r(0, in.dim(0).extent());
            Func largest("largest"), e("e"), sum("sum"), out("out");
            largest(y) = in.type().min();
            largest(y) = max(largest(y), in(r, y));
            e(x, y) = exp(in(x, y) - largest(y));
            sum(y) += e(r, y);
            out(x, y) = e(x, y) / sum(y);
            estimate(out, {100, 30});
            return Program{{in}, {out}, {}};
        };
        check_same_values(make, {{{{100, 30}}, {{100, 30}}}, {{{1, 1}}, {{1, 1}}}, {{{9, 31}}, {{9, 31}}}});
    }
    SUBCASE("a gather of rows, then a sum") {
        const auto make = [] {
            const ImageParam table = image("table", {64, 1000}), rows = image("rows", {20, 50}, Int(32));
            RDom r(0, rows.dim(0).extent());
            Func gathered("gathered"), bag("bag");
            gathered(x, c, y) = table(x, clamp(rows(c, y), 0, 999));
            bag(x, y) += gathered(x, r, y);
            estimate(bag, {64, 50});
            return Program{{table, rows}, {bag}, {}};
        };
        check_same_values(make, {{{{64, 1000}, {20, 50}}, {{64, 50}}}, {{{3, 1000}, {2, 1}}, {{3, 1}}}});
    }
}
