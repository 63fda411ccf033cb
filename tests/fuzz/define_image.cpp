// A recipe's operations on images as Halide Funcs: planes that are defined everywhere, since the inputs are
// behind boundary conditions, so that every reader makes a halo. Integers are computed with enough bits and
// brought back into their type's range; floats stay near 1, and become integers under strict numerics alone,
// where both programs round them alike.

#include <algorithm>

#include "tests/fuzz/recipe.h"
#include "tests/support/pipelines.h"

namespace eutectic::test {

using namespace Halide;

namespace {

const Type element_types[] = {UInt(8), Int(8), UInt(16), Int(16), Int(32), Float(32), Float(32), Float(64)};
constexpr int element_count = 8;

class ImageDefiner {
public:
    explicit ImageDefiner(const Recipe &recipe) : recipe_(recipe) {
        const int n = recipe.columns, m = recipe.rows;
        const Type first = allowed(element_types[recipe.element]);
        const Type second = recipe.element % 3 == 0 ? UInt(8) : recipe.element % 3 == 1 ? UInt(16) : Int(32);
        // What is estimated need not be what there is.
        const int columns = std::max(2, n * recipe.estimated / 2),
                  rows = std::max(2, m * recipe.estimated / 2);
        program_.inputs = {image("in0", {columns, rows}, first), image("in1", {columns, rows}, second)};
        columns_ = program_.inputs[0].dim(0).extent();
        rows_ = program_.inputs[0].dim(1).extent();
        for (int i = 0; i < 2; i++) {
            Func f("value" + std::to_string(i));
            f(x, y) = behind_boundary(program_.inputs[i], recipe.element + i)(x, y);
            values_.push_back(f);
            level_.push_back(0);
        }
        estimates_ = {columns, rows};
    }

    Program run() {
        for (const Operation &o : recipe_.operations) {
            level_.push_back(std::max(level_[o.a], level_[o.b]));
            Func f = define(o);
            values_.push_back(f);
        }
        for (const int output : recipe_.outputs) {
            // What others read, too, would have to be as large as they need it.
            Func copy("output" + std::to_string(output) + "_");
            copy(x, y) = values_[output](x, y);
            const bool last = output == static_cast<int>(values_.size()) - 1;
            program_.outputs.push_back(last ? values_[output] : copy);
            estimate(program_.outputs.back(), estimates_);
        }
        return program_;
    }

private:
    const Recipe &recipe_;
    Program program_;
    Expr columns_, rows_;
    std::vector<Func> values_;
    std::vector<int> level_;  // how often what a value is made of has been downsampled
    Table<DimId, int> estimates_;
    Var x{"x"}, y{"y"}, c{"c"}, v{"v"};

    /** Integers alone where results are compared so. */
    Type allowed(Type type) const {
        return recipe_.mode == Mode::integer && type.is_float() ? UInt(8) : type;
    }

    Func named(const Operation &o, const char *part = "") const {
        return Func(std::string(to_string(o.kind)) + part + std::to_string(values_.size()) + "_");
    }

    template<typename Image>
    Func behind_boundary(const Image &f, int which) const {
        const Region region = {{0, columns_}, {0, rows_}};
        switch (which % 5) {
        case 0: return BoundaryConditions::repeat_edge(f, region);
        case 1: return BoundaryConditions::mirror_image(f, region);
        case 2: return BoundaryConditions::mirror_interior(f, region);
        case 3: return BoundaryConditions::repeat_image(f, region);
        default: return BoundaryConditions::constant_exterior(f, 3, region);
        }
    }

    /** Wide enough for a few sums and products. */
    static Expr wide(const Expr &e) {
        return e.type().is_float() ? e : cast<int32_t>(e);
    }

    /** Back into the range of `type`; the one way or the other. */
    static Expr narrow(const Type &type, const Expr &e, int variant) {
        if (type.is_float()) {
            const Expr value = cast(type, e);
            return value / (1 + abs(value));
        }
        if (type.bits() == 32) {
            return e % 997;
        }
        if (variant % 2) {
            return saturating_cast(type, e);
        }
        return cast(type, e);  // wraps around
    }

    Expr at(const Func &f, const Expr &i, const Expr &j) const {
        return wide(f(i, j));
    }

    /** Of integers those whose square has 32 bits. */
    static Expr squared(const Expr &e) {
        const Expr factor = e.type().is_float() ? e : clamp(e, -46340, 46340);
        return factor * factor;
    }

    /** As an index. */
    Expr second(const Expr &i, const Expr &j) const {
        return cast<int32_t>(values_[1](i, j));
    }

    Func define(const Operation &o) {
        const Func a = values_[o.a], b = values_[o.b];
        const Type type = a.type();
        switch (o.kind) {
        case Kind::point:
        case Kind::blend:
        case Kind::convert: return pointwise(o, a, b, type);
        case Kind::downsample:
        case Kind::upsample:
        case Kind::phases: return resampled(o, a, b, type);
        case Kind::lookup:
        case Kind::warp:
        case Kind::histogram: return by_data(o, a, type);
        case Kind::window:
        case Kind::running:
        case Kind::match:
        case Kind::channels: return reduced(o, a, b, type);
        default: return neighbours(o, a, type);
        }
    }

