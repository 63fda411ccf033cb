// Mean softmax cross entropy of a multi-layer perceptron's logits and integer labels.

#include "autodiff/register.h"
#include "generators/mlp.h"

using namespace Halide;

namespace eutectic {

class MlpLoss : public MlpBase<MlpLoss> {
public:
    Output<Buffer<void, 0>> loss{"loss"};

    void configure() {
        add_layers();
        labels_ = add_input<Buffer<int32_t>>("labels", 1);  // (batch), each a column of the last layer
        loss.set_type(type);
    }

    void generate() {
        Func logits("logits");
        define_logits(logits);
        Input<AnyBuffer> &last = *weights_.back();
        RDom columns(last.dim(0).min(), last.dim(0).extent(), "c");
        RDom rows(labels_->dim(0).min(), labels_->dim(0).extent(), "row");
        define_mean_cross_entropy(loss, logits, columns, *labels_, rows);
        set_layer_estimates();
        labels_->set_estimates({{0, batch}});
    }

private:
    Input<Buffer<int32_t>> *labels_ = nullptr;
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::MlpLoss, mlp_loss);
