// Grades are kept: where the report calls an inlining exact, the bits are those of the unfused program, under
// fast numerics; under strict ones they always are. (What a compiler does to operations that meet is its own
// affair: grades other than exact say only what it may do.)

#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "Halide.h"

#include "fusion/plan/grade.h"
#include "fusion/search/completer.h"
#include "tests/support/machines.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x");
const int n = 2048;

struct Inputs {
    ImageParam a = image("a", {n}), b = image("b", {n}), d = image("d", {n});

    Inputs() {
        std::mt19937 random(7);
        for (ImageParam *p : {&a, &b, &d}) {
            Buffer<float> values(n);
            values.for_each_value([&](float &v) { v = static_cast<float>(random() >> 8) * 0x1p-22f - 2; });
            p->set(values);
        }
    }
};

using Producer = Expr (*)(const Expr &a, const Expr &b);
using Reader = Expr (*)(const Expr &p, const Expr &d);

const std::pair<const char *, Producer> producers[] = {
    {"a + b", [](const Expr &a, const Expr &b) { return a + b; }},
    {"a * b", [](const Expr &a, const Expr &b) { return a * b; }},
    {"a / b", [](const Expr &a, const Expr &b) { return a / b; }},
    {"a + 0.3", [](const Expr &a, const Expr &) { return a + 0.3f; }},
    {"a * 0.3", [](const Expr &a, const Expr &) { return a * 0.3f; }},
    {"0.3 / a", [](const Expr &a, const Expr &) { return 0.3f / a; }},
    {"a * b + a", [](const Expr &a, const Expr &b) { return a * b + a; }},
    {"exp(a)", [](const Expr &a, const Expr &) { return exp(a); }},
    {"log(abs(a))", [](const Expr &a, const Expr &) { return log(abs(a)); }},
    {"sqrt(abs(a))", [](const Expr &a, const Expr &) { return sqrt(abs(a)); }},
    {"tanh(a * b)", [](const Expr &a, const Expr &b) { return tanh(a * b); }},
    {"max(a * b, 0)", [](const Expr &a, const Expr &b) { return max(a * b, 0.0f); }},
    {"abs(a * b)", [](const Expr &a, const Expr &b) { return abs(a * b); }},
    {"select(a > 0, a * b, 0)", [](const Expr &a, const Expr &b) { return select(a > 0, a * b, 0.0f); }},
    {"select(a > 0, 1, 0)", [](const Expr &a, const Expr &) { return select(a > 0, 1.0f, 0.0f); }},
    {"double(a) * b", [](const Expr &a, const Expr &b) { return cast<double>(a) * b; }},
    {"int(8 * a) * 3", [](const Expr &a, const Expr &) { return cast<int>(8 * a) * 3; }},
    {"a", [](const Expr &a, const Expr &) { return a; }},
};

const std::pair<const char *, Reader> readers_of_one[] = {
    {"p + d", [](const Expr &p, const Expr &d) { return p + d; }},
    {"d - p", [](const Expr &p, const Expr &d) { return d - p; }},
    {"p * d", [](const Expr &p, const Expr &d) { return p * d; }},
    {"p / d", [](const Expr &p, const Expr &d) { return p / d; }},
    {"p + 1", [](const Expr &p, const Expr &) { return p + cast(p.type(), 1); }},
    {"p * 3", [](const Expr &p, const Expr &) { return p * cast(p.type(), 3); }},
    {"p / 7", [](const Expr &p, const Expr &) { return p / cast(p.type(), 7); }},
    {"p * p", [](const Expr &p, const Expr &) { return p * p; }},
    {"p * d + d", [](const Expr &p, const Expr &d) { return p * d + d; }},
    {"exp(p)", [](const Expr &p, const Expr &) { return exp(cast<float>(p)); }},
    {"log(abs(p))", [](const Expr &p, const Expr &) { return log(abs(cast<float>(p))); }},
    {"sqrt(abs(p))", [](const Expr &p, const Expr &) { return sqrt(abs(cast<float>(p))); }},
    {"max(p, d)", [](const Expr &p, const Expr &d) { return max(p, d); }},
    {"select(d > 0, p, d)", [](const Expr &p, const Expr &d) { return select(d > 0, p, d); }},
    {"select(d > 0, p, 0) + d",
     [](const Expr &p, const Expr &d) { return select(d > 0, p, cast(p.type(), 0)) + d; }},
    {"p > d", [](const Expr &p, const Expr &d) { return select(p > d, 1.0f, 0.0f); }},
    {"float(p) + d", [](const Expr &p, const Expr &d) { return cast<float>(p) + cast<float>(d); }},
};

