#include "autodiff/logarithms.h"

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// What a call of a pure Func stands for, and so on.
Expr written_out(Expr e) {
    for (const Call *call = e.as<Call>(); call && call->call_type == Call::Halide; call = e.as<Call>()) {
        const Function f = callee(call);
        if (!is_pure(f) || f.has_extern_definition() || input_of(f).defined()) {
            break;
        }
        e = value_at(f, call->args);
    }
    return e;
}

class Logarithms : public IRGraphMutator {
    using IRGraphMutator::visit;

    Expr visit(const Call *op) override {
        const Expr inside = argument_of(op, "log");
        const Expr stable = inside.defined() ? of(written_out(inside)) : Expr();
        return stable.defined() ? stable : IRGraphMutator::visit(op);
    }

    static Expr of(const Expr &e) {
        const Div *div = e.as<Div>();
        const Expr exponent = argument_of(written_out(div ? div->a : e), "exp");
        return !exponent.defined() ? Expr() : div ? exponent - log(div->b) : exponent;
    }
};

}  // namespace

Expr with_stable_logarithms(const Expr &e) {
    return Logarithms().mutate(e);
}

}  // namespace eutectic
