#include "autodiff/shifted_sums.h"

#include "autodiff/expr_tools.h"
#include "autodiff/factorized.h"
#include "autodiff/residuals/halide/conditions.h"
#include "autodiff/rules/match.h"
#include "autodiff/stop_gradient.h"

#include <algorithm>
#include <optional>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// s of shifted_sums.h.
struct Exponentials {
    Function sum;
    std::vector<ReductionVariable> rvars;
    Expr exponent;
    std::vector<Expr> conditions;
};

bool is_call_of(const Expr &e, const std::string &name) {
    const Call *call = e.as<Call>();
    return call && call->call_type == Call::Halide && call->name == name;
}

// The Func that a chain of pure Funcs ends in is a maximum, whether gradients pass or not.
bool is_maximum(Expr e) {
    for (const Call *call = e.as<Call>(); call && call->call_type == Call::Halide; call = e.as<Call>()) {
        const Function f = callee(call);
        if (!is_pure(f)) {
            return reduction_with<Max>(f).has_value();
        }
        e = value_at(f, call->args);
    }
    return false;
}

// Is e a difference from a maximum, or less than a number?
bool is_kept_small(const Expr &exponent) {
    const Expr e = written_out(exponent);
    const Min *least = e.as<Min>();
    if (clamped(e) || (least && (constant(least->a) || constant(least->b)))) {
        return true;
    }
    const std::vector<Term> terms = terms_of(e);
    return std::any_of(terms.begin(), terms.end(),
                       [](const Term &term) { return term.negative && is_maximum(term.e); });
}

std::optional<Exponentials> exponentials_in(const Function &f) {
    const auto reduction = reduction_with<Add>(f);
    if (!reduction || !is_const_zero(reduction->init) || !reduction->init.type().is_float()) {
        return std::nullopt;
    }
    const Factorized q = factorized(reduction->value);
    const bool is_one =
        q.exponents.size() == 1 && q.exponents_below.empty() && q.factors.empty() && q.factors_below.empty();
    if (!is_one || is_kept_small(q.exponents[0]) || calls_in(q.exponents[0]).empty()) {
        return std::nullopt;
    }
    return Exponentials{f, reduction->rvars, q.exponents[0], q.conditions};
}

// The Funcs that take the sum's place.
struct Shifted {
    Func logits, max, sum;
};

Shifted shifted(const Exponentials &s) {
    const std::string name = given_name(s.sum.name());
    const std::vector<Var> rows(s.sum.args().begin(), s.sum.args().end());
    const Type type = s.exponent.type();
    Shifted result{Func(name + "_logits"), Func(name + "_max"), Func(name)};
    std::vector<Expr> columns_of_logits;
    std::map<std::string, Expr> by_name;
    for (const ReductionVariable &v : s.rvars) {
        columns_of_logits.push_back(Var(unique_name("column")));
        by_name[v.var] = columns_of_logits.back();
    }
    std::vector<Expr> args = columns_of_logits;
    args.insert(args.end(), rows.begin(), rows.end());
    result.logits(as_vars(args)) = replace_variables(s.exponent, by_name);
    const auto at = [&](const std::map<std::string, Expr> &point) {
        std::vector<Expr> there;
        for (const ReductionVariable &v : s.rvars) {
            there.push_back(point.at(v.var));
        }
        there.insert(there.end(), rows.begin(), rows.end());
        return Expr(result.logits(there));
    };
    const auto where = [&](const std::map<std::string, Expr> &point) {
        std::vector<Expr> conditions;
        for (const Expr &condition : s.conditions) {
            conditions.push_back(replace_variables(condition, point));
        }
        return conditions;
    };
    std::map<std::string, Expr> point = domain_variables(s.rvars);
    result.max(rows) = type.min();
    Expr value = at(point);
    for (const Expr &condition : where(point)) {
        value = select(condition, value, type.min());
    }
    result.max(rows) = max(result.max(rows), value);
    stop_gradient(result.max);  // nothing depends on it
    point = domain_variables(s.rvars);
    result.sum(rows) = make_zero(type);
    result.sum(rows) += where_all(where(point), exp(at(point) - result.max(rows)), 0);
    return result;
}

class Readers : public IRGraphMutator {
public:
    Readers(const Exponentials &s, const Shifted &shifted) : s_(s), shifted_(shifted) {
    }

private:
    using IRGraphMutator::visit;

