#include "apps/bench/held_bytes.h"

#include "arena/arena.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace eutectic::bench {

namespace {

using Malloc = void *(*)(void *, size_t);
using Free = void (*)(void *, void *);

std::atomic<size_t> held{0}, most_held{0};

// Halide wants what it allocates aligned to 128 bytes at most; the size is kept in front.
constexpr size_t alignment = 128;

void *counted_malloc(void *, size_t bytes) {
    const size_t whole = (bytes + 2 * alignment - 1) / alignment * alignment;
    auto *block = static_cast<char *>(std::aligned_alloc(alignment, whole + alignment));
    if (!block) {
        return nullptr;
    }
    std::memcpy(block, &bytes, sizeof bytes);
    const size_t now = held += bytes;
    size_t before = most_held;
    while (now > before && !most_held.compare_exchange_weak(before, now)) {
    }
    return block + alignment;
}

void counted_free(void *, void *pointer) {
    if (pointer) {
        char *block = static_cast<char *>(pointer) - alignment;
        size_t bytes = 0;
        std::memcpy(&bytes, block, sizeof bytes);
        held -= bytes;
        std::free(block);
    }
}

/// What kernels made with ARENA hold at most; nothing for a library without any.
size_t most_in_arena(void *handle, const std::function<void()> &run) {
    const auto usage =
        reinterpret_cast<decltype(&eutectic_arena_usage)>(dlsym(handle, "eutectic_arena_usage"));
    const auto reset_peak =
        reinterpret_cast<decltype(&eutectic_arena_reset_peak)>(dlsym(handle, "eutectic_arena_reset_peak"));
    if (!usage || !reset_peak) {
        run();
        return 0;
    }
    reset_peak(nullptr);
    run();
    return usage(nullptr).peak;
}

}  // namespace

size_t most_held_bytes(void *handle, const std::function<void()> &run) {
    const auto set_malloc = reinterpret_cast<Malloc (*)(Malloc)>(dlsym(handle, "halide_set_custom_malloc"));
    const auto set_free = reinterpret_cast<Free (*)(Free)>(dlsym(handle, "halide_set_custom_free"));
    if (!set_malloc || !set_free) {
        return 0;
    }
    // What is freed while this counts has to be allocated while it does: kernels keep nothing between runs.
    const Malloc malloc_before = set_malloc(counted_malloc);
    const Free free_before = set_free(counted_free);
    held = most_held = 0;
    const size_t in_arena = most_in_arena(handle, run);
    set_malloc(malloc_before);
    set_free(free_before);
    return most_held + in_arena;
}

}  // namespace eutectic::bench
