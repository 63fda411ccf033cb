#include "gradient_check.h"

#include "contract_shapes.h"

#include "autodiff/expr_tools.h"
#include "autodiff/generator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic::test {

namespace {

template<typename T>
void for_each(Buffer<T> &buffer, const std::function<void(T &)> &visit) {
    buffer.for_each_value([&](T &v) { visit(v); });
}

template<typename T>
double largest(const Buffer<T> &a, const Buffer<T> *b = nullptr) {
    double worst = 0;
    a.for_each_element([&](const int *at) {
        const double difference =
            std::abs(static_cast<double>(a(at)) - (b ? static_cast<double>((*b)(at)) : 0.0));
        worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    });
    return worst;
}

// What a compiled pipeline reported. An exception can't leave a compiled function, so that the message is
// kept and thrown afterwards.
std::string run_time_error;

void note_error(JITUserContext *, const char *message) {
    run_time_error = message;
}

double step_at(double x) {
    return 6e-6 * std::max(1.0, std::abs(x));
}

}  // namespace

void every_func_at_root(const std::vector<Func> &outputs) {
    std::vector<Function> functions;
    for (const Func &f : outputs) {
        functions.push_back(f.function());
    }
    for (const auto &[name, f] : build_environment(functions)) {
        if (!input_of(f).defined()) {
            Func(f).compute_root();
        }
    }
}

void prepare_to_run(Pipeline &pipeline, const Subject &subject) {
    pipeline.jit_handlers().custom_error = note_error;
    pipeline.set_jit_externs(subject.externs);
}

void realize(Pipeline &pipeline, const std::vector<Buffer<>> &buffers) {
    run_time_error.clear();
    Realization realization(buffers);
    pipeline.realize(realization);
    if (!run_time_error.empty()) {
        throw std::runtime_error(run_time_error);
    }
}

Subject from_generator(const std::string &name, const std::map<std::string, std::string> &parameters) {
    Subject subject;
    subject.owner = GeneratorRegistry::create(name, GeneratorContext(get_jit_target_from_environment()));
    for (const auto &[key, value] : parameters) {
        subject.owner->set_generatorparam_value(key, value);
    }
    subject.problem = problem_of(*subject.owner);
    return subject;
}

Subject by_hand(const std::vector<ImageParam> &inputs, const std::vector<NamedOutput> &outputs) {
    Subject subject;
    for (const ImageParam &p : inputs) {
        subject.problem.inputs.push_back(p.parameter());
    }
    subject.problem.outputs = outputs;
    return subject;
}

std::vector<std::string> element_names(const NamedOutput &output) {
    if (output.func.outputs() == 1) {
        return {output.name};
    }
    std::vector<std::string> names;
    for (int element = 0; element < output.func.outputs(); element++) {
        names.push_back(output.name + "_" + std::to_string(element));
    }
    return names;
}

template<typename T>
Check<T>::Check(Subject subject, Shapes shapes, const RuleList *rules)
    : subject_(std::move(subject)), shapes_(std::move(shapes)) {
    subject_.problem.rules = rules;
    result_ = differentiate(subject_.problem);
    std::vector<Func> forward, backward;
    for (const NamedOutput &output : subject_.problem.outputs) {
        forward.push_back(output.func);
    }
    for (const ResidualTensor &r : result_.residuals) {
        forward.push_back(r.forward);
    }
    for (const NamedOutput &g : result_.gradients) {
        backward.push_back(g.func);
    }
    if (subject_.problem.joint) {
        backward.insert(backward.begin(), forward.begin(), forward.end());
    }
    every_func_at_root(forward);
    every_func_at_root(backward);
    forward_ = Pipeline(forward);
    backward_ = Pipeline(backward);
    std::vector<Pipeline *> pipelines{&forward_, &backward_};
    if (!subject_.kinks.empty()) {
        std::vector<Func> kinks;
        for (const NamedOutput &kink : subject_.kinks) {
            kinks.push_back(kink.func);
        }
        every_func_at_root(kinks);
        kinks_ = Pipeline(kinks);
        pipelines.push_back(&kinks_);
    }
    for (Pipeline *p : pipelines) {
        prepare_to_run(*p, subject_);
    }
}

