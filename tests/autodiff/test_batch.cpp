// Pipelines for one example over a batch: each example is what the pipeline makes of it alone.

#include "gradient_cases.h"

#include "autodiff/batch.h"

#include "base/user_error.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <regex>
#include <set>

#include "tests/support/all_cases.h"

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Type f64 = Float(64);
const Var i("i"), j("j");
constexpr int examples = 3;
constexpr double rounding = 1e-15;  // vectors of other lengths may contract sums in other places

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

/// The largest difference of an example in the batch to what it is alone, over all outputs, and infinity
/// where an output has another number of dimensions than it should.
double error_of_batch(const std::function<Subject()> &make, const Shapes &shapes,
                      const std::set<std::string> &over, int low_label = 0, int labels = 1) {
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

std::function<Subject()> of(const std::function<Subject()> &make) {
    return make;
}

}  // namespace

TEST_CASE("every generator, over each of its buffers, and over all") {
    std::set<std::string> seen;
    for (const GradientCase &c : gradient_cases()) {
        if (!all_cases() && !seen.insert(c.generator).second) {
            continue;
        }
        CAPTURE(c.name);
        const auto make = [&] { return subject_of(c, "float64"); };
        std::set<std::string> all;
        for (const Parameter &p : make().problem.inputs) {
            if (p.is_buffer()) {
                all.insert(p.name());
            }
        }
        CHECK(error_of_batch(make, c.shapes, all, c.low_label, c.labels) <= rounding);
        CHECK(error_of_batch(make, c.shapes, {*all.begin()}, c.low_label, c.labels) <= rounding);
    }
}

TEST_CASE("scalars, loops under conditions, scatters and boundaries") {
    CHECK(error_of_batch(of([] {
                             const ImageParam x(f64, 1, "x");
                             const Param<double> a("a");
                             Func y("y");
                             y(i) = x(i) * a;
                             Subject subject = by_hand({x}, {{"y", y}});
                             subject.problem.inputs.push_back(a.parameter());
                             return subject;
                         }),
                         {{"x", {{2, 9}}}, {"y", {{2, 9}}}}, {"a"}) == 0);
    CHECK(error_of_batch(of([] {
                             const ImageParam x(f64, 2, "x"), at(Int(32), 1, "at");
                             RDom r(x.dim(0).min(), x.dim(0).extent());
                             r.where(r <= at(i));
                             Func y("y");
                             y(i) = cast(f64, 0);
                             y(i) += x(r, i) * x(r, i);
                             return by_hand({x, at}, {{"y", y}});
                         }),
                         {{"x", {{0, 9}, {-3, 6}}}, {"at", {{-3, 6}}}, {"y", {{-3, 6}}}}, {"at"}, 2, 5) == 0);
    CHECK(error_of_batch(of([] {
                             const ImageParam x(f64, 1, "x"), bin(Int(32), 1, "bin");
                             const RDom r(x.dim(0).min(), x.dim(0).extent());
                             Func sums("sums"), y("y"), total("total");
                             sums(i) = cast(f64, 0);
                             sums(clamp(bin(r), 0, 3)) += x(r);
                             y(i) = sums(i);
                             total(i) = cast(f64, i);
                             return by_hand({x, bin}, {{"y", y}, {"total", total}});
                         }),
                         {{"x", {{2, 9}}}, {"bin", {{2, 9}}}, {"y", {{0, 4}}}, {"total", {{0, 4}}}},
                         {"x", "bin"}, 0, 4) == 0);
    CHECK(error_of_batch(of([] {
                             const ImageParam x(f64, 2, "x");
                             const Func edge = BoundaryConditions::mirror_image(x);
                             const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                             Func y("y");
                             y(j, i) = edge(j - 2, i + 1);
                             y(r, i) = y(r - 1, i) * 0.5f + y(r, i);
                             return by_hand({x}, {{"y", y}});
                         }),
                         {{"x", {{2, 9}, {-3, 6}}}, {"y", {{2, 9}, {-3, 6}}}}, {"x"}) == 0);
}

TEST_CASE("a matrix and a vector become two matrices") {
    const ImageParam w(f64, 2, "w"), x(f64, 1, "x");
    const RDom r(x.dim(0).min(), x.dim(0).extent());
    Func y("y");
    y(i) = cast(f64, 0);
    y(i) += w(i, r) * x(r);
    const Pipeline batched = batch(Pipeline(y), {"x"}, 64);
    CAPTURE(definitions(batched.outputs()[0]));
    const std::string text =
        std::regex_replace(definitions(batched.outputs()[0]), std::regex("[$][0-9]+"), "");
    CHECK(text.find("w_im(i, r)*(float64)x_im(r, example)") != std::string::npos);
    CHECK(batched.outputs()[0].dimensions() == 2);
}

TEST_CASE("what is no batch") {
    const auto sentence = [](const std::vector<std::string> &over, int size) -> std::string {
        const ImageParam x(f64, 1, "x"), u(f64, 1, "u");
        Func e("e"), y("y");
        e.define_extern("somebody", {u}, f64, 1);
        y(i) = x(i) + e(i);
        try {
            batch({x.parameter(), u.parameter()}, {{"y", y}}, over, size);
        } catch (const UserError &error) {
            return error.what();
        }
        return "no error";
    };
    CHECK(sentence({"x"}, 8) == "no error");
    CHECK(sentence({}, 8) ==
          "A batch was asked for and no input named of which each example has its own; name one of x, u.");
    CHECK(sentence({"x"}, 0) == "A batch of 0 was asked for; give 1 and more.");
    CHECK(sentence({"x", "x"}, 8) == "The batch names \"x\" twice; name each input once.");
    CHECK(sentence({"v"}, 8) == "The batch names \"v\", which is not an input; the inputs are: x, u.");
    CHECK(sentence({"u"}, 8) ==
          "Func \"e\" has an extern definition, which is of one example and cannot be called for "
          "a batch; write it in Halide, or name only inputs that it does not depend on.");
}
