// A recipe's operations as Halide Funcs. Every access stays inside the matrix at every size. Floats are
// continuous in their inputs and stay near 1, integers stay below 1000, so that rounding differences stay
// small and nothing overflows.

#include "tests/fuzz/recipe.h"
#include "tests/support/pipelines.h"

namespace eutectic::test {

using namespace Halide;

namespace {

class Definer {
public:
    explicit Definer(const Recipe &recipe)
        : recipe_(recipe), type_(recipe.mode == Mode::integer ? Int(32) : Float(32)) {
        const int n = recipe.columns, m = recipe.rows;
        program_.inputs = {image("in0", {n, m}, type_), image("in1", {n, m}, type_),
                           image("weights", {n, n}, type_), image("at_column", {n}, Int(32)),
                           image("at_row", {m}, Int(32))};
        columns_ = program_.inputs[0].dim(0).extent();
        rows_ = program_.inputs[0].dim(1).extent();
        for (int i = 0; i < 2; i++) {
            Func f("value" + std::to_string(i));
            f(x, y) = program_.inputs[i](x, y);
            values_.push_back(f);
        }
    }

    Program run() {
        for (const Operation &o : recipe_.operations) {
            values_.push_back(define(o));
        }
        for (const int v : recipe_.outputs) {
            program_.outputs.push_back(values_[v]);
            estimate(program_.outputs.back(), {recipe_.columns, recipe_.rows});
        }
        return program_;
    }

private:
    const Recipe &recipe_;
    Type type_;
    Program program_;
    Expr columns_, rows_;
    std::vector<Func> values_;
    Var x{"x"}, y{"y"};

    Func named(const char *what) const {
        return Func(what + std::to_string(values_.size()));
    }
    Expr number(double value) const {
        return type_.is_float() ? cast(type_, Expr(value)) : cast(type_, Expr(static_cast<int>(value * 8)));
    }
    /** Brings a value back near 1, or below 1000. */
    Expr settle(const Expr &v) const {
        return type_.is_float() ? v / (1 + abs(v)) : v % 997;
    }
    Expr column(const Expr &i) const {
        return clamp(i, 0, columns_ - 1);
    }
    Expr row(const Expr &i) const {
        return clamp(i, 0, rows_ - 1);
    }

    /** Of a product: an integer that fits into fewer bits than the sum has. */
    Expr factor(const Expr &e, int variant) const {
        const Type types[] = {UInt(8), Int(8), Int(16), Int(32)};
        return type_.is_float() ? e : cast(type_, cast(types[variant % 4], e));
    }

    Expr op(const Expr &a, const Expr &b, int variant) const {
        switch (variant % 5) {
        case 0: return settle(a + b);
        case 1: return settle(a - b);
        case 2: return settle(a * b);
        case 3: return max(a, b);
        default: return type_.is_float() ? a / (1 + abs(b)) : a / max(abs(b), 1);
        }
    }

    Func define(const Operation &o) {
        const Func a = values_[o.a], b = values_[o.b];
        switch (o.kind) {
        case Kind::scale:
        case Kind::curve:
        case Kind::floor_at:
        case Kind::combine:
        case Kind::pair: return pointwise(o, a, b);
        case Kind::row_value:
        case Kind::column_value:
        case Kind::matmul:
        case Kind::gram:
        case Kind::largest:
        case Kind::total: return reduction(o, a, b);
        case Kind::accumulate:
        case Kind::scan:
        case Kind::scatter: return updates(o, a, b);
        case Kind::layers: return layers(o, a, b);
        case Kind::recurrence: return recurrence(o, a, b);
        default: return view(o, a, b);
        }
    }