template<typename T>
Buffer<> Check<T>::make_any(const std::string &name, const Type &type) const {
    const auto shape = shapes_.find(name);
    if (shape == shapes_.end()) {
        throw std::runtime_error("there is no shape for " + name);
    }
    std::vector<int> sizes, mins;
    for (const Extent &e : shape->second) {
        sizes.push_back(e.extent);
        mins.push_back(e.min);
    }
    Buffer<> buffer(type, sizes);
    buffer.set_min(mins);
    return buffer;
}

template<typename T>
Buffer<T> Check<T>::make(const std::string &name) const {
    return shapes_.count(name) ? make_any(name, type_of<T>())
                               : Buffer<>(type_of<T>(), std::vector<int>());  // a scalar
}

template<typename T>
void Check<T>::set_scalars() {
    for (Parameter p : subject_.problem.inputs) {
        if (!p.is_buffer() && p.type().is_float()) {
            p.set_scalar<T>(inputs.at(p.name())());
        }
    }
}

template<typename T>
void Check<T>::draw(unsigned seed, int low, int count) {
    std::mt19937 engine(seed);
    std::pair<double, double> range(-1, 1);
    const auto random = [&] {
        return static_cast<T>(std::uniform_real_distribution<double>(range.first, range.second)(engine));
    };
    for (Parameter p : subject_.problem.inputs) {
        range =
            subject_.ranges.count(p.name()) ? subject_.ranges.at(p.name()) : std::pair<double, double>(-1, 1);
        if (!p.is_buffer() && p.type().is_float()) {
            inputs[p.name()] = make(p.name());
            inputs[p.name()]() = random();
        } else if (!p.is_buffer()) {
            if (p.type() == UInt(32)) {
                p.set_scalar<uint32_t>(7);
            } else {
                p.set_scalar<int32_t>(low);
            }
        } else if (p.type().is_float()) {
            inputs[p.name()] = make(p.name());
            for_each<T>(inputs[p.name()], [&](T &v) { v = random(); });
            p.set_buffer(inputs[p.name()]);
        } else {
            Buffer<int> labels = make_any(p.name(), Int(32));
            labels.for_each_value(
                [&](int &v) { v = low + std::uniform_int_distribution<int>(0, count - 1)(engine); });
            p.set_buffer(labels);
            integers[p.name()] = labels;
        }
    }
    range = {-1, 1};
    set_scalars();
    forward_buffers_.clear();
    size_t next = 0;
    for (const NamedOutput &output : subject_.problem.outputs) {
        const std::vector<std::string> names = element_names(output);
        for (size_t element = 0; element < names.size(); element++) {
            const Type type = output.func.types()[element];
            const std::string &shape = shapes_.count(names[element]) ? names[element] : output.name;
            forward_buffers_.push_back(make_any(shape, type));
            if (type.is_float()) {
                outputs[names[element]] = forward_buffers_.back();
                upstream[names[element]] = make(shape);
                for_each<T>(upstream[names[element]], [&](T &v) { v = random(); });
                result_.upstream[next++].set(upstream[names[element]]);
            }
        }
    }
    output_count_ = forward_buffers_.size();
    kink_buffers_.clear();
    for (const NamedOutput &kink : subject_.kinks) {
        kink_buffers_.push_back(make_any(kink.name, kink.func.types()[0]));
    }
    for (ImageParam &output : result_.outputs) {
        output.set(outputs[output.name()]);
    }
    allocate_residuals();
}

template<typename T>
void Check<T>::allocate_residuals() {
    std::map<std::string, Buffer<>> buffers;
    for (const auto &[name, buffer] : inputs) {
        buffers[name] = buffer;
    }
    for (const auto &[name, buffer] : integers) {
        buffers[name] = buffer;
    }
    size_t next = 0;
    for (const NamedOutput &output : subject_.problem.outputs) {
        for (const std::string &name : element_names(output)) {
            buffers[name] = forward_buffers_[next++];
        }
    }
    std::map<std::string, Expr> scalars;
    for (const Parameter &p : subject_.problem.inputs) {
        if (!p.is_buffer() && p.type().is_int_or_uint()) {
            scalars[p.name()] = p.scalar_expr();
        }
    }
    const Contract contract = contract_of(subject_.problem, result_);
    for (size_t i = 0; i < result_.residuals.size(); i++) {
        forward_buffers_.push_back(allocate(contract.residuals[i], buffers, scalars));
        result_.residuals[i].backward.set(forward_buffers_.back());
    }
}

template<typename T>
void Check<T>::run_forward() {
    set_scalars();
    realize(forward_, forward_buffers_);
}

