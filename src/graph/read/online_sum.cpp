#include "graph/read/online_sum.h"

#include <algorithm>
#include <limits>
#include <set>

#include "graph/read/accumulation.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

std::map<std::string, Function> called_in(const Expr &e) {
    std::map<std::string, Function> funcs;
    for_each_node(e, [&](const Expr &node) {
        const Call *op = node.as<Call>();
        if (op && op->call_type == Call::Halide && op->func.defined()) {
            funcs.emplace(op->name, Function(op->func));
        }
        return true;
    });
    return funcs;
}

/** What reads the Func `target`, through whatever others? Each is asked once. */
class Reaches {
public:
    Reaches(std::string target, const std::map<std::string, FuncId> &places)
        : target_(std::move(target)), places_(places) {
    }

    bool operator()(const Function &f) {
        if (is_before(f)) {
            return false;
        }
        if (const auto known = known_.find(f.name()); known != known_.end()) {
            return known->second;
        }
        known_[f.name()] = false;  // an update reads its own Func
        const std::map<std::string, Function> calls = find_direct_calls(f);
        return known_[f.name()] = any(calls);
    }

    bool operator()(const Expr &e) {
        return any(called_in(e));
    }

    const std::string &target() const {
        return target_;
    }

private:
    const std::string target_;
    const std::map<std::string, FuncId> &places_;
    std::map<std::string, bool> known_;

    bool any(const std::map<std::string, Function> &calls) {
        const auto reaches = [&](const auto &call) { return call.first == target_ || (*this)(call.second); };
        return std::any_of(calls.begin(), calls.end(), reaches);
    }

    bool is_before(const Function &f) const {
        const auto own = places_.find(f.name()), other = places_.find(target_);
        return own != places_.end() && other != places_.end() && own->second <= other->second;
    }
};

bool is_expression(const Function &f) {
    return f.has_pure_definition() && !f.has_update_definition() && !f.has_extern_definition() &&
           f.definition().values().size() == 1;
}

constexpr int most_written_out = 16;  // Funcs: more than anybody names on the way to one exponential

/** Writes out the pure Funcs that stand for a product with an exponential, for the exponential, or for its
 * exponent. */
class WriteOut {
public:
    explicit WriteOut(Reaches &reaches) : reaches_(reaches) {
    }

    Expr product(const Expr &e) {
        const auto done = written_.find(e);
        return done != written_.end() ? done->second : written_[e] = write(e);
    }

    static bool is_exponential(const Expr &e) {
        const Call *call = e.as<Call>();
        return call && call->call_type == Call::PureExtern && call->name.rfind("exp_f", 0) == 0;
    }

private:
    Reaches &reaches_;
    int left_ = most_written_out;
    std::map<Expr, Expr, ExprCompare> written_;

    Expr write(const Expr &e) {
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

    /** What a pure Func on the way to the target is defined as, where it is called; anything else is itself.
     */
    Expr definition_of(const Expr &e) {
        const Call *call = e.as<Call>();
        if (!call || call->call_type != Call::Halide || !call->func.defined()) {
            return e;
        }
        if (call->name == reaches_.target() || left_ == 0) {
            return e;
        }
        const Function f(call->func);
        if (!is_expression(f) || !reaches_(f)) {
            return e;
        }
        left_--;
        std::map<std::string, Expr> arguments;
        for (DimId d = 0; d < f.dimensions(); d++) {
            arguments[f.args()[d]] = call->args[d];
        }
        return definition_of(substitute_shared(arguments, f.definition().values()[0]));
    }
};

/** Every maximum that `e` reads through pure Funcs, as many as WriteOut could write out. */
std::map<std::string, Function> find_maxima(const Expr &e) {
    std::map<std::string, Function> found;
    std::set<std::string> seen;
    std::vector<Expr> at{e};
    for (int written = 0; written <= most_written_out && !at.empty(); written++) {
        std::vector<Expr> next;
        for (const Expr &here : at) {
            for (const auto &[name, f] : called_in(here)) {
                if (!seen.insert(name).second) {
                    continue;
                }
                if (maximum_update(f)) {
                    found.emplace(name, f);
                } else if (is_expression(f)) {
                    next.push_back(f.definition().values()[0]);
                }
            }
        }
        at = next;
    }
    return found;
}

const ReductionVariable *only_variable(const Function &f) {
    const Definition &update = f.updates()[0];
    const std::vector<ReductionVariable> &all = update.schedule().rvars();
    return all.size() == 1 && is_const_one(update.predicate()) ? &all[0] : nullptr;
}

/** Constant, and less than infinity: of that, exp(v - m) would be 0 for every v. */
bool may_start_at(const Expr &e) {
    const FloatImm *start = simplify_shared(e).as<FloatImm>();
    return start && start->value < std::numeric_limits<double>::infinity();
}

/** The sum `s` of `term`, as one with the maximum `m`. */
class Match {
public:
    Match(const Function &s, const Function &m, const std::map<std::string, FuncId> &places)
        : s_(s), m_(m), places_(places) {
    }

