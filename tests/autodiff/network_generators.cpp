// Generators of networks, for what is kept of them: the shared ones (generators/) have few tensors to choose
// from.

#include <Halide.h>

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;
using namespace eutectic;

namespace {

const Var i("i"), j("j");

Func dense(const std::string &number, const Func &x, const Func &w, const Func &b, int inputs) {
    const RDom r(0, inputs);
    Func matmul("matmul" + number), z("z" + number);
    matmul(j, i) = 0.0f;
    matmul(j, i) += x(r, i) * w(j, r);
    z(j, i) = matmul(j, i) + b(j);
    return z;
}

/// layernorm, dense, gelu, dense, as in a transformer.
class FeedForward : public Generator<FeedForward> {
public:
    GeneratorParam<int> width{"width", 128}, hidden{"hidden", 512}, rows{"rows", 128};
    GeneratorParam<bool> skip{"skip", false};
    Input<Buffer<float, 2>> x{"x"};
    Input<Buffer<float, 1>> gamma{"gamma"}, beta{"beta"};
    Input<Buffer<float, 2>> w1{"w1"};
    Input<Buffer<float, 1>> b1{"b1"};
    Input<Buffer<float, 2>> w2{"w2"};
    Input<Buffer<float, 1>> b2{"b2"};
    Output<Buffer<float, 2>> y{"y"};

    void generate() {
        const Func normal = layernorm(x, RDom(0, width), gamma, beta, 1e-5f);
        const Func z = dense("1", normal, w1, b1, width);
        Func h("h");
        h(j, i) = gelu(z(j, i));
        const Func out = dense("2", h, w2, b2, hidden);
        y(j, i) = skip ? x(j, i) + out(j, i) : out(j, i);
        x.set_estimates({{0, width}, {0, rows}});
        gamma.set_estimates({{0, width}});
        beta.set_estimates({{0, width}});
        w1.set_estimates({{0, hidden}, {0, width}});
        b1.set_estimates({{0, hidden}});
        w2.set_estimates({{0, width}, {0, hidden}});
        b2.set_estimates({{0, width}});
        y.set_estimates({{0, width}, {0, rows}});
    }
};

/// Three dense layers with an activation between.
class Layers : public Generator<Layers> {
public:
    GeneratorParam<int> width{"width", 96}, rows{"rows", 64};
    GeneratorParam<Activation> activation{"activation", Activation::relu, activation_names()};
    Input<Buffer<float, 2>> x{"x"}, w1{"w1"};
    Input<Buffer<float, 1>> b1{"b1"};
    Input<Buffer<float, 2>> w2{"w2"};
    Input<Buffer<float, 1>> b2{"b2"};
    Input<Buffer<float, 2>> w3{"w3"};
    Input<Buffer<float, 1>> b3{"b3"};
    Output<Buffer<float, 2>> y{"y"};

    void generate() {
        Func h1("h1"), h2("h2");
        h1(j, i) = activate(activation, dense("1", x, w1, b1, width)(j, i));
        h2(j, i) = activate(activation, dense("2", h1, w2, b2, width)(j, i));
        y(j, i) = dense("3", h2, w3, b3, width)(j, i);
        for (auto *w : {&w1, &w2, &w3}) {
            w->set_estimates({{0, width}, {0, width}});
        }
        for (auto *b : {&b1, &b2, &b3}) {
            b->set_estimates({{0, width}});
        }
        x.set_estimates({{0, width}, {0, rows}});
        y.set_estimates({{0, width}, {0, rows}});
    }
};

}  // namespace

EUTECTIC_REGISTER_DIFFERENTIABLE(FeedForward, feed_forward)
EUTECTIC_REGISTER_DIFFERENTIABLE(Layers, layers)
