// Rows of a fixed length in the registers of the threads that read them, run through OpenCL (PoCL: on this CPU), where lanes are threads, against the unfused program on the CPU.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/gpu/device_program.h"
#include "tests/gpu/rows_in_registers.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

namespace {

void check_same(const std::vector<double> &got, const std::vector<double> &expected) {
    REQUIRE(got.size() == expected.size());
    double largest = 0, difference = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        largest = std::max(largest, std::abs(expected[i]));
        difference = std::max(difference, std::isfinite(got[i]) ? std::abs(got[i] - expected[i]) : HUGE_VAL);
    }
    CHECK(difference <= 2e-5 * std::max(1e-3, largest));
}

}  // namespace

TEST_CASE("by one warp and by several, at lengths that are no multiple of their lanes") {
    if (!has_opencl()) {
        return;
    }
    const Target host = Halide::get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    size_t one = 0, several = 0;
    for (const int columns : {1, 5, 33, 250, 1031}) {
        for (const int rows : {40, 1}) {  // of one row a block has the warps
            for (const DeviceCase &c : columns <= 32 && rows == 1 ? std::vector<DeviceCase>() : fixed_row_cases(columns, rows)) {
                for (const bool keep : {false, true}) {
                    INFO(c.name << " of " << rows << " rows" << (keep ? ", with values kept" : ""));
                    DeviceProgram device(c, opencl, [&](const Graph &g, const Machine &m) { return rows_in_registers(g, m, keep); }), reference(c, host);
                    INFO(device.scheduled().source);
                    const Group &g = device.scheduled().planned.plan.groups[0];
                    (to_string(g.nests[0].nest).find("d1 thread") != std::string::npos ? one : several)++;
                    for (size_t s = 0; s < c.sizes.size(); s++) {
                        INFO("sizes " << s);
                        check_same(device.run(c.sizes[s], s + 1), reference.run(c.sizes[s], s + 1));
                    }
                }
            }
        }
    }
    CHECK(one > 0);
    CHECK(several > 0);
}