template<typename T>
Buffer<> Check<T>::residual(const std::string &name) const {
    for (size_t i = 0; i < result_.residuals.size(); i++) {
        if (result_.residuals[i].info.name == name) {
            return forward_buffers_[output_count_ + i];
        }
    }
    throw std::runtime_error("there is no residual " + name);
}

template<typename T>
Tensors<T> Check<T>::gradients() {
    Tensors<T> result;
    std::vector<Buffer<>> buffers;
    if (subject_.problem.joint) {
        set_scalars();
        for (Buffer<> &b : forward_buffers_) {
            std::memset(b.data(), 0xff, b.size_in_bytes());
            buffers.push_back(b);
        }
    } else {
        run_forward();
    }
    for (const NamedOutput &g : result_.gradients) {
        result[g.name.substr(2)] = make(g.name.substr(2));
        buffers.push_back(result[g.name.substr(2)]);
    }
    realize(backward_, buffers);
    return result;
}

template<typename T>
double Check<T>::objective() {
    run_forward();
    double sum = 0;
    for (const auto &[name, output] : outputs) {
        const Buffer<T> &u = upstream.at(name);
        output.for_each_element([&, &y = output](const int *at) {
            sum += static_cast<double>(u(at)) * static_cast<double>(y(at));
        });
    }
    return sum;
}

template<typename T>
Tensors<T> Check<T>::differences() {
    Tensors<T> result;
    for (const NamedOutput &g : result_.gradients) {
        const std::string name = g.name.substr(2);
        Buffer<T> &x = inputs.at(name);
        Buffer<T> fd = make(name);
        x.for_each_element([&](const int *at) {
            const T old = x(at), step = static_cast<T>(step_at(old));
            x(at) = old + step;
            const double above = objective();
            x(at) = old - step;
            const double below = objective();
            x(at) = old;
            fd(at) = static_cast<T>((above - below) / (2 * static_cast<double>(step)));
        });
        result[name] = fd;
    }
    return result;
}

template<typename T>
std::vector<unsigned char> Check<T>::sides() {
    run_forward();
    std::vector<unsigned char> result;
    std::vector<Buffer<>> telling(forward_buffers_.begin() + static_cast<std::ptrdiff_t>(output_count_),
                                  forward_buffers_.end());
    if (!kink_buffers_.empty()) {
        realize(kinks_, kink_buffers_);
        telling.insert(telling.end(), kink_buffers_.begin(), kink_buffers_.end());
    }
    for (const Buffer<> &r : telling) {
        if (r.type().is_float()) {
            const Buffer<T> values = r;
            Buffer<T>(values).for_each_value([&](T v) { result.push_back(v > 0); });
        } else {
            const auto *bytes = static_cast<const unsigned char *>(r.data());
            result.insert(result.end(), bytes, bytes + r.size_in_bytes());
        }
    }
    return result;
}

template<typename T>
bool Check<T>::near_a_kink() {
    const std::vector<unsigned char> here = sides();
    bool near = false;
    for (const NamedOutput &g : result_.gradients) {
        Buffer<T> &x = inputs.at(g.name.substr(2));
        x.for_each_element([&](const int *at) {
            const T old = x(at);
            for (const double sign : {-10.0, 10.0}) {
                x(at) = static_cast<T>(old + sign * step_at(old));
                near = near || sides() != here;
            }
            x(at) = old;
        });
    }
    return near;
}

template class Check<double>;
template class Check<float>;

double gradient_error(const Subject &subject, const Shapes &shapes, unsigned seed, int low_label, int labels,
                      const RuleList *rules) {
    Check<double> check(subject, shapes, rules);
    return gradient_error(check, seed, low_label, labels);
}

double gradient_error(Check<double> &check, unsigned seed, int low_label, int labels) {
    bool drawn = false;
    for (unsigned again = 0; again < 20 && !drawn; again++) {
        check.draw(seed + 1000 * again, low_label, labels);
        drawn = !check.near_a_kink();
    }
    if (!drawn) {
        throw std::runtime_error("twenty draws were all near a kink");
    }
    const Tensors<double> g = check.gradients(), fd = check.differences();
    double worst = 0;
    for (const auto &[name, expected] : fd) {
        const double error = largest(g.at(name), &expected) / std::max(1.0, largest(expected));
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    return worst;
}

}  // namespace eutectic::test
