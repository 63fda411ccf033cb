#include <algorithm>
#include <map>
#include <utility>

#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/calls/tuple_reduction.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Results of the next step, of so many: one merges 16, or at the end up to 32, one after the other. */
int next_lanes(int lanes) {
    return lanes > 32 ? lanes / 16 : 1;
}

/** An update's expressions, for another domain and another Func. */
class Moved : public ReplaceCalls {
public:
    Moved(const std::string &f, std::function<Expr(const Internal::Call *)> by,
          std::map<std::string, Expr> variables)
        : ReplaceCalls(f, std::move(by)), variables_(std::move(variables)) {
    }

protected:
    using ReplaceCalls::visit;

    Expr visit(const Internal::Variable *op) override {
        const auto found = variables_.find(op->name);
        return found == variables_.end() ? Expr(op) : found->second;
    }

private:
    std::map<std::string, Expr> variables_;
};

class ReduceInLanes {
public:
    ReduceInLanes(const Func &f, TupleReduction reduction, int lanes)
        : f_(f.function()),
          reduction_(std::move(reduction)),
          lanes_(lanes),
          args_(f.args()),
          lane_(new_name()),
          start_(f_.definition().values()) {
        if (reduction_.best) {
            find_order();
        }
    }

    std::vector<std::string> make() {
        Func from = start_lanes();
        std::vector<std::string> made{from.name()};
        for (int left = lanes_; left > 1;) {
            const int next = next_lanes(left);
            from = merge(from, left, next);
            made.push_back(from.name());
            left = next;
        }
        std::vector<Expr> &values = f_.definition().values();
        for (size_t e = 0; e < values.size(); e++) {
            const Expr merged = from(args())[static_cast<int>(e)];
            values[e] = reduction_.best ? merged : reduction_.accumulated[e].make(start_[e], merged);
        }
        drop_updates(f_);
        return made;
    }

private:
    Internal::Function f_;
    TupleReduction reduction_;
    int lanes_;
    std::vector<Var> args_;
    Var lane_;
    std::vector<Expr> start_;
    std::vector<size_t> order_;  // elements that tell which of two equals came first, the first of them first
    bool counts_ = false;        // one more element does: the term's number, from 0; -1 before the first

    std::string new_name() const {
        std::string name = "lane";
        while (std::any_of(args_.begin(), args_.end(), [&](const Var &v) { return v.name() == name; })) {
            name = "lane_of_" + name;
        }
        return name;
    }

    std::vector<Expr> args() const {
        return {args_.begin(), args_.end()};
    }
    std::vector<Expr> at(const Expr &lane) const {
        std::vector<Expr> all{lane};
        all.insert(all.end(), args_.begin(), args_.end());
        return all;
    }

    bool varies(const Expr &e) const {
        return std::any_of(reduction_.rvars.begin(), reduction_.rvars.end(),
                           [&](const auto &r) { return Internal::expr_uses_var(e, r.var); });
    }

    /** Where the first of equals is kept and what comes with it are the reduction variables themselves, these
     * say which came first. (What started, and no term is better than, is the same in all lanes.) */
    void find_order() {
        const BestSoFar &best = *reduction_.best;
        for (size_t r = reduction_.rvars.size(); r-- > 0 && !best.last;) {
            const Expr variable = Internal::Variable::make(Int(32), reduction_.rvars[r].var);
            for (size_t e = 0; e < best.taken.size(); e++) {
                const Expr &taken = best.taken[e];
                if (taken.type() == Int(32) && e != best.compared &&
                    !varies(simplify_shared(taken - variable))) {
                    order_.push_back(e);
                    break;
                }
            }
        }
        counts_ = order_.size() < reduction_.rvars.size();
        if (counts_) {
            order_ = {best.taken.size()};
        }
    }

    /** Of the number of a term: a loop has fewer than 2^31 turns, several may have more. */
    Type counter() const {
        return Int(reduction_.rvars.size() == 1 ? 32 : 64);
    }

    /** The number of a term, in the order of the loops as written. */
    Expr number() const {
        Expr number = Internal::make_zero(counter());
        for (size_t r = reduction_.rvars.size(); r-- > 0;) {
            const Internal::ReductionVariable &v = reduction_.rvars[r];
            number = number * cast(counter(), v.extent) +
                     cast(counter(), Internal::Variable::make(Int(32), v.var) - v.min);
        }
        return number;
    }

