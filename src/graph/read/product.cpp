#include "graph/read/product.h"

#include <algorithm>

#include "graph/data/ids.h"
#include "graph/read/accumulation.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

constexpr int most_steps = 255;  // of windows: src/library/product.h has 16 bits

/** The variables of an expression, and whether it has anything else than numbers and sums of them. */
class Variables : public IRVisitor {
public:
    explicit Variables(const Expr &e) {
        e.accept(this);
    }

    bool calls = false;

    /** The place in `names` of the only one that is there, -1 if none is; nothing if several are. */
    std::optional<int> only(const std::vector<std::string> &names) const {
        int at = -1;
        for (size_t n = 0; n < names.size(); n++) {
            if (std::find(names_.begin(), names_.end(), names[n]) != names_.end()) {
                if (at >= 0) {
                    return std::nullopt;
                }
                at = static_cast<int>(n);
            }
        }
        return at;
    }

private:
    std::vector<std::string> names_;

    using IRVisitor::visit;
    void visit(const Variable *v) override {
        names_.push_back(v->name);
    }
    void visit(const Call *call) override {
        calls = true;
        IRVisitor::visit(call);
    }
};

/** By how much `e` grows with each step of `name`, where that is a number of steps that a window may have. */
std::optional<int> steps_along(const Expr &e, const std::string &name) {
    const Expr variable = Variable::make(Int(32), name);
    const std::optional<int64_t> steps = as_const_int(simplify(substitute(name, variable + 1, e) - e));
    return steps && *steps >= 1 && *steps <= most_steps ? std::optional(static_cast<int>(*steps))
                                                        : std::nullopt;
}

std::optional<FactorIndex> index_of(const Function &f, const std::vector<std::string> &sums, const Expr &e) {
    const Variables variables(e);
    const std::optional<int> dim = variables.only(f.args()), sum = variables.only(sums);
    if (!dim || !sum || variables.calls || (*dim < 0 && *sum < 0)) {
        return std::nullopt;
    }
    FactorIndex index;
    index.dim = *dim;
    index.sum = *sum;
    Expr offset = e;
    for (const auto &[at, names, steps] :
         {std::tuple(*dim, &f.args(), &index.scale), std::tuple(*sum, &sums, &index.step)}) {
        if (at < 0) {
            continue;
        }
        const std::string &name = (*names)[at];
        const std::optional<int> along = steps_along(e, name);
        if (!along) {
            return std::nullopt;
        }
        *steps = *along;
        offset = substitute(name, 0, offset);
    }
    index.offset = simplify(offset);
    return index;
}

/** What a load of a Func that only has another one's points in other places is of that one; nothing for a
 * load of any other Func. */
std::optional<Expr> behind_view(const Call *load) {
    const Function view(load->func);
    if (view.has_extern_definition() || view.has_update_definition() || view.outputs() != 1 ||
        !view.definition().specializations().empty()) {
        return std::nullopt;
    }
    const Call *behind = view.definition().values()[0].as<Call>();
    if (!behind || behind->call_type != Call::Halide || !behind->func.defined()) {
        return std::nullopt;
    }
    std::map<std::string, Expr> places;
    for (size_t d = 0; d < load->args.size(); d++) {
        places[view.args()[d]] = load->args[d];
    }
    return substitute(places, Expr(behind));
}

/** `e` as a load of a Func whose indices each have other variables: arguments of `f`, or of `sums`. */
std::optional<Factor> factor(const Function &f, const std::vector<std::string> &sums, const Expr &e) {
    const Call *load = e.as<Call>();
    if (!load || load->call_type != Call::Halide || !load->func.defined() ||
        load->type != f.output_types()[0] || Function(load->func).outputs() != 1) {
        return std::nullopt;
    }
    Factor found{e, load, {}};
    for (const Expr &arg : load->args) {
        const std::optional<FactorIndex> index = index_of(f, sums, arg);
        if (!index || (index->dim >= 0 && found.has_dim(index->dim)) ||
            (index->sum >= 0 && found.has_sum(index->sum))) {
            return std::nullopt;
        }
        found.indices.push_back(*index);
    }
    return found;
}

bool all_plain(const Factor &factor) {
    return std::all_of(factor.indices.begin(), factor.indices.end(),
                       [](const FactorIndex &i) { return i.plain(); });
}

/** `of` without the views that it is read through, where what is behind them suits a library as well: its
 * matrices' neighbours lie side by side. */
Factor without_views(const Function &f, const std::vector<std::string> &sums, Factor of,
                     const Factor &other) {
    while (const std::optional<Expr> behind = behind_view(of.load)) {
        const std::optional<Factor> found = factor(f, sums, *behind);
        if (!found || !all_plain(*found) || !found->has_rows(other)) {
            break;
        }
        of = *found;
    }
    return of;
}

/** A sum's terms, which are `scale` times as large; that is the same in all of them. */
struct ScaledTerm {
    Expr scale, term;
};

