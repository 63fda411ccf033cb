#include "tests/numerics/shapes.h"

#include <set>
#include <stdexcept>

namespace eutectic::numerics {

namespace {

using Buffers = std::map<std::string, std::vector<std::string>>;

const Buffers layers = {{"x", {"d0", "batch"}}, {"w1", {"d1", "d0"}}, {"b1", {"d1"}}, {"w2", {"d2", "d1"}}, {"b2", {"d2"}}, {"w3", {"d3", "d2"}}, {"b3", {"d3"}}};

Buffers with_layers(Buffers buffers) {
    buffers.insert(layers.begin(), layers.end());
    return buffers;
}

// Small weights: the logits stay near 1, where softmax is not a step.
const Draw weight{-0.0625, 0.0625, 0.015625};
const std::map<std::string, Draw> weights = {{"w1", weight}, {"w2", weight}, {"w3", weight}};

std::map<std::string, Draw> with_loss(std::map<std::string, Draw> draws) {
    draws["d_loss"] = {96, 96, 1};  // about the rows that the mean divides by: gradients near 1
    return draws;
}

const std::map<std::string, Shapes> table = {
    {"dense", {{{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}, {"y", {"n", "m"}}}, {}, {}, {}}},
    {"dense_dropout", {{{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}, {"y", {"n", "m"}}}, {}, {}, {{"seed", 7}}}},
    {"mlp", {with_layers({{"logits", {"d3", "batch"}}}), weights, {}, {}}},
    {"mlp_loss", {with_layers({{"labels", {"batch"}}, {"loss", {}}}), with_loss(weights), {{"labels", "d3"}}, {}}},
    {"softmax", {{{"x", {"cols", "rows"}}, {"y", {"cols", "rows"}}}, {{"x", {-4, 4, 0.125}}}, {}, {}}},
    {"softmax_xent",
     {{{"x", {"cols", "rows"}}, {"labels", {"rows"}}, {"loss", {}}}, with_loss({{"x", {-4, 4, 0.125}}}), {{"labels", "cols"}}, {}}},
    {"adam",
     {{{"p", {"n"}}, {"m", {"n"}}, {"v", {"n"}}, {"g", {"n"}}, {"out.0", {"n"}}, {"out.1", {"n"}}, {"out.2", {"n"}}},
      {{"v", {0, 1, 0.125}}},
      {},
      {{"lr", 0.125}, {"beta1", 0.875}, {"beta2", 0.984375}, {"epsilon", 0.0078125}, {"step", 3}}}},
};

}  // namespace

std::optional<std::vector<std::string>> Shapes::dims_of(const std::string &buffer) const {
    auto found = buffers.find(buffer);
    if (found == buffers.end() && buffer.rfind("d_", 0) == 0) {
        found = buffers.find(buffer.substr(2));
    }
    return found == buffers.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Shapes::free_dims() const {
    std::set<std::string> names;
    for (const auto &[buffer, dims] : buffers) {
        names.insert(dims.begin(), dims.end());
    }
    return {names.begin(), names.end()};
}

const Shapes &shapes_of(const std::string &generator) {
    const auto found = table.find(generator);
    if (found == table.end()) {
        throw std::logic_error("tests/numerics/shapes.cpp has no line for generator '" + generator + "'");
    }
    return found->second;
}

}  // namespace eutectic::numerics
