#include "autodiff/rules/match.h"

#include "autodiff/expr_tools.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

void add_terms(const Expr &e, bool negative, std::vector<Term> &terms) {
    if (const Add *add = e.as<Add>()) {
        add_terms(add->a, negative, terms);
        add_terms(add->b, negative, terms);
    } else if (const Sub *sub = e.as<Sub>()) {
        add_terms(sub->a, negative, terms);
        add_terms(sub->b, !negative, terms);
    } else if (!is_const_zero(e)) {  // -a is 0 - a
        terms.push_back({e, negative});
    }
}

void add_factors(const Expr &e, std::vector<Expr> &factors) {
    if (const Mul *mul = e.as<Mul>()) {
        add_factors(mul->a, factors);
        add_factors(mul->b, factors);
    } else {
        factors.push_back(e);
    }
}

}  // namespace

std::vector<Term> terms_of(const Expr &e) {
    std::vector<Term> terms;
    add_terms(e, false, terms);
    return terms;
}

std::vector<Expr> factors_of(const Expr &e) {
    std::vector<Expr> factors;
    add_factors(e, factors);
    return factors;
}

Expr argument_of(const Expr &e, const std::string &name) {
    const Call *call = e.as<Call>();
    const bool is_function =
        call && (call->call_type == Call::PureExtern || call->call_type == Call::Extern ||
                 call->call_type == Call::PureIntrinsic);
    if (is_function && call->args.size() == 1 &&
        (call->name == name || call->name == name + "_f32" || call->name == name + "_f64" ||
         call->name == name + "_f16")) {
        return call->args[0];
    }
    return Expr();
}

std::optional<double> constant(const Expr &e) {
    if (const auto f = as_const_float(e)) {
        return f;
    }
    if (const auto i = as_const_int(e)) {
        return static_cast<double>(*i);
    }
    return std::nullopt;
}

bool is_constant(const Expr &e, double value) {
    const std::optional<double> c = constant(e);
    return c && *c == value;
}

Expr without_constant_term(const Expr &sum, double value) {
    if (const Add *add = sum.as<Add>()) {
        if (is_constant(add->a, value)) {
            return add->b;
        }
        if (is_constant(add->b, value)) {
            return add->a;
        }
    }
    return Expr();
}

std::optional<Clamped> clamped(const Expr &e) {
    const auto split = [](const auto *op, Expr &x) -> std::optional<double> {
        if (!op) {
            return std::nullopt;
        }
        if (const auto c = constant(op->b)) {
            x = op->a;
            return c;
        }
        x = op->b;
        return constant(op->a);
    };
    Expr inner, x;
    if (const auto high = split(e.as<Min>(), inner)) {
        if (const auto low = split(inner.as<Max>(), x)) {
            return Clamped{x, *low, *high};
        }
    } else if (const auto low = split(e.as<Max>(), inner)) {
        if (const auto top = split(inner.as<Min>(), x)) {
            return Clamped{x, *low, *top};
        }
    }
    return std::nullopt;
}

bool is_pure(const Function &f) {
    return f.has_pure_definition() && !f.has_update_definition() && f.outputs() == 1;
}

template<typename Op>
std::optional<Reduction> reduction_with(const Function &f) {
    if (!f.has_pure_definition() || f.outputs() != 1 || f.updates().size() != 1) {
        return std::nullopt;
    }
    const std::vector<StageBody> bodies = stage_bodies(f);
    const StageBody &update = bodies[1];
    const Op *op = update.value.as<Op>();
    if (!op || update.rvars.empty() || !update.predicate.empty()) {
        return std::nullopt;
    }
    for (size_t d = 0; d < update.args.size(); d++) {
        const Variable *v = update.args[d].template as<Variable>();
        if (!v || v->name != f.args()[d] || v->reduction_domain.defined()) {
            return std::nullopt;
        }
    }
    const auto is_self = [&](const Expr &e) {
        const Call *call = e.as<Call>();
        return call && call->name == f.name() && is_identity_call(e, f.args());
    };
    const Expr value = is_self(op->a) ? op->b : is_self(op->b) ? op->a : Expr();
    if (!value.defined()) {
        return std::nullopt;
    }
    for (const Call *call : calls_in(value)) {
        if (call->name == f.name()) {
            return std::nullopt;
        }
    }
    return Reduction{bodies[0].value, value, update.rvars};
}

template std::optional<Reduction> reduction_with<Add>(const Function &);
template std::optional<Reduction> reduction_with<Max>(const Function &);
template std::optional<Reduction> reduction_with<Min>(const Function &);

}  // namespace eutectic
