// Every row less its mean, over its standard deviation: the algorithm and the sizes to expect, no schedule.

#include <Halide.h>

using namespace Halide;

class Normalize : public Generator<Normalize> {
public:
    Input<Buffer<float, 2>> x{"x"};   // columns, rows
    Input<float> epsilon{"epsilon"};  // added to the variance: a row of equal values has none
    Output<Buffer<float, 2>> y{"y"};  // columns, rows

    void generate() {
        Var j("j"), i("i");
        const Expr columns = x.dim(0).extent();
        RDom k(0, columns, "k");
        Func sum("sum"), mean("mean"), squares("squares"), scale("scale");
        sum(i) += x(k, i);
        mean(i) = sum(i) / cast<float>(columns);
        const Expr off = x(k, i) - mean(i);
        squares(i) += off * off;
        scale(i) = 1.0f / sqrt(squares(i) / cast<float>(columns) + epsilon);
        y(j, i) = (x(j, i) - mean(i)) * scale(i);

        x.set_estimates({{0, 1024}, {0, 512}});
        epsilon.set_estimate(1e-5f);
        y.set_estimates({{0, 1024}, {0, 512}});
    }
};
HALIDE_REGISTER_GENERATOR(Normalize, normalize)
