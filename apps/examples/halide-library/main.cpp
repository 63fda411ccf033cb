// Points around centres, and which of these the kernel of nearest.cpp finds nearest to each.
//
// usage: clusters [POINTS]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <HalideBuffer.h>

#include "nearest.h"

using Halide::Runtime::Buffer;

namespace {

constexpr int coordinates = 16, count = 32, most = 1'000'000;

/// Without it, an error of a kernel ends the process. With it, the kernel returns what went wrong.
void say(void *, const char *sentence) {
    std::fprintf(stderr, "clusters: %s\n", sentence);
}

/// As many points as are wanted, in turn around each centre, much closer to it than the others are.
void scatter(Buffer<float, 2> &centres, Buffer<float, 2> &points) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> far(-100, 100), near(-1, 1);
    centres.for_each_element([&](int k, int j) { centres(k, j) = far(random); });
    points.for_each_element([&](int k, int i) { points(k, i) = centres(k, i % count) + near(random); });
}

/// How many points have another centre than theirs, or a distance that plain loops do not find.
int wrong(const Buffer<float, 2> &points, const Buffer<float, 2> &centres, const Buffer<int32_t, 1> &which,
          const Buffer<float, 1> &distance) {
    int found = 0;
    for (int i = 0; i < points.dim(1).extent(); i++) {
        double squares = 0;
        for (int k = 0; k < coordinates; k++) {
            const double off = double{points(k, i)} - centres(k, i % count);
            squares += off * off;
        }
        found += which(i) != i % count || !(std::abs(distance(i) - std::sqrt(squares)) < 1e-4);
    }
    return found;
}

}  // namespace

int main(int argc, char **argv) {
    char *end = nullptr;
    const long wanted = argc == 2 ? std::strtol(argv[1], &end, 10) : 20000;
    if (argc > 2 || (end && (end == argv[1] || *end)) || wanted < 1 || wanted > most) {
        std::fprintf(stderr, "usage: clusters [POINTS], from 1 to %d\n", most);
        return 2;
    }
    halide_set_error_handler(say);
    const int n = static_cast<int>(wanted);
    Buffer<float, 2> points(coordinates, n), centres(coordinates, count);
    Buffer<int32_t, 1> which(n);
    Buffer<float, 1> distance(n);
    scatter(centres, points);
    if (nearest(points, centres, which, distance) != 0) {
        return 2;
    }
    if (const int errors = wrong(points, centres, which, distance)) {
        std::fprintf(stderr, "clusters: %d points have another centre or distance than plain loops find.\n",
                     errors);
        return 1;
    }
    std::printf("%d points, each with the centre that it was put around\n", n);
    return 0;
}
