// Kernels that Halide has instrumented for the thread sanitizer, called by eight threads at once, with the
// runtime's pool of threads behind each, and temporaries out of one arena: scripts/check-threads.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "HalideBuffer.h"

#include "attention.h"
#include "softmax.h"

using Halide::Runtime::Buffer;

// What newer LLVMs, Halide's among them, call in instrumented code, and GCC's run-time library does not have
// (12): its own interceptors look on.
extern "C" void *__tsan_memset(void *to, int value, size_t bytes) {
    return std::memset(to, value, bytes);
}
extern "C" void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
    return std::memcpy(to, from, bytes);
}
extern "C" void *__tsan_memmove(void *to, const void *from, size_t bytes) {
    return std::memmove(to, from, bytes);
}

namespace {

constexpr int threads = 8, calls = 20;

Buffer<float, 2> matrix(int columns, int rows, int seed) {
    Buffer<float, 2> m(columns, rows);
    m.for_each_element(
        [&](int x, int y) { m(x, y) = static_cast<float>((x * 131 + y * 17 + seed * 7) % 201 - 100) / 100; });
    return m;
}

bool equal(const Buffer<float, 2> &a, const Buffer<float, 2> &b) {
    bool same = true;
    a.for_each_element([&](int x, int y) { same = same && a(x, y) == b(x, y); });
    return same;
}

/** One thread's calls, each with buffers of its own; inputs are shared. */
struct Caller {
    Buffer<float, 2> rows{256, 64}, attended{64, 64};
    int failed = 0;

    void run(const Buffer<float, 2> &x, const Buffer<float, 2> &q, const Buffer<float, 2> &k,
             const Buffer<float, 2> &v) {
        for (int i = 0; i < calls; i++) {
            // The buffers' headers are the caller's: a kernel may write to them.
            Buffer<float, 2> own_x = x, own_q = q, own_k = k, own_v = v;
            failed += softmax(own_x, rows) != 0 ? 1 : 0;
            failed += attention(own_q, own_k, own_v, attended) != 0 ? 1 : 0;
        }
    }
};

}  // namespace

int main() {
    const Buffer<float, 2> x = matrix(256, 64, 1), q = matrix(64, 64, 2), k = matrix(64, 64, 3),
                           v = matrix(64, 64, 4);
    std::vector<Caller> callers(threads);
    std::vector<std::thread> at_once;
    for (Caller &caller : callers) {
        at_once.emplace_back([&] { caller.run(x, q, k, v); });
    }
    for (std::thread &thread : at_once) {
        thread.join();
    }
    Caller alone;
    alone.run(x, q, k, v);
    for (const Caller &caller : callers) {
        if (caller.failed != 0 || !equal(caller.rows, alone.rows) ||
            !equal(caller.attended, alone.attended)) {
            std::fprintf(stderr, "a thread among %d has other results than one alone\n", threads);
            return 1;
        }
    }
    std::printf("%d threads, %d calls of each kernel: the results of one\n", threads, calls);
    return 0;
}
