#include "composition.h"

#include "generators/ops.h"

#include <functional>
#include <random>
#include <set>

using namespace Halide;

namespace eutectic::test {

namespace {

const Type f64 = Float(64);
const Var i("i"), j("j");
const Expr zero = cast(f64, 0), one = cast(f64, 1);

// f(j, i) for 0 <= j < w, 0 <= i < h.
struct Value {
    Func f;
    int w = 0, h = 0;
};

class Composer {
public:
    explicit Composer(unsigned seed) : engine_(seed), x_(f64, 2, "x"), labels_(Int(32), 1, "labels") {
        const int w = below(4) + 2, h = below(3) + 2;
        values_.push_back({x_, w, h});
        shapes_ = {{"x", {{0, w}, {0, h}}}, {"labels", {{0, 8}}}};
        inputs_ = {x_};
    }

    Composition run();

    int below(int n) {
        return std::uniform_int_distribution<int>(0, n - 1)(engine_);
    }
    // A value to work on: mostly the last one.
    Value any() {
        return below(3) > 0 ? values_.back()
                            : values_[static_cast<size_t>(below(static_cast<int>(values_.size())))];
    }
    // Another value brought to v's size, repeated where it is smaller.
    Value like(const Value &v) {
        const Value other = any();
        return make("like", v.w, v.h, other.f(j % other.w, i % other.h));
    }
    // A further input.
    ImageParam input(const std::vector<Extent> &shape) {
        const std::string name = "w" + std::to_string(inputs_.size());
        const ImageParam p(f64, static_cast<int>(shape.size()), name);
        shapes_[name] = shape;
        inputs_.push_back(p);
        return p;
    }
    Expr label(const Expr &at, int count) {
        uses_labels_ = true;
        return clamp(labels_(at % 8), 0, count - 1);
    }
    Value make(const std::string &name, int w, int h, const Expr &e) {
        Func f(name);
        f(j, i) = e;
        return {f, w, h};
    }
    // `e`, over w and h, changes at a kink.
    void kink(int w, int h, const Expr &e) {
        const std::string name = "kink" + std::to_string(kinks_.size());
        Func f(name);
        f(j, i) = e;
        kinks_.push_back({name, f});
        shapes_[name] = {{0, w}, {0, h}};
    }

private:
    std::mt19937 engine_;
    const ImageParam x_, labels_;
    bool uses_labels_ = false;
    std::vector<ImageParam> inputs_;
    std::vector<Value> values_;
    std::vector<NamedOutput> kinks_;
    Shapes shapes_;
};

struct Operation {
    std::string name;
    std::function<Value(Composer &)> apply;
};

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

void add_elements(std::vector<Operation> &all) {
    all.insert(all.end(),
               {
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
                   pointwise("dropout",
                             [](Expr x) { return dropout(x, 0.3f, random_bits(cast<uint32_t>(5), j, i)); }),
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
               });
}

Operation view(const std::string &name, const std::function<Value(Composer &, const Value &)> &apply) {
    return {name, [=](Composer &c) { return apply(c, c.any()); }};
}

void add_views(std::vector<Operation> &all) {
    all.insert(
        all.end(),
        {
            view("transpose",
                 [](Composer &c, const Value &v) { return c.make("transpose", v.h, v.w, v.f(i, j)); }),
            view("reverse", [](Composer &c,
                               const Value &v) { return c.make("reverse", v.w, v.h, v.f(v.w - 1 - j, i)); }),
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
        });
}

// An operation on rows: `define` gets the range of the row.
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

void add_reductions(std::vector<Operation> &all) {
    all.insert(
        all.end(),
        {
            rows("row_sum",
                 [](Composer &, const Value &v, RDom r) {
                     return v.f(j, i) -
                            row_update(zero, [&](Expr s) { return s + v.f(r, i) * Expr(0.25); })(i);
                 }),
            rows("row_product",
                 [](Composer &, const Value &v, RDom r) {
                     return row_update(one,
                                       [&](Expr s) { return s * (sin(v.f(r, i)) * Expr(0.5) + one); })(i) *
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
        });
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

void add_scans(std::vector<Operation> &all) {
    all.insert(all.end(), {
                              scan("prefix_sum", [](Composer &, const Value &, Func f,
                                                    RDom r) { f(r, i) = f(r, i) * Expr(0.5) + f(r - 1, i); }),
                              scan("suffix_product",
                                   [](Composer &, const Value &v, Func f, RDom r) {
                                       f(v.w - 1 - r, i) *= sin(f(v.w - r, i)) + Expr(0.25);
                                   }),
                              scan("recurrence",
                                   [](Composer &, const Value &v, Func f, RDom r) {
                                       f(r, i) = tanh_through_exp(f(r - 1, i) * v.f(r, i) + v.f(0, i));
                                   }),
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
                                   s(r, i) = Tuple(s(r - 1, i)[0] * Expr(0.5) + v.f(r, i),
                                                   sin(s(r - 1, i)[1]) * s(r - 1, i)[0]);
                                   return c.make("pair", v.w, v.h, s(j, i)[0] + s(j, i)[1]);
                               }},
                          });
}

const std::vector<Operation> &operations() {
    static const std::vector<Operation> all = [] {
        std::vector<Operation> list;
        add_elements(list);
        add_views(list);
        add_reductions(list);
        add_scans(list);
        return list;
    }();
    return all;
}

// Keeps values small, and every second one a Func that is not cheap to write out again.
Value squashed(Composer &c, const Value &v) {
    return c.make("squashed", v.w, v.h, sin(v.f(j, i)) + v.f(j, i) * Expr(0.125));
}

Composition Composer::run() {
    Composition result;
    result.text = "x";
    const int count = below(4) + 3;
    for (int n = 0; n < count; n++) {
        const Operation &operation =
            operations()[static_cast<size_t>(below(static_cast<int>(operations().size())))];
        Value v = operation.apply(*this);
        result.text += " " + operation.name;
        if (below(2) == 0) {
            v = squashed(*this, v);
            result.text += " squashed";
        }
        values_.push_back(v);
    }
    const Value last = values_.back();
    Func y("y");
    y(j, i) = last.f(j, i) + x_(0, 0);
    std::vector<NamedOutput> outputs{{"y", y}};
    shapes_["y"] = {{0, last.w}, {0, last.h}};
    const Value &other = values_[values_.size() / 2];
    if (below(3) == 0) {
        Func u("u");
        u(j, i) = other.f(j, i) * Expr(0.5);
        outputs.push_back({"u", u});
        shapes_["u"] = {{0, other.w}, {0, other.h}};
        result.text += " (and number " + std::to_string(values_.size() / 2) + ")";
    }
    std::vector<ImageParam> all = inputs_;
    if (uses_labels_) {
        all.push_back(labels_);
    }
    result.subject = by_hand(all, outputs);
    result.subject.kinks = kinks_;
    result.subject.problem.wrt = {"x"};
    std::set<std::string> used;
    for (const auto &[name, f] : Internal::build_environment({y.function()})) {
        used.insert(name);
    }
    for (size_t p = 1; p < inputs_.size(); p++) {
        if (used.count(Func(inputs_[p]).name())) {
            result.subject.problem.wrt.push_back(inputs_[p].name());
        }
    }
    result.shapes = shapes_;
    return result;
}

}  // namespace

Composition random_composition(unsigned seed) {
    return Composer(seed).run();
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    for (const Operation &operation : operations()) {
        names.push_back(operation.name);
    }
    return names;
}

}  // namespace eutectic::test
