#pragma once

#include <cstddef>
#include <functional>

namespace eutectic::bench {

/// The most bytes that `run` holds at once of what Halide's runtime in the library `handle` (as dlopen gives
/// it) allocates through halide_malloc, and in the arena of kernels made with ARENA. 0 if the library has no
/// such runtime.
size_t most_held_bytes(void *handle, const std::function<void()> &run);

}  // namespace eutectic::bench
