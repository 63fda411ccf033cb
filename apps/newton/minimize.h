#pragma once

#include <functional>
#include <vector>

namespace eutectic::newton {

using Vector = std::vector<double>;

/// A function at a point: its value, its gradient, and the product of its second derivatives with a
/// direction.
struct Point {
    double value = 0;
    Vector gradient, product;
};

/// Computes all three at `w` along `direction`.
using Evaluate = std::function<Point(const Vector &w, const Vector &direction)>;

/// One Newton step, as it was taken.
struct Step {
    double value = 0, gradient = 0;  ///< before it; the gradient's largest element
    int products = 0;                ///< of second derivatives that its direction took
    double length = 0;               ///< of the step, of the direction's
};

/// The direction that solves (second derivatives) direction = -gradient at w, by conjugate gradients
/// (Hestenes, Stiefel 1952) until the residual's norm is below `tolerance` of the gradient's, or after one
/// step for each variable. `products` counts.
Vector newton_direction(const Evaluate &evaluate, const Vector &w, const Vector &gradient, double tolerance,
                        int &products);

/// Minimizes a convex function from w on, which becomes the minimum, until the gradient's largest element is
/// below `tolerance`, or after `most` steps. Each step is halved until the value falls. `seen` is told each.
void minimize(const Evaluate &evaluate, Vector &w, double tolerance, int most,
              const std::function<void(const Step &)> &seen);

}  // namespace eutectic::newton
