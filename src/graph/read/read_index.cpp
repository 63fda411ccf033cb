// Indices of loads as affine functions of a stage's loops.

#include <algorithm>
#include <cmath>

#include "graph/read/read_expr.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Sum of two indices. */
Index add(Index a, const Index &b, double sign) {
    const bool affine = a.affine && b.affine;
    Table<DimId, double> sum(a.scale.size());
    a.exact = a.exact && b.exact;
    a.cut = a.cut || b.cut;
    a.held = a.held || b.held;
    a.halo += b.halo;
    a.rounding += b.rounding;
    a.wraps = std::max(a.wraps, b.wraps);
    for (const DimId d : sum.ids()) {
        const bool changes = a.depends_on(d) || b.depends_on(d);
        sum[d] = affine ? a.scale[d] + sign * b.scale[d] : changes ? 1 : 0;
    }
    a.scale = sum.elements();
    a.affine = affine;
    // [offset, offset + halo]: what is subtracted ends where it began.
    a.offset = a.offset && b.offset
                   ? std::optional<double>(*a.offset + (sign < 0 ? -*b.offset - b.halo : *b.offset))
                   : std::nullopt;
    return a;
}

Index no_index(const std::map<std::string, DimId> &dims, bool affine) {
    Index index;
    index.scale.assign(dims.size(), 0.0);
    index.affine = affine;
    index.exact = false;
    index.offset.reset();
    return index;
}

/** The index times a constant; `c` absent: beyond analysis, but for the loops that change it. */
Index scaled(Index index, std::optional<double> c) {
    index.affine = index.affine && c.has_value();
    for (double &s : index.scale) {
        s = c ? s * *c : s != 0;
    }
    index.halo *= std::abs(c.value_or(0));
    index.rounding *= std::abs(c.value_or(0));
    // [offset, offset + halo]: a negative factor puts the end first. (The halo is scaled already.)
    index.offset = index.offset && c ? std::optional<double>(*index.offset * *c - (*c < 0 ? index.halo : 0))
                                     : std::nullopt;
    return index;
}

std::optional<double> constant(const Expr &e) {
    const std::optional<int64_t> c = as_const_int(e);
    return c ? std::optional<double>(static_cast<double>(*c)) : std::nullopt;
}

Expr without_hints(const Expr &e) {
    const Call *call = e.as<Call>();
    return call && call->is_intrinsic({Call::likely, Call::likely_if_innermost, Call::promise_clamped,
                                       Call::unsafe_promise_clamped})
               ? without_hints(call->args[0])
               : e;
}

bool moves(const std::map<std::string, DimId> &dims, const Expr &e) {
    return std::any_of(dims.begin(), dims.end(),
                       [&](const auto &dim) { return uses_variable(dim.first)(e); });
}

/** The first size of that kind, "min" or "extent", that `e` names. */
std::optional<SizeOfBuffer> first_size(const Expr &e, const char *kind) {
    std::optional<SizeOfBuffer> found;
    for_each_node(e, [&](const Expr &node) {
        std::optional<SizeOfBuffer> size = size_of_buffer(node);
        if (!found && size && size->kind == kind) {
            found = std::move(size);
        }
        return !found;
    });
    return found;
}

/** max(min(x, high), low), and x, which low … high, of a dimension of a buffer, keeps in: of both operands of
 * either the one that a loop moves, whichever comes first. */
