#include "schedules/hlpipe/arguments.h"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "base/user_error.h"
#include "graph/read/copies.h"
#include "graph/read/outputs.h"
#include "schedules/hlpipe/terms.h"
#include "schedules/hlpipe/values.h"

namespace eutectic {

using namespace Halide;
using nlohmann::json;

namespace {

std::vector<Internal::Bound> &func_estimates(const Func &f) {
    Internal::Function function = f.function();
    return function.schedule().estimates();
}

/** The estimate of one dimension of an output, on its Func or on its buffer. */
bool has_estimate(const OutputBuffer &o, int d) {
    const std::string var = o.func.args()[d].name();
    const std::vector<Internal::Bound> &all = func_estimates(o.func);
    const bool on_func = std::any_of(
        all.begin(), all.end(), [&](const Internal::Bound &b) { return b.var == var && b.extent.defined(); });
    return on_func || o.parameter.extent_constraint_estimate(d).defined();
}

/** Sets the estimate of an output where plans look for it first. */
void set_output_estimate(const OutputBuffer &o, int d, const Expr &min, const Expr &extent) {
    const std::string var = o.func.args()[d].name();
    std::vector<Internal::Bound> &all = func_estimates(o.func);
    all.erase(std::remove_if(all.begin(), all.end(), [&](const Internal::Bound &b) { return b.var == var; }),
              all.end());
    Internal::Bound bound;
    bound.var = var;
    bound.min = min;
    bound.extent = extent;
    all.push_back(bound);
}

Expr expr_of(const json &term, const std::map<std::string, Parameter> &parameters, const std::string &what) {
    if (term.is_null()) {
        return Expr();
    }
    return term.is_string() ? parse_term(term.get<std::string>(), parameters, what)
                            : constant_expr(term, Int(32), what);
}

/** What a file says of one argument, set on its parameter. `parameters`: what constraints may name. */
class Restore {
public:
    Restore(const std::string &file, const std::map<std::string, Parameter> &parameters)
        : file_(file), parameters_(parameters) {
    }

    void set(const ArgumentRecord &a, Parameter p) const {
        check(a, p);
        if (!a.buffer) {
            p.set_estimate(constant_expr(a.estimate, p.type(), what("estimate", a)));
            p.set_default_value(constant_expr(a.default_value, p.type(), what("default", a)));
            p.set_min_value(constant_expr(a.min, p.type(), what("min", a)));
            p.set_max_value(constant_expr(a.max, p.type(), what("max", a)));
            return;
        }
        if (a.host_alignment > 0) {
            p.set_host_alignment(a.host_alignment);
        }
        for (int d = 0; d < p.dimensions(); d++) {
            set_dimension(a, d, p);
        }
    }

private:
    const std::string &file_;
    const std::map<std::string, Parameter> &parameters_;

    std::string what(const std::string &property, const ArgumentRecord &a, int d = -1) const {
        return "The " + property + (d < 0 ? "" : " of dimension " + std::to_string(d)) + " of " + a.name +
               " in the arguments file " + file_;
    }

    void check(const ArgumentRecord &a, const Parameter &p) const {
        const bool same = type_name(p.type()) == a.type && p.is_buffer() == a.buffer &&
                          (!a.buffer || static_cast<size_t>(p.dimensions()) == a.dimensions.size());
        if (!same) {
            std::ostringstream s;
            s << "The arguments file " << file_ << " says that " << a.name << " is a "
              << (a.buffer ? "buffer of " + std::to_string(a.dimensions.size()) + " dimensions of " : "")
              << a.type << ", but in the pipeline it is a "
              << (p.is_buffer() ? "buffer of " + std::to_string(p.dimensions()) + " dimensions of " : "")
              << type_name(p.type()) << ": put the file beside the pipeline that it was written with.";
            throw UserError(s.str());
        }
    }

