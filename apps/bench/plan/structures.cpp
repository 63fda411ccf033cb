// Pipelines of one shape each, as large as anybody wishes: what planning costs as a function of the number of
// Funcs.

#include "apps/bench/plan/build.h"
#include "apps/bench/plan/rows.h"

namespace eutectic::bench {

namespace {

using namespace Halide;

const Var x("x"), y("y");

std::string numbered(const char *name, int number) {
    return name + std::to_string(number) + "_";  // a name that ends in a digit gets a suffix of Halide's
}

Pipeline chain(int funcs) {
    const ImageParam in = input("in", Float(32), {image_size, image_size});
    Func last = in;
    for (int i = 0; i < funcs; i++) {
        Func next(numbered("step", i));
        next(x, y) = last(x, y) * 1.01f + static_cast<float>(i);
        last = next;
    }
    return pipeline_of(last, {image_size, image_size});
}

/// One producer, which each of many consumers reads at two points, and their sum.
Pipeline fan_out(int consumers) {
    const ImageParam in = input("in", Float(32), {image_size, image_size});
    const Func source = clamped(in);
    Func producer("producer"), sum("sum");
    producer(x, y) = source(x - 1, y) + 2.0f * source(x, y) + source(x + 1, y);
    Expr total = 0.0f;
    for (int i = 0; i < consumers; i++) {
        Func consumer(numbered("consumer", i));
        consumer(x, y) = producer(x, y) * static_cast<float>(i) - producer(x, y + 1);
        total = total + consumer(x, y);
    }
    sum(x, y) = total;
    return pipeline_of(sum, {image_size, image_size});
}

/// One Func. Each level reads the one below twice, so that an expression of n nodes is a tree of 2^n.
Pipeline shared_expression(int levels) {
    const ImageParam in = input("in", Float(32), {image_size, image_size});
    Func out("out");
    Expr e = in(x, y);
    for (int i = 0; i < levels; i++) {
        e = e * 0.5f + e * 0.25f;
    }
    out(x, y) = e;
    return pipeline_of(out, {image_size, image_size});
}

/// One Func, an expression so deep that shares nothing.
Pipeline deep_expression(int levels) {
    const ImageParam in = input("in", Float(32), {image_size, image_size});
    Func out("out");
    Expr e = in(x, y);
    for (int i = 0; i < levels; i++) {
        e = e * 0.5f + static_cast<float>(i) * y;
    }
    out(x, y) = e;
    return pipeline_of(out, {image_size, image_size});
}

/// Batcher's bitonic sort of each row, a Func a stage: x meets x ^ distance, and the greater goes up or down
/// by the bit of x that tells the runs of this pass apart.
Pipeline bitonic_sort(int length) {
    constexpr int rows = 64;
    const ImageParam in = input("in", Float(32), {length, rows});
    Func last = in;
    for (int run = 2; run <= length; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            Func stage("stage_" + std::to_string(run) + "_" + std::to_string(distance) + "_");
            // Clamped, since Halide knows no bounds of ^.
            const Expr own = last(x, y), other = last(clamp(x ^ distance, 0, length - 1), y);
            const Expr ascending = (x & run) == 0, first = (x & distance) == 0;
            stage(x, y) = select(ascending == first, min(own, other), max(own, other));
            last = stage;
        }
    }
    return pipeline_of(last, {length, rows});
}

/// Many small sums, which have to be in memory, added up two by two.
Pipeline tree(int leaves) {
    constexpr int width = 64, window = 8;
    const ImageParam in = input("in", Float(32), {width + window, leaves});
    std::vector<Func> level;
    for (int i = 0; i < leaves; i++) {
        const RDom r(0, window);
        Func leaf(numbered("leaf", i));
        leaf(x) += in(x + r, i);
        level.push_back(leaf);
    }
    for (int depth = 0; level.size() > 1; depth++) {
        std::vector<Func> next;
        for (size_t i = 0; i + 1 < level.size(); i += 2) {
            Func node("node_" + std::to_string(depth) + "_" + std::to_string(i / 2) + "_");
            node(x) = level[i](x) + 0.5f * level[i + 1](x);
            next.push_back(node);
        }
        level = next;
    }
    return pipeline_of(level[0], {width});
}

}  // namespace

std::vector<PlanRow> structure_rows() {
    std::vector<PlanRow> rows;
    for (const int funcs : {25, 100, 1000}) {
        rows.push_back({"chain_" + std::to_string(funcs),
                        "pointwise Funcs, one after the other",
                        [=] { return chain(funcs); },
                        "",
                        {}});
    }
    for (const int consumers : {50, 500}) {
        rows.push_back({"fan_out_" + std::to_string(consumers),
                        "one producer, so many consumers, summed up",
                        [=] { return fan_out(consumers); },
                        "",
                        {}});
    }
    for (const int levels : {24, 2000}) {
        rows.push_back({"shared_" + std::to_string(levels),
                        "one Func, e = e * 0.5 + e * 0.25 so many times",
                        [=] { return shared_expression(levels); },
                        "",
                        {}});
    }
    rows.push_back({"bitonic_1024",
                    "bitonic sort of 1024 values, a Func a stage",
                    [] { return bitonic_sort(1024); },
                    "",
                    {}});
    rows.push_back(
        {"tree_256", "256 small sums in memory, added up two by two", [] { return tree(256); }, "", {}});
    return rows;
}

std::vector<PlanRow> limit_rows() {
    constexpr int funcs = 5000, consumers = 10000, levels = 2000;
    return {{"chain_5000", "pointwise Funcs, one after the other", [] { return chain(funcs); }, "", {}},
            {"fan_out_10000",
             "one producer, so many consumers, summed up",
             [] { return fan_out(consumers); },
             "",
             {}},
            {"deep_2000",
             "one Func, e = e * 0.5 + i * y so many times",
             [] { return deep_expression(levels); },
             "",
             {}}};
}

}  // namespace eutectic::bench
