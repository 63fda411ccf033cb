// Sums divided after the reduction: the rewrite and its refusals, and every plan that has it gives the values
// of the program as written. By default each form of it is forced with or without its quotient; both with
// EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <memory>

#include "Halide.h"

#include "base/user_error.h"
#include "fusion/rules/rules.h"
#include "schedules/autoschedule.h"
#include "schedules/directive.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/all_cases.h"
#include "tests/support/patterns.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), b("b");

struct Form {
    const char *what;
    std::function<Program()> make;
    std::vector<Sizes> sizes;
    bool pays = true;
    bool beam = false;  ///< one is searched for by a beam, which takes a second
};

std::vector<Sizes> matmul_sizes() {
    std::vector<Sizes> sizes;
    for (const auto &[n, m, k] : std::vector<std::array<int, 3>>{
             {64, 48, 100}, {1, 1, 1}, {3, 5, 7}, {65, 49, 101}, {15, 48, 100}, {64, 1, 3}}) {
        sizes.push_back({{{k, m}, {n, k}}, {{n, m}}});
    }
    return sizes;
}

/** Positive rows divided by their sum, then a matmul. `build` gets (a, sum, w, k) and returns the output. */
std::function<Program()>
normalized(const std::function<std::vector<Func>(Func, Func, const ImageParam &, const RDom &)> &build) {
    return [=] {
        const ImageParam a = image("a", {100, 48}), w = image("w", {64, 100});
        const RDom k(0, a.dim(0).extent(), "k");
        Func positive("positive"), sum("sum");
        positive(x, y) = a(x, y) + 1.5f;
        sum(y) += positive(k, y);
        const std::vector<Func> outputs = build(positive, sum, w, k);
        estimate(outputs[0], {64, 48});
        if (outputs.size() > 1) {
            estimate(outputs[1], {100, 48});
        }
        return Program{{a, w}, outputs, {}};
    };
}

std::vector<Form> forms() {
    std::vector<Form> all;
    const auto quotient_then = [](const std::function<std::vector<Func>(Func, Func)> &rest,
                                  bool factor = false) {
        return normalized([=](Func e, Func sum, const ImageParam &w, const RDom &k) {
            Func p("p"), c("c"), r("r");
            r(y) = 1.0f / sum(y);
            p(x, y) = factor ? e(x, y) * r(y) : e(x, y) / sum(y);
            c(x, y) += p(k, y) * w(x, k);
            return rest(c, p);
        });
    };
    all.push_back({"the matmul is the output",
                   quotient_then([](Func c, Func) { return std::vector<Func>{c}; }), matmul_sizes()});
    const auto relu = [](Func c, Func) {
        Func out("out");
        out(x, y) = max(c(x, y) - 0.25f, 0.0f);
        return std::vector<Func>{out};
    };
    all.push_back({"a reader of the matmul", quotient_then(relu), matmul_sizes()});
    all.back().beam = true;
    all.push_back({"a factor", quotient_then(relu, true), matmul_sizes()});
    all.push_back({"a reader that transposes, and reads twice",
                   quotient_then([](Func c, Func) {
                       Func out("out");
                       out(x, y) = c(y, x) * c(y, x) + 1.0f;
                       return std::vector<Func>{out};
                   }),
                   {{{{64, 64}, {64, 64}}, {{64, 64}}}, {{{3, 7}, {7, 3}}, {{7, 7}}}}});
    Form read{"the quotient is an output, too",
              quotient_then([](Func c, Func p) { return std::vector<Func>{c, p}; }),
              {}};
    for (Sizes s : matmul_sizes()) {
        s.outputs.push_back(s.inputs[0]);
        read.sizes.push_back(s);
    }
    read.pays = false;
    all.push_back(read);
    all.push_back({"the update divides", normalized([](Func e, Func sum, const ImageParam &w, const RDom &k) {
                       Func c("c"), out("out");
                       c(x, y) = 0.0f;
                       c(x, y) += e(k, y) * w(x, k) / (sum(y) + 1.0f);
                       out(x, y) = c(x, y) * 2.0f;
                       return std::vector<Func>{out};
                   }),
                   matmul_sizes()});
    return all;
}

/** The plan that differs from the unfused one in this rule alone; `inlined`: without the quotient. */
FusionPlan forced(const Graph &graph, const Machine &machine, bool inlined) {
    const Rule rule = rewrite_rule_named("divide_after_reduction");
    Placements placements = unfused(graph);
    for (const Site &site : rule.match(graph, placements)) {
        REQUIRE(rule.legal(graph, placements, site));
        const std::vector<Placements> all = rule.candidates(graph, placements, site);
        placements = inlined ? all.back() : all.front();
    }
    return complete(graph, machine, placements);
}

