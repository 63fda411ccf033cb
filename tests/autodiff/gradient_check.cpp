#include "gradient_check.h"

#include "autodiff/expr_tools.h"
#include "autodiff/generator.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic::test {

namespace {

void compute_root(const std::vector<Func> &outputs) {
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

template<typename T>
void for_each(Buffer<T> &buffer, const std::function<void(T &)> &visit) {
    buffer.for_each_value([&](T &v) { visit(v); });
}

template<typename T>
double largest(const Buffer<T> &a, const Buffer<T> *b = nullptr) {
    double worst = 0;
    a.for_each_element([&](const int *at) {
        const double difference = std::abs(static_cast<double>(a(at)) - (b ? static_cast<double>((*b)(at)) : 0.0));
        worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    });
    return worst;
}

// What a compiled pipeline reported. An exception can't leave a compiled function, so that the message is kept and thrown afterwards.
std::string run_time_error;

void note_error(JITUserContext *, const char *message) {
    run_time_error = message;
}

template<typename Run>
void throwing(const Run &run) {
    run_time_error.clear();
    run();
    if (!run_time_error.empty()) {
        throw std::runtime_error(run_time_error);
    }
}

double step_at(double x) {
    return 6e-6 * std::max(1.0, std::abs(x));
}

}  // namespace

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
    compute_root(forward);
    compute_root(backward);
    forward_ = Pipeline(forward);
    backward_ = Pipeline(backward);
    forward_.jit_handlers().custom_error = note_error;
    backward_.jit_handlers().custom_error = note_error;
}

template<typename T>
Buffer<T> Check<T>::make(const std::string &name) const {
    const std::vector<Extent> &shape = shapes_.at(name);
    std::vector<int> sizes, mins;
    for (const Extent &e : shape) {
        sizes.push_back(e.extent);
        mins.push_back(e.min);
    }
    Buffer<T> buffer = Buffer<T>(sizes);
    buffer.set_min(mins);
    return buffer;
}

template<typename T>
void Check<T>::draw(unsigned seed, int low, int count) {
    std::mt19937 engine(seed);
    const auto random = [&] { return static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(engine)); };
    for (Parameter p : subject_.problem.inputs) {
        if (!p.is_buffer()) {
            if (p.type() != UInt(32)) {
                throw std::runtime_error("scalar inputs are seeds here, and " + p.name() + " is none");
            }
            p.set_scalar<uint32_t>(7);
        } else if (p.type().is_float()) {
            inputs[p.name()] = make(p.name());
            for_each<T>(inputs[p.name()], [&](T &v) { v = random(); });
            p.set_buffer(inputs[p.name()]);
        } else {
            const std::vector<Extent> shape = shapes_.at(p.name());
            Buffer<int> labels(std::vector<int>{shape[0].extent});
            labels.set_min(shape[0].min);
            labels.for_each_value([&](int &v) { v = low + std::uniform_int_distribution<int>(0, count - 1)(engine); });
            p.set_buffer(labels);
        }
    }
    forward_buffers_.clear();
    for (size_t i = 0; i < subject_.problem.outputs.size(); i++) {
        const std::string name = subject_.problem.outputs[i].name;
        outputs[name] = make(name);
        upstream[name] = make(name);
        for_each<T>(upstream[name], [&](T &v) { v = random(); });
        forward_buffers_.push_back(outputs[name]);
        result_.upstream[i].set(upstream[name]);
    }
    for (ImageParam &output : result_.outputs) {
        output.set(outputs[output.name()]);
    }
    // What the backward wants to read of the residuals is what the forward is asked to write.
    std::vector<Buffer<>> wanted;
    for (const NamedOutput &g : result_.gradients) {
        wanted.push_back(make(g.name.substr(2)));
    }
    for (ResidualTensor &r : result_.residuals) {
        r.backward.reset();
    }
    Realization realization(wanted);
    throwing([&] { backward_.infer_input_bounds(realization); });
    for (ResidualTensor &r : result_.residuals) {
        forward_buffers_.push_back(r.backward.get());
    }
}

template<typename T>
void Check<T>::run_forward() {
    Realization realization(forward_buffers_);
    throwing([&] { forward_.realize(realization); });
}

