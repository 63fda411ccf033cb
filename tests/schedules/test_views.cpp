// Reshapes by a width known at run time, slices that are assigned, rows from two sources: what the scheduler
// makes of their definitions has the values of the program as written.

#include <doctest/doctest.h>

#include "Halide.h"

#include "base/user_error.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

Expr extent(const ImageParam &p, int d) {
    return p.dim(d).extent();
}

}  // namespace

TEST_CASE("a reshape by a width known at run time: rows to a line, a line to rows") {
    const auto flatten = [] {
        const ImageParam in = image("in", {64, 48}), bias = image("bias", {64});
        const Expr width = extent(in, 0);
        Func flat("flat"), out("out");
        flat(x) = in(x % width, x / width);
        out(x) = flat(x) + bias(x % width);
        estimate(out, {64 * 48});
        return Program{{in, bias}, {out}, {}};
    };
    // Whole rows; a part of the first, of the last, of both, of one alone; a single column; rows at the ends
    // of others.
    const std::string source = check_same_values(flatten, {{{{64, 48}, {64}}, {{64 * 48}}},
                                                           {{{1, 5}, {1}}, {{5}}},
                                                           {{{7, 3}, {7}}, {{21}}},
                                                           {{{7, 3}, {7}}, {{12}}, {5}},
                                                           {{{7, 3}, {7}}, {{16}}, {5}},
                                                           {{{7, 3}, {7}}, {{14}}, {7}},
                                                           {{{7, 3}, {7}}, {{9}}, {7}},
                                                           {{{7, 3}, {7}}, {{3}}, {9}},
                                                           {{{7, 3}, {7}}, {{2}}, {12}},
                                                           {{{7, 3}, {7}}, {{1}}, {20}},
                                                           {{{65, 33}, {65}}, {{65 * 33}}},
                                                           {{{65, 33}, {65}}, {{1000}}, {77}},
                                                           {{{200, 40}, {200}}, {{40}}, {170}}});
    CHECK(has(source, "eutectic::write_flattened_by_rows("));
    const auto lines = [] {
        const ImageParam in = image("in", {64, 48, 5});
        Func out("out");
        out(x, y) = in(x % extent(in, 0), x / extent(in, 0), y) * cast<float>(x) + 1;
        estimate(out, {64 * 48, 5});
        return Program{{in}, {out}, {}};
    };
    CHECK(has(check_same_values(lines, {{{{64, 48, 5}}, {{64 * 48, 5}}}, {{{7, 3, 2}}, {{15, 2}}, {4, 0}}}),
              "eutectic::write_flattened_by_rows("));
    const auto unflatten = [] {
        const ImageParam in = image("in", {64 * 48}), like = image("like", {64, 48});
        Func out("out");
        const Expr width = extent(like, 0), all = x + y * width;
        out(x, y) = in(all) * 2 + cast<float>(all / width - all % width) + like(x, y);
        estimate(out, {64, 48});
        return Program{{in, like}, {out}, {}};
    };
    CHECK_FALSE(
        has(check_same_values(unflatten, {{{{64 * 48}, {64, 48}}, {{64, 48}}}}), "write_flattened_by_rows"));
    check_same_values(
        unflatten,
        {{{{64 * 48}, {64, 48}}, {{64, 48}}}, {{{21}, {7, 3}}, {{7, 3}}}, {{{1}, {1, 1}}, {{1, 1}}}});
}