    Func pointwise(const Operation &o, const Func &a, const Func &b, const Type &type) const {
        Func f = named(o);
        const Expr p = at(a, x, y), q = o.kind == Kind::blend ? at(b, x, y) : p;
        if (o.kind == Kind::convert) {
            Type to = allowed(element_types[o.variant % element_count]);
            // Of floats that differ in their last bits integers would differ by one.
            to = type.is_float() && recipe_.mode != Mode::strict ? Float(to.bits() == 64 ? 64 : 32) : to;
            // No negative ones to unsigned integers: by way of 32 bits they would wrap around, but Halide
            // (21) simplifies that to one cast, which has no defined value.
            const Expr rounded = cast<int32_t>((to.is_uint() ? abs(p) : p) * 90);
            const Expr scaled = type.is_float() && !to.is_float() ? rounded : p;
            f(x, y) = narrow(to, to.is_float() ? cast(to, scaled) : scaled, o.variant / 8);
        } else if (o.kind == Kind::point) {
            const Expr bent = o.variant % 4 == 0   ? p * (3 + o.variant % 5) + 2
                              : o.variant % 4 == 1 ? max(p, 5) - min(p, 40)
                              : o.variant % 4 == 2 ? (p * 7 + 4) / 8
                                                   : squared(p);
            f(x, y) = narrow(type, bent, o.variant);
        } else {
            const Expr other = cast(p.type(), q);
            const bool floats = q.type().is_float() && !p.type().is_float();  // rounded: not what is compared
            const Expr by = floats ? p : other;
            const Expr mixed = o.variant % 4 == 0   ? p + by
                               : o.variant % 4 == 1 ? p - by
                               : o.variant % 4 == 2 ? max(p, by) * 2 - min(p, by)
                                                    : select(second(x, y) > 50, p, by);
            f(x, y) = narrow(type, mixed, o.variant);
        }
        return f;
    }

    Func neighbours(const Operation &o, const Func &a, const Type &type) const {
        Func f = named(o);
        const int radius = 1 + o.variant % 3, far = o.variant / 8 % 3;
        if (o.kind == Kind::boundary) {
            f(x, y) = behind_boundary(a, o.variant)(x, y);
        } else if (o.kind == Kind::ranked) {
            const Expr p = a(x - radius, y), q = a(x, y + far), r = a(x + 1, y - 1);
            f(x, y) = o.variant % 2 ? max(min(p, q), min(max(p, q), r)) : max(p, max(q, r));
        } else {
            Expr sum = at(a, x, y) * 2;
            for (int i = -radius; i <= radius; i++) {
                sum += o.variant % 4 == 0   ? at(a, x + i, y) * (i + 4)
                       : o.variant % 4 == 1 ? at(a, x, y + i) * (i + 4)
                       : o.variant % 4 == 2 ? at(a, x + i, y + i + far) - at(a, x - i, y + i)
                                            : at(a, x + i * 3, y - far * i);
            }
            f(x, y) = narrow(type, sum / 4, o.variant);
        }
        return f;
    }

    Func resampled(const Operation &o, const Func &a, const Func &b, const Type &type) {
        Func f = named(o);
        const int by = 2 + o.variant / 16 % 2;
        if (o.kind == Kind::downsample && level_.back() < 2) {
            level_.back()++;
            const Expr mean = (at(a, by * x, by * y) + at(a, by * x + 1, by * y) + at(a, by * x, by * y + 1) +
                               at(a, by * x - 1, by * y + 1)) /
                              4;
            f(x, y) = o.variant % 3 == 0 ? a(by * x, y) : narrow(type, mean, o.variant);
        } else if (o.kind == Kind::phases) {
            const Expr p = a(x / 2, y),
                       q = cast(type, o.a == o.b || b.type() != type ? a(x / 2 + 1, y) : b(x / 2, y));
            const Expr r = a(x, y / 2), s = a(x, y / 2 - 1);
            f(x, y) = o.variant % 2 ? select(x % 2 == 0, p, q) : select(y % 2 == 0, r, s);
        } else {
            const Expr between =
                (at(a, x / by, y / by) * 3 + at(a, x / by - 1 + 2 * (x % 2), y / by + 1)) / 4;
            f(x, y) = o.variant % 3 == 0 ? a(x, y / by) : narrow(type, between, o.variant);
        }
        return f;
    }

