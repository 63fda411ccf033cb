// Matrix products and convolutions (ops.h).

#include "generators/ops.h"

#include <algorithm>

using namespace Halide;

namespace eutectic {

void define_matmul(Func c, const Func &a, const Func &b, const RDom &k, bool transpose_a, bool transpose_b) {
    const Var i("i"), j("j");
    std::vector<Var> batch;
    for (int d = 2; d < std::max(a.dimensions(), b.dimensions()); d++) {
        batch.emplace_back("b" + std::to_string(d - 2));
    }
    const auto element = [&](const Func &f, const Expr &first, const Expr &second) {
        std::vector<Expr> index{first, second};
        index.insert(index.end(), batch.begin(), batch.begin() + (f.dimensions() - 2));
        return widen(f(index));
    };
    std::vector<Var> vars{j, i};
    vars.insert(vars.end(), batch.begin(), batch.end());
    const Expr left = transpose_a ? element(a, i, k) : element(a, k, i);
    const Expr right = transpose_b ? element(b, k, j) : element(b, j, k);
    c(vars) = cast(arithmetic_type(a.type()), 0);
    c(vars) += left * right;
}

Func matmul(const Func &a, const Func &b, const RDom &k, bool transpose_a, bool transpose_b) {
    Func c("matmul");
    define_matmul(c, a, b, k, transpose_a, transpose_b);
    return c;
}

Func conv2d(const Func &x, const Func &w, const RDom &window, int stride, int padding) {
    const Var c("c"), u("u"), v("v"), n("n");
    const RVar ci = window.x, ku = window.y, kv = window.z;
    Func y("conv2d");
    y(c, u, v, n) = cast(arithmetic_type(x.type()), 0);
    y(c, u, v, n) +=
        widen(x(ci, u * stride + ku - padding, v * stride + kv - padding, n)) * widen(w(c, ci, ku, kv));
    return y;
}

Func depthwise_conv2d(const Func &x, const Func &w, const RDom &window, int stride, int padding) {
    const Var c("c"), u("u"), v("v"), n("n");
    const RVar ku = window.x, kv = window.y;
    Func y("depthwise");
    y(c, u, v, n) = cast(arithmetic_type(x.type()), 0);
    y(c, u, v, n) +=
        widen(x(c, u * stride + ku - padding, v * stride + kv - padding, n)) * widen(w(c, ku, kv));
    return y;
}

Func padded(const Func &x, const Range &u, const Range &v, const Expr &value) {
    return BoundaryConditions::constant_exterior(x, value, {{Expr(), Expr()}, u, v});
}

int windows(int extent, int kernel, int stride, int padding) {
    return (extent + 2 * padding - kernel) / stride + 1;
}

}  // namespace eutectic
