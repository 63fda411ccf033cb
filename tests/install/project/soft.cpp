// y = softsign(2 x), by a C function, amid an expression.

#include <Halide.h>

HalidePureExtern_1(float, softsign, float);

class Soft : public Halide::Generator<Soft> {
public:
    Input<Buffer<float, 1>> x{"x"};
    Output<Buffer<float, 1>> y{"y"};
    void generate() {
        Halide::Var i("i");
        y(i) = 1.0f + softsign(2.0f * x(i)) * x(i);
        x.set_estimates({{0, 64}});
        y.set_estimates({{0, 64}});
    }
};

HALIDE_REGISTER_GENERATOR(Soft, soft)
