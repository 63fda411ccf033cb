#include "schedules/calls/tuple_reduction.h"

#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;

namespace {

class FindReduction {
public:
    explicit FindReduction(const Internal::Function &f) : f_(f), update_(f.update(0)) {
        for (const Expr &value : update_.values()) {
            values_.push_back(without_lets(value));
        }
    }

    std::optional<TupleReduction> run() const {
        TupleReduction found;
        found.rvars = update_.schedule().rvars();
        found.where = update_.predicate();
        if (found.rvars.empty() || !writes_own_point() || reads_self(found.where)) {
            return std::nullopt;
        }
        if (!find_accumulated(found)) {
            found.best = find_best(found.in_lanes.exact);
            if (!found.best) {
                return std::nullopt;
            }
        }
        found.in_lanes.variable = contiguous_variable(found);
        return found;
    }

private:
    const Internal::Function &f_;
    const Internal::Definition &update_;
    std::vector<Expr> values_;

    bool writes_own_point() const {
        for (size_t a = 0; a < update_.args().size(); a++) {
            const auto *v = update_.args()[a].as<Internal::Variable>();
            if (!v || v->name != f_.args()[a]) {
                return false;
            }
        }
        return true;
    }

    /** The element of f's own point that `e` is. */
    std::optional<size_t> own_element(const Expr &e) const {
        const auto *call = e.as<Internal::Call>();
        if (!call || call->call_type != Internal::Call::Halide || call->name != f_.name()) {
            return std::nullopt;
        }
        for (size_t a = 0; a < call->args.size(); a++) {
            if (!Internal::equal(call->args[a], update_.args()[a])) {
                return std::nullopt;
            }
        }
        return static_cast<size_t>(call->value_index);
    }

    bool is_own(const Expr &e, size_t element) const {
        return own_element(e) == element;
    }

    bool reads_self(const Expr &e) const {
        bool reads = false;
        for_each_node(e, [&](const Expr &node) {
            const auto *call = node.as<Internal::Call>();
            reads = reads || (call && call->call_type == Internal::Call::Halide && call->name == f_.name());
            return !reads;
        });
        return reads;
    }

    /** f(x)[e] + a - b as f(x)[e] + (a - b); anything else as it is. */
    Expr sum_first(const Expr &value, size_t e) const {
        const Expr term = added_to(value, e);
        return term.defined() ? Internal::Call::make(f_, update_.args(), static_cast<int>(e)) + term : value;
    }

    /** What `value` adds to f(x)[e]; undefined where it is no such sum. */
    Expr added_to(const Expr &value, size_t e) const {
        if (is_own(value, e)) {
            return Internal::make_zero(value.type());
        }
        if (const auto *sub = value.as<Internal::Sub>()) {
            const Expr left = added_to(sub->a, e);
            return left.defined() ? Internal::simplify(left - sub->b) : left;
        }
        if (const auto *add = value.as<Internal::Add>()) {
            const Expr left = added_to(add->a, e), right = left.defined() ? Expr() : added_to(add->b, e);
            return left.defined()    ? Internal::simplify(left + add->b)
                   : right.defined() ? Internal::simplify(add->a + right)
                                     : Expr();
        }
        return Expr();
    }

    bool find_accumulated(TupleReduction &found) const {
        std::vector<AssociativeOperation> operations;
        ReducibleInLanes in_lanes;
        for (size_t e = 0; e < values_.size(); e++) {
            const Expr value = sum_first(values_[e], e);
            const std::optional<AssociativeOperation> op = associative_operation(value);
            if (!op || is_own(op->a, e) == is_own(op->b, e) || reads_self(is_own(op->a, e) ? op->b : op->a)) {
                return false;
            }
            const bool adds = value.as<Internal::Add>() || value.as<Internal::Mul>();
            const bool rounds = value.type().is_float();
            in_lanes.exact = in_lanes.exact && !rounds;
            in_lanes.adds_or_multiplies = in_lanes.adds_or_multiplies && (adds || !rounds);
            operations.push_back(*op);
        }
        found.accumulated = std::move(operations);
        found.in_lanes = in_lanes;
        return true;
    }

    /** What an element becomes, and when. */
    struct Choice {
        Expr condition, taken;
        bool keeps_where_true = false;
    };
    std::optional<Choice> choice_of(size_t e) const {
        const auto *select = values_[e].as<Internal::Select>();
        if (!select) {
            return std::nullopt;
        }
        if (is_own(select->false_value, e)) {
            return Choice{select->condition, select->true_value, false};
        }
        return is_own(select->true_value, e)
                   ? std::optional(Choice{select->condition, select->false_value, true})
                   : std::nullopt;
    }

