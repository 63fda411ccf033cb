// Sums over the rows that another Func writes, summed up with them strip by strip: the values of the serial
// program, whatever part of the outputs a caller wants. By default on several cores or one, by the type; on
// both with EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include "Halide.h"

#include "schedules/autoschedule.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/all_cases.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), z("z");

REGISTER_EXCEPTION_TRANSLATOR(const Halide::Error &e) {
    return e.what();
}

/** How many loops of partial sums `schedule` puts in strips of rows: each sum has an initial value and an
 * update.
 */
int strips_in(const std::string &schedule) {
    return occurrences(schedule, ".update(0).compute_with(");
}

/** Rows of two inputs with what they leave beside the row's own sum, and sums over the rows: of columns, of
 * products, and a maximum. */
Program rows_and_sums(int columns, int rows, Type type) {
    const ImageParam a = image("a", {columns, rows}, type), b = image("b", {columns, rows}, type);
    Func of_row("of_row"), out("out"), sum("sum"), products("products"), highest("highest");
    const RDom c(0, a.dim(0).extent(), "c"), r(0, a.dim(1).extent(), "r"),
        other(0, b.dim(1).extent(), "other");
    of_row(y) = cast(type, 0);
    of_row(y) += a(c, y);
    out(x, y) = a(x, y) * b(x, y) - of_row(y);
    sum(x) = cast(type, 3);
    sum(x) += a(x, r);
    products(z) = cast(type, 0);
    products(z) += a(z, other) * b(z, other);
    highest(y) = type.min();
    highest(y) = max(highest(y), b(y, r));
    estimate(out, {columns, rows});
    for (const Func &f : {sum, products, highest}) {
        estimate(f, {columns});
    }
    return {{a, b}, {out, sum, products, highest}, {}};
}

}  // namespace

TEST_CASE("sums of columns in strips of rows, and any part of each that the caller wants") {
    for (const Type &type : {Float(32), Float(64), Int(32)}) {
        INFO(type);
        std::vector<Sizes> sizes;
        for (const auto &[c, r] : std::vector<std::pair<int, int>>{{1024, 512},
                                                                   {1023, 511},
                                                                   {513, 65},
                                                                   {100, 3},
                                                                   {17, 64},
                                                                   {15, 700},
                                                                   {1, 1},
                                                                   {33, 1},
                                                                   {1, 130}}) {
            sizes.push_back({{{c, r}, {c, r}}, {{c, r}, {c}, {c}, {c}}});
        }
        const std::vector<std::vector<int>> in = {{300, 200}, {300, 200}};
        // Fewer rows than are summed up, none, others; columns of the sums that the rows do not have, and the
        // other way.
        sizes.push_back({in, {{300, 1}, {300}, {300}, {300}}, {}, {{0, 199}, {0}, {0}, {0}}});
        sizes.push_back({in, {{300, 0}, {300}, {299}, {1}}, {}, {{0, 0}, {0}, {1}, {299}}});
        sizes.push_back({in, {{7, 70}, {17}, {0}, {200}}, {}, {{293, 99}, {283}, {0}, {50}}});
        sizes.push_back({in, {{0, 200}, {1}, {33}, {31}}, {}, {{0, 0}, {0}, {267}, {3}}});
        for (const int parallelism : {1, 4}) {
            if (!all_cases() && (parallelism == 1) != (type == Float(64))) {
                continue;
            }
            const std::string schedule =
                check_same_values([&] { return rows_and_sums(2048, 1 << 16, type); }, sizes, parallelism);
            INFO(schedule);
            CHECK((parallelism == 1 ||
                   strips_in(schedule) == 3));  // one core is not that much slower than memory
        }
    }
}