    std::optional<OnlineSum> find(const Expr &term) const {
        const std::optional<Accumulation> maximum = maximum_update(m_);
        const ReductionVariable *r = only_variable(s_), *k = maximum ? only_variable(m_) : nullptr;
        if (!r || !k || !may_start_at(m_.definition().values()[0]) || m_.args().size() != s_.args().size() ||
            m_.output_types() != s_.output_types()) {
            return std::nullopt;
        }
        if (!equal(simplify(r->min), simplify(k->min)) || !equal(simplify(r->extent), simplify(k->extent))) {
            return std::nullopt;
        }
        Expr value;
        Reaches reaches(m_.name(), places_);
        const auto taken = take(WriteOut(reaches).product(term), false, [&](const Expr &factor) {
            value = exponent_over_maximum(factor);
            return value.defined();
        });
        if (!taken || reaches(taken->rest) || reaches(value)) {
            return std::nullopt;
        }
        if (!are_equal(value, over_own_variables(maximum->term, *k, *r))) {
            return std::nullopt;
        }
        return OnlineSum{m_, value, taken->rest};
    }

private:
    const Function &s_, &m_;
    const std::map<std::string, FuncId> &places_;

    /** v of exp(v - m), m at the point of s; undefined for any other expression. */
    Expr exponent_over_maximum(const Expr &e) const {
        const Sub *difference = WriteOut::is_exponential(e) ? e.as<Call>()->args[0].as<Sub>() : nullptr;
        const Call *m = difference ? difference->b.as<Call>() : nullptr;
        if (!m || m->name != m_.name()) {
            return Expr();
        }
        for (DimId d = 0; d < m_.dimensions(); d++) {
            const Variable *v = m->args[d].as<Variable>();
            if (!v || v->name != s_.args()[d]) {
                return Expr();
            }
        }
        return difference->a;
    }

    static bool are_equal(const Expr &a, const Expr &b) {
        ValueNumbers numbers;
        return numbers(a) == numbers(b) || (is_small(a) && is_small(b) && equal(simplify(a), simplify(b)));
    }

    Expr over_own_variables(const Expr &e, const ReductionVariable &from, const ReductionVariable &to) const {
        std::map<std::string, Expr> names{{from.var, Variable::make(Int(32), to.var)}};
        for (DimId d = 0; d < m_.dimensions(); d++) {
            names[m_.args()[d]] = Variable::make(Int(32), s_.args()[d]);
        }
        return substitute_shared(names, e);
    }
};

}  // namespace

std::optional<OnlineSum> online_sum(const Function &s, const std::map<std::string, FuncId> &places) {
    const std::optional<Accumulation> sum = sum_update(s);
    if (!sum || !only_variable(s)) {
        return std::nullopt;
    }
    for (const auto &[name, m] : find_maxima(sum->term)) {
        if (std::optional<OnlineSum> found = Match(s, m, places).find(sum->term)) {
            return found;
        }
    }
    return std::nullopt;
}

RunningSum merged(const RunningSum &a, const RunningSum &b) {
    const Expr scale =
        select(a.maximum == b.maximum, make_one(a.sum.type()), exp(-abs(b.maximum - a.maximum)));
    return {max(a.maximum, b.maximum),
            select(b.maximum > a.maximum, a.sum * scale + b.sum, a.sum + b.sum * scale)};
}

Expr whole_sum(const RunningSum &pair, const Expr &terms) {
    const Type type = pair.sum.type();
    return select(abs(pair.maximum) < type.max() || terms <= 0, pair.sum,
                  make_const(type, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace eutectic
