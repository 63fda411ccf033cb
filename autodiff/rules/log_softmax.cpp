// y(j, i) = x(j, i) - m(i) - log(s(i))   ->   dx(j, i) = dy(j, i) - exp(y(j, i)) sum over r of dy(r, i)
//
// Terms in any order, the logarithm written out or a Func of its own; m and s as in row_softmax.h. It reads
// the output only: through s the exponential would be divided by the sum of others, and the difference of
// nearly equal numbers rounded twice. It holds where y's row is the whole row that s sums, as in softmax.cpp.

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/row_softmax.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// s(i) of log(s(i)), also where the logarithm is a Func l(i) = log(s(i)).
Expr logarithm_of(const Expr &e) {
    const Expr inside = argument_of(e, "log");
    const Call *call = e.as<Call>();
    if (inside.defined() || !call || call->call_type != Call::Halide || !is_pure(callee(call))) {
        return inside;
    }
    return argument_of(value_at(callee(call), call->args), "log");
}

}  // namespace

std::optional<RowSoftmax> log_softmax_of(const Function &f) {
    const std::vector<Term> terms =
        is_pure(f) && f.dimensions() > 0 ? terms_of(stage_bodies(f)[0].value) : std::vector<Term>();
    if (terms.size() != 3) {
        return std::nullopt;
    }
    Expr x, maximum, sum;
    for (const Term &term : terms) {
        const Expr inside = logarithm_of(term.e);
        (!term.negative ? x : inside.defined() ? sum : maximum) = inside.defined() ? inside : term.e;
    }
    const Call *sum_call = sum.defined() ? sum.as<Call>() : nullptr;
    if (!x.defined() || !maximum.defined() || !sum_call || sum_call->call_type != Call::Halide) {
        return std::nullopt;
    }
    const auto row = row_softmax(callee(sum_call));
    if (!row || f.args().size() != sum_call->args.size() + 1) {
        return std::nullopt;
    }
    std::vector<std::string> rows = f.args();
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row->dim));
    const bool same = is_identity_call(x, f.args()) && is_identity_call(maximum, rows) &&
                      is_identity_call(sum, rows) && x.as<Call>()->name == row->z.name() &&
                      maximum.as<Call>()->name == row->max.name();
    return same ? row : std::nullopt;
}

bool log_softmax_rule(AdjointSite &site) {
    const Function &f = site.func();
    const auto row = log_softmax_of(f);
    if (!row || !is_whole_row(site, *row)) {
        return false;
    }
    std::vector<std::string> rows = f.args();
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row->dim));
    const Interval &columns = site.region()[row->dim];
    const ReductionVariable r{unique_name("log_softmax_r"), columns.min,
                              simplify_index(columns.max - columns.min + 1)};
    const RDom domain{ReductionDomain({r})};
    std::vector<Expr> row_args;
    for (const std::string &name : rows) {
        row_args.push_back(Var(name));
    }
    SymbolicRegion row_region = site.region();
    row_region.erase(row_region.begin() + static_cast<std::ptrdiff_t>(row->dim));
    const Func total = site.define(
        "total", {rows, site.adjoint(with_column(row_args, row->dim, Expr(domain.x))), {r}, {}}, row_region);
    const Expr value = site.adjoint(pure_args(f)) - exp(site.value(f, pure_args(f))) * total(row_args);
    site.contribute(row->z, {f.args(), value, {}, {}},
                    has_provably_whole_row(site, *row) ? nullptr : &site.region());
    return true;
}

}  // namespace eutectic
