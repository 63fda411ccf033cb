#include <HalideRuntimeCuda.h>

#include <dlfcn.h>

#include <mutex>

#include "device/call.h"
#include "device/device.h"

// Programs without CUDA kernels have no CUDA in their runtime.
extern "C" {
__attribute__((weak)) decltype(halide_set_cuda_acquire_context) halide_set_cuda_acquire_context;
__attribute__((weak)) decltype(halide_set_cuda_release_context) halide_set_cuda_release_context;
__attribute__((weak)) decltype(halide_set_cuda_get_stream) halide_set_cuda_get_stream;
}

namespace eutectic {

namespace {

thread_local void *context_here = nullptr;
thread_local void *stream_here = nullptr;

halide_cuda_acquire_context_t acquire_before = nullptr;
halide_cuda_release_context_t release_before = nullptr;
halide_cuda_get_stream_t stream_before = nullptr;

int acquire(void *user_context, void **context, bool create) {
    if (!context_here) {
        return acquire_before(user_context, context, create);
    }
    *context = context_here;
    return 0;
}

int release(void *user_context) {
    return context_here ? 0 : release_before(user_context);
}

int stream(void *user_context, void *context, void **stream) {
    if (!context_here || context != context_here) {
        return stream_before(user_context, context, stream);
    }
    *stream = stream_here;
    return 0;
}

void *current_context() {
    int (*get)(void **) = reinterpret_cast<int (*)(void **)>(dlsym(RTLD_DEFAULT, "cuCtxGetCurrent"));
    void *context = nullptr;
    return get && get(&context) == 0 ? context : nullptr;
}

}  // namespace

}  // namespace eutectic

extern "C" int eutectic_use_cuda(void *context, void *stream) {
    using namespace eutectic;
    clear_error();
    if (!halide_set_cuda_acquire_context) {
        return refuse(halide_error_code_no_device_interface,
                      "eutectic_use_cuda() was given a context, and no kernel of this program is made for "
                      "cuda; add host-cuda to the TARGETS of one.");
    }
    if (!context && stream) {
        context = current_context();
        if (!context) {
            return refuse(halide_error_code_no_device_interface,
                          "eutectic_use_cuda() was given a stream without its context, and no CUDA context "
                          "is current in this thread; give the stream's context.");
        }
    }
    static std::once_flag once;
    std::call_once(once, [] {
        acquire_before = halide_set_cuda_acquire_context(eutectic::acquire);
        release_before = halide_set_cuda_release_context(eutectic::release);
        stream_before = halide_set_cuda_get_stream(eutectic::stream);
    });
    context_here = context;
    stream_here = stream;
    return 0;
}
