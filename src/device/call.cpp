#include "device/call.h"

#include <HalideRuntime.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "device/device.h"
#include "device/probe.h"

namespace eutectic {

namespace {

thread_local std::string last_error;

// What Halide's runtime said during a call: in its own thread, or in one of the pool's, which may work for
// any of the calls that are under way.
thread_local int calls_here = 0;
thread_local std::string said_here;
std::atomic<int> calls_anywhere{0};
std::mutex said_mutex;
std::string said_in_pool;

halide_error_handler_t previous = nullptr;

void hear(void *user_context, const char *message) {
    if (calls_here > 0) {
        said_here = message;
    } else if (calls_anywhere > 0) {
        const std::lock_guard<std::mutex> lock(said_mutex);
        said_in_pool = message;
    }
    // Halide's own handler ends the program: it is left out where the caller gets a code and a sentence. A
    // handler of the application's hears everything.
    const bool is_ours = calls_here > 0 || calls_anywhere > 0;
    if (!is_ours || previous != &halide_default_error) {
        previous(user_context, message);
    }
}

std::string take_what_was_said() {
    std::string said = std::exchange(said_here, "");
    if (said.empty()) {
        const std::lock_guard<std::mutex> lock(said_mutex);
        said = std::exchange(said_in_pool, "");
    }
    const size_t end = said.find_last_not_of(" \n.");
    said.resize(end == std::string::npos ? 0 : end + 1);
    for (char &c : said) {
        c = c == '\n' ? ' ' : c;
    }
    return said;
}

bool has(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

/** What goes wrong on devices and not on CPUs, told by what the drivers call it; else what Halide's sentence
 * says. */
std::string diagnosis(const std::string &kernel, int device, int code, const std::string &said) {
    const std::string on = " on " + std::string(device_name(device));
    const std::string detail = said.empty() ? "Halide's error code " + std::to_string(code) : said;
    if (code == halide_error_code_device_malloc_failed || has(said, "OUT_OF_MEMORY") ||
        has(said, "MEM_OBJECT_ALLOCATION_FAILURE") || has(said, "OUT_OF_RESOURCES")) {
        return kernel + " ran out of memory" + on + " (" + detail +
               "); free buffers there, take a smaller problem, or choose another device by "
               "eutectic_use_device().";
    }
    if (has(said, "NO_BINARY_FOR_GPU") || has(said, "INVALID_PTX") || has(said, "UNSUPPORTED_PTX_VERSION") ||
        has(said, "INVALID_SOURCE") || has(said, "BUILD_PROGRAM_FAILURE")) {
        return kernel + " has no code that this device takes" + on + " (" + detail +
               "); compile it for an older capability (TARGETS host-cuda-cuda_capability_75) or update the "
               "driver.";
    }
    if (device == eutectic_cpu) {
        return kernel + " failed: " + detail + ".";
    }
    return kernel + " failed" + on + ": " + detail +
           "; see what the device's driver reports, or choose another device by eutectic_use_device().";
}

}  // namespace

int refuse(int code, const std::string &sentence) {
    last_error = sentence;
    return code;
}

void clear_error() {
    last_error.clear();
}

}  // namespace eutectic

extern "C" {

const char *eutectic_last_error() {
    return eutectic::last_error.c_str();
}

int eutectic_begin_call(const char *kernel, int made_for, int cuda_capability) {
    using namespace eutectic;
    static std::once_flag once;
    std::call_once(once, [] { previous = halide_set_error_handler(hear); });
    const int device = device_for(kernel, made_for, cuda_capability);
    if (device > 0) {
        clear_error();
        calls_here++;
        calls_anywhere++;
    }
    return device;
}

int eutectic_end_call(const char *kernel, int device, int code) {
    using namespace eutectic;
    calls_here--;
    calls_anywhere--;
    return code == 0 ? 0 : refuse(code, diagnosis(kernel, device, code, take_what_was_said()));
}
}
