// y = f_length(… f_2(f_1(x))): a long chain of cheap element-wise operations, one Func each. Unfused it is
// bound by memory `length` times, fused once.

#include "autodiff/register.h"

#include <Halide.h>

using namespace Halide;

namespace eutectic {

class PointwiseChain : public Generator<PointwiseChain> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> n{"n", 64 << 20};
    GeneratorParam<int> length{"length", 12, 1, 1000};

    Input<Buffer<void, 1>> x{"x"};   // (n)
    Output<Buffer<void, 1>> y{"y"};  // (n)

    void configure() {
        x.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var i("i");
        Func step = x;
        for (int s = 1; s < length; s++) {
            Func next("step" + std::to_string(s));
            next(i) = operation(s, step(i));
            step = next;
        }
        y(i) = operation(length, step(i));

        x.set_estimates({{0, n}});
        y.set_estimates({{0, n}});
    }

private:
    /// Six operations in turn, each bounded for bounded arguments, so that a chain of any length is.
    Expr operation(int number, const Expr &v) const {
        const auto constant = [&](double value) { return cast(type, Expr(value)); };
        switch (number % 6) {
        case 1: return v * constant(1.25);
        case 2: return v - constant(0.375);
        case 3: return abs(v);
        case 4: return min(v, constant(2));
        case 5: return v * v;
        default: return max(v, constant(0.125));
        }
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::PointwiseChain, pointwise_chain);
