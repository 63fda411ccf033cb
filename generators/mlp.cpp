// logits of a multi-layer perceptron.

#include "generators/mlp.h"
#include "autodiff/register.h"

using namespace Halide;

namespace eutectic {

class Mlp : public MlpBase<Mlp> {
public:
    Output<Buffer<void, 2>> logits{"logits"};  // (widths.back(), batch)

    void configure() {
        add_layers();
        logits.set_type(type);
    }

    void generate() {
        define_logits(logits);
        set_layer_estimates();
        logits.set_estimates({{0, sizes_.back()}, {0, batch}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Mlp, mlp);
