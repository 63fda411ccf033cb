#include "tangent_check.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic::test {

namespace {

Buffer<> make(const Shapes &shapes, const std::string &name, const Type &type) {
    const auto shape = shapes.find(name);
    std::vector<int> sizes, mins;
    for (const Extent &e : shape == shapes.end() ? std::vector<Extent>() : shape->second) {
        sizes.push_back(e.extent);
        mins.push_back(e.min);
    }
    Buffer<> buffer(type, sizes);
    if (!mins.empty()) {
        buffer.set_min(mins);
    }
    return buffer;
}

double dot(const Tensors<double> &a, const std::string &prefix, const Tensors<double> &b) {
    double sum = 0;
    for (const auto &[name, x] : a) {
        const auto y = b.find(prefix + name);
        if (y != b.end()) {
            x.for_each_element([&, &xs = x, &ys = y->second](const int *at) { sum += xs(at) * ys(at); });
        }
    }
    return sum;
}

Tensors<double> random_like(const Tensors<double> &tensors, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> range(-1, 1);
    Tensors<double> result;
    for (const auto &[name, tensor] : tensors) {
        result[name] = tensor.copy();
        result[name].for_each_value([&](double &v) { v = range(engine); });
    }
    return result;
}

void add(Tensors<double> &to, const Tensors<double> &direction, double step) {
    for (auto &[name, x] : to) {
        const auto d = direction.find(name);
        if (d != direction.end()) {
            x.for_each_element([&, &xs = x, &ds = d->second](const int *at) { xs(at) += step * ds(at); });
        }
    }
}

Tensors<double> copies(const Tensors<double> &tensors) {
    Tensors<double> result;
    for (const auto &[name, tensor] : tensors) {
        result[name] = tensor.copy();
    }
    return result;
}

/// The largest difference of `got` to (above - below) / factor, over the largest of those, or over 1.
double worst(const Tensors<double> &got, const std::string &prefix, const Tensors<double> &above,
             const Tensors<double> *below, double factor) {
    double largest = 1, difference = 0;
    for (const auto &[name, a] : above) {
        const auto found = got.find(prefix + name);
        if (found == got.end()) {
            continue;
        }
        a.for_each_element([&, &as = a, &name = name](const int *at) {
            const double want = (as(at) - (below ? below->at(name)(at) : 0.0)) / factor;
            const double error = std::abs(found->second(at) - want);
            difference = std::isnan(error) ? INFINITY : std::max(difference, error);
            largest = std::max(largest, std::abs(want));
        });
    }
    return difference / largest;
}

constexpr double step = 6e-6;

/// Inputs that are not near a kink.
void draw(Check<double> &check, unsigned seed, int low_label, int labels) {
    for (unsigned i = 0; i < 20; i++) {
        check.draw(seed + i, low_label, labels);
        if (!check.near_a_kink()) {
            return;
        }
    }
    throw std::runtime_error("twenty draws were all near a kink");
}

Tensors<double> wanted_direction(const Check<double> &check, unsigned seed) {
    Tensors<double> inputs;
    for (const NamedOutput &g : check.differentiated().gradients) {
        inputs[g.name.substr(2)] = check.inputs.at(g.name.substr(2));
    }
    return random_like(inputs, seed);
}

}  // namespace

TangentCheck::TangentCheck(Subject subject, Shapes shapes, const RuleList *rules)
    : subject_(std::move(subject)), shapes_(std::move(shapes)) {
    if (rules) {
        subject_.problem.rules = rules;
    }
    result_ = tangents_of(subject_.problem);
    std::vector<Func> outputs;
    for (const std::vector<NamedOutput> *named : {&result_.values, &result_.tangents}) {
        for (const NamedOutput &output : *named) {
            outputs.push_back(output.func);
        }
    }
    every_func_at_root(outputs);
    pipeline_ = Pipeline(outputs);
    prepare_to_run(pipeline_, subject_);
}

