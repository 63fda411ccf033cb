#include "autodiff/wide_adjoints.h"

#include "autodiff/expr_tools.h"

#include <algorithm>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class Widen : public IRGraphMutator {
public:
    Widen(const std::set<std::string> &adjoints, const std::map<std::string, Func> &wide)
        : adjoints_(adjoints), wide_(wide) {
    }

    // Of 16 bits.
    Expr widened(const Expr &e) {
        const Cast *rounded = e.as<Cast>();
        if (rounded && rounded->value.type() == Float(32)) {
            return mutate(rounded->value);
        }
        const Call *call = e.as<Call>();
        if (call && wide_.count(call->name)) {
            std::vector<Expr> args;
            for (const Expr &arg : call->args) {
                args.push_back(mutate(arg));
            }
            return wide_.at(call->name)(args);
        }
        if (const Select *choice = e.as<Select>()) {
            return Select::make(mutate(choice->condition), widened(choice->true_value),
                                widened(choice->false_value));
        }
        if (const Add *sum = e.as<Add>()) {
            return widened(sum->a) + widened(sum->b);
        }
        if (const Sub *difference = e.as<Sub>()) {
            return widened(difference->a) - widened(difference->b);
        }
        if (const Mul *product = e.as<Mul>()) {
            return widened(product->a) * widened(product->b);
        }
        if (const Div *quotient = e.as<Div>()) {
            return widened(quotient->a) / widened(quotient->b);
        }
        return cast(Float(32), mutate(e));
    }

private:
    using IRGraphMutator::visit;

    // What is not an adjoint has the digits that the forward gives it.
    Expr visit(const Cast *op) override {
        if (!is_narrow(op->value.type()) || !op->type.is_float() || op->type.bits() < 32 ||
            !reads_adjoint(op->value)) {
            return IRGraphMutator::visit(op);
        }
        return cast(op->type, widened(op->value));
    }

    bool reads_adjoint(const Expr &e) const {
        const std::vector<const Call *> calls = calls_in(e);
        return std::any_of(calls.begin(), calls.end(),
                           [&](const Call *call) { return adjoints_.count(call->name) > 0; });
    }

    const std::set<std::string> &adjoints_;
    const std::map<std::string, Func> &wide_;
};

}  // namespace

bool is_narrow(const Type &type) {
    return type.is_float() && type.bits() == 16;
}

Expr WideAdjoints::widened(const Expr &e) const {
    Widen widen(adjoints_, wide_);
    return is_narrow(e.type()) ? widen.widened(e) : widen.mutate(e);
}

Func WideAdjoints::narrowed(const Func &wide, const Type &type) {
    add(wide.name());
    if (wide.type() == type) {
        return wide;
    }
    Func narrow(given_name(wide.name()));
    const std::vector<Var> args = wide.args();
    narrow(args) = cast(type, wide(std::vector<Expr>(args.begin(), args.end())));
    wide_.emplace(narrow.name(), wide);
    add(narrow.name());
    return narrow;
}

}  // namespace eutectic
