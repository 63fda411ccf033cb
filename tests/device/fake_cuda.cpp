// A libcuda.so.1 that has what Halide's runtime asks a driver for, with the host's memory for the device's:
// what is asked of a driver, and what its refusals become, can be tested where there is none. Kernels are
// counted, not run. FAKE_CUDA says what kind of a machine it is: "no_device", "out_of_memory", "no_binary",
// "capability=52"; anything else: all works, capability 8.0.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

enum Result { success = 0, out_of_memory = 2, no_device = 100, no_binary = 209 };

std::string kind() {
    const char *value = std::getenv("FAKE_CUDA");
    return value ? value : "";
}

int capability() {
    const std::string prefix = "capability=", k = kind();
    return k.compare(0, prefix.size(), prefix) == 0 ? std::atoi(k.c_str() + prefix.size()) : 80;
}

int own_context = 0, own_module = 0, own_function = 0;
thread_local void *current = nullptr;

}  // namespace

extern "C" {

// What the test reads.
void *fake_cuda_launched_in = nullptr;
void *fake_cuda_launched_on = nullptr;
int fake_cuda_launches = 0;
int fake_cuda_contexts = 0;
int fake_cuda_allocations = 0;
int fake_cuda_copies = 0;

int cuInit(unsigned) {
    return kind() == "no_device" ? no_device : success;
}
int cuDeviceGetCount(int *count) {
    *count = 1;
    return success;
}
int cuDeviceGet(int *device, int) {
    *device = 0;
    return success;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
    *value = attribute == 75 ? capability() / 10 : attribute == 76 ? capability() % 10 : 64;
    return success;
}
int cuDeviceGetName(char *name, int length, int) {
    std::strncpy(name, "fake", static_cast<size_t>(length));
    return success;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
    *bytes = size_t{1} << 30;
    return success;
}
int cuCtxCreate_v2(void **context, unsigned, int) {
    fake_cuda_contexts++;
    *context = current = &own_context;
    return success;
}
int cuCtxDestroy_v2(void *) {
    return success;
}
int cuCtxGetApiVersion(void *, unsigned *version) {
    *version = 3020;
    return success;
}
int cuCtxGetDevice(int *device) {
    *device = 0;
    return success;
}
int cuCtxGetCurrent(void **context) {
    *context = current;
    return success;
}
int cuCtxPushCurrent_v2(void *context) {
    current = context;
    return success;
}
int cuCtxPopCurrent_v2(void **context) {
    if (context) {
        *context = current;
    }
    current = nullptr;
    return success;
}
int cuCtxSynchronize() {
    return success;
}
int cuProfilerStop() {
    return success;
}
int cuModuleLoadData(void **module, const void *) {
    *module = &own_module;
    return kind() == "no_binary" ? no_binary : success;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned, void *, void *) {
    return cuModuleLoadData(module, image);
}
int cuModuleUnload(void *) {
    return success;
}
int cuModuleGetFunction(void **function, void *, const char *) {
    *function = &own_function;
    return success;
}
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
    fake_cuda_allocations++;
    *pointer = kind() == "out_of_memory" ? 0 : reinterpret_cast<uint64_t>(std::malloc(bytes));
    return *pointer ? success : out_of_memory;
}
int cuMemFree_v2(uint64_t pointer) {
    std::free(reinterpret_cast<void *>(pointer));
    return success;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    fake_cuda_copies++;
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    return success;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    fake_cuda_copies++;
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return success;
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
    return success;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
    return cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
    return cuMemcpyDtoH_v2(to, from, bytes);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
    return cuMemcpyDtoD_v2(to, from, bytes);
}
int cuMemcpy3D_v2(const void *) {
    return success;
}
int cuPointerGetAttribute(void *, int, uint64_t) {
    return success;
}
int cuStreamSynchronize(void *) {
    return success;
}
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *stream,
                   void **, void **) {
    fake_cuda_launched_in = current;
    fake_cuda_launched_on = stream;
    fake_cuda_launches++;
    return success;
}
}
