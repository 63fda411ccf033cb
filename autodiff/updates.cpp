#include "autodiff/updates.h"

#include "autodiff/clamped_reads.h"

#include "autodiff/bounds.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

bool reads(const Expr &e, const Function &f) {
    for (const Call *call : calls_in(e)) {
        if (call->name == f.name()) {
            return true;
        }
    }
    return false;
}

// How an update of one element reads the value that it replaces.
class PreviousValue {
public:
    PreviousValue(const Function &f, int element, const StageBody &update, const IsActive &is_active)
        : f_(f), element_(element), update_(update), is_active_(is_active) {
    }

    // A sum, whatever its order; or linear, and each point once.
    bool is_linear() const {
        for (const Call *call : calls_in(update_.value)) {
            if (call->name == f_.name() && !is_previous(Expr(call))) {
                return false;
            }
        }
        for (const Expr &arg : update_.args) {
            if (reads(arg, f_)) {
                return false;
            }
        }
        if (const Add *add = update_.value.as<Add>(); add && ((is_previous(add->a) && !reads(add->b, f_)) ||
                                                              (is_previous(add->b) && !reads(add->a, f_)))) {
            return true;
        }
        return is_linear(update_.value) && each_point_once();
    }

private:
    bool is_previous(const Expr &e) const {
        return is_read_at(e.as<Call>(), f_, element_, update_.args);
    }
    bool reads_active(const Expr &e) const {
        for (const Call *call : calls_in(e)) {
            if (call->call_type == Call::Halide && call->name != f_.name() &&
                is_active_(callee(call), call->value_index)) {
                return true;
            }
        }
        return false;
    }
    // A sum of the previous value times what the gradient does not pass through, and anything without the
    // previous value.
    bool is_linear(const Expr &e) const {
        if (!reads(e, f_) || is_previous(e)) {
            return true;
        }
        const auto is_factor = [&](const Expr &c) { return !reads(c, f_) && !reads_active(c); };
        if (const Add *op = e.as<Add>()) {
            return is_linear(op->a) && is_linear(op->b);
        }
        if (const Sub *op = e.as<Sub>()) {
            return is_linear(op->a) && is_linear(op->b);
        }
        if (const Mul *op = e.as<Mul>()) {
            return (is_linear(op->a) && is_factor(op->b)) || (is_linear(op->b) && is_factor(op->a));
        }
        if (const Div *op = e.as<Div>()) {
            return is_linear(op->a) && is_factor(op->b);
        }
        if (const Select *op = e.as<Select>()) {
            return !reads(op->condition, f_) && is_linear(op->true_value) && is_linear(op->false_value);
        }
        return false;
    }
    // Every reduction variable is an argument of the left-hand side by itself.
    bool each_point_once() const {
        for (const ReductionVariable &v : update_.rvars) {
            const bool found = std::any_of(update_.args.begin(), update_.args.end(), [&](const Expr &arg) {
                const Variable *plain = arg.as<Variable>();
                return plain && plain->name == v.var;
            });
            if (!found) {
                return false;
            }
        }
        return true;
    }

    const Function &f_;
    const int element_;
    const StageBody &update_;
    const IsActive &is_active_;
};

bool at_pure_point(const Function &f, const std::vector<Expr> &args) {
    for (size_t d = 0; d < args.size(); d++) {
        if (!is_pure_argument(f, args, d)) {
            return false;
        }
    }
    return true;
}

bool is_reduction(const Function &f, const UpdateStep &step) {
    if (!at_pure_point(f, step.args)) {
        return false;
    }
    for (const Expr &value : step.values) {
        for (const Call *call : calls_in(value)) {
            if (call->name == f.name() && !at_pure_point(f, call->args)) {
                return false;
            }
        }
    }
    return true;
}

// ±v + e with no variable in e: fills `dim`.
bool match_dim(const Expr &arg, const UpdateStep &step, const Function &f, ScanDim &dim) {
    for (size_t r = 0; r < step.rvars.size(); r++) {
        const std::string &v = step.rvars[r].var;
        if (!uses_variable(arg, v)) {
            continue;
        }
        for (const int sign : {1, -1}) {
            const Expr rest = simplify_index(arg - sign * Variable::make(Int(32), v));
            if (!uses_variable(rest, v)) {
                dim.variable = static_cast<int>(r);
                dim.sign = sign;
                dim.offset = rest;
            }
        }
        break;
    }
    if (dim.variable < 0) {
        dim.offset = arg;
    }
    const auto free_of = [&](const std::string &v) { return !uses_variable(dim.offset, v); };
    const bool fixed = std::all_of(f.args().begin(), f.args().end(), free_of) &&
                       std::all_of(step.rvars.begin(), step.rvars.end(),
                                   [&](const ReductionVariable &v) { return free_of(v.var); });
    return fixed && calls_in(dim.offset).empty();
}

}  // namespace

bool is_pure_argument(const Function &f, const std::vector<Expr> &args, size_t d) {
    const Variable *v = args[d].as<Variable>();
    return v && v->name == f.args()[d] && !v->reduction_domain.defined();
}

