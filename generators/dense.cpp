// y = activation(x w + b): one fully connected layer.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class Dense : public Generator<Dense> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> m{"m", 128};
    GeneratorParam<int> k{"k", 784};
    GeneratorParam<int> n{"n", 256};
    GeneratorParam<Activation> activation{"activation", Activation::relu, activation_names()};

    Input<Buffer<void, 2>> x{"x"};   // (k, m)
    Input<Buffer<void, 2>> w{"w"};   // (n, k)
    Input<Buffer<void, 1>> b{"b"};   // (n)
    Output<Buffer<void, 2>> y{"y"};  // (n, m)

    void configure() {
        x.set_type(type);
        w.set_type(type);
        b.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var i("i"), j("j");
        Func matmul("matmul"), z("z");
        RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
        matmul(j, i) = cast(type, 0);
        matmul(j, i) += x(r, i) * w(j, r);
        if (activation == Activation::none) {
            y(j, i) = matmul(j, i) + b(j);
        } else {
            z(j, i) = matmul(j, i) + b(j);
            y(j, i) = activate(activation, z(j, i));
        }

        x.set_estimates({{0, k}, {0, m}});
        w.set_estimates({{0, n}, {0, k}});
        b.set_estimates({{0, n}});
        y.set_estimates({{0, n}, {0, m}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Dense, dense);