Func define_reader(const Reader &reader, const Func &p, const ImageParam &d) {
    Func f("reader");
    const Expr value = p(x);
    f(x) = reader(value, cast(value.type(), d(x)));
    estimate(f, {n});
    return f;
}

/** Every reader of `producer`, each an output, with the producer in memory or not. */
std::vector<Buffer<>> run(const Producer &producer, bool in_memory, const Inputs &in, const Target &target) {
    Func p("p");
    p(x) = producer(in.a(x), in.b(x));
    if (in_memory) {
        p.compute_root().vectorize(x, 8);
    }
    std::vector<Func> outputs;
    std::vector<Buffer<>> buffers;
    for (const auto &[name, reader] : readers_of_one) {
        outputs.push_back(define_reader(reader, p, in.d));
        outputs.back().vectorize(x, 8);
        buffers.emplace_back(outputs.back().types()[0], n);
    }
    Pipeline(outputs).realize(Realization(buffers), target);
    return buffers;
}

bool same_bits(const Buffer<> &a, const Buffer<> &b) {
    return std::memcmp(a.data(), b.data(), a.size_in_bytes()) == 0;
}

Grade grade_of_inlining(const Producer &producer, const Reader &reader, const Inputs &in, bool strict) {
    Func p("p");
    p(x) = producer(in.a(x), in.b(x));
    Graph g = graph_of({define_reader(reader, p, in.d)});
    g.strict = strict;
    Placements placements = unfused(g);
    for (const FuncId f : g.funcs.ids()) {
        if (!g.funcs[f].output) {
            placements[f] = {Placement::Kind::inlined, -1};
        }
    }
    const FusionPlan plan = complete(g, round_machine(), placements);
    return grade(g, plan);
}

}  // namespace

TEST_CASE("what is called exact keeps its bits; strict targets keep all") {
    const Inputs in;
    const Target fast = get_host_target(), strict = fast.with_feature(Target::StrictFloat);
    int graded = 0, changed = 0, producer_number = 0;
    for (const auto &[name, producer] : producers) {
        const std::vector<Buffer<>> unfused_values = run(producer, true, in, fast),
                                    fused = run(producer, false, in, fast);
        std::vector<Buffer<>> strict_unfused, strict_fused;
        if (producer_number++ % 3 == 1) {  // compiling all would take a minute
            strict_unfused = run(producer, true, in, strict);
            strict_fused = run(producer, false, in, strict);
        }
        for (size_t r = 0; r < fused.size(); r++) {
            INFO(std::string(name) << " read by " << std::string(readers_of_one[r].first));
            const bool same = same_bits(fused[r], unfused_values[r]);
            const Grade fast_grade = grade_of_inlining(producer, readers_of_one[r].second, in, false);
            CHECK((same || fast_grade != Grade::exact));
            CHECK(grade_of_inlining(producer, readers_of_one[r].second, in, true) == Grade::exact);
            CHECK((strict_fused.empty() || same_bits(strict_fused[r], strict_unfused[r])));
            graded += fast_grade != Grade::exact ? 1 : 0;
            changed += same ? 0 : 1;
        }
    }
    MESSAGE(changed, " pairs change their bits, ", graded, " may by their grades");
    CHECK(graded < 2 * static_cast<int>(std::size(producers) * std::size(readers_of_one)) / 3);
    CHECK(changed > graded / 4);  // the grades are no mere caution; of vectors of 256 bits, 49 of 156 pairs
}