UpdateStep step_of(const Function &f, size_t stage) {
    UpdateStep step;
    std::map<std::string, Expr> plain;
    for (int element = 0; element < f.outputs(); element++) {
        StageBody body = stage_bodies(f, element)[stage];
        if (!body.predicate.empty()) {
            body = without_predicate(f, element, body);
        }
        // Of each element's own domain the same plain variables.
        for (size_t r = 0; r < body.rvars.size(); r++) {
            if (element == 0) {
                step.rvars.push_back({unique_name("step"), body.rvars[r].min, body.rvars[r].extent});
            }
            plain[body.rvars[r].var] = Variable::make(Int(32), step.rvars[r].var);
        }
        step.values.push_back(with_unclamped_reads(replace_variables(body.value, plain), f, step.rvars));
        if (element == 0) {
            for (const Expr &arg : body.args) {
                step.args.push_back(replace_variables(arg, plain));
            }
        }
    }
    return step;
}

std::vector<ScanDim> scan_dims(const Function &f, const UpdateStep &step) {
    std::vector<ScanDim> dims(step.args.size());
    std::vector<int> used(step.rvars.size(), 0);
    for (size_t d = 0; d < dims.size(); d++) {
        dims[d].is_pure = is_pure_argument(f, step.args, d);
        if (dims[d].is_pure) {
            continue;
        }
        if (!match_dim(step.args[d], step, f, dims[d])) {
            return {};
        }
        if (dims[d].variable >= 0) {
            used[dims[d].variable]++;
        }
    }
    const bool once = std::all_of(used.begin(), used.end(), [](int n) { return n == 1; });
    return once ? dims : std::vector<ScanDim>();
}

std::vector<SelfRead> self_reads(const Function &f, const UpdateStep &step,
                                 const std::vector<ScanDim> &dims) {
    std::vector<SelfRead> result;
    for (const Expr &value : step.values) {
        for (const Call *call : calls_in(value)) {
            const bool known = std::any_of(result.begin(), result.end(), [&](const SelfRead &r) {
                return is_read_at(call, f, r.element, r.args);
            });
            if (call->name != f.name() || known) {
                continue;
            }
            SelfRead read{call->value_index, call->args, {}, false};
            // The step that writes the point, less this one: its last variable, the outermost, decides which
            // is earlier.
            std::vector<int> time(step.rvars.size(), 0);
            bool same_line = true;
            for (size_t d = 0; d < dims.size(); d++) {
                const auto distance = as_const_int(simplify_index(call->args[d] - step.args[d]));
                if (!distance || (dims[d].is_pure && *distance != 0)) {
                    throw unsupported(
                        f,
                        "has an update that reads its own values at other points than at constant distances",
                        "keep the earlier values in a Func of their own, or write the update as a sum over a "
                        "reduction domain");
                }
                read.distance.push_back(static_cast<int>(*distance));
                if (dims[d].variable >= 0) {
                    time[dims[d].variable] = dims[d].sign * read.distance.back();
                } else if (read.distance.back() != 0) {
                    same_line = false;
                }
            }
            const auto outermost = std::find_if(time.rbegin(), time.rend(), [](int t) { return t != 0; });
            read.is_written = same_line && outermost != time.rend() && *outermost < 0;
            result.push_back(read);
        }
    }
    return result;
}

Expr added_by(const Function &f, int element, const UpdateStep &step) {
    return added_by(f, element, step.args, step.values[element]);
}

Expr added_by(const Function &f, int element, const std::vector<Expr> &args, const Expr &value) {
    for (const Expr &arg : args) {
        if (reads(arg, f)) {
            return Expr();
        }
    }
    const Add *add = value.as<Add>();
    const auto is_self = [&](const Expr &e) { return is_read_at(e.as<Call>(), f, element, args); };
    const Expr rest = !add ? Expr() : is_self(add->a) ? add->b : is_self(add->b) ? add->a : Expr();
    return rest.defined() && !reads(rest, f) ? rest : Expr();
}

UpdateKind kind_of_update(const Function &f, size_t stage, const IsActive &is_active) {
    bool linear = true;
    for (int element = 0; element < f.outputs(); element++) {
        linear = linear && PreviousValue(f, element, stage_bodies(f, element)[stage], is_active).is_linear();
    }
    const UpdateStep step = step_of(f, stage);
    bool adds = !at_pure_point(f, step.args);
    for (int element = 0; element < f.outputs(); element++) {
        adds = adds && added_by(f, element, step).defined();
    }
    if (adds) {
        return UpdateKind::scatter;
    }
    if (linear) {
        return UpdateKind::linear;
    }
    if (is_reduction(f, step)) {
        return UpdateKind::reduction;
    }
    const std::vector<ScanDim> dims = scan_dims(f, step);
    if (dims.empty()) {
        throw unsupported(f,
                          "has an update that is neither a sum nor writes each point once, at its reduction "
                          "variables and constants",
                          "keep the earlier values in a Func of their own, or write the update as a sum over "
                          "a reduction domain");
    }
    self_reads(f, step, dims);
    return UpdateKind::scan;
}

bool is_linear(const Function &f, const IsActive &is_active) {
    for (size_t stage = 1; stage <= f.updates().size(); stage++) {
        if (kind_of_update(f, stage, is_active) != UpdateKind::linear) {
            return false;
        }
    }
    return true;
}

}  // namespace eutectic
