// y = (silu(x gate) * (x up)) down: the feed-forward layer of a transformer with a gate (Shazeer, "GLU
// variants improve transformer", arXiv:2002.05202).

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class Swiglu : public Generator<Swiglu> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> rows{"rows", 128};
    GeneratorParam<int> width{"width", 256};
    GeneratorParam<int> hidden{"hidden", 688};

    Input<Buffer<void, 2>> x{"x"};        // (width, rows)
    Input<Buffer<void, 2>> gate{"gate"};  // (hidden, width)
    Input<Buffer<void, 2>> up{"up"};      // (hidden, width)
    Input<Buffer<void, 2>> down{"down"};  // (width, hidden)
    Output<Buffer<void, 2>> y{"y"};       // (width, rows)

    void configure() {
        for (Input<Buffer<void, 2>> *input : {&x, &gate, &up, &down}) {
            input->set_type(type);
        }
        y.set_type(type);
    }

    void generate() {
        const Var i("i"), j("j");
        const RDom columns(x.dim(0).min(), x.dim(0).extent(), "r"),
            units(down.dim(1).min(), down.dim(1).extent(), "s");
        Func gated("gated");
        gated(j, i) = silu(matmul(x, gate, columns)(j, i)) * matmul(x, up, columns)(j, i);
        define_matmul(y, gated, down, units);

        x.set_estimates({{0, width}, {0, rows}});
        gate.set_estimates({{0, hidden}, {0, width}});
        up.set_estimates({{0, hidden}, {0, width}});
        down.set_estimates({{0, width}, {0, hidden}});
        y.set_estimates({{0, width}, {0, rows}});
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::Swiglu, swiglu);
