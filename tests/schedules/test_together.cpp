// Several Funcs that one nest writes: the values of the serial program, whatever the sizes and mins of the
// outputs, which a caller may choose one by one. By default some of the sizes that plans are made for; all of
// them with EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include "Halide.h"

#include "base/user_error.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
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

/** How many Funcs `schedule` writes in nests of others. */
int joined(const std::string &schedule) {
    return occurrences(schedule, ".compute_with(");
}

/** Three outputs of two inputs of `n` floats. */
Program three_vectors(int n) {
    const ImageParam a = image("a", {n}), b = image("b", {n});
    Func sum("sum"), product("product"), mixed("mixed");
    sum(x) = a(x) + b(x);
    product(x) = a(x) * b(x);
    mixed(x) = exp(a(x)) - b(x) / 2;
    for (const Func &f : {sum, product, mixed}) {
        estimate(f, {n});
    }
    return {{a, b}, {sum, product, mixed}, {}};
}

}  // namespace

TEST_CASE("outputs of equal sizes, odd, tiny and none") {
    std::vector<Sizes> sizes;
    for (const int n : {1 << 20, (1 << 20) + 1, 300007, 1000, 17, 16, 15, 1, 0}) {
        sizes.push_back({{{n + 1}, {n + 1}}, {{n}, {n}, {n}}});
    }
    CHECK(joined(check_same_values([] { return three_vectors(1 << 24); }, sizes)) == 2);
}

TEST_CASE("outputs whose sizes and mins differ at run time") {
    const std::vector<std::vector<int>> in = {{400000}, {400000}};
    const std::vector<Sizes> sizes = {
        {in, {{400000}, {1}, {0}}},
        {in, {{0}, {400000}, {17}}},
        {in, {{0}, {0}, {399999}}},
        {in, {{1000}, {300000}, {70001}}, {}, {{399000}, {0}, {5}}},
        {in, {{262144}, {262144}, {262144}}, {}, {{0}, {1}, {7}}},
        {in, {{100}, {100}, {100}}, {}, {{0}, {200000}, {399900}}},
        {in, {{33}, {15}, {16}}, {}, {{31}, {3}, {0}}},
    };
    for (const int parallelism : {1, 4}) {
        CHECK(joined(check_same_values([] { return three_vectors(1 << 24); }, sizes, parallelism)) == 2);
    }
}

TEST_CASE("plans drawn at random") {
    const int n = 5000;
    const Target target = get_jit_target_from_environment();
    const Program reference = three_vectors(n);
    compute_all_at_root(reference);
    Compiled plain(reference, target);
    const std::vector<Sizes> sizes = {{{{n}, {n}}, {{n}, {n}, {n}}},
                                      {{{n}, {n}}, {{17}, {0}, {n - 1}}, {}, {{30}, {2}, {1}}}};
    int together = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        INFO("seed " << seed);
        Compiled drawn(three_vectors(n), target);
        eutectic::Parameters parameters;
        parameters.parallelism = 4;
        parameters.sample = seed;
        together += joined(autoschedule(drawn.pipeline(), target, parameters));
        for (const Sizes &s : sizes) {
            const std::vector<Buffer<>> expected = plain.run(s), got = drawn.run(s);
            for (size_t b = 0; b < expected.size(); b++) {
                const std::vector<double> e = values(expected[b]), g = values(got[b]);
                for (size_t i = 0; i < e.size(); i++) {
                    REQUIRE(g[i] == doctest::Approx(e[i]).epsilon(1e-5));
                }
            }
        }
    }
    CHECK(together > 0);
}

TEST_CASE("matrices, whose dimensions have other names, in another order") {
    // Estimates that no cache holds: what is read once instead of three times comes from memory.
    for (const auto &[columns, rows, longer] :
         std::vector<std::array<int, 3>>{{2048, 512, 1}, {24, 40000, 1}, {1 << 19, 2, 0}, {7, 100000, 1}}) {
        if (columns < 1000 && !all_cases()) {
            continue;
        }
        INFO(columns << " x " << rows);
        const auto make = [c = columns, r = rows,
                           estimates = std::vector<int>{longer == 0 ? 32 * columns : columns,
                                                        longer == 1 ? 32 * rows : rows}] {
            const ImageParam a = image("a", {c, r}), b = image("b", {c, r});
            Func first("first"), second("second"), third("third");
            first(x, y) = a(x, y) + b(x, y);
            second(y, x) = a(y, x) * 2 - b(y, x);
            third(z, x) = max(a(z, x), b(z, x)) + x;
            for (const Func &f : {first, second, third}) {
                estimate(f, estimates);
            }
            return Program{{a, b}, {first, second, third}, {}};
        };
        const int c = columns, r = rows;
        const std::vector<std::vector<int>> in = {{c, r}, {c, r}};
        CHECK(joined(check_same_values(
                  make, {
                            {in, {{c, r}, {c, r}, {c, r}}},
                            {in, {{1, 1}, {c, 1}, {1, r}}},
                            {in, {{c - 1, r}, {c, r - 1}, {c - 3, r - 1}}, {}, {{1, 0}, {0, 1}, {2, 1}}},
                            {in, {{0, r}, {c, 0}, {c, r}}},
                            {in,
                             {{c / 2, r / 2}, {c - c / 2, r - r / 2}, {3, 1}},
                             {},
                             {{0, 0}, {c / 2, r / 2}, {1, 0}}},
                        })) == 2);
    }
}

