#include "schedules/rewrites/root_only.h"

#include <algorithm>

namespace eutectic {

namespace {

/** Is it read with the reader's own coordinates, dimension by dimension? */
bool at_own_point(const Graph &graph, const Edge &e) {
    const Stage &reader = graph.stages[e.consumer];
    bool own = e.access.indices.size() == reader.dims.size();
    for (const DimId d : e.access.indices.ids()) {
        own = own && e.access.indices[d].equals_dim() == d;
    }
    return own;
}

}  // namespace

bool only_in(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId func, FuncId root) {
    return func == root || std::all_of(graph.edges.begin(), graph.edges.end(), [&](const Edge &e) {
               const FuncId reader = graph.stages[e.consumer].func;
               return e.producer != func || (at_own_point(graph, e) && (reader == root || inlined[reader]) &&
                                             only_in(graph, inlined, reader, root));
           });
}

}  // namespace eutectic