template<typename T>
Buffer<> Check<T>::residual(const std::string &name) const {
    for (size_t i = 0; i < result_.residuals.size(); i++) {
        if (result_.residuals[i].info.name == name) {
            return forward_buffers_[subject_.problem.outputs.size() + i];
        }
    }
    throw std::runtime_error("there is no residual " + name);
}

template<typename T>
Tensors<T> Check<T>::gradients() {
    run_forward();
    Tensors<T> result;
    std::vector<Buffer<>> buffers;
    for (const NamedOutput &g : result_.gradients) {
        result[g.name.substr(2)] = make(g.name.substr(2));
        buffers.push_back(result[g.name.substr(2)]);
    }
    Realization realization(buffers);
    throwing([&] { backward_.realize(realization); });
    return result;
}

template<typename T>
double Check<T>::objective() {
    run_forward();
    double sum = 0;
    for (const auto &[name, output] : outputs) {
        const Buffer<T> &u = upstream.at(name);
        output.for_each_element([&, &y = output](const int *at) { sum += static_cast<double>(u(at)) * static_cast<double>(y(at)); });
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
    for (size_t i = 0; i < result_.residuals.size(); i++) {
        const Buffer<> &r = forward_buffers_[subject_.problem.outputs.size() + i];
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

double gradient_error(const Subject &subject, const Shapes &shapes, unsigned seed, int low_label, int labels, const RuleList *rules) {
    Check<double> check(subject, shapes, rules);
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
        worst = std::max(worst, largest(g.at(name), &expected) / std::max(1.0, largest(expected)));
    }
    return worst;
}

RuleList with_flipped_sign(const RuleList &rules, const std::string &name) {
    // Forwards everything to the tape's own site, but the adjoint comes negated.
    class Flipped : public AdjointSite {
    public:
        explicit Flipped(AdjointSite &site)
            : site_(site) {
        }
        const Function &func() const override {
            return site_.func();
        }
        const SymbolicRegion &region() const override {
            return site_.region();
        }
        Expr adjoint(const std::vector<Expr> &args) override {
            return -site_.adjoint(args);
        }
        bool is_active(const Function &g) const override {
            return site_.is_active(g);
        }
        bool is_output(const Function &g) const override {
            return site_.is_output(g);
        }
        Expr value(const Function &g, const std::vector<Expr> &args) override {
            return site_.value(g, args);
        }
        Expr values_in(const Expr &e) override {
            return site_.values_in(e);
        }
        Expr made(const MadeResidual &r, const Type &t, const std::vector<Expr> &args) override {
            return site_.made(r, t, args);
        }
        void contribute(const Function &g, const Contribution &c, const SymbolicRegion *within) override {
            site_.contribute(g, c, within);
        }
        Func define(const std::string &n, const Contribution &d, const SymbolicRegion &r) override {
            return site_.define(n, d, r);
        }
        void chain(const std::vector<std::string> &vars, const SymbolicRegion &r, const Expr &inner, const Expr &adjoint) override {
            site_.chain(vars, r, inner, adjoint);
        }

    private:
        AdjointSite &site_;
    };
    RuleList result = rules;
    for (DerivativeRule &rule : result) {
        if (rule.name == name) {
            rule.apply = [apply = rule.apply](AdjointSite &site) {
                Flipped flipped(site);
                return apply(flipped);
            };
        }
    }
    return result;
}

RuleList without_rule(const RuleList &rules, const std::string &name) {
    RuleList result;
    for (const DerivativeRule &rule : rules) {
        if (rule.name != name) {
            result.push_back(rule);
        }
    }
    return result;
}

std::string definitions(const Func &func) {
    std::ostringstream out;
    for (const auto &[name, f] : build_environment({func.function()})) {
        if (input_of(f).defined()) {
            continue;
        }
        for (const StageBody &body : stage_bodies(f)) {
            out << name << "(";
            for (size_t d = 0; d < body.args.size(); d++) {
                out << (d ? ", " : "") << body.args[d];
            }
            out << ") = " << body.value << "\n";
        }
    }
    return out.str();
}

}  // namespace eutectic::test
