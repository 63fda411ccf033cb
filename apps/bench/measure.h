#pragma once

#include "apps/bench/suite.h"

#include <nlohmann/json.hpp>

#include <string>

namespace eutectic::bench {

/// The work of one child process: one contender of one row. It loads one library, so that contenders share no
/// thread pool and no memory.
struct Task {
    Row row;
    std::string library;    ///< path of the shared library with the kernels
    std::string reference;  ///< folder of the reference's inputs and results
    bool write = false;     ///< write the reference instead of comparing and timing
    double seconds = 0.3;   ///< how long to time
    bool cpu_time =
        false;  ///< samples are the process's CPU seconds on one thread, which repeat on a busy machine
    std::string photograph = {};  ///< the file of the photograph that some rows are given
};

/// {"difference": worst} and, if that is within tolerance, {"samples": [seconds of one run of all kernels,
/// …], "held_bytes": the most that one run holds at once of what it allocates, "points": elements of the
/// outputs}; of several kernels also
/// {"kernels": [{"seconds": the fastest run of this one among the others, "bytes": of the tensors that it is
/// given}, …]}. Throws std::runtime_error if the library cannot be loaded or run.
nlohmann::json measure(const Task &task);

/// The largest difference from the reference, relative to a tensor's largest magnitude, that counts as the
/// same: float32 sums of up to thousands of terms in another order.
constexpr double tolerance = 1e-4;

}  // namespace eutectic::bench
