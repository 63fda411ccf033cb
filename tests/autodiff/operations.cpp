#include "composer.h"

#include "generators/ops.h"

using namespace Halide;

namespace eutectic::test {

namespace {

Operation pointwise(const std::string &name, const std::function<Expr(Expr)> &e, bool has_kink = false) {
    return {name, [=](Composer &c) {
                const Value v = c.any();
                if (has_kink) {
                    c.kink(v.w, v.h, v.f(j, i));
                }
                return c.make(name, v.w, v.h, e(v.f(j, i)));
            }};
}

Operation binary(const std::string &name, const std::function<Expr(Expr, Expr)> &e, bool has_kink = false) {
    return {name, [=](Composer &c) {
                const Value a = c.any(), b = c.like(a);
                if (has_kink) {
                    c.kink(a.w, a.h, a.f(j, i) - b.f(j, i));
                }
                return c.make(name, a.w, a.h, e(a.f(j, i), b.f(j, i)));
            }};
}

std::vector<Operation> elements() {
    return {
        pointwise("sin", [](Expr x) { return sin(x); }),
        pointwise("tanh", [](Expr x) { return tanh_through_exp(x); }),
        pointwise("gelu", [](Expr x) { return gelu(sin(x)); }),
        pointwise("sigmoid", [](Expr x) { return one / (one + exp(-x)); }),
        pointwise("exp", [](Expr x) { return exp(sin(x)); }),
        pointwise("sqrt", [](Expr x) { return sqrt(x * x + one); }),
        pointwise("log", [](Expr x) { return log(x * x + Expr(1.5)); }),
        pointwise("pow", [](Expr x) { return pow(x * x + one, sin(x) * Expr(0.5)); }),
        pointwise("reciprocal", [](Expr x) { return one / (x * x + one); }),
        pointwise(
            "relu", [](Expr x) { return relu(x); }, true),
        pointwise(
            "abs", [](Expr x) { return abs(x) * Expr(0.5); }, true),
        pointwise("dropout", [](Expr x) { return dropout(x, 0.3f, random_bits(cast<uint32_t>(5), j, i)); }),
        binary("add", [](Expr a, Expr b) { return a - b * Expr(0.5); }),
        binary("multiply", [](Expr a, Expr b) { return sin(a) * b; }),
        binary("divide", [](Expr a, Expr b) { return a / (b * b + one); }),
        binary(
            "max", [](Expr a, Expr b) { return max(a, b); }, true),
        binary(
            "min", [](Expr a, Expr b) { return min(a, b); }, true),
        binary(
            "select", [](Expr a, Expr b) { return select(a > b, a * b, b - a); }, true),
        binary("select_by_place", [](Expr a, Expr b) { return select((i + j) % 2 == 0, a, b); }),
        binary("tuple",
               [](Expr a, Expr b) {
                   Func t("t");
                   t(j, i) = Tuple(a * Expr(0.5), cast<int>(3), b * a);
                   return t(j, i)[0] - t(j, i)[2] * cast(f64, t(j, i)[1]);
               }),
    };
}

Operation view(const std::string &name, const std::function<Value(Composer &, const Value &)> &apply) {
    return {name, [=](Composer &c) { return apply(c, c.any()); }};
}

std::vector<Operation> views() {
    return {
        view("transpose",
             [](Composer &c, const Value &v) { return c.make("transpose", v.h, v.w, v.f(i, j)); }),
        view("reverse",
             [](Composer &c, const Value &v) { return c.make("reverse", v.w, v.h, v.f(v.w - 1 - j, i)); }),
        view("slice",
             [](Composer &c, const Value &v) {
                 return v.w > 2 ? c.make("slice", v.w - 1, v.h, v.f(j + 1, i))
                                : c.make("slice", v.w, v.h, v.f(j, i));
             }),
        view("every_other",
             [](Composer &c, const Value &v) {
                 return c.make("every_other", (v.w + 1) / 2, v.h, v.f(2 * j, i));
             }),
        view("reshape",
             [](Composer &c, const Value &v) {
                 const Expr flat = j + i * v.h;
                 return c.make("reshape", v.h, v.w, v.f(flat % v.w, flat / v.w));
             }),
        view("concatenate",
             [](Composer &c, const Value &v) {
                 if (v.w > 4) {
                     return v;
                 }
                 const Value other = c.like(v);
                 return c.make("concatenate", 2 * v.w, v.h,
                               select(j < v.w, v.f(min(j, v.w - 1), i), other.f(max(j - v.w, 0), i)));
             }),
        view("diagonal",
             [](Composer &c, const Value &v) {
                 return c.make("diagonal", v.w, v.h, v.f(j, j % v.h) * v.f(j, i));
             }),
    };
}

std::vector<Operation> boundaries() {
    return {
        view("clamped",
             [](Composer &c, const Value &v) {
                 const Func e = BoundaryConditions::repeat_edge(v.f, {{0, v.w}, {0, v.h}});
                 return c.make("clamped", v.w, v.h, e(j - 1, i) * Expr(0.5) + e(j + 1, i + 1));
             }),
        view("mirrored",
             [](Composer &c, const Value &v) {
                 const Func e = BoundaryConditions::mirror_image(v.f, {{0, v.w}, {0, v.h}});
                 return c.make("mirrored", v.w, v.h, e(j - 2, i) - e(j, i - 1));
             }),
        view("padded",
             [](Composer &c, const Value &v) {
                 const Func e = BoundaryConditions::constant_exterior(v.f, zero, {{0, v.w}, {0, v.h}});
                 return c.make("padded", v.w, v.h, e(j - 1, i) + e(j + 1, i) * e(j, i));
             }),
    };
}

std::vector<Operation> gathers_and_scatters() {
    return {
        view("gather",
             [](Composer &c, const Value &v) {
                 return c.make("gather", v.w, v.h, v.f(j, c.label(i + 2 * j, v.h)));
             }),
        view("gather_rows",
             [](Composer &c, const Value &v) {
                 return c.make("gather_rows", v.w, v.h, v.f(j, c.label(i, v.h)));
             }),
        view("scatter",
             [](Composer &c, const Value &v) {
                 const RDom r(0, v.h);
                 Func f("scatter");
                 f(j, i) = v.f(j, i) * Expr(0.5);
                 f(j, c.label(r, v.h)) += v.f(j, r) * Expr(0.5);
                 return Value{f, v.w, v.h};
             }),
        view("assign",
             [](Composer &c, const Value &v) {
                 const Value other = c.like(v);
                 const RDom r(0, v.h - 1);
                 Func f("assign");
                 f(j, i) = v.f(j, i);
                 f(j, r) = other.f(j, r + 1) * Expr(0.5) + f(j, r);
                 f(1, i) = v.f(0, i);
                 return Value{f, v.w, v.h};
             }),
    };
}

// An operation on rows: `apply` gets the range of the row.
Operation rows(const std::string &name, const std::function<Expr(Composer &, const Value &, RDom)> &apply) {
    return {name, [=](Composer &c) {
                const Value v = c.any();
                return c.make(name, v.w, v.h, apply(c, v, RDom(0, v.w)));
            }};
}

// s(i) = first; s(i) = next(s(i)).
Func row_update(const Expr &first, const std::function<Expr(Expr)> &next) {
    Func s("s");
    s(i) = first;
    s(i) = next(s(i));
    return s;
}

std::vector<Operation> reductions() {
    return {
        rows("row_sum",
             [](Composer &, const Value &v, RDom r) {
                 return v.f(j, i) - row_update(zero, [&](Expr s) { return s + v.f(r, i) * Expr(0.25); })(i);
             }),
        rows("row_product",
             [](Composer &, const Value &v, RDom r) {
                 return row_update(one, [&](Expr s) { return s * (sin(v.f(r, i)) * Expr(0.5) + one); })(i) *
                        v.f(j, i);
             }),
        rows("row_maximum",
             [](Composer &c, const Value &v, RDom r) {
                 c.kink(1, v.h, argmax(v.f(r, i))[0]);
                 return v.f(j, i) - maximum(v.f(r, i));
             }),
        rows("row_minimum_from_zero",
             [](Composer &c, const Value &v, RDom r) {
                 c.kink(1, v.h, argmin(v.f(r, i))[0]);
                 c.kink(1, v.h, minimum(v.f(r, i)));
                 return v.f(j, i) * row_update(zero, [&](Expr s) { return min(v.f(r, i), s); })(i) *
                        Expr(0.5);
             }),
        rows("best",
             [](Composer &c, const Value &v, RDom r) {
                 Func best("best");
                 best(i) = argmax(v.f(r, i));
                 c.kink(1, v.h, best(i)[0]);
                 return v.f(clamp(best(i)[0] - 1, 0, v.w - 1), i) * sin(best(i)[1]) + v.f(j, i);
             }),
    };
}

std::vector<Operation> normalizations() {
    return {
        rows("softmax", [](Composer &, const Value &v, RDom r) { return softmax(v.f, r)(j, i); }),
        rows("log_softmax",
             [](Composer &, const Value &v, RDom r) { return log_softmax(v.f, r)(j, i) * Expr(0.5); }),
        rows("layernorm",
             [](Composer &c, const Value &v, RDom r) {
                 const ImageParam scale = c.input({{0, v.w}}), bias = c.input({{0, v.w}});
                 return layernorm(v.f, r, scale, bias, 0.1f)(j, i);
             }),
        rows("online_normalizer",
             [](Composer &c, const Value &v, RDom r) {
                 Func s("s");
                 s(i) = Tuple(Expr(-1e9), zero);
                 const Expr top = max(s(i)[0], v.f(r, i));
                 s(i) = Tuple(top, s(i)[1] * exp(s(i)[0] - top) + exp(v.f(r, i) - top));
                 for (int k = 0; k < v.w; k++) {
                     for (int l = 0; l < k; l++) {
                         c.kink(1, v.h, v.f(k, i) - v.f(l, i));
                     }
                 }
                 return exp(v.f(j, i) - s(i)[0]) / s(i)[1];
             }),
    };
}

std::vector<Operation> products_and_windows() {
    return {
        {"matmul",
         [](Composer &c) {
             const Value v = c.any();
             const int n = c.below(3) + 2;
             const ImageParam w = c.input({{0, n}, {0, v.w}});
             return Value{matmul(v.f, w, RDom(0, v.w)), n, v.h};
         }},
        {"convolution",
         [](Composer &c) {
             const Value v = c.any();
             const ImageParam w = c.input({{-1, 3}, {-1, 3}});
             const Func e = BoundaryConditions::constant_exterior(v.f, zero, {{0, v.w}, {0, v.h}});
             const RDom r(-1, 3, -1, 3);
             Func f("convolution");
             f(j, i) = zero;
             f(j, i) += e(j + r.x, i + r.y) * w(r.x, r.y) * Expr(0.5);
             return Value{f, v.w, v.h};
         }},
        {"windows",
         [](Composer &c) {
             const Value v = c.any();
             if (v.w < 4) {
                 return v;
             }
             const RDom r(0, 2);
             Func f("windows");
             f(j, i) = zero;
             f(j, i) += v.f(2 * j + r, i) * v.f(2 * j + r, i) * Expr(0.25);
             return Value{f, v.w / 2, v.h};
         }},
        rows("causal",
             [](Composer &, const Value &v, RDom r) {
                 r.where(r <= j);
                 Func f("causal");
                 f(j, i) = zero;
                 f(j, i) += sin(v.f(r, i)) * v.f(j, i) * Expr(0.5);
                 return f(j, i);
             }),
    };
}

// f = start over v's size, then one update over the rows, from their second element on.
Operation scan(const std::string &name,
               const std::function<void(Composer &, const Value &, Func, RDom)> &update) {
    return {name, [=](Composer &c) {
                const Value v = c.any();
                Func f(name);
                f(j, i) = v.f(j, i);
                update(c, v, f, RDom(1, v.w - 1));
                return Value{f, v.w, v.h};
            }};
}

std::vector<Operation> scans() {
    return {
        scan("prefix_sum",
             [](Composer &, const Value &, Func f, RDom r) { f(r, i) = f(r, i) * Expr(0.5) + f(r - 1, i); }),
        scan("suffix_product", [](Composer &, const Value &v, Func f,
                                  RDom r) { f(v.w - 1 - r, i) *= sin(f(v.w - r, i)) + Expr(0.25); }),
        scan("recurrence", [](Composer &, const Value &v, Func f,
                              RDom r) { f(r, i) = tanh_through_exp(f(r - 1, i) * v.f(r, i) + v.f(0, i)); }),
        scan("running_maximum",
             [](Composer &c, const Value &v, Func f, RDom r) {
                 f(r, i) = max(f(r - 1, i), f(r, i));
                 for (int k = 1; k < v.w; k++) {
                     for (int l = 0; l < k; l++) {
                         c.kink(1, v.h, v.f(k, i) - v.f(l, i));
                     }
                 }
             }),
        {"table",
         [](Composer &c) {
             const Value v = c.any();
             const RDom r(1, v.w - 1, 1, v.h - 1);
             Func f("table");
             f(j, i) = v.f(j, i) * Expr(0.5);
             f(r.x, r.y) += f(r.x - 1, r.y) + f(r.x, r.y - 1) - f(r.x - 1, r.y - 1);
             return Value{f, v.w, v.h};
         }},
        {"running_tuple",
         [](Composer &c) {
             const Value v = c.any();
             const RDom r(1, v.w - 1);
             Func s("running_tuple");
             s(j, i) = Tuple(v.f(j, i), v.f(j, i) * Expr(0.5));
             s(r, i) = Tuple(s(r - 1, i)[0] * Expr(0.5) + v.f(r, i), sin(s(r - 1, i)[1]) * s(r - 1, i)[0]);
             return c.make("pair", v.w, v.h, s(j, i)[0] + s(j, i)[1]);
         }},
    };
}

}  // namespace

const std::vector<Operation> &operations() {
    static const std::vector<Operation> all = [] {
        std::vector<Operation> list;
        for (const std::vector<Operation> &kind :
             {elements(), views(), boundaries(), gathers_and_scatters(), reductions(), normalizations(),
              products_and_windows(), scans()}) {
            list.insert(list.end(), kind.begin(), kind.end());
        }
        return list;
    }();
    return all;
}

}  // namespace eutectic::test
