// The policies for CPUs, in the order in which ties are broken. One more is one more line.

#include "fusion/policies/policy.h"

namespace eutectic {

const std::vector<Policy> &cpu_policies() {
    static const std::vector<Policy> policies = {
        {"rows_and_sums", rows_and_sums},    // rows, and sums over them beside each strip
        {"block", block},                    // Funcs computed in blocks of the root's loops
        {"streaming", streaming},            // a pass over points
        {"register_tile", register_tile},    // products and other sums of many values
        {"row_reduction", row_reduction},    // sums along contiguous memory
        {"full_reduction", full_reduction},  // sums to a single value
        {"window", window},                  // sums over a few points around each
        {"scatter", scatter},                // updates at computed coordinates
        {"serial", serial},                  // anything
    };
    return policies;
}

}  // namespace eutectic
