// y(i) = x(i) + 2 x(i + 1) + x(i + 2), without a schedule.

#include <Halide.h>

#include "autodiff/register.h"

class Smooth : public Halide::Generator<Smooth> {
public:
    Input<Buffer<float, 1>> x{"x"};
    Output<Buffer<float, 1>> y{"y"};

    void generate() {
        Halide::Var i("i");
        Halide::Func pairs("pairs");
        pairs(i) = x(i) + x(i + 1);
        y(i) = pairs(i) + pairs(i + 1);
        x.set_estimates({{0, 1002}});
        y.set_estimates({{0, 1000}});
    }
};

EUTECTIC_REGISTER_DIFFERENTIABLE(Smooth, smooth);
