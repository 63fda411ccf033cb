#include "graph/online_sum.h"

#include <limits>
#include <map>
#include <set>

#include "graph/accumulation.h"
#include "graph/calls.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Does `f` read the Func `target`, through whatever others? */
bool reaches(const Function &f, const std::string &target, std::set<std::string> &seen) {
    if (!seen.insert(f.name()).second) {
        return false;
    }
    for (const auto &[name, called] : find_direct_calls(f)) {
        if (name == target || reaches(called, target, seen)) {
            return true;
        }
    }
    return false;
}

bool reaches(const Function &f, const std::string &target) {
    std::set<std::string> seen;
    return reaches(f, target, seen);
}

class FindCalled : public IRGraphVisitor {
public:
    std::map<std::string, Function> funcs;

private:
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        if (op->call_type == Call::Halide && op->func.defined()) {
            funcs.emplace(op->name, Function(op->func));
        }
        IRGraphVisitor::visit(op);
    }
};

std::map<std::string, Function> called_in(const Expr &e) {
    FindCalled find;
    e.accept(&find);
    return find.funcs;
}

bool reaches(const Expr &e, const std::string &target) {
    for (const auto &[name, f] : called_in(e)) {
        if (name == target || reaches(f, target)) {
            return true;
        }
    }
    return false;
}

bool is_expression(const Function &f) {
    return f.has_pure_definition() && !f.has_update_definition() && !f.has_extern_definition() && f.definition().values().size() == 1;
}

/** Writes out the pure Funcs that stand for a product with an exponential, for the exponential, or for its exponent. */
class WriteOut {
public:
    explicit WriteOut(const std::string &target)
        : target_(target) {
    }

    Expr product(const Expr &e) {
        if (const Mul *mul = e.as<Mul>()) {
            return product(mul->a) * product(mul->b);
        }
        if (const Div *div = e.as<Div>()) {
            return product(div->a) / div->b;
        }
        if (is_exponential(e)) {
            const Call *call = e.as<Call>();
            return Call::make(call->type, call->name, {definition_of(call->args[0])}, call->call_type);
        }
        const Expr written = definition_of(e);
        return written.same_as(e) ? e : product(written);
    }

    static bool is_exponential(const Expr &e) {
        const Call *call = e.as<Call>();
        return call && call->call_type == Call::PureExtern && call->name.rfind("exp_f", 0) == 0;
    }

private:
    const std::string &target_;
    int left_ = 16;  // Funcs that are written out at most: more than anybody names on the way to one exponential

    /** What a pure Func on the way to the target is defined as, where it is called; anything else is itself. */
    Expr definition_of(const Expr &e) {
        const Call *call = e.as<Call>();
        if (!call || call->call_type != Call::Halide || !call->func.defined() || call->name == target_ || left_ == 0) {
            return e;
        }
        const Function f(call->func);
        if (!is_expression(f) || !reaches(f, target_)) {
            return e;
        }
        left_--;
        std::map<std::string, Expr> arguments;
        for (size_t d = 0; d < call->args.size(); d++) {
            arguments[f.args()[d]] = call->args[d];
        }
        return definition_of(substitute(arguments, substitute_in_all_lets(f.definition().values()[0])));
    }
};

/** Every maximum that `e` reads through pure Funcs. */
void find_maxima(const Expr &e, std::map<std::string, Function> &found, std::set<std::string> &seen) {
    for (const auto &[name, f] : called_in(e)) {
        if (!seen.insert(name).second) {
            continue;
        }
        if (maximum_update(f)) {
            found.emplace(name, f);
        } else if (is_expression(f)) {
            find_maxima(f.definition().values()[0], found, seen);
        }
    }
}

const ReductionVariable *only_variable(const Function &f) {
    const Definition &update = f.updates()[0];
    const std::vector<ReductionVariable> &all = update.schedule().rvars();
    return all.size() == 1 && is_const_one(update.predicate()) ? &all[0] : nullptr;
}

/** Constant, and less than infinity: of that, exp(v - m) would be 0 for every v. */
bool may_start_at(const Expr &e) {
    const FloatImm *start = simplify(e).as<FloatImm>();
    return start && start->value < std::numeric_limits<double>::infinity();
}

/** The sum `s` of `term`, as one with the maximum `m`. */
class Match {
public:
    Match(const Function &s, const Function &m)
        : s_(s), m_(m) {
    }

    std::optional<OnlineSum> find(const Expr &term) const {
        const std::optional<Accumulation> maximum = maximum_update(m_);
        const ReductionVariable *r = only_variable(s_), *k = maximum ? only_variable(m_) : nullptr;
        if (!r || !k || !may_start_at(m_.definition().values()[0]) || m_.args().size() != s_.args().size() || m_.output_types() != s_.output_types()) {
            return std::nullopt;
        }
        if (!equal(simplify(r->min), simplify(k->min)) || !equal(simplify(r->extent), simplify(k->extent))) {
            return std::nullopt;
        }
        Expr value;
        const auto taken = take(WriteOut(m_.name()).product(term), false, [&](const Expr &factor) {
            value = exponent_over_maximum(factor);
            return value.defined();
        });
        if (!taken || reaches(taken->rest, m_.name()) || reaches(value, m_.name()) || !equal(simplify(value), simplify(over_own_variables(maximum->term, *k, *r)))) {
            return std::nullopt;
        }
        return OnlineSum{m_, value, taken->rest};
    }

private:
    const Function &s_, &m_;

    /** v of exp(v - m), m at the point of s; undefined for any other expression. */
    Expr exponent_over_maximum(const Expr &e) const {
        const Sub *difference = WriteOut::is_exponential(e) ? e.as<Call>()->args[0].as<Sub>() : nullptr;
        const Call *m = difference ? difference->b.as<Call>() : nullptr;
        if (!m || m->name != m_.name()) {
            return Expr();
        }
        for (size_t d = 0; d < m->args.size(); d++) {
            const Variable *v = m->args[d].as<Variable>();
            if (!v || v->name != s_.args()[d]) {
                return Expr();
            }
        }
        return difference->a;
    }

    Expr over_own_variables(const Expr &e, const ReductionVariable &from, const ReductionVariable &to) const {
        std::map<std::string, Expr> names{{from.var, Variable::make(Int(32), to.var)}};
        for (size_t d = 0; d < m_.args().size(); d++) {
            names[m_.args()[d]] = Variable::make(Int(32), s_.args()[d]);
        }
        return substitute(names, e);
    }
};

}  // namespace

std::optional<OnlineSum> online_sum(const Function &s) {
    const std::optional<Accumulation> sum = sum_update(s);
    if (!sum || !only_variable(s)) {
        return std::nullopt;
    }
    std::map<std::string, Function> maxima;
    std::set<std::string> seen;
    find_maxima(sum->term, maxima, seen);
    for (const auto &[name, m] : maxima) {
        if (std::optional<OnlineSum> found = Match(s, m).find(sum->term)) {
            return found;
        }
    }
    return std::nullopt;
}

RunningSum merged(const RunningSum &a, const RunningSum &b) {
    const Expr scale = select(a.maximum == b.maximum, make_one(a.sum.type()), exp(-abs(b.maximum - a.maximum)));
    return {max(a.maximum, b.maximum), select(b.maximum > a.maximum, a.sum * scale + b.sum, a.sum + b.sum * scale)};
}

Expr whole_sum(const RunningSum &pair, const Expr &terms) {
    const Type type = pair.sum.type();
    return select(abs(pair.maximum) < type.max() || terms <= 0, pair.sum, make_const(type, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace eutectic
