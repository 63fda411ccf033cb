#pragma once

// A graph of generators, as a file says it (docs/eutectic.md):
//
//     {"nodes": {"loss": {"generator": "mlp_loss", "params": {"batch": 128}, "gradient": ["w1", "b1"]},
//                "adam_w1": {"generator": "adam", "params": {"separate": true}}},
//      "bind": {"adam_w1.g": "loss.d_w1", "adam_w1.p": "loss.w1", "adam_w1.beta1": 0.9},
//      "inputs": ["loss.x", "loss.labels", "loss.w1", "loss.b1"],
//      "outputs": ["loss.loss", "adam_w1.p_next"]}

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace eutectic {

/** One generator of a graph. */
struct GraphNode {
    std::string name, generator;
    std::vector<std::string> parameters;  ///< "batch=128"
    std::vector<std::string> gradient;    ///< inputs to differentiate by; empty: none
};

/** What an input is: a number, or an input or output of a node, "loss.d_w1". */
struct GraphBinding {
    std::string input;  ///< "adam.g"
    std::string source;
    std::optional<double> number;
};

struct GraphFile {
    std::vector<GraphNode> nodes;  ///< in the file's order
    std::vector<GraphBinding> bindings;
    std::vector<std::string> inputs, outputs;  ///< of the whole; empty: all that are left
};

/** Throws UserError, with what is wrong and where, for a file that is none. */
GraphFile read_graph_file(const std::string &path);

}  // namespace eutectic
