#pragma once

// One node of a graph, and what its inputs become.

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

#include "apps/eutectic/graph_file.h"
#include "autodiff/differentiate.h"

namespace eutectic {

/** A node's pipeline, whose Funcs have names that no other has. */
struct Node {
    GraphNode told;
    std::vector<Halide::Parameter> inputs;
    std::vector<NamedOutput> outputs;
    std::vector<std::string> reads;  ///< nodes that it is bound to outputs of

    const Halide::Parameter *input(const std::string &name) const {
        const auto found = std::find_if(inputs.begin(), inputs.end(),
                                        [&](const Halide::Parameter &p) { return p.name() == name; });
        return found == inputs.end() ? nullptr : &*found;
    }
};

/** One element of an output. */
struct Output {
    std::string node, name;
    Halide::Func func;
    int element = 0;
};

/** What stands in an input's place. */
struct Source {
    std::optional<double> number;
    std::optional<Output> output;
    Halide::Parameter parameter;  ///< of the whole
    /** Of each dimension of an output, what its minimum and extent are. */
    std::function<Halide::Expr(const std::string &what, int d)> size = nullptr;
};

/** Runs the node's generator for `target`, and reads its pipeline, without directives. */
Node load_node(const GraphNode &told, const std::string &executable, const std::string &target);

/** What an output's size is, from its inputs: that of the first of which it reads just what one of its
 * dimensions has; undefined where there is none. */
std::function<Halide::Expr(const std::string &what, int d)> sizes_of(const Output &output);

/** Has the node read `sources`, by the names of its inputs, instead of these. Throws UserError where it asks
 * for a size that is not known. */
void bind_inputs(const Node &node, const std::map<std::string, Source> &sources);

}  // namespace eutectic
