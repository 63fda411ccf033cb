// loss(i) = log(s(i)) + m(i) - z(label(i), i)   ->   dz(j, i) = dloss(i) (exp(z(j, i) - lse(i)) - [j ==
// label(i)])
//
// Terms in any order; m and s as in row_softmax.h. lse(i) = log(s(i)) + m(i) is computed in the forward and
// kept, one number a row; exp(z - lse) is the softmax itself, and cannot overflow. Without this rule the
// generic path gives the same numbers, and keeps s, m and the argmax too.

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/row_softmax.h"
#include "autodiff/rules/rule_list.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

struct Loss {
    RowSoftmax row;
    Function sum;
    Expr label;
};

std::optional<Loss> loss_in(const Function &f) {
    if (!is_pure(f)) {
        return std::nullopt;
    }
    const std::vector<Term> terms = terms_of(stage_bodies(f)[0].value);
    if (terms.size() != 3) {
        return std::nullopt;
    }
    Expr logarithm, picked, maximum;
    for (const Term &term : terms) {
        const Expr inside = argument_of(term.e, "log");
        if (term.negative) {
            picked = term.e;
        } else if (inside.defined()) {
            logarithm = inside;
        } else {
            maximum = term.e;
        }
    }
    if (!logarithm.defined() || !picked.defined() || !maximum.defined() ||
        !is_identity_call(logarithm, f.args()) || !is_identity_call(maximum, f.args())) {
        return std::nullopt;
    }
    const Function sum = callee(logarithm.as<Call>());
    const auto row = row_softmax(sum);
    if (!row || row->max.name() != maximum.as<Call>()->name) {
        return std::nullopt;
    }
    const auto label = row_load_at(picked, f.args(), row->dim);
    if (!label || label->z.name() != row->z.name()) {
        return std::nullopt;
    }
    return Loss{*row, sum, label->index};
}

}  // namespace

std::optional<RowSoftmax> softmax_xent_of(const Function &f) {
    const auto loss = loss_in(f);
    return loss ? std::optional(loss->row) : std::nullopt;
}

bool softmax_xent_rule(AdjointSite &site) {
    const Function &f = site.func();
    const auto loss = loss_in(f);
    if (!loss) {
        return false;
    }
    MadeResidual lse;
    lse.kind = "lse";
    lse.type = f.output_types()[0];
    lse.region = site.region();
    lse.define = [f, sum = loss->sum, max = loss->row.max](Func result) {
        const std::vector<Expr> args = pure_args(f);
        result(std::vector<Var>(f.args().begin(), f.args().end())) = log(Func(sum)(args)) + Func(max)(args);
    };
    lse.read = [](const auto &tensor, const std::vector<Expr> &args) { return tensor(args); };

    const std::string column = unique_name("column");
    const std::vector<Expr> rows = pure_args(f);
    const size_t dim = loss->row.dim;
    const Type type = f.output_types()[0];
    const Expr j = Var(column), z = site.value(loss->row.z, with_column(rows, dim, j));
    const Expr p = exp(z - site.made(lse, type, rows));
    const Expr hit = select(j == site.values_in(loss->label), make_one(type), make_zero(type));
    Expr value = site.adjoint(rows) * (p - hit);
    const ReductionVariable &range = loss->row.range;
    value = select(j >= range.min && j <= range.min + range.extent - 1, value, make_zero(type));
    site.contribute(loss->row.z, {with_column(f.args(), dim, column), value, {}, {}});
    return true;
}

}  // namespace eutectic
