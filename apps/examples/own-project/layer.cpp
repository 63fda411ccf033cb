// y = tanh(x w + b), and the mean squared distance to what is wanted: the algorithm and the sizes to expect,
// no schedule and no derivative.

#include <Halide.h>

#include "autodiff/register.h"

using namespace Halide;

class Layer : public Generator<Layer> {
public:
    Input<Buffer<float, 2>> x{"x"};            // inputs, examples
    Input<Buffer<float, 2>> w{"w"};            // outputs, inputs
    Input<Buffer<float, 1>> b{"b"};            // outputs
    Input<Buffer<float, 2>> wanted{"wanted"};  // outputs, examples
    Output<Buffer<float, 0>> loss{"loss"};

    void generate() {
        Var j("j"), i("i");
        RDom k(0, w.dim(1).extent(), "k"), all(0, wanted.dim(0).extent(), 0, wanted.dim(1).extent(), "all");
        Func product("product"), y("y"), distance("distance");
        product(j, i) += x(k, i) * w(j, k);
        y(j, i) = tanh(product(j, i) + b(j));
        const Expr off = y(all.x, all.y) - wanted(all.x, all.y);
        distance() += off * off;
        loss() = distance() / cast<float>(wanted.dim(0).extent() * wanted.dim(1).extent());

        x.set_estimates({{0, 64}, {0, 256}});
        w.set_estimates({{0, 32}, {0, 64}});
        b.set_estimates({{0, 32}});
        wanted.set_estimates({{0, 32}, {0, 256}});
    }
};
EUTECTIC_REGISTER_DIFFERENTIABLE(Layer, layer);
