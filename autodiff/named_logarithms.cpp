#include "autodiff/named_logarithms.h"

#include "autodiff/expr_tools.h"
#include "autodiff/factorized.h"
#include "autodiff/residuals/halide/conditions.h"
#include "autodiff/rules/match.h"
#include "autodiff/rules/row_softmax.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// s(rows) of log(s(rows)), where s is the sum of a softmax.
const Call *softmax_sum_in(const Expr &e) {
    const Expr inside = argument_of(e, "log");
    const Call *call = inside.defined() ? inside.as<Call>() : nullptr;
    return call && call->call_type == Call::Halide && row_softmax(callee(call)) ? call : nullptr;
}

bool is_maximum_or_log_sum(const Term &term) {
    const Call *call = term.e.as<Call>();
    return softmax_sum_in(term.e) ||
           (call && call->call_type == Call::Halide && reduction_with<Max>(callee(call)));
}

// Is e a call of a Func that is a loss by itself?
bool is_loss(const Expr &e) {
    const Call *call = e.as<Call>();
    return call && call->call_type == Call::Halide && softmax_xent_of(callee(call));
}

// The terms of a sum, with those of each pure Func that has a maximum or the logarithm of a softmax's sum
// among its own.
std::vector<Term> all_terms(const Expr &e) {
    std::vector<Term> result;
    for (const Term &term : terms_of(e)) {
        const std::vector<Term> inner = terms_of(written_out(term.e));
        const bool has_part =
            !is_loss(term.e) && std::any_of(inner.begin(), inner.end(), is_maximum_or_log_sum);
        for (const Term &t : has_part ? inner : std::vector<Term>{{term.e, false}}) {
            result.push_back({t.e, t.negative != term.negative});
        }
    }
    return result;
}

// Where in `terms` a logarithm of a softmax is, with the sign of z.
struct Logarithm {
    size_t z, max, sum;
    Function sum_func;
    RowSoftmax row;
    std::vector<Expr> rows;
    Expr column;
};

bool same_args(const std::vector<Expr> &a, const std::vector<Expr> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Expr &x, const Expr &y) { return graph_equal(x, y); });
}

// The arguments of a call of f, or of what a call of a pure f would be written out.
std::vector<Expr> arguments_of(const Expr &e, const Function &f) {
    const Call *call = e.as<Call>();
    if (call && call->call_type == Call::Halide && call->name == f.name()) {
        return call->args;
    }
    std::map<std::string, Expr> bound;
    if (!is_pure(f) || input_of(f).defined() || !expr_match(value_at(f, pure_args(f)), e, bound)) {
        return {};
    }
    std::vector<Expr> args;
    for (const std::string &name : f.args()) {
        if (!bound.count(name)) {
            return {};
        }
        args.push_back(bound.at(name));
    }
    return graph_equal(value_at(f, args), e) ? args : std::vector<Expr>();
}

// The index in dimension `dim` of a read of f whose other arguments are `rows`.
Expr column_of(const Expr &e, const Function &f, size_t dim, const std::vector<Expr> &rows) {
    std::vector<Expr> args = arguments_of(e, f);
    if (args.size() != rows.size() + 1) {
        return Expr();
    }
    const Expr column = args[dim];
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(dim));
    return same_args(args, rows) ? column : Expr();
}

std::optional<Logarithm> logarithm_in(const std::vector<Term> &terms) {
    for (size_t s = 0; s < terms.size(); s++) {
        const Call *call = softmax_sum_in(terms[s].e);
        if (!call) {
            continue;
        }
        Logarithm found{terms.size(), terms.size(), s, callee(call), *row_softmax(callee(call)),
                        call->args,   Expr()};
        for (size_t t = 0; t < terms.size(); t++) {
            const Call *other = terms[t].e.as<Call>();
            const bool same_sign = terms[t].negative == terms[s].negative;
            if (same_sign && other && other->name == found.row.max.name() &&
                same_args(other->args, found.rows)) {
                found.max = t;
            } else if (!same_sign && found.z == terms.size()) {
                found.column = column_of(terms[t].e, found.row.z, found.row.dim, found.rows);
                found.z = found.column.defined() ? t : found.z;
            }
        }
        if (found.z < terms.size() && found.max < terms.size()) {
            return found;
        }
    }
    return std::nullopt;
}

class NameLogarithms : public IRGraphMutator {
    using IRGraphMutator::visit;

