#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

Expr sigmoid(const Expr &x) {
    const Expr one = cast(x.type(), 1);
    return one / (one + exp(-x));
}

Expr silu(const Expr &x) {
    return x * sigmoid(x);
}

Func causal_heads(const Func &q, const Func &k, const Func &v, const RDom &inner, const RDom &positions) {
    const Var i("i"), t("t"), h("h");
    const Func product = matmul(q, k, inner, false, true);
    const Type type = product.type();
    Func masked("masked");
    // Low enough that its exponential is 0 beside any score.
    masked(t, i, h) =
        select(t <= i, product(t, i, h) / sqrt(cast(type, inner.x.extent())), cast(type, Expr(-1e9)));
    return matmul(softmax(masked, positions), v, positions);
}

}  // namespace eutectic::models