namespace {

/** As of the backward of an activation and its bias: what the upstream `d` becomes, and sums over the rows of
 * that, of its squares and of what another Func makes of it. `kept`: it is an output. */
Program masked_and_sums(int columns, int rows, Type type, bool kept) {
    const ImageParam a = image("a", {columns, rows}, type), d = image("d", {columns, rows}, type);
    Func masked("masked"), bias("bias"), squares("squares"), twice("twice"), of_twice("of_twice"),
        rows_of("rows_of");
    const RDom r(0, a.dim(1).extent(), "r"), c(0, a.dim(0).extent(), "c");
    masked(x, y) = select(a(x, y) > 0, d(x, y), cast(type, 0)) * a(x, y) - d(x, y);
    bias(x) = cast(type, 1);
    bias(x) += masked(x, r);
    squares(z) = cast(type, 0);
    squares(z) += masked(z, r) * masked(z, r);
    twice(x, y) = masked(x, y) + masked(x, y);
    of_twice(y) = type.min();
    of_twice(y) = max(of_twice(y), twice(y, r));
    rows_of(y) = cast(type, 0);
    rows_of(y) += masked(c, y);
    for (const Func &f : {bias, squares, of_twice}) {
        estimate(f, {columns});
    }
    if (kept) {
        estimate(masked, {columns, rows});
        estimate(rows_of, {rows});
        return {{a, d}, {masked, bias, squares, of_twice, rows_of}, {}};
    }
    // In memory for a window of which each point would recompute it, and whose rows are far apart.
    Func window("window");
    Expr all = cast(type, 0);
    for (int i = 0; i < 16; i++) {
        all += masked(min(x + 5 * i, a.dim(0).extent() - 1), min(y + 997 * i, a.dim(1).extent() - 1));
    }
    window(x, y) = all;
    estimate(window, {columns, rows});
    return {{a, d}, {window, bias, squares, of_twice}, {}};
}

}  // namespace

TEST_CASE("sums of what the rows are, recomputed in their strips: the rows are not read once more") {
    for (const Type &type : {Float(32), Int(32)}) {
        INFO(type);
        std::vector<Sizes> sizes;
        for (const auto &[c, r] : std::vector<std::pair<int, int>>{
                 {1024, 512}, {513, 65}, {100, 3}, {15, 700}, {1, 1}, {33, 1}, {1, 130}}) {
            sizes.push_back({{{c, r}, {c, r}}, {{c, r}, {c}, {c}, {c}, {r}}});
        }
        // The caller gets all rows that its other outputs read.
        const std::string schedule =
            check_same_values([&] { return masked_and_sums(2048, 1 << 16, type, true); }, sizes);
        INFO(schedule);
        CHECK(strips_in(schedule) == 3);
        CHECK(occurrences(schedule, "eutectic::recompute(masked") == 3);
        sizes.clear();
        for (const auto &[c, r] :
             std::vector<std::pair<int, int>>{{1024, 200}, {513, 65}, {100, 3}, {15, 300}, {1, 1}, {33, 1}}) {
            const std::vector<std::vector<int>> in = {{c, r}, {c, r}};
            sizes.push_back({in, {{c, r}, {c}, {c}, {c}}});
            // Rows that are summed up and in no window, and sums of a part of the columns.
            sizes.push_back({in, {{1, 1}, {c}, {1}, {0}}, {}, {{c - 1, r - 1}, {0}, {c - 1}, {0}}});
        }
        const std::string inner =
            check_same_values([&] { return masked_and_sums(2048, 1 << 16, type, false); }, sizes);
        INFO(inner);
        CHECK(strips_in(inner) == 3);
        CHECK(occurrences(inner, "eutectic::recompute(masked") == 3);
    }
}

TEST_CASE("an intermediate sum of products in strips of rows, and its reader; loops whose names collide") {
    const auto make = [] {
        const int c = 1024, r = 8192;
        const ImageParam a = image("a", {c, r}), b = image("b", {c, r});
        Func out("out"), sum("sum"), reader("reader");
        const Var y_all("y_all"), y_all_o("y_all_o"), r_o("r_o");
        const RDom rows(0, a.dim(1).extent(), "y_all");
        out(x, y_all) = a(x, y_all) + b(x, y_all);
        sum(y_all_o) = 0.f;
        sum(y_all_o) += a(y_all_o, rows) * b(y_all_o, rows);
        reader(r_o) = sum(r_o) * sum(max(r_o - 1, 0)) + 1;
        estimate(out, {c, r});
        estimate(reader, {c});
        return Program{{a, b}, {out, reader}, {}};
    };
    std::vector<Sizes> sizes;
    for (const auto &[c, r] : std::vector<std::pair<int, int>>{{1024, 300}, {77, 129}, {5, 2}}) {
        sizes.push_back({{{c, r}, {c, r}}, {{c, r}, {c}}});
        sizes.push_back({{{c, r}, {c, r}}, {{2, r - 1}, {1}}, {}, {{1, 1}, {c - 1}}});
    }
    const std::string schedule = check_same_values(make, sizes);
    INFO(schedule);
    CHECK(strips_in(schedule) == 1);
}

