#include "autodiff/differentiate.h"

#include "autodiff/edges.h"
#include "autodiff/estimates.h"
#include "autodiff/expr_tools.h"
#include "autodiff/residuals/choose.h"
#include "autodiff/tape.h"

#include "base/user_error.h"

#include <algorithm>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

std::string quoted_list(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text.empty() ? "none" : text;
}

bool can_differentiate(const Parameter &p) {
    return p.is_buffer() && p.type().is_float();
}

// The inputs asked for, checked.
std::vector<std::string> inputs_asked_for(const DifferentiationProblem &problem) {
    std::vector<std::string> all;
    for (const Parameter &p : problem.inputs) {
        if (can_differentiate(p)) {
            all.push_back(p.name());
        }
    }
    if (problem.wrt.empty()) {
        return all;
    }
    for (const std::string &name : problem.wrt) {
        if (std::count(problem.wrt.begin(), problem.wrt.end(), name) > 1) {
            throw UserError("gradient_wrt names \"" + name + "\" twice; name each input once.");
        }
        const auto p = std::find_if(problem.inputs.begin(), problem.inputs.end(), [&](const Parameter &q) { return q.name() == name; });
        if (p == problem.inputs.end() || !can_differentiate(*p)) {
            const std::string what = p == problem.inputs.end() ? "is not an input" : "is not a floating-point buffer";
            throw UserError("gradient_wrt names \"" + name + "\", which " + what +
                            "; the inputs that have a gradient are: " + quoted_list(all) + ".");
        }
    }
    return problem.wrt;
}

// Every buffer and scalar parameter that the backward Funcs refer to, for values or for extents.
class FindParameters : public IRGraphVisitor {
public:
    std::set<std::string> names;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        if (op->param.defined()) {
            names.insert(op->param.name());
        }
    }
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->param.defined()) {
            names.insert(op->param.name());
        }
    }
};

std::set<std::string> parameters_of(const std::vector<NamedOutput> &gradients) {
    std::vector<Function> functions;
    for (const NamedOutput &g : gradients) {
        functions.push_back(g.func.function());
    }
    FindParameters find;
    for (const auto &[name, f] : build_environment(functions)) {
        f.accept(&find);
        for (const Definition &update : f.updates()) {
            for (const ReductionVariable &v : update.schedule().rvars()) {
                v.min.accept(&find);
                v.extent.accept(&find);
            }
        }
    }
    return find.names;
}

class Differentiation {
public:
    explicit Differentiation(const DifferentiationProblem &problem)
        : problem_(problem), wrt_(inputs_asked_for(problem)) {
    }

    Differentiated run() {
        prepare();
        Tape tape(order_, regions_, upstream_funcs_, wrt_funcs(), problem_.rules ? *problem_.rules : default_rules());
        tape.run();
        std::vector<Func> gradients;
        for (const std::string &name : wrt_) {
            const auto f = input_funcs_.find(name);
            const Func g = f == input_funcs_.end() ? Func() : tape.gradient(f->second);
            if (!g.defined()) {
                throw UserError("Input \"" + name + "\" has no gradient: no output depends on it in a differentiable way; "
                                                    "leave it out of gradient_wrt.");
            }
            gradients.push_back(g);
            result_.gradients.push_back({"d_" + name, g});
        }
        std::vector<KeptTensor> kept = choose_and_bind(tape, gradients, order_, output_names_, taken_names());
        add_kept(kept);
        add_edges(tape, kept);
        const std::set<std::string> used = parameters_of(result_.gradients);
        for (const Parameter &p : problem_.inputs) {
            if (used.count(p.name())) {
                result_.inputs.push_back(p);
            }
        }
        set_estimates();
        return result_;
    }

private:
    void prepare() {
        std::vector<Function> outputs;
        for (const NamedOutput &output : problem_.outputs) {
            outputs.push_back(output.func.function());
        }
        const std::map<std::string, Function> env = build_environment(outputs);
        for (const std::string &name : topological_order(outputs, env)) {
            order_.push_back(env.at(name));
            const Parameter p = input_of(env.at(name));
            if (p.defined()) {
                input_funcs_[p.name()] = name;
            }
        }
        std::map<std::string, SymbolicRegion> seeds;
        for (const NamedOutput &output : problem_.outputs) {
            add_output(output, seeds);
        }
        regions_ = needed_regions(order_, seeds);
    }

    std::set<std::string> taken_names() const {
        std::set<std::string> names;
        for (const Parameter &p : problem_.inputs) {
            names.insert(p.name());
        }
        for (const NamedOutput &output : problem_.outputs) {
            names.insert({output.name, "d_" + output.name});
        }
        return names;
    }