    Func by_data(const Operation &o, const Func &a, const Type &type) const {
        Func f = named(o), table = named(o, "_table");
        if (o.kind == Kind::lookup) {
            const int size = o.variant % 2 ? 256 : 100;
            table(v) = narrow(type, wide(cast(type, v % 90)) * (1 + o.variant % 5) + 1, o.variant);
            f(x, y) =
                narrow(type, wide(table(clamp(second(x, y), 0, size - 1))) + at(a, x, y), o.variant / 2);
        } else if (o.kind == Kind::warp) {
            const Expr dx = second(x, y) % 5 - 2, dy = second(x + 1, y) % 3;
            f(x, y) =
                o.variant % 2 ? a(x + clamp(dx, -2, 2), y) : a(x + clamp(dx, -2, 2), y + clamp(dy, 0, 2));
        } else {
            RDom r(0, columns_, 0, rows_);
            if (o.variant % 3 == 0) {
                r.where(r.x % 2 == 0);
            }
            table(v) = 0;
            table(clamp(second(r.x, r.y), 0, 127)) += 1;
            const Expr count = table(clamp(second(x, y), 0, 127)) % 64;
            f(x, y) = narrow(type, at(a, x, y) + cast(wide(a(x, y)).type(), count), o.variant);
        }
        return f;
    }

    Func by_plane(const Operation &o, const Func &a, const Type &type) const {
        Func f = named(o), sum = named(o, "_sum");
        const Type wider = wide(a(x, y)).type();
        Func planes = named(o, "_planes");
        const Expr p = at(a, x, y), q = at(a, x + 1, y), r = at(a, x, y - 1);
        planes(x, y, c) = mux(c, {p, q, r});
        if (o.variant % 3 == 0) {
            RDom k(0, 3);
            sum(x, y) += planes(x, y, k) * cast(wider, k + 1);
            f(x, y) = narrow(type, sum(x, y) / 6, o.variant);
        } else if (o.variant % 3 == 1) {  // each at a constant
            f(x, y) =
                narrow(type, (planes(x, y, 0) + planes(x, y, 1) * 2 + planes(x, y, 2) * 3) / 6, o.variant);
        } else {  // a little interpreter: one of three operations for each of the planes
            RDom k(0, 3, 0, 3);
            k.where(k.x == clamp(second(k.y, 0) % 3, 0, 2));
            const Expr plane = cast(wider, planes(x, y, k.y));
            sum(x, y) = cast(wider, 1);
            sum(x, y) = mux(k.x, {(sum(x, y) + plane) / 2, max(sum(x, y), plane), min(sum(x, y) + 3, plane)});
            f(x, y) = narrow(type, sum(x, y), o.variant);
        }
        return f;
    }

    Func reduced(const Operation &o, const Func &a, const Func &b, const Type &type) const {
        Func f = named(o), sum = named(o, "_sum");
        const Type wider = wide(a(x, y)).type();
        if (o.kind == Kind::channels) {
            return by_plane(o, a, type);
        }
        if (o.kind == Kind::window) {
            RDom r(-(o.variant % 3), 1 + 2 * (o.variant % 3), -1, 2 + o.variant / 4 % 3);
            if (o.variant % 5 == 0) {
                r.where(r.x != 0);
            }
            sum(x, y) = cast(wider, 0);
            sum(x, y) += at(a, x + r.x, y + r.y) * cast(wider, r.x + 3);
            f(x, y) = narrow(type, sum(x, y) / 8, o.variant);
        } else if (o.kind == Kind::match) {
            // Of what is rounded otherwise another move could be the best one.
            const bool exact = recipe_.mode != Mode::fast || !(type.is_float() || b.type().is_float());
            const Func other = exact ? b : values_[1];
            const auto of = [&](const Func &g, const Expr &i, const Expr &j) {
                return exact ? cast(wider, at(g, i, j)) : cast(wider, second(i, j));
            };
            RDom r(-2, 5);
            sum(x, y) = Tuple(cast(wider, 1 << 20), 0);
            const Expr difference = abs(of(exact ? a : other, x, y) - of(other, x + r, y));
            const Expr better = cast(wider, difference) < sum(x, y)[0];
            sum(x, y) =
                Tuple(select(better, cast(wider, difference), sum(x, y)[0]), select(better, r, sum(x, y)[1]));
            f(x, y) = narrow(type, at(a, x, y) + cast(wider, sum(x, y)[1]), o.variant);
        } else {
            const bool along_x = o.variant % 2;
            const Expr size = along_x ? columns_ : rows_;
            RDom there(1, max(size - 1, 0)), back(1, max(size - 1, 0));
            const auto g = [&](const Expr &i) { return along_x ? sum(i, y) : sum(x, i); };
            sum(x, y) = at(a, x, y);
            const auto next = [&](const Expr &p, const Expr &q) {
                return wider.is_float() ? (p + q) / 2 : (p * 3 + q) % 509;
            };
            g(there) = next(g(there), g(there - 1));
            if (o.variant % 4 < 2) {
                const Expr i = size - 1 - back;
                g(i) = next(g(i), g(i + 1));
            }
            f(x, y) = narrow(type, sum(x, y), o.variant);
        }
        return f;
    }
};

}  // namespace

Program make_image_program(const Recipe &recipe) {
    return ImageDefiner(recipe).run();
}

}  // namespace eutectic::test
