// A multi-layer perceptron in pieces, so that its backward can be sent piece by piece. Each piece begins with
// the activation of the one before: z = relu(x) w + b, and the mean cross entropy of the last one's z. What a
// backward hands to the next is then d_z, as the plan of the whole has it in memory, and not d_h, which that
// plan computes where it is read.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

namespace {

/// `product` and a bias: act(x) w + b, act being relu or nothing.
Func affine(const Func &x, const Func &w, const Func &b, bool activated, const RDom &r) {
    Var i("i"), j("j");
    Func h("h"), matmul("matmul"), z("z");
    h(j, i) = activated ? relu(x(j, i)) : x(j, i);
    matmul(j, i) = cast<float>(0);
    matmul(j, i) += h(r, i) * w(j, r);
    z(j, i) = matmul(j, i) + b(j);
    return z;
}

}  // namespace

class MlpLayer : public Generator<MlpLayer> {
public:
    GeneratorParam<int> batch{"batch", 16};
    GeneratorParam<int> inputs{"inputs", 64};
    GeneratorParam<int> outputs{"outputs", 256};
    GeneratorParam<bool> activated{"activated", true};  // false: the first layer, whose x is the data

    Input<Buffer<float, 2>> x{"x"};   // (inputs, batch)
    Input<Buffer<float, 2>> w{"w"};   // (outputs, inputs)
    Input<Buffer<float, 1>> b{"b"};   // (outputs)
    Output<Buffer<float, 2>> z{"z"};  // (outputs, batch)

    void generate() {
        Var i("i"), j("j");
        const RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
        z(j, i) = affine(x, w, b, activated, r)(j, i);
        x.set_estimates({{0, inputs}, {0, batch}});
        w.set_estimates({{0, outputs}, {0, inputs}});
        b.set_estimates({{0, outputs}});
        z.set_estimates({{0, outputs}, {0, batch}});
    }
};

class MlpLast : public Generator<MlpLast> {
public:
    GeneratorParam<int> batch{"batch", 16};
    GeneratorParam<int> inputs{"inputs", 128};
    GeneratorParam<int> outputs{"outputs", 10};

    Input<Buffer<float, 2>> x{"x"};              // (inputs, batch)
    Input<Buffer<float, 2>> w{"w"};              // (outputs, inputs)
    Input<Buffer<float, 1>> b{"b"};              // (outputs)
    Input<Buffer<int32_t, 1>> labels{"labels"};  // (batch), each a column of w
    Output<Buffer<float, 0>> loss{"loss"};

    void generate() {
        const RDom r(x.dim(0).min(), x.dim(0).extent(), "r"), columns(w.dim(0).min(), w.dim(0).extent(), "c"),
            rows(labels.dim(0).min(), labels.dim(0).extent(), "row");
        define_mean_cross_entropy(loss, affine(x, w, b, true, r), columns, labels, rows);
        x.set_estimates({{0, inputs}, {0, batch}});
        w.set_estimates({{0, outputs}, {0, inputs}});
        b.set_estimates({{0, outputs}});
        labels.set_estimates({{0, batch}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::MlpLayer, mlp_layer);
EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::MlpLast, mlp_last);