    void add_output(const NamedOutput &output, std::map<std::string, SymbolicRegion> &seeds) {
        const Function f = output.func.function();
        output_names_[f.name()] = output.name;
        if (f.outputs() != 1 || !f.output_types()[0].is_float()) {
            if (f.outputs() != 1) {
                throw UserError("Output \"" + output.name + "\" is tuple-valued, which autodiff cannot differentiate; "
                                                            "write one output for each element.");
            }
            return;
        }
        const ImageParam d(f.output_types()[0], f.dimensions(), "d_" + output.name);
        SymbolicRegion region;
        for (int i = 0; i < f.dimensions(); i++) {
            region.emplace_back(d.dim(i).min(), simplify_index(d.dim(i).min() + d.dim(i).extent() - 1));
        }
        seeds[f.name()] = region;
        upstream_funcs_[f.name()] = d;
        result_.upstream.push_back(d);
        upstream_of_.emplace_back(d.parameter(), output.func);
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

    // e with the extents of the upstream gradients replaced by those of the outputs: what the backward's region is in the forward.
    Expr in_forward(const Expr &e) const {
        return replace_buffer_extents(e, [&](const Parameter &p, const std::string &what, int d) -> Expr {
            for (const auto &[upstream, output] : upstream_of_) {
                if (p.same_as(upstream)) {
                    return what == "min" ? output.output_buffer().dim(d).min() : output.output_buffer().dim(d).extent();
                }
            }
            return Expr();
        });
    }

    void add_kept(const std::vector<KeptTensor> &kept) {
        for (const KeptTensor &tensor : kept) {
            if (tensor.kind == "output") {
                result_.outputs.push_back(tensor.param);
                continue;
            }
            ResidualTensor residual;
            residual.backward = tensor.param;
            residual.forward = tensor.func;
            if (tensor.kind == "saved") {
                save(tensor);
            } else {
                tensor.made.define(tensor.func);
            }
            in_forward_terms(residual.forward.function());
            residual.info = {tensor.name, type_name(tensor.type), {}, 0, tensor.kind};
            regions_of_kept_.push_back(tensor.region);
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
                    zero_outside(result_.gradients[i].func, p, tape.gradient_region(input_funcs_.at(wrt_[i])), ranges);
                }
            }
        }
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

    // Writes a forward Func out: the residual takes the Func's place for every consumer. A Func without updates becomes the residual
    // itself, under its name; the result of an update definition is copied, so that the output is a pure Func.
    void save(const KeptTensor &tensor) {
        Func residual = tensor.func;
        const std::vector<Expr> args = pure_args(tensor.of);
        const std::vector<Var> vars(tensor.of.args().begin(), tensor.of.args().end());
        const bool is_pure = !tensor.of.has_update_definition() && tensor.of.outputs() == 1;
        residual(vars) = is_pure ? tensor.of.values()[0] : Call::make(tensor.of, args, tensor.value_index);
        if (tensor.of.outputs() > 1) {
            return;
        }
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
        for (size_t i = 0; i < upstream_of_.size(); i++) {
            copy_estimates(upstream_of_[i].second, result_.upstream[i]);
        }
        for (const NamedOutput &gradient : result_.gradients) {
            for (const Parameter &p : problem_.inputs) {
                if ("d_" + p.name() == gradient.name) {
                    copy_estimates(p, gradient.func);
                }
            }
        }
        for (ImageParam &output : result_.outputs) {
            for (const NamedOutput &of : problem_.outputs) {
                if (of.name == output.name()) {
                    copy_estimates(of.func, output);
                }
            }
        }
        for (size_t i = 0; i < result_.residuals.size(); i++) {
            ResidualTensor &residual = result_.residuals[i];
            residual.info.shape = estimate_region(regions_of_kept_[i], residual.backward, residual.forward);
            residual.info.bytes = residual.backward.type().bytes();
            for (const std::int64_t extent : residual.info.shape) {
                residual.info.bytes *= std::max<std::int64_t>(extent, 0);
            }
        }
    }

    const DifferentiationProblem &problem_;
    const std::vector<std::string> wrt_;
    std::vector<Function> order_;
    std::map<std::string, std::string> input_funcs_;   // parameter name -> Func name
    std::map<std::string, std::string> output_names_;  // Func name -> output name
    std::map<std::string, SymbolicRegion> regions_;
    std::map<std::string, Func> upstream_funcs_;  // output's Func name -> Func of the upstream gradient
    std::vector<std::pair<Parameter, Func>> upstream_of_;
    std::vector<SymbolicRegion> regions_of_kept_;
    Differentiated result_;
};

}  // namespace

Differentiated differentiate(const DifferentiationProblem &problem) {
    if (problem.outputs.empty()) {
        throw UserError("A pipeline without outputs was to be differentiated; give it at least one.");
    }
    return Differentiation(problem).run();
}

}  // namespace eutectic
