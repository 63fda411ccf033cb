#include "graph/read/late_divisor.h"

#include <map>
#include <set>
#include <vector>

#include "graph/data/ids.h"
#include "graph/read/accumulation.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

struct Called {
    bool funcs = false, effects = false;
};

Called called_in(const Expr &e) {
    Called found;
    for_each_node(e, [&](const Expr &node) {
        if (const Call *op = node.as<Call>()) {
            const Call::CallType t = op->call_type;
            found.funcs = found.funcs || t == Call::Halide;
            const bool effect = t == Call::Extern || t == Call::ExternCPlusPlus || t == Call::Intrinsic;
            found.effects = found.effects || effect;
        }
        return true;
    });
    return found;
}

/** The factors of the product `e`, each node once. */
std::vector<Expr> factors_of(const Expr &e) {
    std::vector<Expr> factors;
    std::set<const IRNode *> met;
    for (std::vector<Expr> open{e}; !open.empty();) {
        const Expr node = open.back();
        open.pop_back();
        if (!met.insert(node.get()).second) {
            continue;
        }
        const Div *div = node.as<Div>();
        const Mul *mul = node.as<Mul>();
        if (div) {
            open.push_back(div->a);
        } else if (mul) {
            open.push_back(mul->b);
            open.push_back(mul->a);
        } else {
            factors.push_back(node);
        }
    }
    return factors;
}

class Replace : public IRGraphMutator {
public:
    Replace(const Expr &from, const Expr &to) : from_(from), to_(to) {
    }

private:
    const Expr &from_, &to_;
    using IRGraphMutator::visit;

    Expr visit(const Call *op) override {
        return Expr(op).same_as(from_) ? to_ : IRGraphMutator::visit(op);
    }
};

/** f's one update, as f + term. */
class Update {
public:
    explicit Update(const Function &f) : f_(f) {
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
            for (const Expr &factor : found ? std::vector<Expr>() : factors_of(term_)) {
                found = found ? found : in_factor(factor, divisors, only);
            }
            if (found) {
                found->divides = divisors;
                found->from_zero = is_const_zero(simplify_shared(f_.definition().values()[0]));
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
        const Called found = called_in(e);
        return e.type().is_float() && !reduced(e) && found.funcs && !found.effects;
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
        if (!call || call->call_type != Call::Halide || !call->func.defined() ||
            !(only.empty() || call->name == only)) {
            return std::nullopt;
        }
        const Function p(call->func);
        if (!p.has_pure_definition() || p.has_update_definition() || p.has_extern_definition() ||
            p.definition().values().size() != 1) {
            return std::nullopt;
        }
        std::map<std::string, Expr> arguments;
        for (DimId d = 0; d < p.dimensions(); d++) {
            arguments[p.args()[d]] = call->args[d];
        }
        const Expr value = without_lets(p.definition().values()[0]);
        const auto wanted = [&](const Expr &e) { return may_move(substitute_shared(arguments, e)); };
        const auto taken = take(value, divisors, wanted);
        if (!taken || !reduced(substitute_shared(arguments, taken->rest))) {
            return std::nullopt;
        }
        const Expr term = Replace(factor, substitute_shared(arguments, taken->rest)).mutate(term_);
        return LateDivisor{p, taken->rest, self_ + term, substitute_shared(arguments, taken->factor)};
    }
};

}  // namespace

std::optional<LateDivisor> late_divisor(const Function &f, const std::string &only) {
    return Update(f).find(only);
}

}  // namespace eutectic
