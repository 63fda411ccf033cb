#include "autodiff/rules/row_softmax.h"

#include "autodiff/bounds.h"
#include "autodiff/expr_tools.h"
#include "autodiff/factorized.h"
#include "autodiff/rules/match.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

bool same_range(const ReductionVariable &a, const ReductionVariable &b) {
    return is_const_zero(simplify_index(a.min - b.min)) && is_const_zero(simplify_index(a.extent - b.extent));
}

}  // namespace

std::optional<RowLoad> row_load_at(const Expr &e, const std::vector<std::string> &rows, size_t dim) {
    const Call *call = e.as<Call>();
    if (!call || call->call_type != Call::Halide || call->args.size() != rows.size() + 1) {
        return std::nullopt;
    }
    for (size_t d = 0, row = 0; d < call->args.size(); d++) {
        const Variable *v = call->args[d].as<Variable>();
        if (d != dim && (!v || v->name != rows[row++])) {
            return std::nullopt;
        }
    }
    return RowLoad{callee(call), dim, call->args[dim]};
}

std::optional<RowLoad> row_load(const Expr &e, const std::vector<std::string> &rows) {
    for (size_t dim = 0; dim <= rows.size(); dim++) {
        const auto load = row_load_at(e, rows, dim);
        const Variable *v = load ? load->index.as<Variable>() : nullptr;
        if (v && v->reduction_domain.defined()) {
            return load;
        }
    }
    return std::nullopt;
}

Expr exponent_of(const Expr &e) {
    const Expr exponent = argument_of(written_out(e), "exp");
    return exponent.defined() ? written_out(exponent) : Expr();
}

std::optional<RowSoftmax> row_softmax(const Function &sum) {
    const auto reduction = reduction_with<Add>(sum);
    if (!reduction || reduction->rvars.size() != 1 || !is_const_zero(reduction->init)) {
        return std::nullopt;
    }
    const Expr exponent = exponent_of(reduction->value);
    const Sub *difference = exponent.defined() ? exponent.as<Sub>() : nullptr;
    if (!difference || !is_identity_call(difference->b, sum.args())) {
        return std::nullopt;
    }
    const Function max = callee(difference->b.as<Call>());
    const auto z = row_load(difference->a, sum.args());
    const auto maximum = reduction_with<Max>(max);
    if (!z || !maximum || maximum->rvars.size() != 1 || !same_range(maximum->rvars[0], reduction->rvars[0])) {
        return std::nullopt;
    }
    const auto of = row_load(maximum->value, max.args());
    if (!of || of->z.name() != z->z.name() || of->dim != z->dim) {
        return std::nullopt;
    }
    return RowSoftmax{z->z, max, z->dim, reduction->rvars[0]};
}

bool has_provably_whole_row(const AdjointSite &site, const RowSoftmax &row) {
    const Interval &columns = site.region()[row.dim];
    const Expr last = row.range.min + row.range.extent - 1;
    return is_const_zero(simplify_index(columns.min - row.range.min)) &&
           is_const_zero(simplify_index(columns.max - last));
}

bool is_whole_row(const AdjointSite &site, const RowSoftmax &row) {
    return has_provably_whole_row(site, row) || (site.is_output(site.func()) && input_of(row.z).defined());
}

}  // namespace eutectic
