// c = a b for each of a batch of matrices; one of the operands may be the same for all.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

enum class Broadcast { none, a, b };

class BatchedMatmul : public Generator<BatchedMatmul> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> batch{"batch", 16};
    GeneratorParam<int> m{"m", 128};
    GeneratorParam<int> k{"k", 128};
    GeneratorParam<int> n{"n", 128};
    GeneratorParam<Broadcast> broadcast{
        "broadcast", Broadcast::none, {{"none", Broadcast::none}, {"a", Broadcast::a}, {"b", Broadcast::b}}};

    Input<Buffer<void>> a{"a"};      // (k, m, batch), or (k, m) with broadcast=a
    Input<Buffer<void>> b{"b"};      // (n, k, batch), or (n, k) with broadcast=b
    Output<Buffer<void, 3>> c{"c"};  // (n, m, batch)

    void configure() {
        a.set_type(type);
        a.set_dimensions(broadcast == Broadcast::a ? 2 : 3);
        b.set_type(type);
        b.set_dimensions(broadcast == Broadcast::b ? 2 : 3);
        c.set_type(type);
    }

    void generate() {
        const RDom r(a.dim(0).min(), a.dim(0).extent(), "r");
        if (arithmetic_type(type) == type) {
            define_matmul(c, a, b, r);
        } else {
            Var i("i"), j("j"), s("s");
            c(j, i, s) = cast(type, matmul(a, b, r)(j, i, s));
        }

        a.set_estimates(extents(k, m, broadcast == Broadcast::a));
        b.set_estimates(extents(n, k, broadcast == Broadcast::b));
        c.set_estimates({{0, n}, {0, m}, {0, batch}});
    }

private:
    Region extents(int inner, int outer, bool shared) const {
        Region region{{0, inner}, {0, outer}};
        if (!shared) {
            region.emplace_back(0, Expr(batch));
        }
        return region;
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::BatchedMatmul, batched_matmul);
