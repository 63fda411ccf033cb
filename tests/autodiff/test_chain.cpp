// Chains of layers under budgets of a few layers: what is kept is O(sqrt n), as estimated.
// test_memory_chain.cpp measures it.

#include "networks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int columns = 512, rows = 16;
constexpr Bytes layer = 4 * columns * rows;

struct Kept {
    Bytes residuals = 0, temporaries = 0;
};

Kept kept(int layers, ResidualPolicy policy, std::optional<Bytes> budget) {
    Network network = chain_of_layers(layers, columns, rows);
    network.subject.problem.residuals.policy = policy;
    network.subject.problem.residuals.budget = budget;
    const Differentiated d = differentiate(network.subject.problem);
    Kept result{0, d.temporary_bytes};
    for (const ResidualTensor &r : d.residuals) {
        result.residuals += r.info.bytes;
    }
    return result;
}

}  // namespace

TEST_CASE("a chain of layers keeps O(sqrt n) bytes under a budget of so many, and all of them without one") {
    for (const int layers : {25, 64}) {
        const auto root = static_cast<Bytes>(std::ceil(std::sqrt(layers)));
        const Bytes budget = (2 * root + 2) * layer;
        const Kept few = kept(layers, ResidualPolicy::cost, budget);
        CAPTURE(layers);
        CHECK(few.residuals <= 2 * root * layer);
        CHECK(few.residuals + few.temporaries <= budget);
    }
    CHECK(kept(25, ResidualPolicy::save_all, std::nullopt).residuals >= 24 * layer);
}

TEST_CASE("neither residuals nor the peak of a chain grow while its budget shrinks") {
    Kept last = kept(25, ResidualPolicy::cost, std::nullopt);
    for (const int layers : {18, 12}) {
        const Kept now = kept(25, ResidualPolicy::cost, layers * layer);
        CAPTURE(layers);
        CHECK(now.residuals <= last.residuals);
        CHECK(now.residuals + now.temporaries <= std::min(layers * layer, last.residuals + last.temporaries));
        last = now;
    }
}
