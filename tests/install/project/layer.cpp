// y = relu(x w + b), written once, without a schedule.

#include <Halide.h>

#include "autodiff/register.h"

using namespace Halide;

class Layer : public Generator<Layer> {
public:
    Input<Buffer<float, 2>> x{"x"};   // (inputs, batch)
    Input<Buffer<float, 2>> w{"w"};   // (outputs, inputs)
    Input<Buffer<float, 1>> b{"b"};   // (outputs)
    Output<Buffer<float, 2>> y{"y"};  // (outputs, batch)

    void generate() {
        Var o("o"), s("s");
        Func matmul("matmul"), z("z");
        RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
        matmul(o, s) = 0.0f;
        matmul(o, s) += x(r, s) * w(o, r);
        z(o, s) = matmul(o, s) + b(o);
        y(o, s) = max(z(o, s), 0.0f);

        x.set_estimates({{0, 48}, {0, 32}});
        w.set_estimates({{0, 64}, {0, 48}});
        b.set_estimates({{0, 64}});
        y.set_estimates({{0, 64}, {0, 32}});
    }
};

EUTECTIC_REGISTER_DIFFERENTIABLE(Layer, layer);
