#include "autodiff/guards.h"

#include "autodiff/bounds.h"
#include "autodiff/expr_tools.h"

#include <algorithm>
#include <optional>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// low <= high.
struct Fact {
    Expr low, high;
};

template<typename Op>
const Op *as_index_comparison(const Expr &e) {
    const Op *op = e.as<Op>();
    return op && op->a.type() == Int(32) ? op : nullptr;
}

// What `condition` says when it is `truth`.
void learn(const Expr &condition, bool truth, std::vector<Fact> &facts) {
    if (const Not *op = condition.as<Not>()) {
        learn(op->a, !truth, facts);
    } else if (const And *both = condition.as<And>(); both && truth) {
        learn(both->a, true, facts);
        learn(both->b, true, facts);
    } else if (const Or *either = condition.as<Or>(); either && !truth) {
        learn(either->a, false, facts);
        learn(either->b, false, facts);
    } else if (const LT *lt = as_index_comparison<LT>(condition)) {
        facts.push_back(truth ? Fact{lt->a + 1, lt->b} : Fact{lt->b, lt->a});
    } else if (const LE *le = as_index_comparison<LE>(condition)) {
        facts.push_back(truth ? Fact{le->a, le->b} : Fact{le->b + 1, le->a});
    } else if (const GT *gt = as_index_comparison<GT>(condition)) {
        facts.push_back(truth ? Fact{gt->b + 1, gt->a} : Fact{gt->a, gt->b});
    } else if (const GE *ge = as_index_comparison<GE>(condition)) {
        facts.push_back(truth ? Fact{ge->b, ge->a} : Fact{ge->a + 1, ge->b});
    }
}

Expr without_likely(const Expr &e) {
    const Call *call = e.as<Call>();
    return call && call->is_intrinsic({Call::likely, Call::likely_if_innermost})
               ? without_likely(call->args[0])
               : e;
}

// A pure Func that is one load of another at indices without data.
bool is_view(const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.outputs() != 1 || input_of(f).defined()) {
        return false;
    }
    const Expr body = without_likely(substitute_in_all_lets(f.values()[0]));
    const Call *call = body.as<Call>();
    return call && call->call_type == Call::Halide && calls_in(body).size() == 1;
}

// One context: all of it is under the same conditions.
class Unclamp : public IRGraphMutator {
public:
    explicit Unclamp(std::vector<Fact> facts) : facts_(std::move(facts)) {
    }

private:
    using IRGraphMutator::visit;

    Expr visit(const Select *op) override {
        std::vector<Fact> when_true = facts_, when_false = facts_;
        learn(op->condition, true, when_true);
        learn(op->condition, false, when_false);
        const auto branch = [&](const Expr &e, const std::vector<Fact> &facts) {
            return facts.size() == facts_.size() ? mutate(e) : Unclamp(facts).mutate(e);
        };
        return Select::make(mutate(op->condition), branch(op->true_value, when_true),
                            branch(op->false_value, when_false));
    }

    Expr visit(const Call *op) override {
        if (!facts_.empty() && op->is_intrinsic({Call::likely, Call::likely_if_innermost})) {
            return mutate(op->args[0]);
        }
        if (!facts_.empty() && op->call_type == Call::Halide && is_view(callee(op))) {
            return mutate(without_likely(value_at(callee(op), op->args)));
        }
        return IRGraphMutator::visit(op);
    }

    Expr visit(const Min *op) override {
        return extreme(op, true);
    }
    Expr visit(const Max *op) override {
        return extreme(op, false);
    }
    template<typename Op>
    Expr extreme(const Op *op, bool lower) {
        const Expr a = mutate(op->a), b = mutate(op->b);
        if (op->type == Int(32) && !facts_.empty()) {
            if (follows(a, b)) {
                return lower ? a : b;
            }
            if (follows(b, a)) {
                return lower ? b : a;
            }
        }
        return Op::make(a, b);
    }

    // Is low <= high for certain?
    bool follows(const Expr &low, const Expr &high) const {
        for (const Fact &fact : facts_) {
            const auto slack = as_const_int(simplify_index((high - low) - (fact.high - fact.low)));
            if (slack && *slack >= 0) {
                return true;
            }
        }
        return false;
    }

    const std::vector<Fact> facts_;
};

bool asks_about_indices(const Expr &condition) {
    const auto both = [](const auto *op) { return asks_about_indices(op->a) && asks_about_indices(op->b); };
    const auto plain = [](const auto *op) {
        return op->a.type() == Int(32) && calls_in(op->a).empty() && calls_in(op->b).empty();
    };
    if (const And *op = condition.as<And>()) {
        return both(op);
    }
    if (const Or *op = condition.as<Or>()) {
        return both(op);
    }
    if (const LE *op = condition.as<LE>()) {
        return plain(op);
    }
    if (const LT *op = condition.as<LT>()) {
        return plain(op);
    }
    if (const GE *op = condition.as<GE>()) {
        return plain(op);
    }
    if (const GT *op = condition.as<GT>()) {
        return plain(op);
    }
    const Not *negated = condition.as<Not>();
    return is_const(condition) || (negated && asks_about_indices(negated->a));
}

