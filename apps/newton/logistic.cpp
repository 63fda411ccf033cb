// The loss of a logistic regression: the mean over examples of log(1 + exp(-side * (x w))), and a penalty.

#include <Halide.h>

#include "autodiff/register.h"

using namespace Halide;

class Logistic : public Generator<Logistic> {
public:
    Input<Buffer<double, 2>> x{"x"};        // (features, examples)
    Input<Buffer<double, 1>> side{"side"};  // (examples), 1 or -1
    Input<Buffer<double, 1>> w{"w"};        // (features)
    Input<double> penalty{"penalty"};       // of half the square of w
    Output<Buffer<double, 0>> loss{"loss"};

    void generate() {
        Var i("i");
        const RDom feature(w.dim(0).min(), w.dim(0).extent(), "feature"),
            example(side.dim(0).min(), side.dim(0).extent(), "example");
        Func score("score"), sum("sum"), square("square");
        score(i) = cast<double>(0);
        score(i) += x(feature, i) * w(feature);
        const Expr margin = side(example) * score(example);
        sum() = cast<double>(0);
        // For margins of up to 700. A form with abs(margin) has none of that limit, but a kink at 0, where w
        // = 0 is.
        sum() += log(1 + exp(-margin));
        square() = cast<double>(0);
        square() += w(feature) * w(feature);
        loss() = sum() / cast<double>(side.dim(0).extent()) + penalty * square() * Expr(0.5);

        x.set_estimates({{0, 65}, {0, 5620}});
        side.set_estimates({{0, 5620}});
        w.set_estimates({{0, 65}});
    }
};

EUTECTIC_REGISTER_DIFFERENTIABLE(Logistic, logistic);