std::optional<std::pair<ClampedLoop, Expr>> clamped_range(const Expr &index,
                                                          const std::map<std::string, DimId> &dims) {
    Expr x = without_hints(index), low, high;
    for (int i = 0; i < 2; i++) {
        const Max *larger = x.as<Max>();
        const Min *smaller = x.as<Min>();
        if (!larger && !smaller) {
            return std::nullopt;
        }
        const Expr a = larger ? larger->a : smaller->a, b = larger ? larger->b : smaller->b;
        const bool second = moves(dims, b);
        (larger ? low : high) = second ? a : b;
        x = without_hints(second ? b : a);
    }
    if (!low.defined() || !high.defined()) {
        return std::nullopt;
    }
    std::optional<SizeOfBuffer> size = first_size(low, "min");
    size = size ? size : first_size(high, "extent");
    if (!size) {
        return std::nullopt;
    }
    // What a buffer is constrained to stands in place of its sizes.
    const Expr fixed_min = size->buffer.min_constraint(size->dim),
               fixed_extent = size->buffer.extent_constraint(size->dim),
               min = fixed_min.defined() ? fixed_min : size->variable("min"),
               extent = fixed_extent.defined() ? fixed_extent : size->variable("extent");
    const bool from_zero = !fixed_min.defined() && is_const_zero(low);
    if (!(from_zero || can_prove(low == min)) || !can_prove(high == low + extent - 1)) {
        return std::nullopt;
    }
    return std::make_pair(ClampedLoop{size->buffer.name(), size->dim, from_zero, -1}, x);
}

}  // namespace

std::optional<ClampedLoop> clamped_to_buffer(const Expr &index, const std::map<std::string, DimId> &dims) {
    if (auto range = is_small(index) ? clamped_range(index, dims) : std::nullopt) {
        range->first.loop = read_index(range->second, dims).equals_dim();
        if (range->first.loop >= 0) {
            return range->first;
        }
    }
    return std::nullopt;
}

namespace {

/** Reads an index, each node once. */
class IndexReader {
public:
    explicit IndexReader(const std::map<std::string, DimId> &dims) : dims_(dims) {
    }

    Index read(const Expr &e) {
        const auto known = known_.find(e.get());
        if (known != known_.end()) {
            return known->second;
        }
        Index index = combine(e);
        if (!is_int32(index)) {
            index = loaded(e);
        }
        known_.emplace(e.get(), index);
        return index;
    }

    /** Beyond analysis, but for the loops that change it. */
    Index loaded(const Expr &e) const {
        Index index = no_index(dims_, false);
        for (const auto &[name, dim] : dims_) {
            index.scale[dim] = expr_uses_var(e, name) ? 1 : 0;
        }
        return index;
    }

private:
    const std::map<std::string, DimId> &dims_;
    std::map<const IRNode *, Index> known_;

    /** Indices have 32 bits: larger numbers come of sums and products that share operands, and wrap. */
    static bool is_int32(const Index &index) {
        const auto fits = [](double number) { return std::abs(number) < 4294967296.0; };
        const bool scales_fit = std::all_of(index.scale.begin(), index.scale.end(), fits);
        return scales_fit && fits(index.halo) && fits(index.offset.value_or(0));
    }

    Index variable(const std::string &name) const {
        const auto it = dims_.find(name);
        Index index = no_index(dims_, true);
        index.exact = it != dims_.end();  // otherwise a scalar parameter: constant while the pipeline runs
        if (index.exact) {
            index.scale[it->second] = 1;
            index.offset = 0;
        }
        return index;
    }

    /** Of min(a, b) or max(a, b), the side that is not a bound. */
    Index clamped(const Expr &a, const Expr &b) {
        Index index = read(is_const(a) ? b : a);
        index.exact = false;
        index.cut = index.held = true;
        return index;
    }

    Index quotient(const Div *div) {
        const std::optional<double> c = constant(div->b);
        Index index = scaled(read(div->a), c && *c != 0 ? std::optional<double>(1 / *c) : std::nullopt);
        index.exact = false;
        index.cut = true;
        index.rounding += 1;
        return index;
    }

    Index remainder(const Mod *mod) {
        const std::optional<double> period = constant(mod->b);
        Index index = scaled(read(mod->a), period && *period != 0 ? std::optional<double>(1) : std::nullopt);
        index.exact = false;
        index.cut = index.held = true;
        index.wraps = std::abs(period.value_or(0));
        index.offset.reset();
        return index;
    }

