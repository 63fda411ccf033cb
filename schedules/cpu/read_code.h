#pragma once

#include <map>
#include <string>
#include <vector>

namespace eutectic {

/** What eutectic-read-code (apps/read_code), which has LLVM's libraries, tells of instructions that run
 * equally often: of a loop without the loops in it, or of a function outside of its loops. */
struct CodeRegion {
    std::string function;    ///< its symbol
    std::string label;       ///< of the loop; empty: the function outside of loops
    int loop = 0;            ///< its number in Halide's module, from 1; 0: not known
    std::string name;        ///< of the loop: "matmul.s1.r$x.rebased"
    bool innermost = false;  ///< a loop without another one in it
    int instructions = 0;
    std::map<std::string, int> mix;       ///< of them, by kind: "multiply_add", "arithmetic", "load", …
    int vector_bits = 0;                  ///< of the widest arithmetic
    int loads = 0, stores = 0;            ///< that read and write memory, spills among them
    int multiply_adds = 0, products = 0;  ///< instructions, and what they multiply in all lanes
    int scalar_arithmetic = 0;            ///< of floating point, lane by lane
    int lane_moves = 0;                   ///< elements that are put into vectors or taken out, one by one
    int spill_stores = 0, spill_loads = 0, spill_bytes = 0;
    double cycles = -1;             ///< of a turn by llvm-mca's model; -1: none, for the reason `no_cycles`
    double throughput_cycles = -1;  ///< the same if nothing waited for results
    std::string no_cycles;
    std::vector<std::string> text;  ///< the instructions, spills and reloads marked
};

/** All that was read. */
struct ReadCode {
    std::string llvm;                 ///< its version
    std::string cpu;                  ///< LLVM's name of the processor asked for
    bool known = true;                ///< LLVM knows it
    std::string model;                ///< whose model of cycles was taken
    std::vector<std::string> shared;  ///< processors with the same model
    std::vector<CodeRegion> regions;  ///< in the order of the code
    std::string failure;              ///< why there are none, as a part of a sentence; empty if there are
};

/** Where the program is. */
struct CodeReader {
    std::string path;    ///< empty: there is none
    std::string absent;  ///< why, as a part of a sentence
};

/** The program that the environment variable EUTECTIC_READ_CODE names; without that, eutectic-read-code
 * beside this program or library, or in ../bin of it. */
CodeReader find_code_reader();

/** Has the assembly file read, for LLVM's processor `cpu` ("host": this one). Takes a minute at most. */
ReadCode read_code(const CodeReader &reader, const std::string &file, const std::string &triple,
                   const std::string &cpu);

/** "LLVM 19 knows no znver9: cycles are by the model of znver5, the nearest"; empty where the processor that
 * was asked for has a model. */
std::string of_another_model(const ReadCode &code);

}  // namespace eutectic
