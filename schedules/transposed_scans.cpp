#include "schedules/transposed_scans.h"

#include <algorithm>

#include "schedules/prepare.h"

namespace eutectic {

namespace {

/** Do all updates of `func` that do not write their own point go along coordinates that are known? */
bool goes_along_known_points(const Graph &graph, const FuncInfo &func) {
    return std::all_of(func.stages.begin() + 1, func.stages.end(), [&](StageId s) {
        return graph.stages[s].own.empty() || !graph.stages[s].written.indices.empty();
    });
}

/** Points that the updates write which go along the innermost dim. */
double points_along_rows(const Graph &graph, const FuncInfo &func) {
    double points = 0;
    for (const StageId s : func.stages) {
        const Stage &stage = graph.stages[s];
        if (stage.update < 0 || stage.is_own(0)) {
            continue;
        }
        double of_stage = 1;
        for (const DimId d : stage.dims.ids()) {
            const bool changes = stage.is_own(d) || stage.written.depends_on(d);
            of_stage *= changes ? static_cast<double>(stage.dims[d].extent) : 1;
        }
        points += of_stage;
    }
    return points;
}

/** The innermost dim that all stages write at their own coordinates and that fills a cache line; -1: none. */
DimId independent_dim(const Graph &graph, const FuncInfo &func, const Machine &machine) {
    for (DimId d = 1; d < func.extents.next_id(); d++) {
        const bool own = std::all_of(func.stages.begin(), func.stages.end(),
                                     [&](StageId s) { return graph.stages[s].is_own(d); });
        if (own && func.extents[d] * func.element_bytes >= machine.line_bytes) {
            return d;
        }
    }
    return -1;
}

bool may_change(const Graph &graph, FuncId f) {
    const FuncInfo &func = graph.funcs[f];
    return may_redefine(func) && func.stages.size() > 1 && !func.extents.empty() &&
           graph.pure_stage(f).role != Role::opaque;
}

}  // namespace

std::vector<std::pair<int, int>> scans_along_rows(const Graph &graph, const Machine &machine) {
    std::vector<std::pair<int, int>> scans;
    for (const FuncId f : graph.funcs.ids()) {
        if (!may_change(graph, f)) {
            continue;
        }
        const FuncInfo &func = graph.funcs[f];
        const DimId first = independent_dim(graph, func, machine);
        if (first > 0 && goes_along_known_points(graph, func) &&
            2 * points_along_rows(graph, func) >= static_cast<double>(func.points())) {
            scans.emplace_back(func.pipeline_index, first);
        }
    }
    return scans;
}

}  // namespace eutectic
