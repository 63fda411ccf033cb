#include "graph/patterns/lower_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace eutectic {

namespace {

/** The lower bound of dimension `d` of `func` that reading it at `index` gives. */
void inherit(const Index &index, const Stage &reader, FuncInfo &func, DimId d) {
    DimId from = -1;
    // An uncut index takes at least as many values as each of its loops.
    for (DimId l = 0; l < reader.dims.next_id() && from < 0 && index.affine && !index.cut; l++) {
        from = !reader.dims[l].reduction && std::abs(index.scale[l]) >= 1 ? l : DimId(-1);
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
    const auto in_pieces = [&](const std::shared_ptr<const Pattern> &p) { return p->in_pieces == from; };
    if (std::any_of(reader.patterns.begin(), reader.patterns.end(), in_pieces)) {
        return;  // of one side of the pieces alone there may be fewer
    }
    const Dim &loop = reader.dims[from];
    if (inside && loop.inside && !(*loop.inside == *inside)) {
        return;  // one range is all that a test can name
    }
    func.at_least[d] = loop.at_least;
    func.inside[d] = inside ? inside : loop.inside;
}

/** What part of a dimension of a buffer dimension `d` of a Func has, read at `index`: of x / 2 half of what
 * x has. */
std::optional<PartOf> part_of(const Index &index, const Stage &reader) {
    for (DimId l = 0; l < reader.dims.next_id() && index.affine && !index.held; l++) {
        const Dim &loop = reader.dims[l];
        const double scale = std::abs(index.scale[l]);
        if (loop.reduction || loop.inside || scale == 0) {
            continue;
        }
        const auto per = static_cast<int64_t>(std::ceil(1 / scale));
        if (loop.at_least) {
            return PartOf{*loop.at_least, per};
        } else if (loop.part_of) {
            return PartOf{loop.part_of->buffer, loop.part_of->per * per};
        }
    }
    return std::nullopt;
}

}  // namespace

void find_lower_bounds(Graph &graph) {
    Table<FuncId, std::vector<EdgeId>> reads(graph.funcs.size());  // of each Func, in the order of the graph
    for (const EdgeId e : graph.edges.ids()) {
        reads[graph.edges[e].producer].push_back(e);
    }
    for (const FuncId f : graph.funcs.reversed_ids()) {
        FuncInfo &func = graph.funcs[f];
        for (const DimId d : func.at_least.ids()) {
            if (func.at_least[d]) {
                func.at_least[d]->points = func.extents[d];
            }
        }
        func.part_of.resize(func.extents.size());
        for (const EdgeId e : reads[f]) {
            const Edge &edge = graph.edges[e];
            const Stage &reader = graph.stages[edge.consumer];
            for (const DimId d : func.extents.ids()) {
                if (!func.at_least[d]) {
                    inherit(edge.access.indices[d], reader, func, d);
                }
                if (!func.part_of[d]) {
                    func.part_of[d] = part_of(edge.access.indices[d], reader);
                }
            }
        }
        for (const StageId s : func.stages) {
            for (const DimId d : func.at_least.ids()) {
                graph.stages[s].dims[d].at_least = func.at_least[d];
                graph.stages[s].dims[d].inside = func.inside[d];
                graph.stages[s].dims[d].part_of = func.part_of[d];
            }
        }
    }
}

}  // namespace eutectic