TEST_CASE("grades by name") {
    const Inputs in;
    const auto grade_of = [&](const char *producer, const char *reader) {
        for (const auto &[p, make_producer] : producers) {
            for (const auto &[r, make_reader] : readers_of_one) {
                if (std::string(p) == producer && std::string(r) == reader) {
                    return std::string(to_string(grade_of_inlining(make_producer, make_reader, in, false)));
                }
            }
        }
        return std::string("no such pair");
    };
    CHECK(grade_of("a * b", "p + d") == "contracting");
    CHECK(grade_of("a * b", "d - p") == "contracting");
    CHECK(grade_of("select(a > 0, a * b, 0)", "float(p) + d") == "reassociating");
    CHECK(grade_of("a * b", "p * d") == "reassociating");
    CHECK(grade_of("a * b", "p * d + d") == "reassociating");
    CHECK(grade_of("a + b", "p + d") == "reassociating");
    CHECK(grade_of("a + b", "max(p, d)") == "exact");
    CHECK(grade_of("max(a * b, 0)", "p + d") == "exact");
    CHECK(grade_of("exp(a)", "p + d") == "contracting");
    CHECK(grade_of("tanh(a * b)", "p / d") == "exact");
    CHECK(grade_of("a", "p * d") == "exact");
    CHECK(grade_of("int(8 * a) * 3", "p + 1") == "exact");
}

TEST_CASE("what passes a value on hands over what it goes into") {
    const Inputs in;
    const auto grade_with = [&](bool product, bool last_in_memory) {
        Func p("p"), shifted("shifted"), y("y");
        p(x) = product ? in.a(x) * in.b(x) : max(in.a(x), in.b(x));
        shifted(x) = p(x + 1);
        y(x) = shifted(x) + in.d(x);
        estimate(y, {n - 1});
        const Graph g = graph_of({y});
        Placements placements = unfused(g);
        for (const FuncId f : g.funcs.ids()) {
            if (!g.funcs[f].output && !(last_in_memory && g.funcs[f].name == "shifted")) {
                placements[f] = {Placement::Kind::inlined, -1};
            }
        }
        return grade(g, complete(g, round_machine(), placements));
    };
    CHECK(grade_with(true, false) == Grade::contracting);
    CHECK(grade_with(true, true) == Grade::exact);
    CHECK(grade_with(false, false) == Grade::exact);
}

TEST_CASE("a reduction at a tile stays in loops of its own: exact; an unrolled one does not") {
    Func mm("mm"), y("y");
    Var i("i");
    const ImageParam a = image("a", {64, 64}), b = image("b", {64, 64});
    RDom k(0, 64);
    mm(x, i) += a(k, i) * b(x, k);
    y(x, i) = mm(x, i) + 1;
    estimate(y, {64, 64});
    const Graph g = graph_of({y});
    Placements placements = unfused(g);
    FuncId sum = 0;
    while (g.funcs[sum].input || g.funcs[sum].output) {
        sum++;
    }
    placements[sum] = {Placement::Kind::at, g.funcs.next_id() - 1};
    FusionPlan plan = complete(g, round_machine(), placements);
    CHECK(grade(g, plan, sum) == Grade::exact);
    for (TreeFunc &f : plan.groups[0].tree.funcs()) {
        for (TreeStage &s : f.stages) {
            for (size_t l = 0; l < s.loops.size(); l++) {
                const Loop loop = s.loops[l];
                const bool reduction = loop.dim >= 0 && s.dims[loop.dim].reduction;
                s.loops.run_as(l, reduction ? Loop::Kind::unroll : loop.kind);
            }
        }
    }
    CHECK(grade(g, plan, sum) == Grade::reassociating);
}
