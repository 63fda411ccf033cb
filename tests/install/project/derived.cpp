// What is derived of the layer, y = relu(x w + b): forward mode, second order and batches, at sizes that
// nobody planned for.

#include "layer_curved.h"
#include "layer_each.h"
#include "layer_many.h"
#include "layer_moved.h"

#include <HalideBuffer.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int inputs = 5, outputs = 7, rows = 3, examples = 4;

using Buffer = Halide::Runtime::Buffer<float>;

float value(int seed) {
    return static_cast<float>(std::sin(1.7 * seed + 0.3));
}

Buffer made(const std::vector<int> &sizes) {
    return Buffer(sizes);
}

Buffer filled(const std::vector<int> &sizes, int seed) {
    Buffer buffer = made(sizes);
    buffer.for_each_value([&](float &v) { v = value(seed++); });
    return buffer;
}

bool near(float a, double b) {
    return std::abs(a - b) < 1e-5;
}

}  // namespace

int main() {
    Buffer x = filled({inputs, rows, examples}, 1), w = filled({outputs, inputs}, 100),
           b = filled({outputs}, 200), t_b = filled({outputs}, 300), t_w = filled({outputs, inputs}, 400),
           d_y = filled({outputs, rows, examples}, 500);
    Buffer y = made({outputs, rows, examples}), y_each = made({outputs, rows, examples}),
           d_b = made({outputs, examples});
    bool right = layer_many(x, w, b, y) == 0 && layer_each(x, w, b, d_y, y_each, d_b) == 0;
    for (int e = 0; right && e < examples; e++) {
        Buffer one = x.sliced(2, e), d_one = d_y.sliced(2, e), y_moved = made({outputs, rows}),
               t_y = made({outputs, rows}), y_curved = made({outputs, rows}), d_w = made({outputs, inputs}),
               t_d_w = made({outputs, inputs});
        right = layer_moved(one, w, b, t_b, y_moved, t_y) == 0 &&
                layer_curved(one, w, b, d_one, t_w, y_curved, d_w, t_d_w) == 0;
        for (int o = 0; o < outputs; o++) {
            double sum = 0;
            for (int r = 0; r < rows; r++) {
                double z = b(o);
                for (int i = 0; i < inputs; i++) {
                    z += double(one(i, r)) * w(o, i);
                }
                sum += z > 0 ? d_one(o, r) : 0;
                right = right && near(y(o, r, e), std::max(z, 0.0)) &&
                        near(y_each(o, r, e), std::max(z, 0.0)) && near(y_moved(o, r), std::max(z, 0.0)) &&
                        near(t_y(o, r), z > 0 ? t_b(o) : 0);
            }
            right = right && near(d_b(o, e), sum) && t_d_w(o, 0) == 0;  // linear on either side
        }
    }
    std::printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
