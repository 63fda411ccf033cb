#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace eutectic {

/** What ptxas says of one kernel. Shared memory whose size is given at the launch, as Halide's is, is none of
 * ptxas's. */
struct AssembledKernel {
    std::string name;
    int registers = 0;  ///< of a thread
    Bytes spill_stores = 0, spill_loads = 0;
    Bytes frame_bytes = 0;   ///< of a thread's own memory: arrays that are not in registers, and spills
    Bytes shared_bytes = 0;  ///< of a block, as far as the code says
};

/** Reads what `ptxas -v` prints: the kernels in its order. Lines of other kinds are passed over. */
std::vector<AssembledKernel> parse_ptxas(const std::string &text);

/** Where a program of the toolkit is. */
struct CudaTool {
    std::string path;    ///< empty: there is none
    std::string absent;  ///< why, as a part of a sentence
};

/** The program that the environment variable names; without that, the first of that name on PATH, in bin of
 * CUDA_PATH or CUDA_HOME, in /usr/local/cuda/bin or in /opt/cuda/bin. */
CudaTool find_cuda_tool(const std::string &name, const std::string &variable_name);

/** The assembler; EUTECTIC_PTXAS may name one. */
inline CudaTool find_ptxas() {
    return find_cuda_tool("ptxas", "EUTECTIC_PTXAS");
}

/** What came of assembling. */
struct Assembled {
    std::vector<AssembledKernel> kernels;
    std::string failure;  ///< why there are none, in a few words; empty if all went well
    std::string code;     ///< the machine code, an ELF file
};

/** Assembles the PTX text `code` for `architecture` ("sm_80") in a folder of its own, which goes afterwards,
 * within a minute. `most_registers` of a thread, if that is less than the architecture has; 0: all. */
Assembled assemble(const std::string &ptxas, const std::string &code, const std::string &architecture,
                   int most_registers = 0);

}  // namespace eutectic
