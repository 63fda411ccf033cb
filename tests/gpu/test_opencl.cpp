// Every generator that has schedules for GPUs, planned for OpenCL and run on whatever device there is (PoCL: this CPU), against the unfused program on the CPU.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/gpu/device_program.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

namespace {

void check_same(const std::vector<double> &got, const std::vector<double> &expected) {
    REQUIRE(got.size() == expected.size());
    double largest = 0, difference = 0;
    size_t where = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        REQUIRE(std::isfinite(expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
        const double d = std::isfinite(got[i]) ? std::abs(got[i] - expected[i]) : HUGE_VAL;
        where = d > difference ? i : where;
        difference = std::max(difference, d);
    }
    INFO("element " << where << ": " << got[where] << " instead of " << expected[where]);
    CHECK(difference <= 2e-5 * std::max(1e-3, largest));
}

size_t count(const std::string &text, const std::string &what) {
    size_t n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        n++;
    }
    return n;
}

}  // namespace

TEST_CASE("on the device as on the CPU") {
    if (!has_opencl()) {
        return;
    }
    const Target host = Halide::get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    for (const DeviceCase &c : device_cases()) {
        INFO(c.name);
        DeviceProgram device(c, opencl), reference(c, host);
        INFO(device.scheduled().source);
        if (c.kernels > 0) {
            CHECK(device.planned_kernels() == static_cast<size_t>(c.kernels));
        }
        CHECK(count(device.device_code(c.name + ".cl"), "__kernel void _kernel_") == device.kernels_in_code());
        CHECK(to_json(device.scheduled().report()).at("kernels").size() == device.planned_kernels());
        CHECK(to_text(device.scheduled().report()).find("kernel: ") != std::string::npos);
        for (size_t s = 0; s < c.sizes.size(); s++) {
            INFO("sizes " << s);
            check_same(device.run(c.sizes[s], s + 1), reference.run(c.sizes[s], s + 1));
        }
    }
}
