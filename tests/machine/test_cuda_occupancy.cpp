// occupancy() against the CUDA toolkit's own calculator, over everything that a kernel may ask for.

#include <doctest/doctest.h>

#include <climits>

#include <cuda_occupancy.h>

#include "machine/gpu.h"

using namespace eutectic;

namespace {

int by_toolkit(const Gpu &g, int major, int minor, const KernelResources &k) {
    cudaOccDeviceProp p;
    p.computeMajor = major;
    p.computeMinor = minor;
    p.maxThreadsPerBlock = g.threads_per_block;
    p.maxThreadsPerMultiprocessor = g.threads_per_sm;
    p.regsPerBlock = g.registers_per_block;
    p.regsPerMultiprocessor = g.registers_per_sm;
    p.warpSize = g.warp_size;
    p.sharedMemPerBlock = static_cast<size_t>(g.shared_bytes_per_block);
    p.sharedMemPerMultiprocessor = static_cast<size_t>(g.shared_bytes_per_sm);
    p.numSms = g.sms;
    p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor - 1024;
    p.reservedSharedMemPerBlock = static_cast<size_t>(g.shared_reserved_bytes);
    cudaOccFuncAttributes a;
    a.maxThreadsPerBlock = INT_MAX;
    a.numRegs = k.registers;
    a.numBlockBarriers = 1;
    const cudaOccDeviceState state;
    cudaOccResult result;
    REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &p, &a, &state, k.threads,
                                                    static_cast<size_t>(k.shared_bytes)) == CUDA_OCC_SUCCESS);
    return result.activeBlocksPerMultiprocessor;
}

}  // namespace

TEST_CASE("as many blocks as the toolkit says") {
    struct Architecture {
        const char *preset;
        int major, minor;
    };
    for (const Architecture &arch :
         {Architecture{"a100", 8, 0}, {"h100", 9, 0}, {"h200", 9, 0}, {"rtx4090", 8, 9}}) {
        const Gpu g = gpu_preset(arch.preset);
        long wrong = 0, compared = 0;
        KernelResources first;
        for (int threads = 1; threads <= g.threads_per_block; threads += threads < 96 ? 1 : 16) {
            for (int registers = 1; registers <= g.registers_per_thread; registers++) {
                for (const Bytes shared :
                     {0, 1, 127, 128, 1000, 1024, 2048, 4000, 6 * 1024, 8 * 1024, 12345, 16 * 1024, 24 * 1024,
                      31 * 1024, 32 * 1024, 40000, 48 * 1024 - 1, 48 * 1024, 48 * 1024 + 1}) {
                    const KernelResources k{threads, registers, shared};
                    compared++;
                    if (occupancy(g, k).blocks != by_toolkit(g, arch.major, arch.minor, k)) {
                        first = wrong++ ? first : k;
                    }
                }
            }
        }
        for (Bytes shared = 0; shared <= g.shared_bytes_per_block + 200; shared++) {
            const KernelResources k{128, 32, shared};
            wrong += occupancy(g, k).blocks != by_toolkit(g, arch.major, arch.minor, k);
        }
        INFO(arch.preset << ": first at " << first.threads << " threads, " << first.registers
                         << " registers, " << first.shared_bytes << " B of " << compared);
        CHECK(wrong == 0);
        CHECK(compared > 500000);
    }
}
