// A chain of layers trains in O(sqrt n) bytes, as allocated.

#include "training_step.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace eutectic;
using namespace eutectic::test;

TEST_CASE("a chain of layers trains in O(sqrt n) bytes, as allocated") {
    for (const int layers : {25, 64}) {
        const int columns = 512, rows = 16;
        const Bytes layer = 4 * columns * rows;
        const auto root = static_cast<Bytes>(std::ceil(std::sqrt(layers)));
        Network network = chain_of_layers(layers, columns, rows);
        network.subject.problem.residuals.budget = (2 * root + 2) * layer;
        TrainingStep training(network, 2);
        training.run();
        const Measured &m = training.measured();
        CAPTURE(layers);
        CAPTURE(m.forward_peak);
        CAPTURE(m.backward_peak);
        CHECK(m.residuals <= 2 * root * layer);
        CHECK(m.peak() <= (2 * root + 2) * layer);
    }
}
