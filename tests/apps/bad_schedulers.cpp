// Schedulers that must cost a row and no more: one ends the process, one never ends, one takes all memory,
// with and without touching it, one schedules something wrong.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "Halide.h"

namespace {

using namespace Halide;

char *volatile kept;  // what nobody could ever look at need not be allocated

[[noreturn]] void eat(bool touch) {
    for (;;) {
        constexpr size_t bytes = size_t{64} << 20;
        char *more = new char[bytes];
        if (touch) {
            std::memset(more, 1, bytes);
        }
        kept = more;
    }
}

[[noreturn]] void sleep_on() {
    for (;;) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
}

/** Twice the values: what a scheduler that breaks a pipeline might do. */
void change(const Pipeline &pipeline) {
    std::vector<Expr> &values = pipeline.outputs()[0].function().definition().values();
    values[0] = values[0] * 2;
}

template<typename Work>
void add(const char *name, Work work) {
    Pipeline::add_autoscheduler(name,
                                [work](const Pipeline &pipeline, const Target &, const AutoschedulerParams &,
                                       AutoSchedulerResults *) { work(pipeline); });
}

struct Registration {
    Registration() {
        add("Crash", [](const Pipeline &) { std::raise(SIGSEGV); });
        add("Hang", [](const Pipeline &) { sleep_on(); });
        add("Eat", [](const Pipeline &) { eat(true); });
        add("Reserve", [](const Pipeline &) { eat(false); });
        add("Exit", [](const Pipeline &) { std::exit(0); });
        add("Chatty", [](const Pipeline &) { std::puts("{\"samples\": [1]}"); });
        add("Wrong", change);
    }
} registration;

}  // namespace
