#pragma once

#include <doctest/doctest.h>

#include "schedules/gpu/ptxas.h"

namespace eutectic::test {

/** `assembled` has `kernels` kernels, none of which keeps registers in memory. */
inline void check_no_spills(const Assembled &assembled, size_t kernels) {
    CHECK(assembled.failure == "");
    CHECK(assembled.kernels.size() == kernels);
    for (const AssembledKernel &k : assembled.kernels) {
        INFO(k.name);
        CHECK(k.spill_stores == 0);
        CHECK(k.spill_loads == 0);
        CHECK(k.registers > 0);
    }
}

}  // namespace eutectic::test
