// y = dropout(relu(x w + b)): a fully connected layer with counter-based dropout.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class DenseDropout : public Generator<DenseDropout> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> m{"m", 1024};
    GeneratorParam<int> k{"k", 1024};
    GeneratorParam<int> n{"n", 1024};
    GeneratorParam<float> rate{"rate", 0.1f};

    Input<Buffer<void, 2>> x{"x"};  // (k, m)
    Input<Buffer<void, 2>> w{"w"};  // (n, k)
    Input<Buffer<void, 1>> b{"b"};  // (n)
    Input<uint32_t> seed{"seed"};
    Output<Buffer<void, 2>> y{"y"};  // (n, m)

    void configure() {
        x.set_type(type);
        w.set_type(type);
        b.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var i("i"), j("j");
        Func matmul("matmul"), z("z"), h("h");
        RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
        matmul(j, i) = cast(type, 0);
        matmul(j, i) += x(r, i) * w(j, r);
        z(j, i) = matmul(j, i) + b(j);
        h(j, i) = relu(z(j, i));
        y(j, i) = dropout(h(j, i), rate, random_bits(seed, j, i));

        x.set_estimates({{0, k}, {0, m}});
        w.set_estimates({{0, n}, {0, k}});
        b.set_estimates({{0, n}});
        seed.set_estimate(1);
        y.set_estimates({{0, n}, {0, m}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::DenseDropout, dense_dropout);
