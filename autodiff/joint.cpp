#include "autodiff/joint.h"

#include "autodiff/expr_tools.h"
#include "autodiff/guards.h"
#include "autodiff/residuals/halide/conditions.h"
#include "autodiff/rules/match.h"

#include <map>
#include <string>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class Binder {
public:
    explicit Binder(const Tape &tape) : tape_(tape) {
    }

    /// What stands behind a placeholder; undefined for any other call.
    Expr bound(const Call *call) {
        const auto it = tape_.placeholders().find(call->name);
        if (it == tape_.placeholders().end()) {
            return Expr();
        }
        const Placeholder &p = it->second;
        if (!p.is_made) {
            return Call::make(p.of, call->args, p.value_index);
        }
        if (p.made.instead_of.get_contents().defined()) {
            return p.made.read_value(Call::make(p.made.instead_of, call->args, 0));
        }
        const Function f = made(call->name, p.made).function();
        return p.made.read(
            [&](const std::vector<Expr> &args) { return is_pure(f) ? value_at(f, args) : Func(f)(args); },
            call->args);
    }

private:
    Func made(const std::string &placeholder, const MadeResidual &residual) {
        const auto known = made_.find(placeholder);
        if (known != made_.end()) {
            return known->second;
        }
        const Func f("joint_" + residual.kind);
        residual.define(f);
        return made_[placeholder] = f;
    }

    const Tape &tape_;
    std::map<std::string, Func> made_;  // by the placeholder's name
};

/// Sums read beyond the edges of what they read as zeros, where that is what their guards say.
void pad_loads(Function f) {
    for (size_t u = 0; u < f.updates().size() && f.outputs() == 1; u++) {
        for (Expr &value : f.update(static_cast<int>(u)).values()) {
            value = common_subexpression_elimination(with_padded_loads(substitute_in_all_lets(value)));
        }
    }
}

}  // namespace

ChosenResiduals bind_to_forward(Tape &tape, const std::vector<Func> &gradients,
                                const std::vector<Function> &order) {
    find_results(tape, gradients, order);
    Binder binder(tape);
    for (const Function &f : backward_funcs(tape, gradients)) {
        map_definitions(f, [&](const Expr &e) {
            return map_calls(e, [&](const Call *call) { return binder.bound(call); });
        });
        pad_loads(f);
    }
    return {};
}

}  // namespace eutectic
