// The yardstick of rows that are bound by a device's memory: ELEMENTS floats copied on the device
// (DEVICE_INTERFACE), by its driver. Without a device, as the reference: by the host.

#include <HalideRuntime.h>

#ifdef DEVICE_INTERFACE
#include <HalideRuntimeCuda.h>
#include <HalideRuntimeOpenCL.h>
#endif

#include <cstring>

namespace {

const int64_t zero = 0, elements = ELEMENTS;
const int64_t *const estimates[] = {&zero, &elements};
const halide_filter_argument_t arguments[] = {
    {"x",
     halide_argument_kind_input_buffer,
     1,
     {halide_type_float, 32, 1},
     nullptr,
     nullptr,
     nullptr,
     nullptr,
     estimates},
    {"y",
     halide_argument_kind_output_buffer,
     1,
     {halide_type_float, 32, 1},
     nullptr,
     nullptr,
     nullptr,
     nullptr,
     estimates},
};
const halide_filter_metadata_t metadata = {halide_filter_metadata_t::VERSION, 2, arguments, "",
                                           "device_copy"};

}  // namespace

extern "C" {

int kernel_0_argv(void **args) {
    auto *x = static_cast<halide_buffer_t *>(args[0]), *y = static_cast<halide_buffer_t *>(args[1]);
#ifdef DEVICE_INTERFACE
    const halide_device_interface_t *device = DEVICE_INTERFACE();
    if (const int code = halide_copy_to_device(nullptr, x, device)) {
        return code;
    }
    return halide_buffer_copy(nullptr, x, device, y);
#else
    std::memcpy(y->host, x->host, x->size_in_bytes());
    return 0;
#endif
}

const halide_filter_metadata_t *kernel_0_metadata() {
    return &metadata;
}
}
