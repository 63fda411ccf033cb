// Soft dynamic time warping (Cuturi and Blondel, arXiv:1703.01541): how far sequences a and b are from each
// other, along the best way of matching their elements in order, its minima smooth:
//     R(i, j) = |a_i - b_j|^2 + softmin(R(i - 1, j - 1), R(i - 1, j), R(i, j - 1)),
//     softmin(z) = -gamma log(sum of exp(-z / gamma))

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class SoftDtw : public Generator<SoftDtw> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> batch{"batch", 32};
    GeneratorParam<int> length_a{"length_a", 64};
    GeneratorParam<int> length_b{"length_b", 64};
    GeneratorParam<int> width{"width", 8};
    GeneratorParam<float> gamma{"gamma", 1.0f};

    Input<Buffer<void, 3>> a{"a"};                 // (width, length_a, batch), from 0 as all
    Input<Buffer<void, 3>> b{"b"};                 // (width, length_b, batch)
    Output<Buffer<void, 1>> distance{"distance"};  // (batch)

    void configure() {
        a.set_type(type);
        b.set_type(type);
        distance.set_type(type);
    }

    void generate() {
        const Var i("i"), j("j"), n("n");
        const RDom columns(a.dim(0).min(), a.dim(0).extent(), "c"),
            r({{1, a.dim(1).extent()}, {1, b.dim(1).extent()}}, "r");
        Func cost("cost"), R("R");  // NOLINT(readability-identifier-naming): the paper's name
        const Expr difference = a(columns, i, n) - b(columns, j, n);
        cost(i, j, n) = cast(type, 0);
        cost(i, j, n) += difference * difference;
        // What lies before the first elements is never the best.
        R(i, j, n) = select(i == 0 && j == 0, cast(type, 0), cast(type, Expr(1e8)));
        R(r.x, r.y, n) = cost(r.x - 1, r.y - 1, n) +
                         softmin(R(r.x - 1, r.y - 1, n), R(r.x - 1, r.y, n), R(r.x, r.y - 1, n));
        distance(n) = R(a.dim(1).extent(), b.dim(1).extent(), n);

        a.set_estimates({{0, width}, {0, length_a}, {0, batch}});
        b.set_estimates({{0, width}, {0, length_b}, {0, batch}});
        distance.set_estimates({{0, batch}});
    }

private:
    Expr softmin(const Expr &p, const Expr &q, const Expr &s) {
        const Expr scale = cast(type, gamma), least = min(p, min(q, s));
        return least -
               scale * log(exp((least - p) / scale) + exp((least - q) / scale) + exp((least - s) / scale));
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::SoftDtw, soft_dtw);
