#include <HalideRuntime.h>

#include <atomic>
#include <cstdlib>

#include "device/call.h"
#include "device/device.h"
#include "device/probe.h"

namespace eutectic {

namespace {

// In the order of preference.
constexpr int order[] = {eutectic_cuda, eutectic_opencl, eutectic_cpu};

std::atomic<int> asked_for{0};  // a bit, or 0: as by default

std::string names(int devices) {
    std::string text;
    for (const int d : order) {
        text += (devices & d) ? (text.empty() ? "" : ", ") + std::string(device_name(d)) : "";
    }
    return text;
}

std::string capability_text(int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

/** Why a kernel whose CUDA code is for this capability does not run there; empty when it does. */
std::string obstacle(int device, int cuda_capability) {
    const Probed &p = probed(device);
    if (!p.can_run) {
        return p.why_not;
    }
    if (device == eutectic_cuda && p.cuda_capability < cuda_capability) {
        return "its code is for compute capability " + capability_text(cuda_capability) +
               " and this device has " + capability_text(p.cuda_capability);
    }
    return "";
}

int first_usable(const std::string &kernel, int made_for, int cuda_capability) {
    std::string obstacles;
    for (const int device : order) {
        if (!(made_for & device)) {
            continue;
        }
        const std::string why_not = obstacle(device, cuda_capability);
        if (why_not.empty() && probed(device).is_default) {
            return device;
        }
        obstacles += (obstacles.empty() ? "" : ", ") + std::string(device_name(device)) + ": " +
                     (why_not.empty() ? "its only devices are CPUs" : why_not);
    }
    // A CPU through OpenCL is better than nothing.
    if ((made_for & eutectic_opencl) && obstacle(eutectic_opencl, 0).empty()) {
        return eutectic_opencl;
    }
    return refuse(halide_error_code_no_device_interface, kernel + " was made for " + names(made_for) +
                                                             ", and none of it can be used here (" +
                                                             obstacles + "); add host to its TARGETS.");
}

int asked(const std::string &kernel, int device, const char *by, int made_for, int cuda_capability) {
    const std::string name = device_name(device);
    if (!(made_for & device)) {
        return refuse(halide_error_code_no_device_interface,
                      kernel + " was asked to run on " + name + " (by " + by + "), and was made for " +
                          names(made_for) + "; add " + (device == eutectic_cpu ? "host" : "host-" + name) +
                          " to its TARGETS or choose one of these.");
    }
    const std::string why_not = obstacle(device, cuda_capability);
    return why_not.empty() ? device
                           : refuse(halide_error_code_no_device_interface,
                                    kernel + " was asked to run on " + name + " (by " + by + "), and " +
                                        why_not + "; choose another device, or none, so that one is found.");
}

}  // namespace

int device_for(const std::string &kernel, int made_for, int cuda_capability) {
    if (const int device = asked_for) {
        return asked(kernel, device, "eutectic_use_device()", made_for, cuda_capability);
    }
    const char *variable = std::getenv("EUTECTIC_DEVICE");
    if (!variable || std::string(variable).empty() || std::string(variable) == "auto") {
        return first_usable(kernel, made_for, cuda_capability);
    }
    const int device = device_of(variable);
    return device ? asked(kernel, device, "EUTECTIC_DEVICE", made_for, cuda_capability)
                  : refuse(halide_error_code_no_device_interface,
                           std::string("EUTECTIC_DEVICE is \"") + variable +
                               "\", and the devices are cpu, cuda, opencl and auto; set it to one of them or "
                               "unset it.");
}

}  // namespace eutectic

extern "C" {

int eutectic_usable_devices() {
    int devices = 0;
    for (const int d : eutectic::order) {
        devices |= eutectic::probed(d).can_run ? d : 0;
    }
    return devices;
}

int eutectic_use_device(const char *name) {
    using namespace eutectic;
    clear_error();
    if (!name || std::string(name) == "auto") {
        asked_for = 0;
        return 0;
    }
    const int device = device_of(name);
    if (device == 0) {
        return refuse(halide_error_code_no_device_interface,
                      std::string("eutectic_use_device() was given \"") + name +
                          "\", and the devices are cpu, cuda, opencl and auto; name one of them.");
    }
    if (!probed(device).can_run) {
        return refuse(halide_error_code_no_device_interface,
                      std::string("eutectic_use_device() was given \"") + name + "\", and " +
                          probed(device).why_not + "; choose another device.");
    }
    asked_for = device;
    return 0;
}

int eutectic_device_for(int made_for, int cuda_capability) {
    const int device = eutectic::device_for("The kernel", made_for, cuda_capability);
    if (device > 0) {
        eutectic::clear_error();
    }
    return device;
}
}
