// Runs the compiled layer and its gradient, at the sizes it was planned for and at others, and compares with
// plain loops.

#include "layer.h"
#include "layer_anywhere.h"
#include "layer_by_halide.h"
#include "layer_called.h"
#include "layer_kept.h"
#include "layer_portable.h"
#include "layer_strict.h"
#include "layer_trained_residuals.h"

#include <HalideBuffer.h>
#include <arena/arena.h>
#include <device/device.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

using Matrix = Halide::Runtime::Buffer<float, 2>;
using Vector = Halide::Runtime::Buffer<float, 1>;

struct Size {
    int inputs, outputs, batch;
};

// A fixed sequence of values in [-1, 1) without a pattern that an index error would hide in.
class Values {
public:
    float next() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<float>(state_ >> 40) / static_cast<float>(1 << 23) - 1.0f;
    }

private:
    unsigned long long state_ = 1;
};

template<typename Buffer>
void fill(Buffer &buffer, Values &values) {
    buffer.for_each_value([&](float &v) { v = values.next(); });
}

// The largest difference of two buffers, relative to the largest value wanted.
template<typename Buffer>
double difference(Buffer &got, Buffer &wanted) {
    double largest = 1e-30, error = 0;
    got.for_each_element([&](const int *at) {
        const double difference = std::abs(double(got(at)) - double(wanted(at)));
        error = std::max(error, std::isnan(difference) ? INFINITY : difference);
        largest = std::max(largest, std::abs(double(wanted(at))));
    });
    return error / largest;
}

// The layer in plain loops, rounded after every operation: what strict numerics promise. (This program is not
// compiled for a CPU with FMA.)
bool same_bits(Matrix &y, Matrix &x, Matrix &w, Vector &b) {
    bool same = true;
    y.for_each_element([&](int o, int s) {
        volatile float z = 0;
        for (int i = 0; i < x.width(); i++) {
            const volatile float product = x(i, s) * w(o, i);
            z = z + product;
        }
        const float wanted = std::max(z + b(o), 0.0f);
        same = same && std::memcmp(&wanted, &y(o, s), sizeof(float)) == 0;
    });
    return same;
}

// The layer and its gradient.
void plain_loops(Matrix &x, Matrix &w, Vector &b, Matrix &dy, Matrix &y, Matrix &dw, Vector &db) {
    dw.fill(0);
    db.fill(0);
    y.for_each_element([&](int o, int s) {
        double z = b(o);
        for (int i = 0; i < x.width(); i++) {
            z += double(x(i, s)) * w(o, i);
        }
        y(o, s) = static_cast<float>(std::max(z, 0.0));
        if (z > 0) {
            db(o) += dy(o, s);
            for (int i = 0; i < x.width(); i++) {
                dw(o, i) += x(i, s) * dy(o, s);
            }
        }
    });
}

// True if forward and backward are right at these sizes.
bool check(const Size &size) {
    Values values;
    Matrix x(size.inputs, size.batch), w(size.outputs, size.inputs), dy(size.outputs, size.batch);
    Vector b(size.outputs);
    fill(x, values);
    fill(w, values);
    fill(b, values);
    fill(dy, values);

    Matrix y(size.outputs, size.batch), portable_y(size.outputs, size.batch),
        strict_y(size.outputs, size.batch), y_anywhere(size.outputs, size.batch),
        y_by_halide(size.outputs, size.batch), y_kept(size.outputs, size.batch),
        y_called(size.outputs, size.batch);
    Matrix trained_y(size.outputs, size.batch), dw(size.outputs, size.inputs);
    Vector db(size.outputs);
    layer_trained_residuals kept;  // one bit an output
    if (layer(x, w, b, y) != 0 || layer_portable(x, w, b, portable_y) != 0 ||
        layer_strict(x, w, b, strict_y) != 0 || layer_anywhere(x, w, b, y_anywhere) != 0 ||
        y_anywhere.copy_to_host() != 0 || layer_by_halide(x, w, b, y_by_halide) != 0 ||
        layer_kept(x, w, b, y_kept) != 0 || layer_called(x, w, b, y_called) != 0 ||
        kept.allocate({x, w, b}, {trained_y}) != 0 || kept.forward({x, w, b}, {trained_y}) != 0 ||
        kept.backward({x, w, b}, {trained_y}, {dy}, {dw, db}) != 0) {
        std::printf("%s\n%s\n", kept.refusal.c_str(), eutectic_last_error());
        return false;
    }

    if (eutectic_arena_usage(nullptr).peak == 0) {
        std::printf("layer_kept has not used the arena\n");
        return false;
    }
    if (!same_bits(strict_y, x, w, b)) {
        std::printf("layer_strict has other bits than plain loops\n");
        return false;
    }
    Matrix wanted_y(size.outputs, size.batch), wanted_dw(size.outputs, size.inputs);
    Vector wanted_db(size.outputs);
    plain_loops(x, w, b, dy, wanted_y, wanted_dw, wanted_db);
    const double errors[] = {
        difference(y, wanted_y),           difference(portable_y, wanted_y), difference(y_anywhere, wanted_y),
        difference(y_by_halide, wanted_y), difference(trained_y, wanted_y),  difference(dw, wanted_dw),
        difference(y_kept, wanted_y),      difference(y_called, wanted_y),   difference(db, wanted_db)};
    std::printf("%d inputs, %d outputs, batch %d: errors", size.inputs, size.outputs, size.batch);
    for (const double error : errors) {
        std::printf(" %.1e", error);
    }
    std::printf("\n");
    return std::all_of(std::begin(errors), std::end(errors), [](double error) { return error < 1e-5; });
}

}  // namespace

int main() {
    const Size sizes[] = {{48, 64, 32}, {1, 1, 1}, {45, 37, 5}, {100, 130, 67}};
    bool right = true;
    for (const Size &size : sizes) {
        right = check(size) && right;
    }
    return right ? 0 : 1;
}
