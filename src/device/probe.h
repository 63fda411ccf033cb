#pragma once

#include <string>

namespace eutectic {

/** What was found out about one kind of device. */
struct Probed {
    bool can_run = false;     ///< kernels made for it can run when they are asked to
    bool is_default = false;  ///< and do so unasked
    int cuda_capability = 0;  ///< 10 times the compute capability of the CUDA device that Halide's runtime
                              ///< takes; 0 for other kinds
    std::string why_not;      ///< why it cannot run: a clause, "there is no CUDA driver (…)"
};

/** What `device` (a bit of device.h) can do here; looked up at the first call. */
const Probed &probed(int device);

/** "cpu", "cuda", "opencl". */
const char *device_name(int device);

/** The bit of a device's name; 0 for other names. */
int device_of(const std::string &name);

}  // namespace eutectic