TEST_CASE("quotients of any sign, by any number, are Halide's own") {
    Param<int> n("n");
    n.set_estimate(7);
    const ImageParam in = image("in", {4096}, Int(32));
    Func out("out");
    out(x) = Tuple(in(x) / n, in(x) % n, (in(x) / n) % (n + 1));
    Buffer<int> numbers(4096);
    numbers.for_each_element([&](int i) {
        const int special[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MAX - 1, INT32_MIN + 1};
        numbers(i) =
            i < 7 ? special[i] : static_cast<int>(static_cast<uint32_t>(i) * 2654435761u) >> (i % 30);
    });
    ImageParam input = in;
    input.set(numbers);
    multiply_for_quotients(out);
    out.vectorize(x, 16, TailStrategy::GuardWithIf);
    Pipeline pipeline(out);
    pipeline.compile_jit();
    for (const int divisor : {1, 2, 3, 7, 64, 1000003, INT32_MAX - 1, -1, -2, -7, -1000003, -INT32_MAX, 0}) {
        n.set(divisor);
        Realization result = pipeline.realize({4096});
        const Buffer<int> quotient = result[0], remainder = result[1], nested = result[2];
        int wrong = 0;
        for (int i = 0; i < 4096; i++) {
            // Of Halide: the remainder is not negative, and both are 0 where the divisor is.
            const int64_t a = numbers(i), b = divisor, r = b == 0 ? 0 : ((a % b) + std::abs(b)) % std::abs(b),
                          q = b == 0 ? 0 : (a - r) / b;
            const int64_t c = b + 1, m = c == 0 ? 0 : ((q % c) + std::abs(c)) % std::abs(c);
            const bool overflows = q > INT32_MAX;  // INT_MIN / -1
            wrong += !overflows && (quotient(i) != q || remainder(i) != r || nested(i) != m) ? 1 : 0;
        }
        INFO("by " << divisor);
        CHECK(wrong == 0);
    }
}