TEST_CASE("volumes, in parallel along any dimension") {
    size_t number = 0;
    for (const auto &[c, r, d] : std::vector<std::array<int, 3>>{
             {16, 8, 4096}, {4, 20000, 3}, {60000, 2, 2}, {512, 4, 100}, {3, 3, 20000}}) {
        if (number++ >= 3 && !all_cases()) {  // one along each dimension
            continue;
        }
        INFO(c << " x " << r << " x " << d);
        const auto make = [c = c, r = r, d = d] {
            const ImageParam a = image("a", {c, r, d}), b = image("b", {c, r, d});
            Func first("first"), second("second");
            first(x, y, z) = a(x, y, z) + b(x, y, z);
            second(x, y, z) = a(x, y, z) * b(x, y, z);
            estimate(first, {c, r, d});
            estimate(second, {c, r, d});
            return Program{{a, b}, {first, second}, {}};
        };
        const std::vector<std::vector<int>> in = {{c, r, d}, {c, r, d}};
        CHECK(joined(check_same_values(
                  make, {
                            {in, {{c, r, d}, {c, r, d}}},
                            {in, {{1, r, d}, {c, 1, d}}},
                            {in, {{c, r, 1}, {1, r, d}}},
                            {in, {{c - 1, r, d - 1}, {c - 2, r - 1, d}}, {}, {{1, 0, 1}, {0, 1, 0}}},
                            {in, {{c, 0, d}, {c, r - 1, d - 2}}, {}, {{0, 0, 0}, {0, 1, 2}}},
                        })) == 1);
    }
}

TEST_CASE("intermediates that stay in memory") {
    const int n = 512;
    const auto make = [=] {
        const ImageParam a = image("a", {n, n}), b = image("b", {n, n});
        const Expr last_column = a.dim(0).extent() - 1, last_row = a.dim(1).extent() - 1;
        Func p("p"), q("q"), rows("rows"), columns("columns");
        p(x, y) = sin(a(x, y)) * sin(b(x, y));
        q(x, y) = sin(a(x, y) - b(x, y));
        // Two kernels read both, each at several places.
        rows(x, y) = p(x, y) + q(max(x - 1, 0), y) + p(min(x + 1, last_column), y) + q(x, y);
        columns(x, y) = p(x, y) + q(x, max(y - 1, 0)) + p(x, min(y + 1, last_row)) + q(x, y);
        estimate(rows, {n, n});
        estimate(columns, {n, n});
        return Program{{a, b}, {rows, columns}, {}};
    };
    const auto size = [](int c, int r) { return Sizes{{{c, r}, {c, r}}, {{c, r}, {c, r}}}; };
    const std::string schedule =
        check_same_values(make, {size(n, n), size(n + 5, 37), size(3, 1), size(1, 1)});
    INFO(schedule);
    CHECK(joined(schedule) == 1);
    CHECK(schedule.find("rows.compute_with(columns") != std::string::npos);
}

TEST_CASE("rows that two outputs need, in blocks of one nest") {
    for (const auto &[columns, rows] : std::vector<std::array<int, 2>>{{1000, 4096}, {400, 8192}}) {
        INFO(columns << " x " << rows);
        const auto make = [c = columns, r = rows] {
            const ImageParam a = image("a", {c, r});
            RDom all(a.dim(0).min(), a.dim(0).extent());
            Func largest("largest"), e("e"), sum("sum"), loss("loss"), share("share");
            largest(y) = Float(32).min();
            largest(y) = max(largest(y), a(all, y));
            e(x, y) = exp(a(x, y) - largest(y));
            sum(y) = 0.0f;
            sum(y) += e(all, y);
            loss(z) = log(sum(z)) + largest(z);
            share(x, y) = e(x, y) / sum(y);
            estimate(loss, {r});
            estimate(share, {c, r});
            return Program{{a}, {loss, share}, {}};
        };
        const auto size = [](int c, int r) { return Sizes{{{c, r}}, {{r}, {c, r}}}; };
        const int c = columns, r = rows;
        const std::string schedule =
            check_same_values(make, {size(c, r / 8),
                                     size(c + 1, 37),
                                     size(3, 17),
                                     size(1, 1),
                                     {{{c, 100}}, {{100}, {1, 1}}},
                                     {{{c, 100}}, {{1}, {c, 100}}},
                                     {{{c, 100}}, {{0}, {c, 70}}},
                                     {{{c, 100}}, {{33}, {c - 7, 50}}, {}, {{67}, {5, 3}}},
                                     {{{c, 100}}, {{100}, {0, 0}}},
                                     {{{c, 100}}, {{20}, {c, 20}}, {}, {{80}, {0, 0}}}});
        INFO(schedule);
        CHECK(joined(schedule) == 1);
        CHECK(schedule.find("store_in(Halide::MemoryType::Stack)") != std::string::npos);
    }
}

