#include "batch_check.h"

#include "autodiff/batch.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace Halide;

namespace eutectic::test {

namespace {

const Type f64 = Float(64);
constexpr int examples = 3;

using Buffers = std::map<std::string, Buffer<>>;

Buffer<> random_buffer(const Type &type, const std::vector<Extent> &shape, int low, int count,
                       std::mt19937 &engine) {
    std::vector<int> sizes, mins;
    for (const Extent &e : shape) {
        sizes.push_back(e.extent);
        mins.push_back(e.min);
    }
    Buffer<> buffer(type, sizes);
    buffer.set_min(mins);
    if (type.is_float()) {
        Buffer<double> values = buffer;
        values.for_each_value([&](double &v) { v = std::uniform_real_distribution<double>(-1, 1)(engine); });
    } else {
        Buffer<int> values = buffer;
        values.for_each_value(
            [&](int &v) { v = low + static_cast<int>(engine() % static_cast<unsigned>(count)); });
    }
    return buffer;
}

std::vector<Extent> with_examples(std::vector<Extent> shape) {
    shape.push_back({0, examples});
    return shape;
}

/// The outputs by name. A Tuple's elements have its shape.
Buffers run(const Subject &subject, const std::vector<Parameter> &inputs,
            const std::vector<NamedOutput> &outputs, const Buffers &values,
            const std::function<std::vector<Extent>(const NamedOutput &)> &shape, int integer) {
    std::vector<Func> funcs;
    std::vector<Buffer<>> buffers;
    std::mt19937 engine(1);
    Buffers result;
    for (const NamedOutput &output : outputs) {
        funcs.push_back(output.func);
        const size_t first = buffers.size();
        for (const std::string &name : element_names(output)) {
            const Type type = output.func.types()[buffers.size() - first];
            buffers.push_back(random_buffer(type.is_float() ? f64 : Int(32), shape(output), 0, 1, engine));
            result[name] = buffers.back();
        }
    }
    every_func_at_root(funcs);
    Pipeline pipeline(funcs);
    prepare_to_run(pipeline, subject);
    for (Parameter p : inputs) {
        const auto value = values.find(p.name());
        if (value != values.end() && p.is_buffer()) {
            p.set_buffer(value->second);
        } else if (value != values.end()) {
            p.set_scalar<double>(Buffer<double>(value->second)());
        } else if (p.type() == UInt(32)) {
            p.set_scalar<uint32_t>(7);
        } else {
            p.set_scalar<int32_t>(integer);
        }
    }
    realize(pipeline, buffers);
    return result;
}

double largest_difference(const Buffer<double> &a, const Buffer<double> &b) {
    double worst = 0;
    a.for_each_element([&](const int *at) {
        const double error = std::abs(a(at) - b(at));
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    });
    return worst;
}

}  // namespace

double error_of_batch(const std::function<Subject()> &make, const Shapes &shapes,
                      const std::set<std::string> &over, int low_label, int labels) {
    const Subject of_batch = make();
    const Batched batched =
        batch(of_batch.problem.inputs, of_batch.problem.outputs, {over.begin(), over.end()}, 8);
    std::mt19937 engine(5);
    Buffers together;
    for (const Parameter &p : of_batch.problem.inputs) {
        const auto shape = shapes.find(p.name());
        std::vector<Extent> own = shape == shapes.end() ? std::vector<Extent>() : shape->second;
        own = over.count(p.name()) ? with_examples(own) : own;
        if (p.is_buffer() || over.count(p.name()) || p.type().is_float()) {
            together[p.name()] =
                random_buffer(p.type().is_float() ? f64 : Int(32), own, low_label, labels, engine);
            const auto range = of_batch.ranges.find(p.name());
            if (range != of_batch.ranges.end()) {
                Buffer<double> values = together[p.name()];
                const auto [low, high] = range->second;
                values.for_each_value(
                    [low = low, high = high](double &v) { v = low + (v + 1) / 2 * (high - low); });
            }
        }
    }
    std::map<std::string, bool> has_batch;
    for (size_t o = 0; o < batched.outputs.size(); o++) {
        has_batch[batched.outputs[o].name] =
            batched.outputs[o].func.dimensions() > of_batch.problem.outputs[o].func.dimensions();
    }
    const auto shape_of = [&](const NamedOutput &output) { return shapes.at(output.name); };
    const Buffers got = run(
        of_batch, batched.inputs, batched.outputs, together,
        [&](const NamedOutput &output) {
            return has_batch.at(output.name) ? with_examples(shape_of(output)) : shape_of(output);
        },
        low_label);
    double worst = 0;
    for (int example = 0; example < examples; example++) {
        const Subject alone = make();
        Buffers values;
        for (const auto &[name, buffer] : together) {
            values[name] = over.count(name) ? buffer.sliced(buffer.dimensions() - 1, example) : buffer;
        }
        const Buffers want =
            run(alone, alone.problem.inputs, alone.problem.outputs, values, shape_of, low_label);
        for (const NamedOutput &output : alone.problem.outputs) {
            for (const std::string &name : element_names(output)) {
                const Buffer<> mine = got.at(name);
                const Buffer<> slice =
                    has_batch.at(output.name) ? mine.sliced(mine.dimensions() - 1, example) : mine;
                if (want.at(name).type() != f64) {
                    continue;
                }
                worst = std::max(worst, largest_difference(want.at(name), slice));
            }
        }
    }
    return worst;
}

}  // namespace eutectic::test
