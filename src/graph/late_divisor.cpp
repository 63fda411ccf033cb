#include "graph/late_divisor.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "graph/accumulation.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class FindFuncs : public IRVisitor {
public:
    std::vector<std::string> names;
    bool effects = false;

private:
    using IRVisitor::visit;

    void visit(const Call *op) override {
        if (op->call_type == Call::Halide) {
            names.push_back(op->name);
        }
        effects = effects || op->call_type == Call::Extern || op->call_type == Call::ExternCPlusPlus || op->call_type == Call::Intrinsic;
        IRVisitor::visit(op);
    }
};

FindFuncs funcs_in(const Expr &e) {
    FindFuncs find;
    e.accept(&find);
    return find;
}

/** Calls `visit` for each factor of the product `e` until it returns true. */
bool any_factor(const Expr &e, const std::function<bool(const Expr &)> &visit) {
    if (const Div *div = e.as<Div>()) {
        return any_factor(div->a, visit);
    }
    if (const Mul *mul = e.as<Mul>()) {
        return any_factor(mul->a, visit) || any_factor(mul->b, visit);
    }
    return visit(e);
}

class Replace : public IRMutator {
public:
    Replace(const Expr &from, const Expr &to)
        : from_(from), to_(to) {
    }

private:
    const Expr &from_, &to_;
    using IRMutator::visit;

    Expr visit(const Call *op) override {
        return Expr(op).same_as(from_) ? to_ : IRMutator::visit(op);
    }
};

/** f's one update, as f + term. */
class Update {
public:
    explicit Update(const Function &f)
        : f_(f) {
    }

    std::optional<LateDivisor> find(const std::string &only) {
        const std::optional<Accumulation> sum = sum_update(f_);
        if (!sum) {
            return std::nullopt;
        }
        self_ = sum->self;
        term_ = sum->term;
        for (const bool divisors : {true, false}) {
            std::optional<LateDivisor> found = only.empty() ? in_term(divisors) : std::nullopt;
            if (!found) {
                any_factor(term_, [&](const Expr &factor) { return (found = in_factor(factor, divisors, only)).has_value(); });
            }
            if (found) {
                found->divides = divisors;
                found->from_zero = is_const_zero(simplify(f_.definition().values()[0]));
                return found;
            }
        }
        return std::nullopt;
    }

private:
    const Function &f_;
    Expr self_, term_;

    bool reduced(const Expr &e) const {
        for (const ReductionVariable &rv : f_.updates()[0].schedule().rvars()) {
            if (expr_uses_var(e, rv.var)) {
                return true;
            }
        }
        return false;
    }

    bool may_move(const Expr &e) const {
        const FindFuncs found = funcs_in(e);
        return e.type().is_float() && !reduced(e) && !found.names.empty() && !found.effects;
    }

    std::optional<LateDivisor> in_term(bool divisors) const {
        const auto taken = take(term_, divisors, [&](const Expr &e) { return may_move(e); });
        if (!taken || !reduced(taken->rest)) {
            return std::nullopt;
        }
        return LateDivisor{std::nullopt, Expr(), self_ + taken->rest, taken->factor};
    }

    std::optional<LateDivisor> in_factor(const Expr &factor, bool divisors, const std::string &only) const {
        const Call *call = factor.as<Call>();
        if (!call || call->call_type != Call::Halide || !call->func.defined() || !(only.empty() || call->name == only)) {
            return std::nullopt;
        }
        const Function p(call->func);
        if (!p.has_pure_definition() || p.has_update_definition() || p.has_extern_definition() || p.definition().values().size() != 1) {
            return std::nullopt;
        }
        std::map<std::string, Expr> arguments;
        for (size_t d = 0; d < p.args().size(); d++) {
            arguments[p.args()[d]] = call->args[d];
        }
        const Expr value = substitute_in_all_lets(p.definition().values()[0]);
        const auto taken = take(value, divisors, [&](const Expr &e) { return may_move(substitute(arguments, e)); });
        if (!taken || !reduced(substitute(arguments, taken->rest))) {
            return std::nullopt;
        }
        const Expr term = Replace(factor, substitute(arguments, taken->rest)).mutate(term_);
        return LateDivisor{p, taken->rest, self_ + term, substitute(arguments, taken->factor)};
    }
};

}  // namespace

std::optional<LateDivisor> late_divisor(const Function &f, const std::string &only) {
    return Update(f).find(only);
}

}  // namespace eutectic