    void set_dimension(const ArgumentRecord &a, int d, Parameter &p) const {
        const DimensionRecord &r = a.dimensions[d];
        if (!r.min_estimate.is_null()) {
            p.set_min_constraint_estimate(
                d, constant_expr(r.min_estimate, Int(32), what("estimated min", a, d)));
        }
        if (!r.extent_estimate.is_null()) {
            p.set_extent_constraint_estimate(
                d, constant_expr(r.extent_estimate, Int(32), what("estimated extent", a, d)));
        }
        if (!r.min.is_null()) {
            p.set_min_constraint(d, expr_of(r.min, parameters_, what("min", a, d)));
        }
        if (!r.extent.is_null()) {
            p.set_extent_constraint(d, expr_of(r.extent, parameters_, what("extent", a, d)));
        }
        if (r.stride != "") {  // NOLINT(readability-container-size-empty): JSON
            p.set_stride_constraint(d, expr_of(r.stride, parameters_, what("stride", a, d)));
        }
    }
};

/** "784x128" as numbers; nothing when it is anything else. */
std::optional<std::vector<int>> sizes(const std::string &text) {
    std::vector<int> result;
    std::istringstream parts(text + "x");
    for (std::string part; std::getline(parts, part, 'x');) {
        if (part.empty() || part.size() > 9 || part.find_first_not_of("0123456789") != std::string::npos ||
            std::stoi(part) < 1) {
            return std::nullopt;
        }
        result.push_back(std::stoi(part));
    }
    return result;
}

std::vector<int> sizes_for(const std::string &name, const std::string &value, int dimensions) {
    const std::optional<std::vector<int>> parsed = sizes(value);
    if (!parsed || parsed->size() != static_cast<size_t>(dimensions)) {
        throw UserError("The argument " + name + " was given as \"" + value + "\", and it is a buffer of " +
                        std::to_string(dimensions) +
                        " dimensions: give its size in points, innermost first, such as --arg " + name + "=" +
                        (dimensions == 1 ? "1024" : "784x128") + ".");
    }
    return *parsed;
}

Expr zero_unless(const Expr &min) {
    return min.defined() ? min : Expr(0);
}

void give_input(const std::string &name, const std::string &value, Parameter &p) {
    if (p.is_buffer()) {
        const std::vector<int> given = sizes_for(name, value, p.dimensions());
        for (int d = 0; d < p.dimensions(); d++) {
            p.set_min_constraint_estimate(d, zero_unless(p.min_constraint_estimate(d)));
            p.set_extent_constraint_estimate(d, given[d]);
        }
        return;
    }
    const json number = json::parse(value, nullptr, false);
    if (number.is_discarded() || (!number.is_number() && !number.is_boolean())) {
        throw UserError("The argument " + name + " was given as \"" + value + "\", and it is a " +
                        type_name(p.type()) + ": give a number.");
    }
    p.set_estimate(constant_expr(number, p.type(), "The argument " + name));
}

}  // namespace

void refuse_name(const std::string &subject, const std::string &path, const std::string &name,
                 const std::vector<std::string> &known) {
    throw UserError(subject + " no argument of " + path + ": " + nearest_or_all(name, known) + ".");
}

void find_outputs(const Pipeline &pipeline, Arguments &arguments) {
    for (const Func &f : pipeline.outputs()) {
        for (const Parameter &p : f.function().output_buffers()) {
            const auto read = arguments.parameters.find(p.name());
            if (read != arguments.parameters.end()) {
                arguments.parameters.erase(read);
            }
            arguments.outputs.push_back({p, f, p.name()});
        }
    }
}

void restore_from_wrappers(const Pipeline &pipeline) {
    for (const auto &[name, f] : Internal::build_environment(output_functions(pipeline))) {
        const Internal::Call *load = wrapped_buffer(f);
        if (!load || !load->param.defined()) {
            continue;
        }
        Parameter p = load->param;
        for (const Internal::Bound &b : f.schedule().estimates()) {
            const auto arg = std::find(f.args().begin(), f.args().end(), b.var);
            const int d = static_cast<int>(arg - f.args().begin());
            if (arg != f.args().end() && b.extent.defined() && !p.extent_constraint_estimate(d).defined()) {
                p.set_min_constraint_estimate(d, zero_unless(b.min));
                p.set_extent_constraint_estimate(d, b.extent);
            }
        }
    }
}

void restore(const Sidecar &sidecar, const std::string &file, Arguments &arguments) {
    std::map<std::string, Parameter> known = arguments.parameters;
    for (const OutputBuffer &o : arguments.outputs) {
        known.emplace(o.parameter.name(), o.parameter);
    }
    const Restore to(file, known);
    for (const ArgumentRecord &a : sidecar.inputs) {
        const auto p = arguments.parameters.find(a.name);
        if (p != arguments.parameters.end()) {
            to.set(a, p->second);
        }
    }
    if (!sidecar.outputs.empty() && sidecar.outputs.size() != arguments.outputs.size()) {
        throw UserError("The arguments file " + file + " lists " + std::to_string(sidecar.outputs.size()) +
                        " output buffers, and the pipeline has " + std::to_string(arguments.outputs.size()) +
                        ": put the file beside the pipeline that it was written with.");
    }
    for (size_t i = 0; i < sidecar.outputs.size(); i++) {
        OutputBuffer &o = arguments.outputs[i];
        to.set(sidecar.outputs[i], o.parameter);
        o.name = sidecar.outputs[i].name;
        for (int d = 0; d < o.parameter.dimensions(); d++) {
            const Expr extent = o.parameter.extent_constraint_estimate(d);
            if (extent.defined() && !sidecar.outputs[i].dimensions[d].extent_estimate.is_null()) {
                set_output_estimate(o, d, zero_unless(o.parameter.min_constraint_estimate(d)), extent);
            }
        }
    }
}

void give(const std::map<std::string, std::string> &values, const std::string &path, Arguments &arguments) {
    for (const auto &[name, value] : values) {
        const auto input = arguments.parameters.find(name);
        if (input != arguments.parameters.end()) {
            give_input(name, value, input->second);
            continue;
        }
        std::vector<std::string> known;
        for (const auto &[parameter, p] : arguments.parameters) {
            known.push_back(parameter);
        }
        bool found = false;
        for (const OutputBuffer &o : arguments.outputs) {
            known.push_back(o.name);
            if (o.name != name) {
                continue;
            }
            const std::vector<int> given = sizes_for(name, value, o.parameter.dimensions());
            for (int d = 0; d < o.parameter.dimensions(); d++) {
                set_output_estimate(o, d, 0, given[d]);
            }
            found = true;
        }
        if (!found) {
            refuse_name("--arg names " + name + ", which is", path, name, known);
        }
    }
}

std::vector<Argument> inputs_in_order(const Sidecar &sidecar, const std::string &file,
                                      const Arguments &arguments) {
    const auto argument = [](const Parameter &p) {
        return Argument(p.name(), p.is_buffer() ? Argument::InputBuffer : Argument::InputScalar, p.type(),
                        p.dimensions(), p.get_argument_estimates());
    };
    std::vector<Argument> inputs;
    std::map<std::string, Parameter> left = arguments.parameters;
    for (const ArgumentRecord &a : sidecar.inputs) {
        const auto p = left.find(a.name);
        if (p != left.end()) {
            inputs.push_back(argument(p->second));
            left.erase(p);
            continue;
        }
        const std::optional<Type> type = type_named(a.type);
        if (!type) {
            throw UserError("The arguments file " + file + " gives " + a.name + " the type " + a.type +
                            ", which is none: write one such as float32, uint8 or bool.");
        }
        inputs.emplace_back(a.name, a.buffer ? Argument::InputBuffer : Argument::InputScalar, *type,
                            static_cast<int>(a.dimensions.size()), ArgumentEstimates{});
    }
    if (sidecar.ordered && !left.empty()) {
        throw UserError(
            "The arguments file " + file + " leaves out " + left.begin()->first +
            ", which the pipeline reads: put the file beside the pipeline that it was written with.");
    }
    for (const auto &[name, p] : left) {
        inputs.push_back(argument(p));
    }
    return inputs;
}

std::vector<std::string> without_estimate(const Arguments &arguments) {
    std::vector<std::string> names;
    for (const auto &[name, p] : arguments.parameters) {
        bool missing = !p.is_buffer() && !p.estimate().defined();
        for (int d = 0; p.is_buffer() && d < p.dimensions(); d++) {
            missing = missing || !p.extent_constraint_estimate(d).defined();
        }
        if (missing) {
            names.push_back(name);
        }
    }
    for (const OutputBuffer &o : arguments.outputs) {
        bool missing = false;
        for (int d = 0; d < o.parameter.dimensions(); d++) {
            missing = missing || !has_estimate(o, d);
        }
        if (missing) {
            names.push_back(o.name);
        }
    }
    return names;
}

}  // namespace eutectic
