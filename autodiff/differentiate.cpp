#include "autodiff/differentiate.h"

#include "autodiff/accumulate.h"
#include "autodiff/edges.h"
#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"
#include "autodiff/inputs.h"
#include "autodiff/joint.h"
#include "autodiff/output_copies.h"
#include "autodiff/residuals/halide/choose.h"
#include "autodiff/share.h"
#include "autodiff/stable_softmax.h"
#include "autodiff/tape.h"
#include "autodiff/unbounded.h"
#include "autodiff/validate.h"

#include "base/user_error.h"

#include <algorithm>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// An upstream gradient, and what it is the gradient of.
struct Upstream {
    Parameter parameter;
    Func output;
    int element;
};

class Differentiation {
public:
    explicit Differentiation(const DifferentiationProblem &problem)
        : problem_(problem), wrt_(inputs_asked_for(problem)) {
    }

    Differentiated run() {
        prepare();
        Tape tape(order_, regions_, upstream_funcs_, wrt_funcs(), output_funcs(problem_),
                  problem_.rules ? *problem_.rules : default_rules());
        read_outputs_for_copies(problem_, regions_, tape);
        tape.run();
        std::vector<Func> gradients;
        for (const std::string &name : wrt_) {
            const auto f = input_funcs_.find(name);
            const Func g = f == input_funcs_.end() ? Func() : tape.gradient(f->second);
            if (!g.defined()) {
                throw UserError("Input \"" + name +
                                "\" has no gradient: no output depends on it in a differentiable way; "
                                "leave it out of gradient_wrt.");
            }
            gradients.push_back(g);
            result_.gradients.push_back({"d_" + name, g});
        }
        const ChosenResiduals chosen =
            problem_.joint ? bind_to_forward(tape, gradients, order_)
                           : choose_and_bind(tape, gradients, order_, output_names_, taken_names(),
                                             read_by_backward(tape), problem_.residuals);
        add_kept(chosen.kept, read_by_backward(tape));
        add_edges(tape, chosen.kept);
        result_.without_residual = chosen.others;
        result_.temporary_bytes = chosen.scratch;
        const std::set<std::string> used = parameters_of(gradients);
        for (const Parameter &p : problem_.inputs) {
            if (used.count(p.name())) {
                result_.inputs.push_back(p);
            }
        }
        if (problem_.joint) {
            share_functions(problem_.outputs, result_.gradients);
        }
        set_estimates();
        if (problem_.accumulate && !problem_.joint) {
            result_.given = accumulate(result_.gradients);
        }
        return result_;
    }

private:
    void prepare() {
        const std::vector<Function> outputs = functions_of(problem_.outputs);
        read_inputs_through_funcs(outputs, scalars_asked_for(problem_, wrt_));
        if (!problem_.as_written) {
            write_softmaxes_stably(outputs);
        }
        order_ = computing_order(outputs);
        for (const Function &f : order_) {
            const Parameter p = input_of(f);
            if (p.defined()) {
                input_funcs_[p.name()] = f.name();
            }
        }
        std::map<std::string, SymbolicRegion> seeds;
        for (const NamedOutput &output : problem_.outputs) {
            add_output(output, seeds);
        }
        regions_ = regions_for(seeds);
        while (write_out_unbounded(order_, regions_)) {
            regions_ = regions_for(seeds);
        }
        for (const NamedOutput &output : problem_.outputs) {
            add_read(output);
        }
    }

    // The region of each Func when the outputs have those of `seeds`.
    std::map<std::string, SymbolicRegion>
    regions_for(const std::map<std::string, SymbolicRegion> &seeds) const {
        std::map<std::string, SymbolicRegion> regions = needed_regions(order_, seeds);
        widen_to_inputs(order_, regions);
        for (const Parameter &p : problem_.inputs) {
            const auto f = input_funcs_.find(p.name());
            const auto region = f == input_funcs_.end() ? regions.end() : regions.find(f->second);
            for (size_t d = 0; region != regions.end() && d < region->second.size(); d++) {
                // Clamped indices: all of the input is as good, and needs no guard of its own.
                if (has_extremes(region->second[d])) {
                    region->second[d] = whole_buffer(p)[d];
                }
            }
        }
        return regions;
    }

    // What the output reads of the inputs, for the sizes of its elements, which are the same.
    void add_read(const NamedOutput &output) {
        const Function f = output.func.function();
        for (int element = 0; element < f.outputs(); element++) {
            const std::string name = output_name(output, element);
            const Parameter sizes(f.output_types()[element], true, f.dimensions(),
                                  upstream_name(problem_, name));
            const std::map<std::string, SymbolicRegion> regions =
                regions_for({{f.name(), whole_buffer(sizes)}});
            for (const auto &[input, input_func] : input_funcs_) {
                const auto region = regions.find(input_func);
                if (region != regions.end()) {
                    result_.read[name].emplace(input, region->second);
                }
            }
        }
    }