void TangentCheck::set(const Tensors<double> &inputs, const Tensors<int> &integers,
                       const Tensors<double> &tangents, int integer_scalar) {
    for (Parameter p : subject_.problem.inputs) {
        const auto input = inputs.find(p.name());
        if (input != inputs.end() && p.is_buffer()) {
            p.set_buffer(input->second);
        } else if (input != inputs.end()) {
            p.set_scalar<double>(input->second());
        } else if (integers.count(p.name())) {
            p.set_buffer(integers.at(p.name()));
        } else if (p.type() == UInt(32)) {
            p.set_scalar<uint32_t>(7);
        } else {
            p.set_scalar<int32_t>(integer_scalar);
        }
    }
    for (ImageParam &t : result_.inputs) {
        const std::string name = t.name().substr(2);
        Buffer<double> direction = inputs.at(name).copy();
        direction.fill(0);
        if (tangents.count(name)) {
            direction.copy_from(tangents.at(name));
        }
        t.set(direction);
    }
}

Tensors<double> TangentCheck::run() {
    Tensors<double> result;
    std::vector<Buffer<>> buffers;
    const auto add_buffer = [&](const std::string &name, const std::string &shape, const Type &type) {
        buffers.push_back(make(shapes_, shape, type));
        if (type.is_float()) {
            result[name] = buffers.back();
        }
    };
    for (const NamedOutput &value : result_.values) {
        const std::vector<std::string> names = element_names(value);
        for (size_t element = 0; element < names.size(); element++) {
            add_buffer(names[element], shapes_.count(names[element]) ? names[element] : value.name,
                       value.func.types()[element]);
        }
    }
    for (const NamedOutput &tangent : result_.tangents) {
        const std::string name = tangent.name.substr(2);
        const size_t cut = name.rfind('_');
        add_buffer(tangent.name, shapes_.count(name) ? name : name.substr(0, cut), tangent.func.types()[0]);
    }
    realize(pipeline_, buffers);
    return result;
}

TangentErrors tangent_errors(const std::function<Subject()> &subject, const Shapes &shapes, unsigned seed,
                             int low_label, int labels, const RuleList *rules) {
    Check<double> check(subject(), shapes, rules);
    draw(check, seed, low_label, labels);
    const Tensors<double> direction = wanted_direction(check, seed + 100);
    TangentCheck forward(subject(), shapes, rules);
    forward.set(check.inputs, check.integers, direction, low_label);
    const Tensors<double> got = forward.run(), gradients = check.gradients();
    TangentErrors errors;
    errors.values = worst(got, "", check.outputs, nullptr, 1);
    const double along = dot(check.upstream, "t_", got), back = dot(direction, "", gradients);
    errors.identity = std::abs(along - back) / std::max(1.0, std::abs(back));
    const auto at = [&](double length) {
        add(check.inputs, direction, length);
        check.run_forward();
        add(check.inputs, direction, -length);
        return copies(check.outputs);
    };
    const Tensors<double> above = at(step), below = at(-step);
    errors.differences = worst(got, "t_", above, &below, 2 * step);
    return errors;
}

double hvp_error(const std::function<Subject()> &subject, const Shapes &shapes, unsigned seed, int low_label,
                 int labels) {
    Check<double> check(subject(), shapes);
    draw(check, seed, low_label, labels);
    const Tensors<double> direction = wanted_direction(check, seed + 100);
    Subject second = subject();
    second.problem.joint = true;
    const Differentiated gradients = differentiate(second.problem);
    second.problem = tangents_of_gradients(second.problem, gradients);
    Shapes all = shapes;
    for (const auto &[name, shape] : shapes) {
        all["d_" + name] = shape;
    }
    TangentCheck hvp(second, all);
    Tensors<double> inputs = check.inputs;
    for (const auto &[name, upstream] : check.upstream) {
        inputs["d_" + name] = upstream;
    }
    hvp.set(inputs, check.integers, direction, low_label);
    const Tensors<double> got = hvp.run();
    const auto at = [&](double length) {
        add(check.inputs, direction, length);
        Tensors<double> result = copies(check.gradients());
        add(check.inputs, direction, -length);
        return result;
    };
    const Tensors<double> above = at(step), below = at(-step);
    return worst(got, "t_d_", above, &below, 2 * step);
}

}  // namespace eutectic::test
