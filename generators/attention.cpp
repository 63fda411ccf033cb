// y = softmax(q k^T / sqrt(d)) v: one head of attention (Vaswani et al., arXiv:1706.03762). Causal: a query
// sees the keys up to its own position, counted from the first of each.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class Attention : public Generator<Attention> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> queries{"queries", 512};
    GeneratorParam<int> keys{"keys", 512};
    GeneratorParam<int> d{"d", 64};
    GeneratorParam<bool> causal{"causal", false};

    Input<Buffer<void, 2>> q{"q"};   // (d, queries)
    Input<Buffer<void, 2>> k{"k"};   // (d, keys)
    Input<Buffer<void, 2>> v{"v"};   // (d, keys)
    Output<Buffer<void, 2>> y{"y"};  // (d, queries)

    void configure() {
        q.set_type(type);
        k.set_type(type);
        v.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var i("i"), j("j"), t("t");
        const RDom inner(q.dim(0).min(), q.dim(0).extent(), "r"),
            all_keys(k.dim(1).min(), k.dim(1).extent(), "t");
        const Func product = matmul(q, k, inner, false, true);
        Func scores("scores");
        scores(t, i) = product(t, i) / sqrt(cast(product.type(), q.dim(0).extent()));
        if (causal) {
            // Low enough that its exponential is 0 beside any score, and small enough that the difference of
            // two stays finite.
            Func masked("masked");
            masked(t, i) = select(t - k.dim(1).min() <= i - q.dim(1).min(), scores(t, i),
                                  cast(product.type(), Expr(-1e9)));
            scores = masked;
        }
        const Func weights = softmax(scores, all_keys);
        const Func mixed = matmul(weights, v, all_keys);
        y(j, i) = cast(type, mixed(j, i));

        q.set_estimates({{0, d}, {0, queries}});
        k.set_estimates({{0, d}, {0, keys}});
        v.set_estimates({{0, d}, {0, keys}});
        y.set_estimates({{0, d}, {0, queries}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Attention, attention);
