// Budgets against what is really allocated: residual buffers and the peak of halide_malloc.

#include "training_step.h"

#include "base/user_error.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

using namespace eutectic;
using namespace eutectic::test;

namespace {

// Networks of one making, with smaller and smaller budgets, until none is possible; the first is without one.
void check_budgets(const std::function<Network()> &make, int most_steps) {
    std::optional<Bytes> budget;
    Bytes residuals = 0, last_peak = 0;
    for (int step = 0; step < most_steps; step++) {
        Network network = make(), same = make();
        network.subject.problem.residuals.budget = same.subject.problem.residuals.budget = budget;
        Differentiated d;
        try {
            d = differentiate(same.subject.problem);
        } catch (const UserError &) {
            CHECK(step > 0);
            return;
        }
        TrainingStep training(network, 2);
        training.run();
        const Measured &m = training.measured();
        CAPTURE(step);
        CAPTURE(d.temporary_bytes);
        CAPTURE(m.residuals);
        CAPTURE(m.forward_peak);
        CAPTURE(m.backward_peak);
        CHECK(std::max(m.forward_peak, m.backward_peak) <= d.temporary_bytes);
        if (budget) {
            CHECK(m.peak() <= *budget);
            CHECK(m.residuals <= residuals);
            CHECK(m.peak() <= last_peak);
        }
        residuals = m.residuals;
        last_peak = m.peak();
        budget = (m.residuals + d.temporary_bytes) * 4 / 5;
    }
}

}  // namespace

TEST_CASE(
    "what is allocated stays within the budget, and neither residuals nor the peak grow when it shrinks") {
    check_budgets([] { return relu_mlp(3, 64, 96); }, 3);
    check_budgets([] { return gelu_dropout_mlp(3, 64, 96); }, 3);
    check_budgets([] { return layernorm_block(64, 96); }, 3);
    check_budgets([] { return chain_of_layers(10, 1024, 32); }, 4);
}
