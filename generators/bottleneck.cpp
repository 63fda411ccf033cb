// y = relu(conv1x1(relu(conv3x3(relu(conv1x1(x))))) + x): the bottleneck block of a residual network (He,
// Zhang, Ren, Sun, arXiv:1512.03385), with biases for what batch normalization becomes at inference; the 3x3
// convolution sees zero outside.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class Bottleneck : public Generator<Bottleneck> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> batch{"batch", 1};
    GeneratorParam<int> width{"width", 56};
    GeneratorParam<int> height{"height", 56};
    GeneratorParam<int> channels{"channels", 256};
    GeneratorParam<int> inner{"inner", 64};

    Input<Buffer<void, 4>> x{"x"};    // (channels, width, height, batch)
    Input<Buffer<void, 2>> w1{"w1"};  // (inner, channels)
    Input<Buffer<void, 1>> b1{"b1"};  // (inner)
    Input<Buffer<void, 4>> w2{"w2"};  // (inner, inner, 3, 3), the last two from 0
    Input<Buffer<void, 1>> b2{"b2"};  // (inner)
    Input<Buffer<void, 2>> w3{"w3"};  // (channels, inner)
    Input<Buffer<void, 1>> b3{"b3"};  // (channels)
    Output<Buffer<void, 4>> y{"y"};   // (channels, width, height, batch)

    void configure() {
        x.set_type(type);
        w1.set_type(type);
        b1.set_type(type);
        w2.set_type(type);
        b2.set_type(type);
        w3.set_type(type);
        b3.set_type(type);
        y.set_type(type);
    }

    void generate() {
        const RDom r1(x.dim(0).min(), x.dim(0).extent(), "r1"), r3(w2.dim(0).min(), w2.dim(0).extent(), "r3");
        const RDom r2({{w1.dim(0).min(), w1.dim(0).extent()}, {0, 3}, {0, 3}}, "r2");
        const Func h1 = activated("h1", matmul(x, w1, r1), b1);
        const Func inside = padded(h1, {x.dim(1).min(), x.dim(1).extent()},
                                   {x.dim(2).min(), x.dim(2).extent()}, cast(type, 0));
        const Func h2 = activated("h2", conv2d(inside, w2, r2, 1, 1), b2);
        const Func outer = matmul(h2, w3, r3);
        Func z("z3");
        z(c, u, v, n) = outer(c, u, v, n) + widen(b3(c)) + widen(x(c, u, v, n));
        y(c, u, v, n) = cast(type, relu(z(c, u, v, n)));

        x.set_estimates({{0, channels}, {0, width}, {0, height}, {0, batch}});
        w1.set_estimates({{0, inner}, {0, channels}});
        b1.set_estimates({{0, inner}});
        w2.set_estimates({{0, inner}, {0, inner}, {0, 3}, {0, 3}});
        b2.set_estimates({{0, inner}});
        w3.set_estimates({{0, channels}, {0, inner}});
        b3.set_estimates({{0, channels}});
        y.set_estimates({{0, channels}, {0, width}, {0, height}, {0, batch}});
    }

private:
    /// relu(sum + b), stored as `type`.
    Func activated(const std::string &name, const Func &sum, const Func &b) const {
        Func h(name);
        h(c, u, v, n) = cast(type, relu(sum(c, u, v, n) + widen(b(c))));
        return h;
    }

    const Var c{"c"}, u{"u"}, v{"v"}, n{"n"};
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Bottleneck, bottleneck);
