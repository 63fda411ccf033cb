// Decisions follow structure: the same pipelines under other names, with what is independent defined in
// another order, give the same graph, plan and hash.

#include <doctest/doctest.h>

#include <map>

#include "Halide.h"

#include "fusion/rules/rule.h"
#include "report/report.h"
#include "schedules/rewrites/made_rewrite.h"
#include "tests/support/machines.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

/** How a pipeline is written down: how things are called, and in which order independent ones are defined. */
struct Writing {
    const char *what;
    std::string (*name)(const std::string &);
    bool backwards = false;

    std::string operator()(const std::string &n) const {
        return name(n);
    }
    /** Runs the steps, which must not depend on each other, in one order or the other. */
    void define(std::vector<std::function<void()>> steps) const {
        if (backwards) {
            std::reverse(steps.begin(), steps.end());
        }
        for (const auto &step : steps) {
            step();
        }
    }
};

/** Letters mirrored in the alphabet: what came first comes last. */
std::string mirrored(const std::string &name) {
    std::string result;
    for (const char c : name) {
        result += c >= 'a' && c <= 'z' ? static_cast<char>('a' + 'z' - c) : c;
    }
    return "q_" + result;
}

const Writing writings[] = {
    {"plain", [](const std::string &n) { return n; }},
    {"prefixed", [](const std::string &n) { return "zz_" + n; }},
    {"mirrored", mirrored},
    {"backwards", [](const std::string &n) { return n; }, true},
    {"mirrored, backwards", mirrored, true},
};

std::vector<Func> dense(const Writing &w) {
    Var i(w("i")), j(w("j"));
    ImageParam x, weights, b;
    w.define({[&] { x = image(w("x"), {784, 128}); }, [&] { weights = image(w("w"), {256, 784}); },
              [&] { b = image(w("b"), {256}); }});
    Func mm, z, out;
    w.define({[&] { mm = Func(w("matmul")); }, [&] { z = Func(w("z")); }, [&] { out = Func(w("out")); }});
    RDom r(0, x.dim(0).extent(), w("r"));
    mm(j, i) = 0.0f;
    mm(j, i) += x(r, i) * weights(j, r);
    z(j, i) = mm(j, i) + b(j);
    out(j, i) = max(z(j, i), 0);
    estimate(out, {256, 128});
    return {out};
}

std::vector<Func> softmax(const Writing &w) {
    Var i(w("i")), j(w("j"));
    const ImageParam x = image(w("x"), {1000, 64}), bias = image(w("bias"), {1000, 64});
    RDom r(0, x.dim(0).extent(), w("r"));
    Func largest(w("largest")), scaled(w("scaled")), e(w("e")), sum(w("sum")), out(w("out"));
    w.define({[&] {
                  largest(i) = x.type().min();
                  largest(i) = max(largest(i), x(r, i));
              },
              [&] { scaled(j, i) = bias(j, i) * 0.5f; }});
    e(j, i) = exp(x(j, i) - largest(i)) + scaled(j, i);
    sum(i) += e(r, i);
    out(j, i) = e(j, i) / sum(i);
    estimate(out, {1000, 64});
    return {out};
}

/** Two layers with two heads. */
std::vector<Func> mlp(const Writing &w) {
    Var i(w("i")), j(w("j"));
    ImageParam x = image(w("x"), {64, 128}), w1, w2, w3;
    w.define({[&] { w1 = image(w("w1"), {256, 64}); }, [&] { w2 = image(w("w2"), {128, 256}); },
              [&] { w3 = image(w("w3"), {10, 256}); }});
    const auto layer = [&](const Func &in, const ImageParam &weights, int width, const std::string &name) {
        RDom r(0, width, w("r" + name));
        Func mm(w("matmul" + name));
        mm(j, i) = 0.0f;
        mm(j, i) += in(r, i) * weights(j, r);
        return mm;
    };
    Func hidden(w("hidden")), wide(w("wide")), logits(w("logits")), mm2, mm3;
    const Func mm1 = layer(x, w1, 64, "1");
    hidden(j, i) = max(mm1(j, i), 0);
    w.define({[&] {
                  mm2 = layer(hidden, w2, 256, "2");
                  wide(j, i) = exp(mm2(j, i));
              },
              [&] {
                  mm3 = layer(hidden, w3, 256, "3");
                  logits(j, i) = mm3(j, i) + 1;
              }});
    estimate(wide, {128, 128});
    estimate(logits, {10, 128});
    return {wide, logits};
}

/** Rows divided by their sums, then a matmul. */
std::vector<Func> weighted(const Writing &w) {
    Var i(w("i")), j(w("j"));
    ImageParam x, v;
    w.define({[&] { x = image(w("x"), {512, 64}); }, [&] { v = image(w("v"), {64, 512}); }});
    const RDom r(0, x.dim(0).extent(), w("r"));
    Func e(w("e")), sum(w("sum")), p(w("p")), c(w("c")), out(w("out"));
    e(j, i) = exp(x(j, i));
    sum(i) += e(r, i);
    p(j, i) = e(j, i) / sum(i);
    c(j, i) += p(r, i) * v(j, r);
    out(j, i) = c(j, i) + 1;
    estimate(out, {64, 64});
    return {out};
}

struct Texts {
    std::string graph, plan, hash;
};

Texts texts_of(const std::vector<Func> &outputs) {
    const Graph g = graph_of(outputs);
    const Machine m = round_machine();
    const Planned planned = plan_greedy(g, m, cpu_rules(cpu_rewrite_rules()));
    return {to_string(g, false), to_string(planned.plan), plan_hash(g, m, planned.plan).whole()};
}

}  // namespace

TEST_CASE("neither names nor the order of definitions have a say") {
    const std::map<std::string, std::vector<Func> (*)(const Writing &)> pipelines = {
        {"dense", dense}, {"softmax", softmax}, {"mlp", mlp}, {"weighted", weighted}};
    for (const auto &[name, make] : pipelines) {
        const Texts first = texts_of(make(writings[0]));
        CHECK(first.plan.find("group") != std::string::npos);
        for (const Writing &writing : writings) {
            INFO(name << ", " << writing.what);
            const Texts other = texts_of(make(writing));
            CHECK(other.graph == first.graph);
            CHECK(other.plan == first.plan);
            CHECK(other.hash == first.hash);
        }
    }
}
