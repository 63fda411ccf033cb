#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

#include "machine/measure.h"

namespace eutectic {

namespace {

Seconds wall_clock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Seconds thread_clock() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/** A batch is long enough that reading the clock, some 300 ns, does not count, and short enough that some
 * batches run undisturbed. */
constexpr Seconds batch_seconds = 100e-6;
constexpr size_t fewest_batches = 3;

}  // namespace

Timing time_probe(const Probe &probe, Seconds budget, bool cpu_time) {
    const auto clock = cpu_time ? thread_clock : wall_clock;
    const Seconds end = wall_clock() + budget;
    probe.run();  // pages, caches, threads
    int runs = 1;
    std::vector<Seconds> times;
    while (times.size() < fewest_batches || wall_clock() < end) {
        const Seconds start = clock();
        for (int i = 0; i < runs; i++) {
            probe.run();
        }
        const Seconds batch = clock() - start;
        if (batch < batch_seconds && runs < (1 << 24)) {
            runs *= 2;  // not yet a sample
            continue;
        }
        times.push_back(batch / runs);
    }
    std::sort(times.begin(), times.end());
    const Seconds fastest = times.front();
    return {fastest, fastest > 0 ? times[times.size() / 2] / fastest - 1 : 0};
}

}  // namespace eutectic
