#include "apps/newton/minimize.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace eutectic::newton {

namespace {

double dot(const Vector &a, const Vector &b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Vector plus(const Vector &a, double scale, const Vector &b) {
    Vector sum = a;
    for (size_t i = 0; i < sum.size(); i++) {
        sum[i] += scale * b[i];
    }
    return sum;
}

double largest(const Vector &a) {
    double most = 0;
    for (const double v : a) {
        most = std::max(most, std::abs(v));
    }
    return most;
}

}  // namespace

Vector newton_direction(const Evaluate &evaluate, const Vector &w, const Vector &gradient, double tolerance,
                        int &products) {
    Vector direction(w.size(), 0.0), residual(w.size());
    std::transform(gradient.begin(), gradient.end(), residual.begin(), [](double g) { return -g; });
    Vector search = residual;
    double square = dot(residual, residual);
    const double enough = tolerance * tolerance * square;
    for (size_t i = 0; i < w.size() && square > enough; i++) {
        const Vector product = evaluate(w, search).product;
        products++;
        const double length = square / dot(search, product);
        direction = plus(direction, length, search);
        residual = plus(residual, -length, product);
        const double next = dot(residual, residual);
        search = plus(residual, next / square, search);
        square = next;
    }
    return direction;
}

void minimize(const Evaluate &evaluate, Vector &w, double tolerance, int most,
              const std::function<void(const Step &)> &seen) {
    const Vector nowhere(w.size(), 0.0);
    for (int i = 0; i < most; i++) {
        const Point here = evaluate(w, nowhere);
        Step step{here.value, largest(here.gradient), 0, 0};
        if (step.gradient < tolerance) {
            seen(step);
            return;
        }
        const Vector direction = newton_direction(evaluate, w, here.gradient, 1e-4, step.products);
        step.length = 1;
        Vector next = plus(w, step.length, direction);
        while (step.length > 1e-10 && evaluate(next, nowhere).value > here.value) {
            step.length /= 2;
            next = plus(w, step.length, direction);
        }
        w = next;
        seen(step);
    }
}

}  // namespace eutectic::newton
