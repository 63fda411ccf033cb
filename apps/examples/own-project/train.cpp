// Gradient descent with the kernels of layer.cpp. Nothing of Halide's compiler is linked.

#include <cstdio>
#include <random>

#include <HalideBuffer.h>

#include "layer_residuals.h"

using Halide::Runtime::Buffer;

int main() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> any(-1, 1);
    const auto draw = [&](float &v) { v = any(random); };
    Buffer<float, 2> x(64, 256), w(32, 64), wanted(32, 256), d_w(32, 64);
    Buffer<float, 1> b(32), d_b(32);
    auto loss = Buffer<float, 0>::make_scalar(), d_loss = Buffer<float, 0>::make_scalar();
    x.for_each_value(draw);
    w.for_each_value(draw);
    wanted.for_each_value(draw);
    b.fill(0);
    d_loss() = 1;

    layer_residuals kept;  // what the forward keeps for the backward
    if (kept.allocate({x, w, b, wanted}, {loss}) != 0) {
        return 1;
    }
    float first = 0;
    for (int step = 0; step < 100; step++) {
        if (kept.forward({x, w, b, wanted}, {loss}) != 0 ||
            kept.backward({x, w, b, wanted}, {loss}, {d_loss}, {d_w, d_b}) != 0) {
            return 1;
        }
        first = step == 0 ? loss() : first;
        const auto descend = [](float &value, float gradient) { value -= 20 * gradient; };
        w.for_each_value(descend, d_w);
        b.for_each_value(descend, d_b);
    }
    std::printf("loss: %.3f, after 100 steps %.3f\n", first, loss());
    return loss() < first ? 0 : 1;
}