namespace {

struct Assignment {
    std::string what;
    std::vector<int> slice, small;  ///< extents of v beside an f of 64 x 48, and of 5 x 3
    std::function<void(Func, const ImageParam &)> assign;
    bool chosen = true;
};

RDom rows(const ImageParam &v) {
    return RDom(0, extent(v, 1));
}

RDom columns(const ImageParam &v) {
    return RDom(0, extent(v, 0));
}

std::vector<Assignment> rectangles() {
    return {
        {"rows",
         {64, 22},
         {5, 1},
         [](Func f, const ImageParam &v) {
             const RDom r = rows(v);
             f(x, r) = v(x, r);
         }},
        {"rows further down",
         {64, 22},
         {5, 1},
         [](Func f, const ImageParam &v) {
             const RDom r = rows(v);
             f(x, r + 2) = 2 * v(x, r);
         }},
        {"columns",
         {13, 48},
         {1, 3},
         [](Func f, const ImageParam &v) {
             const RDom r = columns(v);
             f(r + 1, y) = v(r, y);
         }},
        {"a rectangle",
         {30, 20},
         {2, 2},
         [](Func f, const ImageParam &v) {
             const RDom r(0, extent(v, 0), 0, extent(v, 1));
             f(r.x + 1, r.y) = v(r.x, r.y);
         }},
        {"one row", {64, 1}, {5, 1}, [](Func f, const ImageParam &v) { f(x, 1) = v(x, 0); }},
    };
}

std::vector<Assignment> other_updates() {
    return {
        {"turned over",
         {64, 1},
         {5, 1},
         [](Func f, const ImageParam &v) {
             const RDom r = columns(v);
             f(extent(v, 0) - 1 - r, 0) = v(r, 0);
         },
         false},
        {"every other row",
         {64, 22},
         {5, 1},
         [](Func f, const ImageParam &v) {
             const RDom r = rows(v);
             f(x, 2 * r) = v(x, r);
         },
         false},
        {"a diagonal",
         {64, 22},
         {5, 1},
         [](Func f, const ImageParam &v) {
             const RDom r = rows(v);
             f(r, r) = v(r, 0);
         },
         false},
        {"a variable that it does not write along",
         {64, 22},
         {5, 1},
         [](Func f, const ImageParam &v) {
             const RDom r = rows(v);
             f(x, 0) = v(x, r);
         },
         false},
        {"added to",
         {64, 22},
         {5, 1},
         [](Func f, const ImageParam &v) {
             const RDom r = rows(v);
             f(x, r) += v(x, r);
         },
         false},
    };
}

std::vector<Assignment> assignments() {
    std::vector<Assignment> all = rectangles();
    const std::vector<Assignment> more = other_updates();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

TEST_CASE("an assigned slice is a choice: rows, columns, both, single ones") {
    for (const Assignment &a : assignments()) {
        const auto make = [&] {
            const ImageParam in = image("in", {64, 48}), v = image("v", a.slice);
            Func assigned("assigned"), out("out");
            assigned(x, y) = in(x, y);
            a.assign(assigned, v);
            out(x, y) = max(assigned(x, y), 0.0f) + 1;
            estimate(out, {64, 48});
            return Program{{in, v}, {out}, {}};
        };
        INFO(a.what);
        const std::string source =
            check_same_values(make, {{{{64, 48}, a.slice}, {{64, 48}}}, {{{5, 3}, a.small}, {{5, 3}}}});
        CHECK(has(source, "eutectic::choose_assigned(") == a.chosen);
        if (a.what == "rows") {  // none of them, too
            check_same_values(make, {{{{64, 48}, {64, 0}}, {{64, 48}}}});
        }
    }
}

TEST_CASE(
    "rows from two sources are put together: any end, cropped outputs, either order of the comparison") {
    const std::vector<std::pair<std::string, std::function<Expr(Expr, Expr)>>> below = {
        {"<", [](const Expr &a, const Expr &b) { return a < b; }},
        {"<=", [](const Expr &a, const Expr &b) { return a <= b - 1; }},
        {">", [](const Expr &a, const Expr &b) { return b > a; }},
        {">=", [](const Expr &a, const Expr &b) { return b - 1 >= a; }},
    };
    for (const bool turned : {false, true}) {
        for (const auto &[sign, condition] : below) {
            const auto make = [&, condition = condition] {
                const ImageParam a = image("a", {64, 48}), b = image("b", {64, 48});
                const Expr end = extent(a, 0), in_a = a(min(x, end - 1), y), in_b = b(max(x - end, 0), y);
                Func both("both"), out("out");
                both(x, y) =
                    turned ? select(!condition(x, end), in_b, in_a) : select(condition(x, end), in_a, in_b);
                out(x, y) = both(x, y) * 2 + cast<float>(x);
                estimate(out, {128, 48});
                return Program{{a, b}, {out}, {}};
            };
            INFO(sign << (turned ? ", turned" : ""));
            const std::string source = check_same_values(make, {{{{64, 48}, {64, 48}}, {{128, 48}}},
                                                                {{{7, 3}, {9, 3}}, {{16, 3}}},
                                                                {{{1, 1}, {1, 1}}, {{2, 1}}},
                                                                {{{30, 5}, {40, 5}}, {{33, 2}}, {20, 1}},
                                                                {{{30, 5}, {40, 5}}, {{10, 2}}, {3, 1}},
                                                                {{{30, 5}, {40, 5}}, {{10, 2}}, {35, 1}}});
            CHECK(has(source, "eutectic::put_rows_together("));
        }
    }
    // Where another Func reads the choice at other points, it stays as it is.
    const auto shifted = [] {
        const ImageParam a = image("a", {64, 48}), b = image("b", {64, 48});
        const Expr end = extent(a, 0);
        Func both("both"), out("out");
        both(x, y) = select(x < end, a(clamp(x, 0, end - 1), y), b(clamp(x - end, 0, end - 1), y));
        out(x, y) = both(x, y) + both(x + 1, y);
        estimate(out, {127, 48});
        return Program{{a, b}, {out}, {}};
    };
    CHECK_FALSE(
        has(check_same_values(shifted, {{{{64, 48}, {64, 48}}, {{127, 48}}}, {{{5, 3}, {5, 3}}, {{9, 3}}}}),
            "put_rows_together"));
}

TEST_CASE("called by hand on what has another form, they say what they take") {
    const ImageParam in = image("in", {64, 48});
    Func plain("plain");
    plain(x, y) = in(x, y) + 1;
    CHECK_THROWS_WITH_AS(choose_assigned(plain), doctest::Contains("no pure Func with one update"),
                         UserError);
    CHECK_THROWS_WITH_AS(write_flattened_by_rows(plain, {}, 8),
                         doctest::Contains("by one number known at run time"), UserError);
    CHECK_THROWS_WITH_AS(put_rows_together(plain, plain, 8),
                         doctest::Contains("does not choose between two loads"), UserError);
}