    std::set<std::string> taken_names() const {
        std::set<std::string> names;
        for (const Parameter &p : problem_.inputs) {
            names.insert(p.name());
        }
        for (const auto &[element, name] : output_names_) {
            names.insert({name, upstream_name(problem_, name)});
        }
        return names;
    }

    bool is_differentiated(const std::string &output) const {
        return problem_.of.empty() || std::count(problem_.of.begin(), problem_.of.end(), output) != 0;
    }

    void add_output(const NamedOutput &output, std::map<std::string, SymbolicRegion> &seeds) {
        const Function f = output.func.function();
        for (int element = 0; element < f.outputs(); element++) {
            const std::string name = output_name(output, element);
            output_names_[{f.name(), element}] = name;
            const Type type = f.output_types()[element];
            if (!type.is_float() || !is_differentiated(output.name)) {
                continue;
            }
            const ImageParam d(type, f.dimensions(), upstream_name(problem_, name));
            copy_sizes(output.func, element, d);
            if (!seeds.count(f.name())) {
                seeds[f.name()] = whole_buffer(d.parameter());
            }
            upstream_funcs_[{f.name(), element}] = d;
            result_.upstream.push_back(d);
            upstream_of_.push_back({d.parameter(), output.func, element});
        }
    }

    std::set<std::string> wrt_funcs() const {
        std::set<std::string> names;
        for (const std::string &name : wrt_) {
            const auto f = input_funcs_.find(name);
            if (f != input_funcs_.end()) {
                names.insert(f->second);
            }
        }
        return names;
    }

    // e with the extents of the upstream gradients replaced by those of the outputs: what the backward's
    // region is in the forward.
    Expr in_forward(const Expr &e) const {
        return replace_buffer_extents(e, [&](const Parameter &p, const std::string &what, int d) -> Expr {
            for (const Upstream &upstream : upstream_of_) {
                if (p.same_as(upstream.parameter)) {
                    const auto dim = upstream.output.output_buffers()[upstream.element].dim(d);
                    return what == "min" ? dim.min() : dim.extent();
                }
            }
            return Expr();
        });
    }

    void add_kept(const std::vector<KeptTensor> &kept, const std::map<std::string, SymbolicRegion> &read) {
        for (const KeptTensor &tensor : kept) {
            if (tensor.kind == "output") {
                result_.outputs.push_back(tensor.param);
                continue;
            }
            ResidualTensor residual;
            residual.backward = tensor.param;
            residual.forward = tensor.func;
            if (tensor.kind == "saved") {
                save(tensor, may_read_less(tensor, read));
            } else {
                tensor.made.define(tensor.func);
                for (const auto &[of, saved] : saved_) {
                    residual.forward.function().substitute_calls(of, saved);
                }
            }
            in_forward_terms(residual.forward.function());
            residual.info = tensor.info;
            residual.info.type = type_name(tensor.type);
            residual.region = tensor.region;
            result_.residuals.push_back(residual);
        }
    }

    void add_edges(const Tape &tape, const std::vector<KeptTensor> &kept) const {
        std::map<std::string, SymbolicRegion> ranges;
        for (const Parameter &p : problem_.inputs) {
            if (p.is_buffer()) {
                ranges[p.name()] = whole_buffer(p);
            }
        }
        for (const ImageParam &d : result_.upstream) {
            ranges[d.name()] = whole_buffer(d.parameter());
        }
        for (const KeptTensor &tensor : kept) {
            ranges[tensor.name] = tensor.region;
        }
        for (size_t i = 0; i < wrt_.size(); i++) {
            for (const Parameter &p : problem_.inputs) {
                if (p.name() == wrt_[i]) {
                    zero_outside(result_.gradients[i].func, p, tape.gradient_region(input_funcs_.at(wrt_[i])),
                                 ranges);
                }
            }
        }
    }

    // May the backward read less of a saved tensor than the forward needs of the Func? Whoever asks the
    // backward for the residual's shape then gets one in which the forward could not keep the Func's values.
    static bool may_read_less(const KeptTensor &tensor, const std::map<std::string, SymbolicRegion> &read) {
        const auto wanted = read.find(Func(tensor.param).name());
        for (size_t d = 0; wanted != read.end() && d < tensor.region.size(); d++) {
            if (!same_interval(wanted->second[d], tensor.region[d])) {
                return true;
            }
        }
        return false;
    }