ScaledTerm without_scale(Expr term, const std::vector<std::string> &sums) {
    const auto is_fixed = [&](const Expr &e) {
        return std::none_of(sums.begin(), sums.end(),
                            [&](const std::string &name) { return expr_uses_var(e, name); });
    };
    Expr scale = make_one(term.type());
    for (const bool divisors : {false, true}) {
        // Of a term that is fixed itself, 1 is left.
        for (auto taken = take(term, divisors, is_fixed); taken && !is_const_one(term);
             taken = take(term, divisors, is_fixed)) {
            scale = divisors ? scale / taken->factor : scale * taken->factor;
            term = taken->rest;
        }
    }
    return {simplify(scale), term};
}

/** Numbers the reduction variables as a call does: that of channels first, then those of windows. */
bool order_sums(MatrixProduct &product, const std::vector<ReductionVariable> &rvars) {
    const ReductionVariable none{"", 0, 1};
    product.sums = {none};
    std::vector<int> place(rvars.size(), -1);
    for (FactorIndex &i : product.a.indices) {
        if (i.plain()) {
            if (i.sum >= 0) {
                if (!product.sums[0].var.empty()) {
                    return false;  // two of channels
                }
                product.sums[0] = rvars[i.sum];
                place[i.sum] = 0;
            }
            continue;
        }
        product.sums.push_back(i.sum >= 0 ? rvars[i.sum] : none);
        if (i.sum >= 0) {
            place[i.sum] = static_cast<int>(product.sums.size()) - 1;
        }
        i.sum = static_cast<int>(product.sums.size()) - 1;
    }
    constexpr size_t most_sums = 3;
    if (product.sums.size() > most_sums) {
        return false;
    }
    product.sums.resize(most_sums, none);
    for (FactorIndex &i : product.a.indices) {
        i.sum = i.plain() && i.sum >= 0 ? 0 : i.sum;
    }
    for (FactorIndex &i : product.b.indices) {
        i.sum = i.sum >= 0 ? place[i.sum] : -1;
    }
    return true;
}

}  // namespace

bool FactorIndex::plain() const {
    return (dim < 0) != (sum < 0) && scale == 1 && step == 1 && is_const_zero(offset);
}

bool Factor::has_dim(int dim) const {
    return std::any_of(indices.begin(), indices.end(), [&](const FactorIndex &i) { return i.dim == dim; });
}

bool Factor::has_rows(const Factor &other) const {
    const FactorIndex &first = indices.front();
    // A batch in the innermost dimension lies between the points of rows and columns.
    return first.sum >= 0 || !other.has_dim(first.dim);
}

bool Factor::has_sum(int sum) const {
    return std::any_of(indices.begin(), indices.end(), [&](const FactorIndex &i) { return i.sum == sum; });
}

std::optional<MatrixProduct> matrix_product(const Function &f) {
    const std::optional<Accumulation> sum = sum_update(f);
    if (!sum || f.dimensions() == 0) {
        return std::nullopt;
    }
    const Type type = f.output_types()[0];
    const Definition &update = f.updates()[0];
    const std::vector<ReductionVariable> &rvars = update.schedule().rvars();
    if ((type != Float(32) && type != Float(64)) || !is_const_one(update.predicate())) {
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (const ReductionVariable &r : rvars) {
        names.push_back(r.var);
    }
    const ScaledTerm scaled = without_scale(sum->term, names);
    const Mul *term = scaled.term.as<Mul>();
    if (!term) {
        return std::nullopt;
    }
    std::optional<Factor> a = factor(f, names, term->a), b = factor(f, names, term->b);
    if (!a || !b) {
        return std::nullopt;
    }
    if (!all_plain(*b)) {
        std::swap(a, b);
    }
    if (all_plain(*a) && all_plain(*b)) {
        a = without_views(f, names, *a, *b);
        b = without_views(f, names, *b, *a);
    }
    bool all = all_plain(*b);
    for (size_t s = 0; s < rvars.size(); s++) {
        all = all && a->has_sum(static_cast<int>(s)) && b->has_sum(static_cast<int>(s));
    }
    for (int d = 0; d < f.dimensions(); d++) {
        all = all && (a->has_dim(d) || b->has_dim(d));
    }
    const Expr start = f.definition().values()[0];
    MatrixProduct product{*a, *b, rvars, start, scaled.scale, is_const_zero(simplify_shared(start))};
    const bool convolution = !all_plain(*a);
    const int most = convolution ? most_convolution_dims : most_product_dims;
    const auto fits = [&](size_t dims) { return static_cast<int>(dims) <= most; };
    if (!all || rvars.empty() || !fits(a->indices.size()) || !fits(b->indices.size()) ||
        f.dimensions() > most_product_dims ||
        (convolution ? !order_sums(product, rvars) : rvars.size() != 1)) {
        return std::nullopt;
    }
    return product;
}

}  // namespace eutectic