    Func pointwise(const Operation &o, const Func &a, const Func &b) const {
        Func f = named(to_string(o.kind));
        const Expr v = a(x, y);
        if (o.kind == Kind::scale) {
            f(x, y) = settle(v * number(0.25 * (1 + o.variant % 7)) + number(0.5));
        } else if (o.kind == Kind::curve) {
            f(x, y) = type_.is_float() && o.variant % 2 ? exp(min(v, 1.0f)) : settle(v * v);
        } else if (o.kind == Kind::floor_at) {
            f(x, y) = max(v, number(0.125 * (o.variant % 5) - 0.25));
        } else if (o.kind == Kind::combine) {
            f(x, y) = op(v, b(x, y), o.variant);
        } else {
            Func both = named("both");
            both(x, y) = Tuple(op(v, b(x, y), o.variant), op(b(x, y), v, o.variant + 1));
            f(x, y) = settle(both(x, y)[0] + both(x, row(y + 1))[1]);
        }
        return f;
    }

    Func view(const Operation &o, const Func &a, const Func &b) const {
        Func f = named(to_string(o.kind));
        if (o.kind == Kind::transpose) {
            f(x, y) = a(column(y), row(x));
        } else if (o.kind == Kind::slice) {
            const int step = 1 + o.variant % 2, offset = o.variant / 2 % 4;
            f(x, y) = o.variant % 3 ? a(column(step * x + offset), y) : a(x, row(step * y + offset));
        } else if (o.kind == Kind::reshape) {
            const Expr element = x * rows_ + y;
            f(x, y) = a(column(element % columns_), row(element / columns_));
        } else if (o.kind == Kind::concatenate) {
            const Expr half = columns_ / 2;
            f(x, y) = select(x < half, a(x, y), b(column(x - half), y));
        } else if (o.kind == Kind::gather) {
            f(x, y) = o.variant % 2 ? a(column(program_.inputs[3](x)), y) : a(x, row(program_.inputs[4](y)));
        } else {
            const Func safe = BoundaryConditions::repeat_edge(a, {{0, columns_}, {0, rows_}});
            const int dx = o.variant % 2, dy = 1 - dx;
            const Expr sum = safe(x - dx, y - dy) + 2 * safe(x, y) + safe(x + dx, y + dy);
            f(x, y) = o.variant % 4 < 2 ? settle(sum) : settle(sum + safe(x - 2 * dx, y - 2 * dy));
        }
        return f;
    }

    Func reduction(const Operation &o, const Func &a, const Func &b) const {
        Func f = named(to_string(o.kind)), sum = named("sum");
        RDom k(0, columns_), r(0, rows_);
        Var i("i");
        const bool by_sum = o.variant % 2 == 0;
        if (o.kind == Kind::matmul || o.kind == Kind::gram) {
            const ImageParam &w = program_.inputs[2];
            const auto first = [&](const Expr &e) { return factor(e, o.variant / 4); };
            const auto second = [&](const Expr &e) { return factor(e, o.variant / 16); };
            if (o.kind == Kind::gram) {
                sum(x, i) += first(a(x, r)) * second(b(i, r));
                f(x, y) = settle(sum(x, column(y)));
            } else {
                // As Halide's derivatives read what may be shorter than the sum: clamped, either operand
                // first.
                const int way = o.variant / 5 % 4;
                const Expr j = way == 0 ? column(k) : way == 1 ? max(min(columns_ - 1, k), 0) : Expr(k);
                sum(x, y) += first(a(k, y)) * second(by_sum ? w(x, j) : w(j, x));
                f(x, y) = o.variant % 3 ? settle(sum(x, y)) : max(settle(sum(x, y)), b(x, y));
            }
        } else if (o.kind == Kind::largest) {
            sum(y) = Tuple(type_.min(), 0);
            const Expr v = program_.inputs[0](k, y), better = v > sum(y)[0];
            sum(y) = Tuple(select(better, v, sum(y)[0]), select(better, k, sum(y)[1]));
            f(x, y) = op(a(x, y), sum(y)[0] + cast(type_, sum(y)[1] % 3), o.variant);
        } else if (o.kind == Kind::total) {
            RDom all(0, columns_, 0, rows_);
            sum() = by_sum ? cast(type_, 0) : type_.min();
            sum() = by_sum ? sum() + b(all.x, all.y) : max(sum(), b(all.x, all.y));
            f(x, y) = op(a(x, y), settle(sum()), o.variant);
        } else if (o.kind == Kind::row_value) {
            sum(y) = by_sum ? cast(type_, 0) : type_.min();
            sum(y) = by_sum ? sum(y) + b(k, y) : max(sum(y), b(k, y));
            f(x, y) = op(a(x, y), settle(sum(y)), o.variant);
        } else {
            sum(x) = by_sum ? cast(type_, 0) : type_.min();
            sum(x) = by_sum ? sum(x) + b(x, r) : max(sum(x), b(x, r));
            f(x, y) = op(a(x, y), settle(sum(x)), o.variant);
        }
        return f;
    }

