#include "apps/eutectic/clock.h"

#include <time.h>

#include <algorithm>
#include <cstdint>

namespace eutectic {

namespace {

constexpr int batches = 20, turns = 40000, additions = 32;  // some 0.4 ms a batch

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

double running_hertz() {
    double best = 0;
    for (int b = 0; b < batches; b++) {
        uint64_t x = 0;
        const double start = cpu_seconds();
        for (int t = 0; t < turns; t++) {
#pragma GCC unroll 32
            for (int a = 0; a < additions; a++) {
                x++;
                asm volatile("" : "+r"(x));  // not to be joined to one
            }
        }
        best = std::max(best, static_cast<double>(x) / (cpu_seconds() - start));
    }
    return best;
}

}  // namespace eutectic
