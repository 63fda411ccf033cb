// Stencils and pyramids, as image processing has them.

#include "apps/bench/plan/build.h"
#include "apps/bench/plan/rows.h"
#include "generators/images/images.h"

namespace eutectic::bench {

namespace {

using namespace Halide;

const Var x("x"), y("y");

/// Sum of width * height taps around each point of `f`, each with a weight of its own.
Func weighted_taps(Func f, int width, int height, const std::string &name) {
    Expr sum = cast(f.type(), 0);
    for (int j = 0; j < height; j++) {
        for (int i = 0; i < width; i++) {
            sum += f(x + i - width / 2, y + j - height / 2) * cast(f.type(), (i + 1) * (j + 1));
        }
    }
    Func stencil(name);
    stencil(x, y) = sum;
    return stencil;
}

/// Square stencils one after the other over a large image; only the input is clamped.
Pipeline stencil_chain(int stages, int size) {
    constexpr int width = 1536, height = 2560;
    const ImageParam in = input("in", UInt(16), {width, height});
    Func last = clamped(in);
    for (int i = 0; i < stages; i++) {
        last = weighted_taps(last, size, size, "stage" + std::to_string(i) + "_");
    }
    return pipeline_of(last, {width, height});
}

Pipeline two_large_stencils() {
    const ImageParam in = input("in", Float(32), {image_size, image_size});
    return pipeline_of(weighted_taps(weighted_taps(clamped(in), 10, 10, "first"), 10, 10, "second"),
                       {image_size, image_size});
}

/// The sum over a square of taps, each of them clamped by itself, as people write it.
Func box_sum(Func f, int size, const std::string &name) {
    Expr sum = cast<uint16_t>(0);
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < size; i++) {
            sum += f(clamp(x + i, 0, image_size - 1), clamp(y + j, 0, image_size - 1));
        }
    }
    Func box(name);
    box(x, y) = sum;
    return box;
}

Pipeline two_box_sums() {
    const ImageParam in = input("in", UInt(16), {image_size, image_size});
    return pipeline_of(box_sum(box_sum(in, 2, "box_of_2_"), 3, "box_of_3_"), {image_size, image_size});
}

/// Down to the smallest level, and up again, each level added on the way.
Pipeline pyramid(int levels) {
    const ImageParam in = input("in", Float(32), {image_size, image_size});
    const std::vector<Func> down = images::gaussian_pyramid(clamped(in), levels, "down");
    Func up = down.back();
    for (int level = levels - 2; level >= 0; level--) {
        const Func larger = images::upsampled(up, "up" + std::to_string(level) + "_");
        Func sum("sum" + std::to_string(level) + "_");
        sum(x, y) = down[level](x, y) + 0.5f * larger(x, y);
        up = sum;
    }
    return pipeline_of(up, {image_size, image_size});
}

}  // namespace

std::vector<PlanRow> stencil_rows() {
    std::vector<PlanRow> rows;
    const auto chain = [&](int size, int stages) {
        const std::string square = std::to_string(size) + "x" + std::to_string(size);
        rows.push_back({"stencil_" + square + "_" + std::to_string(stages),
                        square + " stencils over uint16, one after the other",
                        [=] { return stencil_chain(stages, size); },
                        "",
                        {}});
    };
    chain(5, 32);
    chain(5, 200);
    chain(3, 32);
    for (const int levels : {5, 10}) {
        rows.push_back({"pyramid_" + std::to_string(levels),
                        "so many levels, down and up",
                        [=] { return pyramid(levels); },
                        "",
                        {}});
    }
    rows.push_back({"taps_100", "two stencils of 10x10 taps", two_large_stencils, "", {}});
    rows.push_back({"box_sums", "sums of 2x2 and of 3x3 clamped taps over uint16", two_box_sums, "", {}});
    return rows;
}

}  // namespace eutectic::bench
