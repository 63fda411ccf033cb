#pragma once

#include <map>
#include <string>
#include <vector>

namespace eutectic {

/** Machine code of one kernel, as the toolkit's nvdisasm prints it. */
struct KernelSass {
    std::string name;
    int instructions = 0;
    std::map<std::string, int> mix;       ///< of them, by kind: "multiply_add", "arithmetic", "convert",
                                          ///< "integer", "load_global", "store_global", "load_shared",
                                          ///< "store_shared", "local", "shuffle", "barrier", "jump", "move"
    int wide_loads = 0, wide_stores = 0;  ///< of load_global and store_global: those of 128 bits
    std::vector<std::map<std::string, int>> loops;  ///< of each loop without another one in it, in the order
                                                    ///< of the code: of a turn, by kind
    std::map<std::string, int> inner_mix;           ///< the same of a turn of the inner loop
    std::vector<std::string>
        inner_loop;  ///< the loop without another one in it that multiplies and adds most, or
                     ///< the longest where none does; empty: the kernel has no loop
};

/** What an instruction does: "FFMA.FTZ" → "multiply_add". */
std::string sass_kind(const std::string &opcode);

/** Reads what `nvdisasm -c` prints, in its order. */
std::vector<KernelSass> parse_sass(const std::string &text);

/** What came of it. */
struct Disassembled {
    std::vector<KernelSass> kernels;
    std::string failure;  ///< why there are none, as a part of a sentence; empty if there are
};

/** Has the machine code `code` (Assembled::code) disassembled; EUTECTIC_NVDISASM may name a nvdisasm. */
Disassembled disassemble(const std::string &code);

}  // namespace eutectic
