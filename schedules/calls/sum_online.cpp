#include "base/user_error.h"
#include "graph/read/online_sum.h"
#include "graph/read/shared.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** The vector is the Function's own, which has no call that takes an update back. */
void forget_updates(Internal::Function f) {
    const_cast<std::vector<Internal::Definition> &>(f.updates()).clear();
}

void become_pure(Internal::Function f, const Expr &value) {
    forget_updates(f);
    f.definition().values()[0] = value;
}

RunningSum pair_of(const Tuple &values) {
    return {values[0], values[1]};
}

Tuple tuple_of(const RunningSum &pair) {
    return Tuple(pair.maximum, pair.sum);
}

/** The pair that the update of `f` merges into its own. */
const Internal::Call *merged_into(const Internal::Function &f) {
    const Internal::Max *largest = f.outputs() == 2 && f.updates().size() == 1
                                       ? f.updates()[0].values()[0].as<Internal::Max>()
                                       : nullptr;
    const Internal::Call *other = largest ? largest->b.as<Internal::Call>() : nullptr;
    return other && other->call_type == Internal::Call::Halide && other->func.defined() &&
                   Internal::Function(other->func).outputs() == 2
               ? other
               : nullptr;
}

/** f = merged(f, what `terms` has at `at`). */
void merge(Func f, const std::vector<Expr> &own, Func terms, const std::vector<Expr> &at) {
    f(own) = tuple_of(merged(pair_of(Tuple(f(own))), pair_of(Tuple(terms(at)))));
}

std::vector<Expr> as_expressions(const std::vector<Var> &vars) {
    return {vars.begin(), vars.end()};
}

}  // namespace

Func sum_online(Func s, Func m) {
    const std::optional<OnlineSum> online = online_sum(s.function());
    if (!online || online->maximum.name() != m.name()) {
        throw UserError(
            "One pass for " + s.name() + " and " + m.name() + " was asked for, but the terms that " +
            s.name() + " adds up are no exponentials of what " + m.name() +
            " is the maximum of: choose m(i) = max(m(i), v(k, i)), s(i) += exp(v(k, i) - m(i)) * w(k, i).");
    }
    const Internal::ReductionVariable all = s.function().updates()[0].schedule().rvars()[0];
    const std::vector<Expr> own = as_expressions(s.args());
    const Var k("k");
    Func terms(s.name() + "_terms"), pair(s.name() + "_pair");
    std::vector<Var> args{k};
    const std::vector<Var> of_s = s.args();
    args.insert(args.end(), of_s.begin(), of_s.end());
    const std::map<std::string, Expr> at_k{{all.var, k}};
    terms(args) = Tuple(substitute_shared(at_k, online->value), substitute_shared(at_k, online->weight));
    pair(own) = Tuple(m.function().definition().values()[0], Internal::make_zero(online->value.type()));
    const RDom r(all.min, all.extent, "k");
    std::vector<Expr> at{r.x};
    at.insert(at.end(), own.begin(), own.end());
    merge(pair, own, terms, at);
    become_pure(m.function(), pair(as_expressions(m.args()))[0]);
    become_pure(s.function(),
                s.function().definition().values()[0] + whole_sum(pair_of(Tuple(pair(own))), all.extent));
    return pair;
}

Func partial_pairs(Func pair, int parts) {
    const Internal::Call *terms = merged_into(pair.function());
    if (!terms) {
        throw UserError("Partial results of pairs were asked for of " + pair.name() +
                        ", which is no pair of a maximum and a sum: choose what sum_online() returns.");
    }
    const Internal::ReductionVariable all = pair.function().updates()[0].schedule().rvars()[0];
    const Var u("u");
    Func partial(pair.name() + "_partial");
    const std::vector<Expr> own = as_expressions(pair.args());
    std::vector<Expr> of_part = own, at, from_parts = own;
    of_part.emplace_back(u);
    partial(of_part) = Tuple(pair.values());
    RDom steps(0, (all.extent + parts - 1) / parts, "step");
    if (!Internal::can_prove(all.extent % parts == 0)) {
        steps.where(steps.x * parts + u < all.extent);
    }
    const Expr k =
        unsafe_promise_clamped(all.min + steps.x * parts + u, all.min,
                               all.min + all.extent - 1);  // of the predicate, Halide's bounds make nothing
    for (const Expr &index : terms->args) {
        at.push_back(substitute_shared({{all.var, k}}, index));
    }
    merge(partial, of_part, Func(Internal::Function(terms->func)), at);
    forget_updates(pair.function());
    const RDom part(0, parts, "part");
    from_parts.emplace_back(part.x);
    merge(pair, own, partial, from_parts);
    return partial;
}

}  // namespace eutectic
