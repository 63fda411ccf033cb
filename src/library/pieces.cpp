#include "library/pieces.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "HalideRuntime.h"

#pragma weak halide_do_par_for

namespace eutectic {

namespace {

/** Where no runtime of Halide's is linked, as in a process that compiles just in time. */
int run_in_threads(halide_task_t task, int pieces, int threads, uint8_t *closure) {
    std::atomic<int> next{0}, error{0};
    const auto work = [&] {
        for (int piece = next++; piece < pieces && error == 0; piece = next++) {
            if (const int e = task(nullptr, piece, closure)) {
                error = e;
            }
        }
    };
    std::vector<std::thread> others;
    for (int t = 1; t < std::min(threads, pieces); t++) {
        others.emplace_back(work);
    }
    work();
    for (std::thread &t : others) {
        t.join();
    }
    return error;
}

}  // namespace

int run_pieces(int pieces, int tasks, const std::function<int(int)> &run) {
    const auto task = [](void *, int piece, uint8_t *closure) -> int {
        try {
            return (*reinterpret_cast<const std::function<int(int)> *>(closure))(piece);
        } catch (const std::bad_alloc &) {
            return halide_error_code_out_of_memory;
        }
    };
    // Only read, through a pointer to const: halide_do_par_for takes what it hands on as bytes.
    auto *closure = reinterpret_cast<uint8_t *>(const_cast<std::function<int(int)> *>(&run));
    if (tasks > 1 && pieces > 1) {
        return halide_do_par_for != nullptr ? halide_do_par_for(nullptr, task, 0, pieces, closure)
                                            : run_in_threads(task, pieces, tasks, closure);
    }
    for (int piece = 0; piece < pieces; piece++) {
        if (const int error = task(nullptr, piece, closure)) {
            return error;
        }
    }
    return halide_error_code_success;
}

}  // namespace eutectic
