// y(j, i) = e(j, i) / s(i)   ->   dx(j, i) = y(j, i) (dy(j, i) - sum over r of dy(r, i) y(r, i))
//
// with e(j, i) = exp(x(j, i) - m(i)) written out or a Func of its own, m and s as in row_softmax.h. It reads
// the output only, and holds where the region of y's row is the whole row that s sums. The rule asks for that
// to be provable, except between an input and an output, where the caller's buffer says what the row is: a
// smaller one fails at run time when it is read beyond.

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/row_softmax.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

std::optional<RowSoftmax> softmax_of(const Function &f) {
    if (!is_pure(f) || f.dimensions() == 0) {
        return std::nullopt;
    }
    const Expr body = stage_bodies(f)[0].value;
    const Div *div = body.as<Div>();
    const Call *sum_call = div ? div->b.as<Call>() : nullptr;
    if (!sum_call || sum_call->call_type != Call::Halide) {
        return std::nullopt;
    }
    const Function sum = callee(sum_call);
    const auto row = row_softmax(sum);
    if (!row || f.args().size() != sum.args().size() + 1) {
        return std::nullopt;
    }
    std::vector<std::string> rows = f.args();
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row->dim));
    const Expr exponent = exponent_of(div->a);
    const Sub *difference = exponent.defined() ? exponent.as<Sub>() : nullptr;
    if (!difference || !is_identity_call(difference->a, f.args()) || !is_identity_call(difference->b, rows) ||
        !is_identity_call(div->b, rows)) {
        return std::nullopt;
    }
    const bool same =
        difference->a.as<Call>()->name == row->z.name() && difference->b.as<Call>()->name == row->max.name();
    return same ? row : std::nullopt;
}

bool softmax_rule(AdjointSite &site) {
    const Function &f = site.func();
    const auto row = softmax_of(f);
    if (!row || !is_whole_row(site, *row)) {
        return false;
    }
    const Interval &columns = site.region()[row->dim];
    std::vector<std::string> rows = f.args();
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row->dim));
    const ReductionVariable r{unique_name("softmax_r"), columns.min,
                              simplify_index(columns.max - columns.min + 1)};
    const RDom domain{ReductionDomain({r})};
    std::vector<Expr> row_args(rows.size());
    for (size_t d = 0; d < rows.size(); d++) {
        row_args[d] = Var(rows[d]);
    }
    const std::vector<Expr> at_r = with_column(row_args, row->dim, Expr(domain.x)), at_j = pure_args(f);
    SymbolicRegion row_region = site.region();
    row_region.erase(row_region.begin() + static_cast<std::ptrdiff_t>(row->dim));
    const Func dot =
        site.define("dot", {rows, site.adjoint(at_r) * site.value(f, at_r), {r}, {}}, row_region);
    const Expr value = site.value(f, at_j) * (site.adjoint(at_j) - dot(row_args));
    site.contribute(row->z, {f.args(), value, {}, {}},
                    has_provably_whole_row(site, *row) ? nullptr : &site.region());
    return true;
}

}  // namespace eutectic
