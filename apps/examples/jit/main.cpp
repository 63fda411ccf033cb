// A pipeline made in code, scheduled by Eutectic and run at once: where a picture has edges (Sobel's
// operator).
//
// usage: edges [PLUGIN]      the plugin to load, instead of the one of the package that this was built with

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include <Halide.h>

using namespace Halide;

namespace {

constexpr int columns = 640, rows = 480;

/// The length of the gradient of each point of `picture`, whose edge is repeated.
Func edges_of(const ImageParam &picture) {
    const Var x("x"), y("y");
    const Func repeated = BoundaryConditions::repeat_edge(picture);
    Func gray("gray"), across("across"), down("down"), edges("edges");
    gray(x, y) = cast<float>(repeated(x, y));
    across(x, y) = gray(x + 1, y - 1) - gray(x - 1, y - 1) + 2.0f * (gray(x + 1, y) - gray(x - 1, y)) +
                   gray(x + 1, y + 1) - gray(x - 1, y + 1);
    down(x, y) = gray(x - 1, y + 1) - gray(x - 1, y - 1) + 2.0f * (gray(x, y + 1) - gray(x, y - 1)) +
                 gray(x + 1, y + 1) - gray(x + 1, y - 1);
    edges(x, y) = sqrt(across(x, y) * across(x, y) + down(x, y) * down(x, y));
    return edges;
}

/// Ramps of 2 a column, and a step of 100 between two rows in the middle.
Buffer<uint8_t> ramp_and_step() {
    Buffer<uint8_t> picture(columns, rows);
    picture.for_each_element([&](int x, int y) { picture(x, y) = x % 64 * 2 + (y >= rows / 2 ? 100 : 0); });
    return picture;
}

/// The largest difference to what plain loops find.
double largest_error(const Buffer<uint8_t> &picture, const Buffer<float> &edges) {
    const auto at = [&](int x, int y) -> double {
        return picture(std::min(std::max(x, 0), columns - 1), std::min(std::max(y, 0), rows - 1));
    };
    double largest = 0;
    edges.for_each_element([&](int x, int y) {
        double across = 0, down = 0;
        for (int d = -1; d <= 1; d++) {
            across += (2 - d * d) * (at(x + 1, y + d) - at(x - 1, y + d));
            down += (2 - d * d) * (at(x + d, y + 1) - at(x + d, y - 1));
        }
        largest = std::max(largest, std::abs(edges(x, y) - std::hypot(across, down)));
    });
    return largest;
}

int run(const std::string &plugin) {
    load_plugin(plugin);
    ImageParam picture(UInt(8), 2, "picture");
    Pipeline pipeline(edges_of(picture));

    // A plan is made for sizes to expect; what was planned takes others as well.
    picture.set_estimates({{0, columns}, {0, rows}});
    pipeline.outputs()[0].set_estimates({{0, columns}, {0, rows}});
    const std::string threads = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
    const AutoSchedulerResults given = pipeline.apply_autoscheduler(get_jit_target_from_environment(),
                                                                    {"Eutectic", {{"parallelism", threads}}});
    std::printf("The schedule, as the body of a function of Halide::Pipeline pipeline:\n%s\n",
                given.schedule_source.c_str());

    const Buffer<uint8_t> in = ramp_and_step();
    picture.set(in);
    const Buffer<float> out = pipeline.realize({columns, rows});
    const double error = largest_error(in, out);
    if (!(error < 1e-3)) {
        std::fprintf(stderr, "edges: the results are %g off what plain loops find.\n", error);
        return 1;
    }
    std::printf("%d x %d points, at most %.1e off what plain loops find\n", columns, rows, error);
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc > 2) {
        std::fprintf(stderr, "usage: edges [PLUGIN]\n");
        return 2;
    }
    try {
        return run(argc == 2 ? argv[1] : EUTECTIC_PLUGIN);
    } catch (const Halide::Error &e) {
        // What is wrong with a plugin, a parameter or a pipeline, on lines of which the last is empty.
        std::string sentence = e.what();
        while (!sentence.empty() && sentence.back() == '\n') {
            sentence.pop_back();
        }
        std::fprintf(stderr, "edges: %s\n", sentence.c_str());
        return 2;
    }
}
