#pragma once

#include <string>
#include <vector>

#include "apps/read_code/processor.h"

namespace eutectic {

/** What llvm-mca's model says of instructions that run again and again, every load from the first level,
 * every jump foreseen. */
struct Cycles {
    double turn = 0;        ///< of one turn, in a long row of them
    double throughput = 0;  ///< the same were nothing waited for anything: the busiest units alone
    double micro_operations = 0;
    std::string failure;  ///< why there are none; empty if there are
};
Cycles count_cycles(const ModelledProcessor &processor, const std::vector<llvm::MCInst> &turn);

}  // namespace eutectic