void check_same(const std::vector<Buffer<>> &got, const std::vector<Buffer<>> &expected) {
    for (size_t i = 0; i < expected.size(); i++) {
        const std::vector<double> g = values(got[i]), e = values(expected[i]);
        REQUIRE(g.size() == e.size());
        double most = 0;
        for (size_t j = 0; j < e.size(); j++) {
            REQUIRE(std::isfinite(g[j]));
            most = std::max(most, std::abs(g[j] - e[j]));
        }
        CHECK(most <= 1e-4);
    }
}

/** The program as written, compiled once for all tests; never destroyed, as what Halide keeps may be gone at
 * the end. */
Compiled &plain_of(const Form &form) {
    static auto &all = *new std::map<std::string, std::unique_ptr<Compiled>>;
    std::unique_ptr<Compiled> &plain = all[form.what];
    if (!plain) {
        const Program reference = form.make();
        compute_all_at_root(reference);
        plain = std::make_unique<Compiled>(reference, get_jit_target_from_environment());
    }
    return *plain;
}

std::string refusal(const std::function<void()> &f) {
    try {
        f();
    } catch (const UserError &e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("every form of it, forced, gives the values of the program as written") {
    const Target target = get_jit_target_from_environment();
    const Machine machine = choose_machine(target, Parameters());
    size_t number = 0;
    for (const Form &form : forms()) {
        const bool first = number++ % 2 > 0;
        for (const bool inlined : {first, !first}) {
            if (inlined != first && !all_cases()) {
                continue;
            }
            INFO(form.what << (inlined ? ", the quotient inlined" : ""));
            Compiled &plain = plain_of(form);
            Compiled divided(form.make(), target);
            const Graph graph = read_graph(divided.pipeline(), target, Numerics::fast, false);
            const Schedule schedule = emit(graph, forced(graph, machine, inlined));
            INFO(print(schedule));
            CHECK(print(schedule).find("eutectic::divide_after_reduction(") != std::string::npos);
            apply(schedule, divided.pipeline());
            for (const Sizes &sizes : form.sizes) {
                check_same(divided.run(sizes), plain.run(sizes));
            }
        }
    }
}

TEST_CASE("plans drawn at random, and those that are searched for") {
    const Target target = get_jit_target_from_environment();
    for (const Form &form : forms()) {
        Compiled &plain = plain_of(form);
        int divided = 0;
        for (uint64_t seed = 0; seed < (form.beam ? 4 : 3); seed++) {
            Compiled scheduled(form.make(), target);
            Parameters parameters;
            parameters.parallelism = 2;
            if (seed < 2) {
                parameters.sample = seed;
            } else {
                parameters.effort = seed == 2 ? Effort::fast : Effort::best;
            }
            const std::string source = autoschedule(scheduled.pipeline(), target, parameters);
            INFO(form.what << ", " << seed << "\n" << source);
            divided += source.find("divide_after_reduction") != std::string::npos ? 1 : 0;
            for (const Sizes &sizes : form.sizes) {
                check_same(scheduled.run(sizes), plain.run(sizes));
            }
        }
        INFO(form.what);
        // Of a quotient that is stored anyhow, the second division would be one too many.
        CHECK((divided > 0) == form.pays);
    }
}

TEST_CASE("strict numerics and disable= leave it out") {
    for (const Form &form : forms()) {
        INFO(form.what);
        Parameters without;
        without.disable = {"divide_after_reduction"};
        const Target fast = get_jit_target_from_environment(),
                     strict = fast.with_feature(Target::StrictFloat);
        CHECK(autoschedule(Pipeline(form.make().outputs), fast, without).find("divide_after_reduction") ==
              std::string::npos);
        CHECK(autoschedule(Pipeline(form.make().outputs), strict, Parameters())
                  .find("divide_after_reduction") == std::string::npos);
    }
}

TEST_CASE("what is read as a late division, and what is not") {
    const ImageParam a = image("a", {100, 48}), w = image("w", {64, 100}), r = image("r", {48});
    const RDom k(0, 100, "k");
    const Func in = a;
    const auto late = [&](const std::function<Expr(Func)> &term, const Expr &start = 0.0f) {
        Func p("p"), c("c");
        c(x, y) = start;
        c(x, y) += term(p);
        estimate(c, {64, 48});
        const Graph g = graph_of({c});
        const auto *found = pattern_of<LateDivision>(g.stages.back());
        return found ? std::optional<LateDivision>(*found) : std::nullopt;
    };
    const auto with = [&](const Expr &quotient) {
        return [=](Func p) {
            p(x, y) = quotient;
            return p(k, y) * w(x, k);
        };
    };
    CHECK(late(with(a(x, y) / r(y)))->quotient >= 0);
    CHECK(late(with(a(x, y) / r(y)))->from_zero);
    CHECK(late(with(a(x, y) / r(y)))->division.body.divisions == 1);
    CHECK(late(with(a(x, y) / r(y)))->numerator.body.divisions == 0);
    CHECK(late(with(a(x, y) / r(y)))->numerator.edges.size() == 1);
    CHECK(late(with(a(x, y) / r(y)))->undivided.edges.size() == 2);
    CHECK(late(with(r(y) * a(x, y)))->division.body.divisions == 0);
    CHECK(late(with(a(x, y) * 2.0f / sqrt(r(y) + 1.0f)))->division.edges.size() == 1);
    CHECK(late([&](const Func &) { return a(k, y) / r(y) * w(x, k); })->quotient == -1);
    CHECK_FALSE(late(with(a(x, y) / r(y)), 1.0f)->from_zero);
    CHECK_FALSE(late(with(a(x, y) / r(x % 48))));        // the divisor changes with the reduction
    CHECK_FALSE(late(with(a(x, y) / 3.0f)));             // nothing is saved: a constant is folded
    CHECK_FALSE(late(with(a(x, y) / r(y) + 1.0f)));      // not all of the term is divided
    CHECK_FALSE(late(with(max(a(x, y) / r(y), 0.0f))));  // nor does a maximum let it through
    CHECK_FALSE(late(with(cast<float>(cast<bfloat16_t>(a(x, y) / r(y))))));  // nor a conversion, which rounds
    CHECK_FALSE(late([&](const Func &) { return a(k, y) / r(y) - w(x, k); }));  // nor a difference
    CHECK_FALSE(
        late([&](const Func &) { return r(y) * w(x, y); }));  // nothing is summed but the factor itself
}

TEST_CASE("the rewrite, called by hand: values, and refusals") {
    ImageParam a = image("a", {4, 3}), r = image("r", {3});
    const RDom k(0, 4, "k");
    Buffer<float> values(4, 3), divisors(3);
    values.for_each_element([&](int i, int j) { values(i, j) = static_cast<float>(1 + i + 4 * j); });
    divisors.for_each_element([&](int j) { divisors(j) = static_cast<float>(2 << j); });
    a.set(values);
    r.set(divisors);
    Func p("p"), c("c"), out("out");
    p(x, y) = a(x, y) / r(y);
    c(y) += p(k, y) * 3.0f;
    out(y) = c(y) + 1.0f;
    const Func divided = divide_after_reduction(c, p);
    CHECK(divided.name() != c.name());
    Buffer<float> result = out.realize({3});
    CHECK(result(0) == 3 * 10 / 2.0f + 1);
    CHECK(result(1) == 3 * 26 / 4.0f + 1);
    CHECK(result(2) == 3 * 42 / 8.0f + 1);
    // The quotient itself is now the numerator.
    Buffer<float> numerator = p.realize({4, 3});
    CHECK(numerator(3, 2) == 12);

    Func plain("plain_sum"), started("started"), other("other");
    plain(y) += a(k, y);
    started(y) = 1.0f;
    started(y) += a(k, y) / r(y);
    other(x, y) = a(x, y) + 1.0f;
    CHECK(refusal([&] { divide_after_reduction(plain); }) ==
          "A division after the sum was asked for in " + plain.name() +
              ", but it adds no product with a divisor or a factor that its reduction variables leave "
              "unchanged: choose a Func "
              "with one update f(i) += e(k, i) / s(i) * v(k).");
    CHECK(
        refusal([&] { divide_after_reduction(plain, other); }) ==
        "A division after the sum was asked for in " + plain.name() + ", of what " + other.name() +
            " divides, but it adds no product with a divisor or a factor that its reduction variables leave "
            "unchanged: choose a Func with one update f(i) += e(k, i) / s(i) * v(k).");
    CHECK(refusal([&] { divide_after_reduction(started); }) ==
          "A division after the sum was asked for in " + started.name() +
              ", which does not start at 0, so that its start would be divided too: start it at 0 and add "
              "the rest where it "
              "is read.");
}

TEST_CASE("zeros, infinities and NaN: what the header says") {
    ImageParam a = image("a", {4, 5}), r = image("r", {5});
    const RDom k(0, 4, "k");
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    Buffer<float> values(4, 5), divisors(5);
    values.fill(1.0f);
    values(2, 1) = 0;  // 0 / 0 among 1 / 0
    values(2, 4) = nan;
    divisors(0) = divisors(1) = 0;
    divisors(2) = inf;
    divisors(3) = nan;
    divisors(4) = 2;
    a.set(values);
    r.set(divisors);
    const Target strict = get_jit_target_from_environment().with_feature(
        Target::StrictFloat);  // so that the compiler keeps NaN apart
    const auto run = [&](bool late) {
        Func c("c"), out("out");
        c(y) += a(k, y) / r(y);
        out(y) = c(y);
        if (late) {
            divide_after_reduction(c);
        }
        Buffer<float> result = out.realize({5}, strict);
        return result;
    };
    const Buffer<float> early = run(false), late = run(true);
    CHECK((early(0) == inf && late(0) == inf));
    CHECK((std::isnan(early(1)) && late(1) == inf));
    CHECK((early(2) == 0 && late(2) == 0));
    CHECK((std::isnan(early(3)) && std::isnan(late(3))));
    CHECK((std::isnan(early(4)) && std::isnan(late(4))));
}
