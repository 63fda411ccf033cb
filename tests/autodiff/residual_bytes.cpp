// residual_bytes: what the networks of networks.h keep, as JSON on standard output: without a budget, and
// under the least one.

#include "networks.h"

#include "base/user_error.h"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace eutectic;
using namespace eutectic::test;
using nlohmann::json;

namespace {

// Budgets from the default's need downwards, until none is possible.
json kept_bytes(Network network) {
    json result = json::array();
    std::optional<Bytes> budget;
    for (int step = 0; step < 100; step++) {
        network.subject.problem.residuals.budget = budget;
        try {
            const Differentiated d = differentiate(network.subject.problem);
            Bytes bytes = 0;
            for (const ResidualTensor &r : d.residuals) {
                bytes += r.info.bytes;
            }
            result.push_back(bytes);
            budget = bytes + d.temporary_bytes - 1;
        } catch (const UserError &) {
            break;
        }
    }
    return result;
}

}  // namespace

int main() {
    std::cout << json{{"relu_mlp", kept_bytes(relu_mlp(4, 512, 256))},
                      {"gelu_dropout_mlp", kept_bytes(gelu_dropout_mlp(4, 512, 256))},
                      {"layernorm_block", kept_bytes(layernorm_block(256, 512))}}
              << "\n";
    return 0;
}
