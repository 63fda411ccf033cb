#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/read_code/assembly.h"
#include "apps/read_code/processor.h"

namespace eutectic {

/** What one instruction does. */
struct InstructionWork {
    /** "multiply_add" | "multiply" | "arithmetic" (other arithmetic of vectors and floating point) | "divide"
     * (roots, too) | "convert" | "shuffle" (lanes, and copies of registers) | "gather" | "load" | "store" |
     * "integer" (addresses and counters) | "jump" | "call" */
    std::string kind;
    int bits = 0;      ///< of the widest vector register; 0: none
    int lanes = 0;     ///< results of floating point or vectors, at once; 1 of a scalar in such a register
    int products = 0;  ///< of a multiplication: how many in all lanes
    bool load = false, store = false;
    bool lane = false;  ///< puts one element into a vector, or takes one out
};
InstructionWork work_of(const ModelledProcessor &processor, const llvm::MCInst &instruction,
                        const std::string &text);

/** Counts of one turn. */
struct Mix {
    std::map<std::string, int> kinds;  ///< instructions by InstructionWork::kind
    int instructions = 0;
    int vector_bits = 0;        ///< of the widest arithmetic, or of the widest copy where there is none
    int loads = 0, stores = 0;  ///< instructions that read or write memory, spills included
    int multiply_adds = 0;      ///< where none is fused, multiplications that additions may belong to
    int products = 0;           ///< of those, in all lanes
    int scalar_arithmetic = 0;  ///< of floating point, a lane at a time
    int lane_moves = 0;         ///< elements that are put into vectors or taken out, one by one
    int spill_stores = 0, spill_loads = 0, spill_bytes = 0;
};
class Counter {
public:
    void add(const InstructionWork &work, const Spill *spill);
    Mix mix() const;

private:
    Mix mix_;
    int arithmetic_bits_ = 0, other_bits_ = 0, multiplied_ = 0, multiplied_products_ = 0, added_ = 0;
};

}  // namespace eutectic
