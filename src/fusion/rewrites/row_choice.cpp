#include "fusion/rewrites/row_choice.h"

#include <algorithm>

namespace eutectic {

namespace {

/** Is it read with the reader's own coordinates, dimension by dimension? */
bool at_own_point(const Graph &graph, const Edge &e) {
    const Stage &reader = graph.stages[e.consumer];
    bool own = e.access.indices.size() == reader.dims.size();
    for (size_t d = 0; own && d < e.access.indices.size(); d++) {
        own = e.access.indices[d].equals_dim() == static_cast<int>(d);
    }
    return own;
}

/** Does everything that reads `func` pass it on to `root`, and to nothing else, at its own point? */
bool only_in(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId func, FuncId root) {
    return func == root || std::all_of(graph.edges.begin(), graph.edges.end(), [&](const Edge &e) {
               const FuncId reader = graph.stages[e.consumer].func;
               return e.producer != func || (at_own_point(graph, e) && (reader == root || inlined[reader]) &&
                                             only_in(graph, inlined, reader, root));
           });
}

/** `func`, or what is inlined into it and nothing else. */
FuncId find(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId func, FuncId root) {
    const Stage &stage = graph.pure_stage(func);
    if (stage.two_sides) {
        return func;
    }
    for (const EdgeId e : stage.edges) {
        const FuncId producer = graph.edges[e].producer;
        if (inlined[producer] && only_in(graph, inlined, producer, root)) {
            const FuncId found = find(graph, inlined, producer, root);
            if (found >= 0) {
                return found;
            }
        }
    }
    return -1;
}

/** Adds the Funcs that are inlined into `func`, readers first. */
void add_inlined(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId func,
                 Table<FuncId, bool> &found) {
    for (const EdgeId e : graph.pure_stage(func).edges) {
        const FuncId producer = graph.edges[e].producer;
        if (inlined[producer] && !found[producer]) {
            found[producer] = true;
            add_inlined(graph, inlined, producer, found);
        }
    }
}

}  // namespace

FuncId row_choice(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId root) {
    const FuncInfo &output = graph.funcs[root];
    return output.output && output.extents.size() > 1 && output.stages.size() == 1
               ? find(graph, inlined, root, root)
               : no_func;
}

std::optional<std::vector<FuncId>> line_of_rows(const Graph &graph, const Table<FuncId, bool> &inlined,
                                                FuncId root) {
    const FuncInfo &output = graph.funcs[root];
    if (!output.output || output.extents.empty() || output.stages.size() != 1 || output.tuple_size != 1) {
        return std::nullopt;
    }
    Table<FuncId, bool> found(graph.funcs.size(), false);
    add_inlined(graph, inlined, root, found);
    found[root] = true;
    std::optional<BufferDim> width;
    std::vector<FuncId> funcs;
    for (const FuncId f : graph.funcs.reversed_ids()) {  // readers come after what they read
        if (!found[f]) {
            continue;
        }
        const Stage &stage = graph.pure_stage(f);
        if (stage.run_time_quotients &&
            (!stage.line_of || (width && !(*width == *stage.line_of)) || !only_in(graph, inlined, f, root))) {
            return std::nullopt;
        }
        width = stage.run_time_quotients ? stage.line_of : width;
        if (f != root) {
            funcs.push_back(f);
        }
    }
    return width ? std::optional<std::vector<FuncId>>(funcs) : std::nullopt;
}

}  // namespace eutectic