    Func updates(const Operation &o, const Func &a, const Func &b) const {
        Func f = named(to_string(o.kind)), out = named("after");
        f(x, y) = o.kind == Kind::scatter ? cast(type_, 0) : a(x, y);
        if (o.kind == Kind::accumulate) {
            RDom k(0, columns_);
            f(x, y) += b(k, y);
            f(x, 0) = b(x, 0);
            f(x, y) = max(f(x, y), b(x, y));
        } else if (o.kind == Kind::scan) {
            RDom kx(1, max(columns_ - 1, 0)), ky(1, max(rows_ - 1, 0));
            if (o.variant % 2) {
                f(kx, y) = settle(f(kx, y) + f(kx - 1, y));
            } else {
                f(x, ky) = settle(f(x, ky) + f(x, ky - 1));
            }
        } else {
            RDom k(0, columns_);
            f(column(program_.inputs[3](k)), y) += a(k, y);
        }
        out(x, y) = settle(f(x, y));
        return out;
    }

    Func layers(const Operation &o, const Func &a, const Func &b) const {
        Func f = named("layers"), out = named("seen");
        f(x, y) = Tuple(a(x, y), cast(type_, 1));
        RDom r(0, 2 + o.variant % 3);
        r.where(o.variant % 2 ? b(column(r), y) > cast(type_, 0) : r % 3 != 1);
        const Expr term = b(x, row(y + r)) * f(x, y)[1];
        f(x, y) = Tuple(settle(f(x, y)[0] + term),
                        select(term > number(0.5), f(x, y)[1], cast(type_, 1) - f(x, y)[1]));
        out(x, y) = settle(f(x, y)[0] + f(x, o.variant % 4 ? y : row(y + 1))[1]);
        return out;
    }

    Func recurrence(const Operation &o, const Func &a, const Func &b) const {
        Func f = named("recurrence"), out = named("filtered");
        f(x, y) = a(x, y);
        const bool along_x = o.variant % 2;
        const Expr size = along_x ? columns_ : rows_;
        RDom there(1, max(size - 1, 0)), back(1, max(size - 1, 0));
        const auto at = [&](const Expr &i) { return along_x ? f(i, y) : f(x, i); };
        const Expr two_before = max(there - 2, 0), j = size - 1 - back;
        at(there) = settle(at(there) + at(there - 1) - at(two_before));
        at(j) = max(at(j), settle(at(j + 1) - (along_x ? b(j, y) : b(x, j))));
        at(size - 1) += cast(type_, 1);
        out(x, y) = f(x, y);
        return out;
    }
};

}  // namespace

Program make_program(const Recipe &recipe) {
    return recipe.images ? make_image_program(recipe) : Definer(recipe).run();
}

Sizes sizes_of(const Recipe &recipe, int columns, int rows) {
    if (recipe.images) {
        const std::vector<int> image = {std::max(columns, 1), std::max(rows, 1)};
        return {{image, image}, std::vector<std::vector<int>>(recipe.outputs.size(), {columns, rows})};
    }
    return {{{columns, rows}, {columns, rows}, {columns, columns}, {columns}, {rows}},
            std::vector<std::vector<int>>(recipe.outputs.size(), {columns, rows})};
}

}  // namespace eutectic::test
