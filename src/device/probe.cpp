#include "device/probe.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "device/device.h"

namespace eutectic {

namespace {

/** A function of a library that was loaded, or null. */
template<typename Function>
Function *function(void *library, const char *name) {
    return reinterpret_cast<Function *>(dlsym(library, name));
}

/** The first of these that loads, its symbols visible to all: Halide's runtime looks there before it loads a
 * library by another name. Null, and the loader's words for the first. */
void *load(const std::vector<const char *> &names, std::string &error) {
    for (const char *name : names) {
        if (void *library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL)) {
            return library;
        }
        if (const char *said = dlerror(); said && error.empty()) {
            error = said;
        }
    }
    return nullptr;
}

/** Of the device that Halide's runtime takes: number HL_GPU_DEVICE, else the one with the most
 * multiprocessors. */
int capability_of_chosen(void *cuda, int count) {
    // CUdevice_attribute: MULTIPROCESSOR_COUNT, COMPUTE_CAPABILITY_MAJOR and _MINOR.
    constexpr int multiprocessors = 16, major = 75, minor = 76;
    auto *attribute = function<int(int *, int, int)>(cuda, "cuDeviceGetAttribute");
    auto *device_get = function<int(int *, int)>(cuda, "cuDeviceGet");
    if (!attribute || !device_get) {
        return 0;
    }
    const char *chosen = std::getenv("HL_GPU_DEVICE");
    int best = -1, capability = 0;
    for (int i = 0; i < count; i++) {
        int device = 0, size = 0, high = 0, low = 0;
        const bool is_known = device_get(&device, i) == 0 && attribute(&size, multiprocessors, device) == 0 &&
                              attribute(&high, major, device) == 0 && attribute(&low, minor, device) == 0;
        if (is_known && (chosen ? std::strtol(chosen, nullptr, 10) == i : size > best)) {
            best = size;
            capability = 10 * high + low;
        }
    }
    return capability;
}

Probed probe_cuda() {
    Probed p;
    std::string error;
    void *cuda = load({"libcuda.so.1", "libcuda.so"}, error);
    if (!cuda) {
        p.why_not = "there is no CUDA driver (" + error + ")";
        return p;
    }
    auto *init = function<int(unsigned)>(cuda, "cuInit");
    auto *count_devices = function<int(int *)>(cuda, "cuDeviceGetCount");
    int count = 0, code = -1;
    if (init && count_devices) {
        code = init(0);
        code = code == 0 ? count_devices(&count) : code;
    }
    if (code != 0 || count == 0) {
        p.why_not = "the CUDA driver has no device" +
                    (code > 0 ? " (its error " + std::to_string(code) + ")" : std::string());
        return p;
    }
    p.cuda_capability = capability_of_chosen(cuda, count);
    if (p.cuda_capability == 0) {
        p.why_not = std::string("the CUDA driver tells nothing of its device") +
                    (std::getenv("HL_GPU_DEVICE") ? " number HL_GPU_DEVICE" : "");
        return p;
    }
    p.can_run = p.is_default = true;
    return p;
}

Probed probe_opencl() {
    Probed p;
    std::string error;
    void *opencl = load({"libOpenCL.so.1", "libOpenCL.so"}, error);
    if (!opencl) {
        p.why_not = "there is no OpenCL loader (" + error + ")";
        return p;
    }
    auto *platforms_of =
        function<std::int32_t(std::uint32_t, void **, std::uint32_t *)>(opencl, "clGetPlatformIDs");
    auto *devices_of = function<std::int32_t(void *, std::uint64_t, std::uint32_t, void **, std::uint32_t *)>(
        opencl, "clGetDeviceIDs");
    constexpr std::uint64_t cpu = 1 << 1, any = 0xFFFFFFFF,
                            not_cpu = (1 << 2) | (1 << 3);  // CL_DEVICE_TYPE_CPU, _ALL, _GPU | _ACCELERATOR
    std::uint32_t count = 0;
    std::vector<void *> platforms;
    if (platforms_of && devices_of && platforms_of(0, nullptr, &count) == 0) {
        platforms.resize(count);
        if (count > 0 && platforms_of(count, platforms.data(), nullptr) != 0) {
            platforms.clear();
        }
    }
    const auto has = [&](std::uint64_t type) {
        for (void *platform : platforms) {
            std::uint32_t devices = 0;
            if (devices_of(platform, type, 0, nullptr, &devices) == 0 && devices > 0) {
                return true;
            }
        }
        return false;
    };
    p.can_run = has(any) || has(cpu);
    p.is_default = has(not_cpu);
    if (!p.can_run) {
        p.why_not = platforms.empty() ? "OpenCL has no platform" : "no OpenCL platform has a device";
    }
    return p;
}

Probed probe_cpu() {
    Probed p;
    p.can_run = p.is_default = true;
    return p;
}

// Each is looked for when it is first asked for: an OpenCL loader takes its time.
template<Probed (*probe)()>
const Probed &once() {
    static const Probed p = probe();
    return p;
}

struct Device {
    int bit;
    const char *name;
    const Probed &(*probed)();
};

const Device devices[] = {{eutectic_cuda, "cuda", once<probe_cuda>},
                          {eutectic_opencl, "opencl", once<probe_opencl>},
                          {eutectic_cpu, "cpu", once<probe_cpu>}};

}  // namespace

const Probed &probed(int device) {
    for (const Device &d : devices) {
        if (d.bit == device) {
            return d.probed();
        }
    }
    static const Probed none;
    return none;
}

const char *device_name(int device) {
    for (const Device &d : devices) {
        if (d.bit == device) {
            return d.name;
        }
    }
    return "no device";
}

int device_of(const std::string &name) {
    for (const Device &d : devices) {
        if (name == d.name) {
            return d.bit;
        }
    }
    return 0;
}

}  // namespace eutectic
