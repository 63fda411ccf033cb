#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace eutectic {

/** Instructions that run equally often, as far as loops tell: those of a loop without the loops in it, or
 * those of a function outside of its loops. */
struct AssemblyRegion {
    std::string function;  ///< its symbol
    std::string label;     ///< of the loop's first block; empty for what is in no loop
    int loop = 0;          ///< the number that Halide gives the loop in its module, from 1; 0: none is known
    std::string name;      ///< Halide's of the loop: "matmul.s1.r$x.rebased"
    std::string parent;    ///< the label of the loop around; empty: none
    bool innermost = false;     ///< a loop without a loop in it
    std::vector<size_t> lines;  ///< of the text, from 0: those that may be instructions
};

/** What LLVM's comments tell of a line: a register that has no place is stored or loaded. */
struct Spill {
    bool store = false, load = false;
    int bytes = 0;
};

/** The text of an assembly file as LLVM writes it for ELF, and what its labels and comments say. Blocks that
 * run only where one of Halide's checks fails are in no region. */
struct Assembly {
    std::vector<AssemblyRegion> regions;  ///< in the order of the text; a function's own before its loops'
    std::map<size_t, Spill> spills;       ///< by line
};

Assembly read_assembly(const std::vector<std::string> &lines);

}  // namespace eutectic