    Expr visit(const Add *op) override {
        const Expr e = named(op);
        return e.defined() ? e : IRGraphMutator::visit(op);
    }
    Expr visit(const Sub *op) override {
        const Expr e = named(op);
        return e.defined() ? e : IRGraphMutator::visit(op);
    }

    // The sum e with every logarithm of a softmax in it replaced; undefined where there is none.
    Expr named(const Expr &e) {
        std::vector<Term> terms = e.type().is_float() ? all_terms(e) : std::vector<Term>();
        std::vector<Term> logarithms;
        while (const auto found = logarithm_in(terms)) {
            Term own = logarithm(*found);
            own.negative = own.negative != terms[found->z].negative;
            logarithms.push_back(own);
            std::set<size_t, std::greater<size_t>> used{found->z, found->max, found->sum};
            for (const size_t t : used) {
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(t));
            }
        }
        if (logarithms.empty()) {
            return Expr();
        }
        Expr sum;
        for (const Term &term : terms) {
            add(sum, {mutate(term.e), term.negative});
        }
        for (const Term &term : logarithms) {
            add(sum, term);
        }
        return sum;
    }
    static void add(Expr &sum, const Term &term) {
        const Expr start = sum.defined() ? sum : make_zero(term.e.type());
        sum = term.negative ? start - term.e : sum.defined() ? start + term.e : term.e;
    }

    Term logarithm(const Logarithm &l) {
        const bool is_picked = !calls_in(l.column).empty() && follows_from_rows(l);
        return is_picked ? Term{loss(l), true}
                         : Term{log_p(l)(with_column(l.rows, l.row.dim, l.column)), false};
    }

    // May the column be computed from the rows' variables alone?
    static bool follows_from_rows(const Logarithm &l) {
        std::set<std::string> names;
        for (const Expr &row : l.rows) {
            const Variable *v = row.as<Variable>();
            if (!v || v->param.defined() || !names.insert(v->name).second) {
                return false;
            }
        }
        const std::vector<Expr> free = free_variables(l.column);
        return std::all_of(free.begin(), free.end(),
                           [&](const Expr &v) { return names.count(v.as<Variable>()->name) != 0; });
    }

    Func log_p(const Logarithm &l) {
        const auto [known, fresh] = log_p_.emplace(l.sum_func.name(), Func());
        if (fresh) {
            const std::vector<Expr> rows = pure_args(l.sum_func);
            const Expr column = Var(unique_name("column"));
            const std::vector<Expr> args = with_column(rows, l.row.dim, column);
            // The logarithm is one a row, which is cheap to keep, where log_p would be dear to compute again.
            Func log_sum("log_" + given_name(l.sum_func.name()));
            log_sum(as_vars(rows)) = log(Func(l.sum_func)(rows));
            known->second = Func("log_p");
            known->second(as_vars(args)) = Func(l.row.z)(args) - Func(l.row.max)(rows) - log_sum(rows);
        }
        return known->second;
    }

    Expr loss(const Logarithm &l) {
        const std::vector<Expr> rows = pure_args(l.sum_func);
        std::map<std::string, Expr> own;
        for (size_t d = 0; d < rows.size(); d++) {
            own[l.rows[d].as<Variable>()->name] = rows[d];
        }
        const Expr column = replace_variables(l.column, own);
        for (const auto &[sum, of, func] : losses_) {
            if (sum == l.sum_func.name() && graph_equal(of, column)) {
                return func(l.rows);
            }
        }
        Func nll("nll");
        nll(as_vars(rows)) = log(Func(l.sum_func)(rows)) + Func(l.row.max)(rows) -
                             Func(l.row.z)(with_column(rows, l.row.dim, column));
        losses_.emplace_back(l.sum_func.name(), column, nll);
        return nll(l.rows);
    }

    std::map<std::string, Func> log_p_;  // by the sum
    std::vector<std::tuple<std::string, Expr, Func>> losses_;
};

}  // namespace

void name_logarithms(const std::vector<Function> &outputs) {
    NameLogarithms name;
    for (const Function &f : computing_order(outputs)) {
        if (f.has_pure_definition() && !log_softmax_of(f) && !softmax_xent_of(f)) {
            map_definitions(f, [&](const Expr &e) { return name.mutate(e); });
        }
    }
}

}  // namespace eutectic