TEST_CASE("points that two outputs need, in blocks of one nest") {
    const auto make = [] {
        const ImageParam a = image("a", {1 << 24}), b = image("b", {1 << 24});
        Func e("e"), first("first"), second("second");
        e(x) = 1 + exp(a(x) * a(x)) * exp(b(x));
        first(x) = a(x) / e(x);
        second(x) = b(x) / e(x);
        estimate(first, {1 << 24});
        estimate(second, {1 << 24});
        return Program{{a, b}, {first, second}, {}};
    };
    std::vector<Sizes> sizes;
    for (const int n : {1 << 16, 70001, 4097, 1000, 17, 16, 15, 1, 0}) {
        sizes.push_back({{{n + 1}, {n + 1}}, {{n}, {n}}});
    }
    const std::vector<std::vector<int>> in = {{5000}, {5000}};
    for (const auto &[n, m] : std::vector<std::array<int, 2>>{{5000, 1}, {0, 5000}, {17, 4500}}) {
        sizes.push_back({in, {{n}, {m}}});
        sizes.push_back({in, {{n}, {m}}, {}, {{5000 - n}, {5000 - m}}});
    }
    const std::string schedule = check_same_values(make, sizes);
    INFO(schedule);
    CHECK(joined(schedule) == 1);
    CHECK(schedule.find("store_in(Halide::MemoryType::Stack)") != std::string::npos);
}

TEST_CASE("an output that another one reads is written before it, with what does not wait for it") {
    const int n = 1 << 20, estimated = 1 << 24;
    const auto make = [] {
        const ImageParam a = image("a", {estimated}), b = image("b", {estimated});
        Func first("first"), second("second"), third("third");
        first(x) = exp(a(x)) * b(x);
        second(x) = first(x) + first(max(x - 1, 0)) + a(x);
        third(x) = a(x) - b(x);
        for (const Func &f : {first, second, third}) {
            estimate(f, {estimated});
        }
        return Program{{a, b}, {first, second, third}, {}};
    };
    const std::vector<std::vector<int>> in = {{n}, {n}};
    CHECK(joined(check_same_values(
              make, {{in, {{n}, {n}, {n}}}, {in, {{n}, {17}, {n - 1}}, {}, {{0}, {5}, {1}}}})) == 1);
}

TEST_CASE("rename_loop: loops over differently named arguments in one nest, by hand") {
    const int c = 100, r = 30;
    const auto make = [=](bool together) {
        const ImageParam a = image("a", {c, r});
        Func first("first"), second("second");
        first(x, y) = a(x, y) + 1;
        second(y, z) = a(y, z) * 2;
        for (const Func &f : {first, second}) {
            estimate(f, {c, r});
        }
        if (together) {
            for (Func f : {first, second}) {
                f.compute_root();
                eutectic::rename_loop(f, 0, "column");
                eutectic::rename_loop(f, 1, "row");
            }
            second.compute_with(first, Var("column"));
        }
        return Program{{a}, {first, second}, {}};
    };
    Compiled plain(make(false), get_jit_target_from_environment()),
        joined(make(true), get_jit_target_from_environment());
    const Sizes sizes{{{c, r}}, {{c - 1, r}, {7, r - 3}}, {}, {{0, 0}, {90, 2}}};
    const std::vector<Buffer<>> expected = plain.run(sizes), got = joined.run(sizes);
    for (size_t i = 0; i < expected.size(); i++) {
        CHECK(values(got[i]) == values(expected[i]));
    }
}

TEST_CASE("rename_loop: only a loop that is as it was defined") {
    Func f("f");
    f(x, y) = x + y;
    f.split(y, z, y, 4);
    eutectic::rename_loop(f, 0, "column");
    for (const int dim : {0, 1}) {
        const std::string old = dim == 0 ? "x" : "y";
        CHECK_THROWS_WITH_AS(eutectic::rename_loop(f, dim, "again"),
                             ("The loop over " + old + " of " + f.name() +
                              " was to be called again, but is split or renamed already: rename it first.")
                                 .c_str(),
                             eutectic::UserError);
    }
}

TEST_CASE("recompute: one value and at most one update, for a Func that reads it") {
    const auto refusal = [](Func f, Func reader) {
        try {
            eutectic::recompute(f, reader);
        } catch (const eutectic::UserError &e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    Func pair("pair"), often("often"), once("once"), reader("reader"), other("other");
    pair(x) = Tuple(x, 2 * x);
    often(x) = x;
    often(x) += 1;
    often(x) += 2;
    once(x) = x;
    once(x) += 1;
    reader(x) = pair(x)[0] + often(x) + once(x);
    other(x) = x;
    for (const Func &f : {pair, often}) {
        CHECK(refusal(f, reader) ==
              f.name() + " cannot be recomputed for " + reader.name() +
                  ", because it has several values or several updates: leave it as it is.");
    }
    CHECK(refusal(once, other) == once.name() + " cannot be recomputed for " + other.name() +
                                      ", which does not read it: name a Func that does.");
    CHECK(refusal(once, reader) == "accepted");
}
