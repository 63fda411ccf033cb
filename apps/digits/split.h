#pragma once

#include "apps/support/random.h"

#include <cstdint>
#include <vector>

namespace eutectic::digits {

/// Three independent streams out of one seed, in this order, so that a change in how many numbers one purpose
/// draws leaves the others.
struct Streams {
    Random split, weights, order;
    explicit Streams(uint64_t seed);

private:
    explicit Streams(Random seeds);
};

/// Line numbers (from 0) of the samples to train with and of those kept for the test.
struct Split {
    std::vector<int> train, test;
};

/// A random permutation of 0 … count − 1; its first ⌊4·count/5⌋ train (1,437 of 1,797), the rest
/// test. count ≥ 2, so that neither is empty.
Split split(int count, Random &random);

}  // namespace eutectic::digits