    /** The comparison of a condition: `less`, or also `equal`. */
    struct Comparison {
        Expr less, more;
        bool equal = false;
    };
    static std::optional<Comparison> comparison(const Expr &e) {
        if (const auto *lt = e.as<Internal::LT>()) {
            return Comparison{lt->a, lt->b, false};
        }
        if (const auto *le = e.as<Internal::LE>()) {
            return Comparison{le->a, le->b, true};
        }
        if (const auto *gt = e.as<Internal::GT>()) {
            return Comparison{gt->b, gt->a, false};
        }
        if (const auto *ge = e.as<Internal::GE>()) {
            return Comparison{ge->b, ge->a, true};
        }
        return std::nullopt;
    }

    /** What `choice` is by, as a BestSoFar without what it takes. */
    std::optional<BestSoFar> compared_by(const Choice &choice) const {
        const std::optional<Comparison> c = comparison(choice.condition);
        if (!c) {
            return std::nullopt;
        }
        const std::optional<size_t> less = own_element(c->less), more = own_element(c->more);
        if (less.has_value() == more.has_value() || reads_self(less ? c->more : c->less)) {
            return std::nullopt;
        }
        BestSoFar best;
        best.compared = less ? *less : *more;
        best.value = less ? c->more : c->less;
        best.largest = less.has_value() != choice.keeps_where_true;
        best.last = c->equal != choice.keeps_where_true;
        return best;
    }

    std::optional<BestSoFar> find_best(bool &exact) const {
        std::optional<BestSoFar> best;
        for (size_t e = 0; e < values_.size() && !best; e++) {
            const std::optional<Choice> choice = choice_of(e);
            best = choice ? compared_by(*choice) : std::nullopt;
        }
        for (size_t e = 0; best && e < values_.size(); e++) {
            const std::optional<Choice> choice = choice_of(e);
            if (!choice) {
                if (!is_extremum(*best, e)) {
                    return std::nullopt;
                }
                best->taken.push_back(best->value);
                exact = exact && !best->value.type().is_float();
                continue;
            }
            const std::optional<BestSoFar> here = compared_by(*choice);
            const bool same = here && here->compared == best->compared && here->largest == best->largest &&
                              here->last == best->last && Internal::graph_equal(here->value, best->value);
            const bool takes_value = e != best->compared || Internal::graph_equal(choice->taken, best->value);
            if (!same || !takes_value || reads_self(choice->taken)) {
                return std::nullopt;
            }
            best->taken.push_back(choice->taken);
            // NaN compares false: where the condition is for keeping, it would be taken.
            exact = exact && !(choice->keeps_where_true && best->value.type().is_float());
        }
        return best;
    }

    /** Is the element that is compared written as a maximum, or minimum? */
    bool is_extremum(const BestSoFar &best, size_t e) const {
        const auto *max = values_[e].as<Internal::Max>();
        const auto *min = values_[e].as<Internal::Min>();
        const Expr a = max ? max->a : min ? min->a : Expr(), b = max ? max->b : min ? min->b : Expr();
        if (!a.defined() || e != best.compared || (max != nullptr) != best.largest) {
            return false;
        }
        return (is_own(a, e) && Internal::graph_equal(b, best.value)) ||
               (is_own(b, e) && Internal::graph_equal(a, best.value));
    }

    /** The variable along which what is read lies in memory; else the innermost. */
    int contiguous_variable(const TupleReduction &found) const {
        int variable = 0;
        bool any = false;
        for (const Expr &value : values_) {
            for_each_node(value, [&](const Expr &node) {
                const auto *load = node.as<Internal::Call>();
                const bool reads =
                    load && !load->args.empty() &&
                    (load->call_type == Internal::Call::Halide || load->call_type == Internal::Call::Image) &&
                    load->name != f_.name();
                for (size_t r = 0; reads && r < found.rvars.size() && !any; r++) {
                    if (Internal::expr_uses_var(load->args[0], found.rvars[r].var)) {
                        variable = static_cast<int>(r);
                        any = true;
                    }
                }
                return !any;
            });
        }
        return variable;
    }
};

}  // namespace

std::optional<TupleReduction> tuple_reduction(const Internal::Function &f) {
    const bool one = f.updates().size() == 1 && f.outputs() > 1 && !f.has_extern_definition();
    return one ? FindReduction(f).run() : std::nullopt;
}

std::optional<ReducibleInLanes> reducible_in_lanes(const Internal::Function &f) {
    const std::optional<TupleReduction> found = tuple_reduction(f);
    return found ? std::optional(found->in_lanes) : std::nullopt;
}

}  // namespace eutectic