    Index combined(const Expr &a, const Expr &b, double sign) {
        const Index x = read(a), y = read(b);
        return add(around(x, y) ? adjacent(a, x) : x, around(y, x) ? adjacent(b, y) : y, sign);
    }

    /** Is `remainder` one, added to an index that goes further with each of its loops, as in x / 2 + x % 2?
     */
    static bool around(const Index &remainder, const Index &base) {
        bool moves = remainder.wraps > 0 && base.wraps == 0 && base.affine;
        for (const DimId d : remainder.consumer_dims()) {
            moves = moves && (remainder.scale[d] == 0 || base.scale[d] != 0);
        }
        return moves;
    }

    /** A remainder as points beside an index that it is added to, whichever of them it names; itself where
     * its range is not known. */
    Index adjacent(const Expr &e, const Index &remainder) const {
        Scope<Interval> anywhere;
        for (const auto &[name, dim] : dims_) {
            anywhere.push(name, Interval::everything());
        }
        const Interval range = bounds_of_expr_in_scope(e, anywhere);
        const std::optional<double> min =
            range.has_lower_bound() ? constant(simplify(range.min)) : std::nullopt;
        const std::optional<double> max =
            range.has_upper_bound() ? constant(simplify(range.max)) : std::nullopt;
        if (!min || !max) {
            return remainder;
        }
        Index points = no_index(dims_, true);
        points.cut = points.held = true;
        points.offset = min;
        points.halo = *max - *min;
        return points;
    }

    Index combine(const Expr &e) {
        if (const Variable *v = e.as<Variable>()) {
            return variable(v->name);
        } else if (is_const(e)) {
            Index index = no_index(dims_, true);
            index.exact = is_const_zero(e);
            index.offset = constant(e);
            return index;
        } else if (const Add *sum = e.as<Add>()) {
            return combined(sum->a, sum->b, 1);
        } else if (const Sub *sub = e.as<Sub>()) {
            return combined(sub->a, sub->b, -1);
        } else if (const Cast *cast_op = e.as<Cast>()) {
            return read(cast_op->value);
        } else if (const Mul *mul = e.as<Mul>()) {
            const bool last = constant(mul->b).has_value();
            return scaled(read(last ? mul->a : mul->b), constant(last ? mul->b : mul->a));
        } else if (const Div *div = e.as<Div>()) {
            return quotient(div);
        } else if (const Mod *mod = e.as<Mod>()) {
            return remainder(mod);
        } else if (const Min *min_op = e.as<Min>()) {
            return clamped(min_op->a, min_op->b);
        } else if (const Max *max_op = e.as<Max>()) {
            return clamped(max_op->a, max_op->b);
        }
        const Expr inside = without_hints(e);
        return inside.same_as(e) ? loaded(e) : read(inside);
    }
};

}  // namespace

Expr likely_side(const Expr &e) {
    const Select *choice = e.as<Select>();
    if (!choice || !is_small(e)) {
        return e;
    }
    const bool yes = has_likely_tag(choice->true_value, Scope<>()),
               no = has_likely_tag(choice->false_value, Scope<>());
    return yes == no ? e : yes ? choice->true_value : choice->false_value;
}

Expr likely_sides(const Expr &e) {
    class LikelySides : public IRGraphMutator {
        using IRGraphMutator::visit;

        Expr visit(const Select *op) override {
            const Expr side = likely_side(op);
            return side.same_as(op) ? IRGraphMutator::visit(op) : mutate(side);
        }
    };
    return LikelySides().mutate(e);
}

Index read_index(const Expr &e, const std::map<std::string, DimId> &dims) {
    return IndexReader(dims).read(e);
}

Index read_index_at_estimates(const Expr &e, const std::map<std::string, DimId> &dims) {
    return is_small(e) ? read_index(at_estimates(e), dims) : IndexReader(dims).loaded(e);
}

}  // namespace eutectic
