// The functions under the names that they were given, against plain loops.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include <HalideBuffer.h>

#include "layer.h"
#include "layer_anywhere.h"
#include "layer_c.h"
#include "layer_c_pair_residuals.h"
#include "layer_joined.h"
#include "layer_named.h"
#include "layer_packed.h"
#include "layer_pair_residuals.h"
#include "layer_two.h"

using Halide::Runtime::Buffer;

namespace {

constexpr int inputs = 37, outputs = 29, batch = 11;
Buffer<float, 2> x(inputs, batch), w(outputs, inputs);
Buffer<float, 1> b(outputs);
int failures = 0;

void check(bool right, const char *what) {
    failures += !right;
    std::printf("%s: %s\n", right ? "ok" : "FAILED", what);
}

float expected(int o, int s) {
    float sum = b(o);
    for (int r = 0; r < inputs; r++) {
        sum += x(r, s) * w(o, r);
    }
    return sum > 0 ? sum : 0;
}

template<typename Call>
void check_layer(const char *what, Call call) {
    Buffer<float, 2> y(outputs, batch);
    y.fill(-1);
    bool right = call(y) == 0;
    y.copy_to_host();
    for (int s = 0; s < batch; s++) {
        for (int o = 0; o < outputs; o++) {
            right = right && std::fabs(y(o, s) - expected(o, s)) < 1e-4f;
        }
    }
    check(right, what);
}

/// The gradient of the sum of y by b counts the rows in which y is not 0.
template<typename Residuals, typename Gradients>
void check_pair(const char *what, Gradients gradients) {
    Buffer<float, 2> y(outputs, batch), d_y(outputs, batch), d_w(outputs, inputs);
    Buffer<float, 1> d_b(outputs);
    d_y.fill(1);
    Residuals kept;
    bool right = kept.allocate({x, w, b}, {y}) == 0 && kept.forward({x, w, b}, {y}) == 0 &&
                 kept.backward({x, w, b}, {y}, {d_y}, gradients(d_w, d_b)) == 0;
    for (int o = 0; o < outputs; o++) {
        float rows = 0;
        for (int s = 0; s < batch; s++) {
            rows += expected(o, s) > 0 ? 1 : 0;
        }
        right = right && d_b(o) == rows;
    }
    check(right, what);
}

}  // namespace

int main() {
    x.for_each_element([](int r, int s) { x(r, s) = static_cast<float>((r * 7 + s * 3) % 11 - 5) / 8; });
    w.for_each_element([](int o, int r) { w(o, r) = static_cast<float>((o * 5 + r) % 13 - 6) / 8; });
    b.for_each_element([](int o) { b(o) = static_cast<float>(o % 5 - 2) / 4; });

    check_layer("layer", [](auto &y) { return layer(x, w, b, y); });
    check_layer("nn::layers::dense", [](auto &y) { return nn::layers::dense(x, w, b, y); });
    check_layer("two", [](auto &y) { return two(x, w, b, y); });
    check_layer("anywhere", [](auto &y) { return anywhere(x, w, b, y); });
    const int sizes[] = {outputs, inputs};
    std::vector<int> extents(layer_packed_pack_w_dimensions);
    layer_packed_pack_w_extents(sizes, extents.data());
    Buffer<float> panels(extents);
    check(nn::layer_packed_pack_w(w, panels) == 0, "what packs for nn::layer_packed");
    check_layer("nn::layer_packed", [&](auto &y) { return nn::layer_packed(x, panels, b, y); });
    check_layer("nn::layer_joined", [](auto &y) { return nn::layer_joined(x, w, b, y); });
    check_layer("layer_c", [](auto &y) { return layer_c(x, w, b, y); });
    check_pair<layer_pair_residuals>("the pair",
                                     [](auto &d_w, auto &d_b) { return layer_pair_gradients{d_w, d_b}; });
    check_pair<layer_c_pair_residuals>("the pair in C++",
                                       [](auto &, auto &d_b) { return layer_c_pair_gradients{d_b}; });

    const halide_filter_metadata_t &named = *nn::layers::dense_metadata();
    check(std::strstr(named.target, "no_asserts") && std::strstr(named.target, "no_bounds_query"),
          "features are in the target");
    check(std::strstr(layer_metadata()->target, "no_asserts") == nullptr, "and in no other");
    check(std::strcmp(two_metadata()->name, "two") == 0, "the name of a function for two CPUs");
    check(std::strcmp(anywhere_metadata()->name, "anywhere") == 0, "of one for two devices");
    return failures;
}
