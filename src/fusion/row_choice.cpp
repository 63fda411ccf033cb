#include "fusion/row_choice.h"

#include <algorithm>

namespace eutectic {

namespace {

/** Is it read with the reader's own coordinates, dimension by dimension? */
bool at_own_point(const Graph &graph, const Edge &e) {
    const Stage &reader = graph.stages[static_cast<size_t>(e.consumer)];
    bool own = e.access.indices.size() == reader.dims.size();
    for (size_t d = 0; own && d < e.access.indices.size(); d++) {
        own = e.access.indices[d].equals_dim() == static_cast<int>(d);
    }
    return own;
}

/** Does everything that reads `func` pass it on to `root`, and to nothing else, at its own point? */
bool only_in(const Graph &graph, const std::vector<bool> &inlined, FuncId func, FuncId root) {
    return func == root || std::all_of(graph.edges.begin(), graph.edges.end(), [&](const Edge &e) {
               const FuncId reader = graph.stages[static_cast<size_t>(e.consumer)].func;
               return e.producer != func || (at_own_point(graph, e) && (reader == root || inlined[static_cast<size_t>(reader)]) && only_in(graph, inlined, reader, root));
           });
}

/** `func`, or what is inlined into it and nothing else. */
FuncId find(const Graph &graph, const std::vector<bool> &inlined, FuncId func, FuncId root) {
    const Stage &stage = graph.pure_stage(func);
    if (stage.two_sides) {
        return func;
    }
    for (const int e : stage.edges) {
        const FuncId producer = graph.edges[static_cast<size_t>(e)].producer;
        if (inlined[static_cast<size_t>(producer)] && only_in(graph, inlined, producer, root)) {
            const FuncId found = find(graph, inlined, producer, root);
            if (found >= 0) {
                return found;
            }
        }
    }
    return -1;
}

}  // namespace

FuncId row_choice(const Graph &graph, const std::vector<bool> &inlined, FuncId root) {
    const FuncInfo &output = graph.funcs[static_cast<size_t>(root)];
    return output.output && output.extents.size() > 1 && output.stages.size() == 1 ? find(graph, inlined, root, root) : -1;
}

}  // namespace eutectic