    Expr visit(const Call *op) override {
        const Expr inside = argument_of(op, "log");
        if (inside.defined() && is_call_of(inside, s_.sum.name())) {
            const std::vector<Expr> &args = inside.as<Call>()->args;
            return shifted_.max(args) + log(shifted_.sum(args));
        }
        return IRGraphMutator::visit(op);
    }
    Expr visit(const Mul *op) override {
        const Expr e = quotient(op);
        return e.defined() ? e : IRGraphMutator::visit(op);
    }
    Expr visit(const Div *op) override {
        const Expr e = quotient(op);
        return e.defined() ? e : IRGraphMutator::visit(op);
    }

    // exp(t(j, i)) / s(i), with whatever it is multiplied with.
    Expr quotient(const Expr &e) {
        const Factorized q = factorized(e);
        for (const Expr &below : q.factors_below) {
            for (const Expr &exponent : q.exponents) {
                const Expr p =
                    is_call_of(below, s_.sum.name()) ? probability(exponent, below.as<Call>()->args) : Expr();
                if (p.defined()) {
                    return where_all(q.conditions, others(q, exponent, below, p), 0);
                }
            }
        }
        return Expr();
    }

    Expr probability(const Expr &exponent, const std::vector<Expr> &rows) const {
        std::map<std::string, Expr> bound;
        if (!expr_match(s_.exponent, exponent, bound)) {
            return Expr();
        }
        std::map<std::string, Expr> at;
        std::vector<Expr> args;
        for (const ReductionVariable &v : s_.rvars) {
            if (!bound.count(v.var)) {
                return Expr();
            }
            at[v.var] = bound.at(v.var);
            args.push_back(bound.at(v.var));
        }
        for (size_t d = 0; d < rows.size(); d++) {
            at[s_.sum.args()[d]] = rows[d];
            args.push_back(rows[d]);
        }
        return graph_equal(replace_variables(s_.exponent, at), exponent)
                   ? exp(shifted_.logits(args) - shifted_.max(rows)) / shifted_.sum(rows)
                   : Expr();
    }

    Expr others(const Factorized &q, const Expr &exponent, const Expr &below, Expr result) {
        for (const Expr &factor : q.factors) {
            result = result * mutate(factor);
        }
        for (const Expr &other : q.exponents) {
            result = other.same_as(exponent) ? result : result * exp(mutate(other));
        }
        for (const Expr &factor : q.factors_below) {
            result = factor.same_as(below) ? result : result / mutate(factor);
        }
        for (const Expr &other : q.exponents_below) {
            result = result / exp(mutate(other));
        }
        return result;
    }

    const Exponentials &s_;
    const Shifted &shifted_;
};

// A load by itself needs no Func of its own.
void read_directly(const Exponentials &s, const Shifted &shifted, const std::vector<Function> &order) {
    const Call *load = s.exponent.as<Call>();
    if (!load || load->call_type != Call::Halide || s.rvars.size() != 1) {
        return;
    }
    const Function logits = shifted.logits.function();
    for (const Function &f : order) {
        if (!f.has_pure_definition()) {
            continue;
        }
        map_definitions(f, [&](const Expr &e) {
            return map_calls(e, [&](const Call *call) {
                return call->name == logits.name() ? value_at(logits, call->args) : Expr();
            });
        });
    }
}

// A Func as it was.
struct Before {
    Function func;
    std::vector<Definition> definitions;
};

Before before(const Function &f) {
    Before result{f, {f.definition().get_copy()}};
    for (const Definition &update : f.updates()) {
        result.definitions.push_back(update.get_copy());
    }
    return result;
}

void put_back(Before &b) {
    b.func.definition() = b.definitions[0];
    for (size_t u = 1; u < b.definitions.size(); u++) {
        b.func.update(static_cast<int>(u) - 1) = b.definitions[u];
    }
}

void shift(const Exponentials &s, const std::vector<Function> &outputs) {
    const Shifted in_place = shifted(s);
    Readers readers(s, in_place);
    std::vector<Before> changed;
    for (const Function &f : computing_order(outputs)) {
        if (f.name() != s.sum.name() && f.has_pure_definition()) {
            changed.push_back(before(f));
            map_definitions(f, [&](const Expr &e) { return readers.mutate(e); });
        }
    }
    const std::vector<Function> order = computing_order(outputs);
    if (std::any_of(order.begin(), order.end(),
                    [&](const Function &f) { return f.name() == s.sum.name(); })) {
        std::for_each(changed.begin(), changed.end(), put_back);
        return;
    }
    read_directly(s, in_place, order);
}

}  // namespace

void shift_sums(const std::vector<Function> &outputs) {
    for (const Function &f : computing_order(outputs)) {
        if (const auto s = exponentials_in(f)) {
            shift(*s, outputs);
        }
    }
}

}  // namespace eutectic
