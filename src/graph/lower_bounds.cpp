#include "graph/lower_bounds.h"

#include <cmath>

namespace eutectic {

namespace {

/** The lower bound of dimension `d` of `func` that reading it at `index` gives. */
void inherit(const Index &index, const Stage &reader, FuncInfo &func, size_t d) {
    int from = -1;
    // An uncut index takes at least as many values as each of its loops.
    for (size_t l = 0; l < reader.dims.size() && from < 0 && index.affine && !index.cut; l++) {
        from = !reader.dims[l].reduction && std::abs(index.scale[l]) >= 1 ? static_cast<int>(l) : -1;
    }
    from = from < 0 ? index.equals_dim() : from;
    std::optional<BufferDim> inside;
    if (from < 0 && index.clamped_to) {
        from = index.clamped_dim;
        inside = index.clamped_to;
    }
    if (from < 0) {
        return;
    }
    const Dim &loop = reader.dims[static_cast<size_t>(from)];
    if (inside && loop.inside && !(*loop.inside == *inside)) {
        return;  // one range is all that a test can name
    }
    func.at_least[d] = loop.at_least;
    func.inside[d] = inside ? inside : loop.inside;
}

}  // namespace

void find_lower_bounds(Graph &graph) {
    for (size_t i = graph.funcs.size(); i-- > 0;) {
        FuncInfo &func = graph.funcs[i];
        for (const StageId s : graph.consumers(static_cast<FuncId>(i))) {
            const Stage &stage = graph.stages[static_cast<size_t>(s)];
            for (const int e : stage.edges) {
                const Edge &edge = graph.edges[static_cast<size_t>(e)];
                for (size_t d = 0; edge.producer == static_cast<FuncId>(i) && d < func.extents.size(); d++) {
                    if (!func.at_least[d]) {
                        inherit(edge.access.indices[d], stage, func, d);
                    }
                }
            }
        }
        for (const StageId s : func.stages) {
            for (size_t d = 0; d < func.at_least.size(); d++) {
                graph.stages[static_cast<size_t>(s)].dims[d].at_least = func.at_least[d];
                graph.stages[static_cast<size_t>(s)].dims[d].inside = func.inside[d];
            }
        }
    }
}

}  // namespace eutectic
