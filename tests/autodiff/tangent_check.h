#pragma once

// Checks of forward mode and of Hessian-vector products.

#include "gradient_check.h"

#include "autodiff/tangents.h"

#include <functional>

namespace eutectic::test {

/// Values and tangents of a subject in double, compiled in the process with every Func at root.
class TangentCheck {
public:
    TangentCheck(Subject subject, Shapes shapes, const RuleList *rules = nullptr);

    /// Sets every input of a floating-point type; what `tangents` leaves out has 0.
    void set(const Tensors<double> &inputs, const Tensors<int> &integers, const Tensors<double> &tangents,
             int integer_scalar = 0);
    /// By the name of the output, or t_<output>.
    Tensors<double> run();

private:
    Subject subject_;
    Shapes shapes_;
    Tangents result_;
    Halide::Pipeline pipeline_;
};

/// The worst of these, at random inputs and in a random direction: a value that is not the forward's, the
/// sums of upstream * tangent and of gradient * direction, which are the same number, and the tangents
/// against central differences in that direction, over the largest of each.
struct TangentErrors {
    double values = 0, identity = 0, differences = 0;
};
TangentErrors tangent_errors(const std::function<Subject()> &subject, const Shapes &shapes, unsigned seed,
                             int low_label = 0, int labels = 1, const RuleList *rules = nullptr);

/// Products of second derivatives with a random direction against central differences of the gradients.
double hvp_error(const std::function<Subject()> &subject, const Shapes &shapes, unsigned seed,
                 int low_label = 0, int labels = 1);

}  // namespace eutectic::test