    // What the backward reads of each of its inputs, by the input's Func.
    std::map<std::string, SymbolicRegion> read_by_backward(const Tape &tape) const {
        std::vector<Function> gradients;
        std::map<std::string, SymbolicRegion> seeds;
        for (size_t i = 0; i < wrt_.size(); i++) {
            gradients.push_back(result_.gradients[i].func.function());
            seeds[gradients.back().name()] = tape.gradient_region(input_funcs_.at(wrt_[i]));
        }
        const std::map<std::string, Function> env = build_environment(gradients);
        std::vector<Function> order;
        for (const std::string &name : topological_order(gradients, env)) {
            order.push_back(env.at(name));
        }
        return needed_regions(order, seeds);
    }

    static std::string type_name(const Type &t) {
        std::ostringstream out;
        out << t;
        return out.str();
    }

    void in_forward_terms(Function f) const {
        for (Expr &value : f.definition().values()) {
            value = in_forward(value);
        }
    }

    // Writes a forward Func out: the residual takes the Func's place for every consumer. A Func without
    // updates becomes the residual itself, under its name; the result of an update definition is copied, so
    // that the output is a pure Func. A residual `in_part` is a copy beside the Func.
    void save(const KeptTensor &tensor, bool in_part) {
        Func residual = tensor.func;
        const std::vector<Expr> args = pure_args(tensor.of);
        const std::vector<Var> vars(tensor.of.args().begin(), tensor.of.args().end());
        const bool is_pure = !tensor.of.has_update_definition() && tensor.of.outputs() == 1 && !in_part;
        residual(vars) = is_pure ? tensor.of.values()[0] : Call::make(tensor.of, args, tensor.value_index);
        if (tensor.of.outputs() > 1 || in_part) {
            return;
        }
        saved_.emplace_back(tensor.of, residual.function());
        for (Function &f : order_) {
            if (f.name() != tensor.of.name()) {
                f.substitute_calls(tensor.of, residual.function());
            }
        }
        for (ResidualTensor &other : result_.residuals) {
            other.forward.function().substitute_calls(tensor.of, residual.function());
        }
    }

    void set_estimates() {
        for (const NamedOutput &gradient : result_.gradients) {
            for (const Parameter &p : problem_.inputs) {
                if ("d_" + p.name() == gradient.name) {
                    copy_sizes(p, gradient.func);
                }
            }
        }
        for (ImageParam &output : result_.outputs) {
            for (const NamedOutput &of : problem_.outputs) {
                for (int element = 0; element < of.func.outputs(); element++) {
                    if (output_name(of, element) == output.name()) {
                        copy_sizes(of.func, element, output);
                    }
                }
            }
        }
        for (size_t i = 0; i < result_.residuals.size(); i++) {
            ResidualTensor &residual = result_.residuals[i];
            residual.info.shape = estimate_region(residual.region, residual.backward, residual.forward);
            residual.info.bytes = residual.backward.type().bytes();
            for (const std::int64_t extent : residual.info.shape) {
                residual.info.bytes *= std::max<std::int64_t>(extent, 0);
            }
        }
    }

    const DifferentiationProblem &problem_;
    const std::vector<std::string> wrt_;
    std::vector<Function> order_;
    std::map<std::string, std::string> input_funcs_;  // parameter name -> Func name
    std::map<Element, std::string> output_names_;     // output's Func -> output name
    std::map<std::string, SymbolicRegion> regions_;
    std::map<Element, Func> upstream_funcs_;  // output's Func -> Func of the upstream gradient
    std::vector<Upstream> upstream_of_;
    std::vector<std::pair<Function, Function>> saved_;  // a forward Func and the residual in its place
    Differentiated result_;
};

}  // namespace

std::vector<Function> functions_of(const std::vector<NamedOutput> &outputs) {
    std::vector<Function> functions;
    for (const NamedOutput &output : outputs) {
        functions.push_back(output.func.function());
    }
    return functions;
}

std::string output_name(const NamedOutput &output, int element) {
    return output.func.outputs() == 1 ? output.name : output.name + "_" + std::to_string(element);
}

std::string upstream_name(const DifferentiationProblem &problem, const std::string &output) {
    const auto is_input = [&](const std::string &name) {
        return std::any_of(problem.inputs.begin(), problem.inputs.end(),
                           [&](const Parameter &p) { return p.name() == name; });
    };
    std::string name = "d_" + output;
    for (int number = 2; is_input(name); number++) {
        name = "d_" + output + "_" + std::to_string(number);
    }
    return name;
}

Differentiated differentiate(const DifferentiationProblem &problem) {
    if (problem.outputs.empty()) {
        throw UserError("A pipeline without outputs was to be differentiated; give it at least one.");
    }
    check_outputs(problem);
    return Differentiation(problem).run();
}

}  // namespace eutectic