class MarkInsides : public IRGraphMutator {
    using IRGraphMutator::visit;

    Expr visit(const Select *op) override {
        Expr a = mutate(op->true_value), b = mutate(op->false_value);
        if (asks_about_indices(op->condition) && is_const_zero(a) != is_const_zero(b)) {
            Expr &inside = is_const_zero(a) ? b : a;
            inside = likely(without_likely(inside));
        }
        return Select::make(op->condition, a, b);
    }
};

// max(min(of, high), low), in either order; without an end where that needs no clamp.
struct Clamp {
    Expr of, low, high;
};

std::optional<Clamp> as_clamp(const Expr &e) {
    // The simplifier moves constants out of one end: max(min(i + 1, n) - 1, 0).
    if (const Add *add = e.as<Add>(); add && is_const(add->b)) {
        std::optional<Clamp> clamp = as_clamp(add->a);
        if (clamp) {
            for (Expr *part : {&clamp->of, &clamp->low, &clamp->high}) {
                *part = part->defined() ? simplify(*part + add->b) : *part;
            }
        }
        return clamp;
    }
    const Max *max = e.as<Max>();
    const Min *min = e.as<Min>();
    if (!max && !min) {
        return std::nullopt;
    }
    Clamp clamp = as_clamp(max ? max->a : min->a)
                      .value_or(Clamp{without_likely(max ? max->a : min->a), Expr(), Expr()});
    Expr &end = max ? clamp.low : clamp.high;
    if (end.defined()) {
        return std::nullopt;
    }
    end = max ? max->b : min->b;
    return clamp;
}

// Is `fact` just that one end of the clamp does nothing?
bool is_end(const Fact &fact, const Clamp &clamp) {
    const auto same = [&](const Expr &low, const Expr &high) {
        return low.defined() && high.defined() &&
               is_const_zero(simplify_index((fact.high - fact.low) - (high - low)));
    };
    return same(clamp.low, clamp.of) || same(clamp.of, clamp.high);
}

class PadLoads : public IRGraphMutator {
    using IRGraphMutator::visit;

    Expr visit(const Select *op) override {
        const bool when_true = is_const(op->false_value);
        const Expr padded =
            when_true != is_const(op->true_value)
                ? pad(op->condition, when_true, without_likely(when_true ? op->true_value : op->false_value),
                      when_true ? op->false_value : op->true_value)
                : Expr();
        return padded.defined() ? padded : IRGraphMutator::visit(op);
    }

    // Undefined unless `load` is one whose clamps are just what the condition, when it is `truth`, makes
    // needless.
    static Expr pad(const Expr &condition, bool truth, const Expr &load, const Expr &outside) {
        const Call *call = load.as<Call>();
        std::vector<Fact> facts;
        if (!call || call->call_type != Call::Halide || !asks_about_indices(condition)) {
            return Expr();
        }
        learn(condition, truth, facts);
        std::vector<Expr> args = call->args, inside;
        std::vector<Var> vars;
        Expr within = const_true();
        bool is_worth_it = false;
        for (Expr &arg : args) {
            vars.emplace_back("p" + std::to_string(vars.size()));
            const Var v = vars.back();
            inside.push_back(v);
            const std::optional<Clamp> clamp = as_clamp(arg);
            const auto asks = [&](const Fact &fact) { return is_end(fact, *clamp); };
            const auto ends = clamp ? std::count_if(facts.begin(), facts.end(), asks) : 0;
            if (ends != (clamp ? clamp->low.defined() + clamp->high.defined() : 0)) {
                return Expr();
            }
            if (ends == 0) {
                continue;
            }
            within = clamp->low.defined() ? within && v >= clamp->low : within;
            within = clamp->high.defined() ? within && v <= clamp->high : within;
            inside.back() = clamp->low.defined() ? max(v, clamp->low) : inside.back();
            inside.back() = clamp->high.defined() ? min(inside.back(), clamp->high) : inside.back();
            facts.erase(std::remove_if(facts.begin(), facts.end(), asks), facts.end());
            is_worth_it = is_worth_it || !clamp->of.as<Variable>();
            arg = clamp->of;
        }
        if (!facts.empty() || !is_worth_it) {
            return Expr();
        }
        Func padded("padded_" + given_name(call->name));
        padded(vars) = select(within, likely(Func(callee(call))(inside)), outside);
        return padded(args);
    }
};

}  // namespace

Expr with_padded_loads(const Expr &e) {
    return PadLoads().mutate(e);
}

Expr with_likely_insides(const Expr &e) {
    return MarkInsides().mutate(e);
}

Expr without_needless_clamps(const Expr &e) {
    return Unclamp({}).mutate(e);
}

}  // namespace eutectic