    /** Each lane's own results: of terms that lie `lanes_` apart along the variable that is split. */
    Func start_lanes() const {
        Func lanes(f_.name() + "_lanes");
        std::vector<Expr> start = start_;
        for (size_t e = 0; e < reduction_.accumulated.size(); e++) {
            start[e] = reduction_.accumulated[e].neutral;
        }
        if (counts_) {
            start.push_back(cast(counter(), -1));
        }
        lanes(at(lane_)) = Tuple(start);

        std::vector<Internal::ReductionVariable> rvars = reduction_.rvars;
        const size_t split = reduction_.in_lanes.variable;
        const Internal::ReductionVariable whole = rvars[split];
        rvars[split] = {whole.var + "_turn", 0, Internal::simplify((whole.extent + lanes_ - 1) / lanes_)};
        Internal::ReductionDomain domain(rvars);
        std::map<std::string, Expr> variables;
        for (size_t r = 0; r < rvars.size(); r++) {
            variables[reduction_.rvars[r].var] = Internal::Variable::make(Int(32), rvars[r].var, domain);
        }
        const Expr term = variables[whole.var] * lanes_ + lane_;
        const bool divides = Internal::is_const_zero(Internal::simplify(whole.extent % lanes_));
        variables[whole.var] =
            whole.min + (divides ? term : unsafe_promise_clamped(term, 0, whole.extent - 1));
        Moved moved(
            f_.name(),
            [&](const Internal::Call *load) {
                return Internal::Call::make(lanes.function(), at(lane_), load->value_index);
            },
            variables);
        Expr where = moved.mutate(reduction_.where);
        if (!divides) {
            where = where && likely(term < whole.extent);
        }
        domain.set_predicate(Internal::simplify(where));
        std::vector<Expr> values;
        for (const Expr &value : f_.update(0).values()) {
            values.push_back(moved.mutate(without_lets(value)));
        }
        if (counts_) {
            const BestSoFar &best = *reduction_.best;
            const Expr old = lanes(at(lane_))[static_cast<int>(best.taken.size())];
            const Expr so_far = lanes(at(lane_))[static_cast<int>(best.compared)];
            values.push_back(
                select(is_better(moved.mutate(best.value), so_far), moved.mutate(number()), old));
        }
        lanes.function().define_update(at(lane_), values, domain);
        return lanes;
    }

    /** Is a term that comes later taken? */
    Expr is_better(const Expr &value, const Expr &so_far) const {
        const BestSoFar &best = *reduction_.best;
        return best.largest ? (best.last ? value >= so_far : value > so_far)
                            : (best.last ? value <= so_far : value < so_far);
    }

    /** `to` of them from `from`, each of those that lie so far apart; without the lane, where that is one. */
    Func merge(Func &source, int from, int to) const {
        Func merged(f_.name() + (to > 1 ? "_tree" + std::to_string(to) : "_merged"));
        const std::vector<Expr> here = to > 1 ? at(lane_) : args();
        const Expr first = to > 1 ? Expr(lane_) : Expr(0);
        const auto tuple = [](const FuncRef &f) {
            std::vector<Expr> all;
            for (size_t e = 0; e < f.size(); e++) {
                all.push_back(f[static_cast<int>(e)]);
            }
            return all;
        };
        merged(here) = Tuple(tuple(source(at(first))));
        const RDom k(1, from / to - 1);
        const std::vector<Expr> a = tuple(merged(here)), b = tuple(source(at(first + k * to)));
        std::vector<Expr> values;
        for (size_t e = 0; e < a.size(); e++) {
            values.push_back(reduction_.best ? select(comes_before(b, a), b[e], a[e])
                                             : reduction_.accumulated[e].make(a[e], b[e]));
        }
        merged(here) = Tuple(values);
        return merged;
    }

    /** Is `b` the better of two lanes' results, or as good and the one that is kept? */
    Expr comes_before(const std::vector<Expr> &b, const std::vector<Expr> &a) const {
        const BestSoFar &best = *reduction_.best;
        Expr earlier = Internal::const_false();
        for (size_t o = order_.size(); o-- > 0;) {
            const size_t e = order_[o];
            const Expr sooner = best.last ? b[e] > a[e] : b[e] < a[e];
            earlier = o + 1 < order_.size() ? sooner || (b[e] == a[e] && earlier) : sooner;
        }
        const Expr &vb = b[best.compared], &va = a[best.compared];
        return (best.largest ? vb > va : vb < va) || (vb == va && earlier);
    }
};

}  // namespace

std::vector<std::string> reduce_in_lanes(Pipeline pipeline,
                                         const std::vector<std::pair<int, int>> &reductions) {
    std::vector<std::pair<Func, TupleReduction>>
        found;  // all before the first change, which adds to what get_func() counts
    for (const auto &[index, lanes] : reductions) {
        const Func f = pipeline.get_func(index);
        const std::optional<TupleReduction> reduction = tuple_reduction(f.function());
        if (!reduction || lanes < 2 || (lanes & (lanes - 1)) != 0) {
            throw UserError(f.name() + " was to be reduced in " + std::to_string(lanes) + " lanes, but " +
                            (reduction ? "lanes are a power of two of 2 or more."
                                       : "it is no Tuple of sums, nor the best of values with what came with "
                                         "it: leave it out."));
        }
        found.emplace_back(f, *reduction);
    }
    std::vector<std::string> made;
    for (size_t r = 0; r < reductions.size(); r++) {
        const std::vector<std::string> of =
            ReduceInLanes(found[r].first, found[r].second, reductions[r].second).make();
        made.insert(made.end(), of.begin(), of.end());
    }
    return made;
}

}  // namespace eutectic