TEST_CASE("volumes: sums over the slices, and over all but one dimension of them") {
    const auto make = [] {
        const int c = 64, w = 64, d = 2048;
        const ImageParam a = image("a", {c, w, d}), b = image("b", {c, w, d});
        Func out("out"), slices("slices"), channels("channels");
        const RDom s(0, a.dim(2).extent(), "s"), all(0, a.dim(1).extent(), 0, a.dim(2).extent(), "all");
        out(x, y, z) = a(x, y, z) * b(x, y, z);
        slices(x, y) = 0.f;
        slices(x, y) += a(x, y, s) - b(x, y, s);
        channels(x) = 0.f;
        channels(x) += b(x, all.x, all.y);
        estimate(out, {c, w, d});
        estimate(slices, {c, w});
        estimate(channels, {c});
        return Program{{a, b}, {out, slices, channels}, {}};
    };
    std::vector<Sizes> sizes;
    for (const auto &[c, w, d] :
         std::vector<std::array<int, 3>>{{64, 8, 300}, {17, 5, 65}, {3, 1, 200}, {1, 2, 1}}) {
        const std::vector<std::vector<int>> in = {{c, w, d}, {c, w, d}};
        sizes.push_back({in, {{c, w, d}, {c, w}, {c}}});
        sizes.push_back({in, {{1, w, 1}, {c, 1}, {1}}, {}, {{c - 1, 0, d - 1}, {0, w - 1}, {c - 1}}});
    }
    const std::string schedule = check_same_values(make, sizes);
    INFO(schedule);
    CHECK(strips_in(schedule) == 2);
}

TEST_CASE("strict numerics: floats are summed up in their order, integers in strips of rows") {
    const Target target = get_jit_target_from_environment().with_feature(Target::StrictFloat);
    for (const auto &[type, count] : std::vector<std::pair<Type, int>>{{Float(32), 0}, {Int(32), 3}}) {
        INFO(type);
        Compiled strict(rows_and_sums(2048, 1 << 16, type), target);
        eutectic::Parameters parameters;
        parameters.parallelism = 4;
        const std::string schedule = autoschedule(strict.pipeline(), target, parameters);
        // The largest of floats is the same in any order, but for the sign of zeros and for NaN.
        CHECK(strips_in(schedule) == count);
        const Program serial = rows_and_sums(2048, 1 << 16, type);
        compute_all_at_root(serial);
        Compiled plain(serial, target);
        const Sizes sizes{
            {{100, 300}, {100, 300}}, {{99, 299}, {100}, {17}, {100}}, {}, {{1, 0}, {0}, {3}, {0}}};
        const std::vector<Buffer<>> expected = plain.run(sizes), got = strict.run(sizes);
        for (size_t i = 0; i < expected.size(); i++) {
            CHECK(values(got[i]) == values(expected[i]));
        }
    }
}

TEST_CASE("sums that are outputs, alone: in buffers of any alignment") {
    for (const Type &type : {Float(32), Float(64), Int(32)}) {
        INFO(type);
        const auto make = [&] {
            const ImageParam a = image("a", {512, 300}, type);
            Func sum("sum");
            const RDom r(0, a.dim(1).extent(), "r");
            sum(x) = cast(type, 1);
            sum(x) += a(x, r);
            estimate(sum, {512});
            return Program{{a}, {sum}, {}};
        };
        const std::vector<std::vector<int>> in = {{512, 300}};
        check_same_values(
            make,
            {{in, {{512}}}, {in, {{509}}, {1}}, {in, {{300}}, {7}}, {in, {{64}}, {30}}, {in, {{1}}, {511}}});
    }
}
