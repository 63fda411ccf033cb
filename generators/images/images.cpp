#include "generators/images/images.h"

namespace eutectic::images {

using namespace Halide;

namespace {

Func taps(const Func &f, const std::vector<Expr> &weights, bool along_x, const std::string &name) {
    const int before = static_cast<int>(weights.size()) / 2;
    Expr sum;
    for (size_t i = 0; i < weights.size(); i++) {
        const int at = static_cast<int>(i) - before;
        const Expr term = (along_x ? f(x + at, y, _) : f(x, y + at, _)) * weights[i];
        sum = sum.defined() ? sum + term : term;
    }
    Func out(name);
    out(x, y, _) = sum;
    return out;
}

std::string of_level(const std::string &name, size_t level) {
    return name + std::to_string(level) + "_";  // a name that ends in a digit gets a suffix of Halide's
}

}  // namespace

Func taps_in_x(const Func &f, const std::vector<Expr> &weights, const std::string &name) {
    return taps(f, weights, true, name);
}

Func taps_in_y(const Func &f, const std::vector<Expr> &weights, const std::string &name) {
    return taps(f, weights, false, name);
}

Func downsampled(const Func &f, const std::string &name) {
    Func in_x(name + "x"), in_y(name + "y");
    in_x(x, y, _) =
        (f(2 * x - 1, y, _) + 3.0f * (f(2 * x, y, _) + f(2 * x + 1, y, _)) + f(2 * x + 2, y, _)) / 8.0f;
    in_y(x, y, _) =
        (in_x(x, 2 * y - 1, _) + 3.0f * (in_x(x, 2 * y, _) + in_x(x, 2 * y + 1, _)) + in_x(x, 2 * y + 2, _)) /
        8.0f;
    return in_y;
}

Func upsampled(const Func &f, const std::string &name) {
    Func in_x(name + "x"), in_y(name + "y");
    in_x(x, y, _) = 0.25f * f(x / 2 - 1 + 2 * (x % 2), y, _) + 0.75f * f(x / 2, y, _);
    in_y(x, y, _) = 0.25f * in_x(x, y / 2 - 1 + 2 * (y % 2), _) + 0.75f * in_x(x, y / 2, _);
    return in_y;
}

std::vector<Func> gaussian_pyramid(const Func &f, int levels, const std::string &name) {
    std::vector<Func> pyramid = {f};
    for (size_t level = 1; level < static_cast<size_t>(levels); level++) {
        pyramid.push_back(downsampled(pyramid.back(), of_level(name, level)));
    }
    return pyramid;
}

std::vector<Func> laplacian_pyramid(const std::vector<Func> &gaussian, const std::string &name) {
    std::vector<Func> pyramid;
    for (size_t level = 0; level + 1 < gaussian.size(); level++) {
        const Func coarse = upsampled(gaussian[level + 1], of_level(name + "_up", level));
        Func detail(of_level(name, level));
        detail(x, y, _) = gaussian[level](x, y, _) - coarse(x, y, _);
        pyramid.push_back(detail);
    }
    pyramid.push_back(gaussian.back());
    return pyramid;
}

Func collapsed(const std::vector<Func> &laplacian, const std::string &name) {
    Func sum = laplacian.back();
    for (size_t level = laplacian.size() - 1; level-- > 0;) {
        const Func coarse = upsampled(sum, of_level(name + "_up", level));
        Func finer(of_level(name, level));
        finer(x, y, _) = laplacian[level](x, y, _) + coarse(x, y, _);
        sum = finer;
    }
    return sum;
}

Func luma(const Func &rgb, const std::string &name) {
    Func out(name);
    out(x, y) = 0.299f * rgb(x, y, 0) + 0.587f * rgb(x, y, 1) + 0.114f * rgb(x, y, 2);
    return out;
}

Expr to_byte(const Expr &value) {
    return cast<uint8_t>(clamp(value + 0.5f, 0.0f, 255.0f));
}

}  // namespace eutectic::images
