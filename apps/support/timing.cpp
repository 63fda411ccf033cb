#include "apps/support/timing.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace eutectic {

namespace {

/// Seconds that pass for everyone, or for this process alone.
class Clock {
public:
    explicit Clock(bool cpu_time) : clock_(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC) {
    }
    double now() const {
        timespec time{};
        clock_gettime(clock_, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }

private:
    clockid_t clock_;
};

/// Below this a sample would be made of the clock's own noise; shorter work is repeated within a sample.
constexpr double shortest_sample = 50e-6;

/// At least this many, even if each is long.
constexpr size_t fewest_samples = 5;

}  // namespace

std::vector<double> time_runs(const std::function<void()> &run, double seconds, bool cpu_time) {
    const Clock clock(cpu_time);
    // The first runs wake the thread pool and fill the caches; the fastest of them says how often to repeat.
    double fastest = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double start = clock.now();
        run();
        fastest = std::min(fastest, clock.now() - start);
    }
    const int repeats = std::max(1, static_cast<int>(std::ceil(shortest_sample / fastest)));
    std::vector<double> samples;
    const double begin = clock.now();
    while (samples.size() < fewest_samples || clock.now() - begin < seconds) {
        const double start = clock.now();
        for (int i = 0; i < repeats; i++) {
            run();
        }
        samples.push_back((clock.now() - start) / repeats);
    }
    return samples;
}

std::vector<std::vector<double>> time_parts(const std::vector<std::function<void()>> &parts, double seconds,
                                            bool cpu_time) {
    const Clock clock(cpu_time);
    for (int i = 0; i < 3; i++) {
        for (const auto &part : parts) {
            part();
        }
    }
    std::vector<std::vector<double>> samples(parts.size());
    const double begin = clock.now();
    for (size_t count = 0; count < fewest_samples || clock.now() - begin < seconds; count++) {
        for (size_t i = 0; i < parts.size(); i++) {
            const double start = clock.now();
            parts[i]();
            samples[i].push_back(clock.now() - start);
        }
    }
    return samples;
}

}  // namespace eutectic
