#include "apps/bench/plan/pyramid.h"

namespace eutectic::bench {

using namespace Halide;

namespace {

const Var x("x"), y("y");

std::string of_level(const std::string &name, size_t level) {
    return name + std::to_string(level) + "_";
}

}  // namespace

Func downsampled(Func f, const std::string &name) {
    Func in_x(name + "x"), in_y(name + "y");
    in_x(x, y, _) =
        (f(2 * x - 1, y, _) + 3.0f * (f(2 * x, y, _) + f(2 * x + 1, y, _)) + f(2 * x + 2, y, _)) / 8.0f;
    in_y(x, y, _) =
        (in_x(x, 2 * y - 1, _) + 3.0f * (in_x(x, 2 * y, _) + in_x(x, 2 * y + 1, _)) + in_x(x, 2 * y + 2, _)) /
        8.0f;
    return in_y;
}

Func upsampled(Func f, const std::string &name) {
    Func in_x(name + "x"), in_y(name + "y");
    in_x(x, y, _) = 0.25f * f((x / 2) - 1 + 2 * (x % 2), y, _) + 0.75f * f(x / 2, y, _);
    in_y(x, y, _) = 0.25f * in_x(x, (y / 2) - 1 + 2 * (y % 2), _) + 0.75f * in_x(x, y / 2, _);
    return in_y;
}

std::vector<Func> gaussian_pyramid(Func f, int levels, const std::string &name) {
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

}  // namespace eutectic::bench
