#include "fusion/plan/shared_rows.h"

#include <algorithm>
#include <cmath>

#include "features/work.h"

namespace eutectic {

namespace {

/** Does `index`, of a Func whose dimension is as long, name just the loop over `dim`? */
bool goes_over(const Index &index, DimId dim) {
    return index.affine && index.equals_dim() == dim;
}

/** The dimension of its producer that `load` goes through with the stage's dim `dim`, or -1. */
DimId row_of(const Load &load, DimId dim) {
    for (const DimId i : load.access.indices.ids()) {
        if (goes_over(load.access.indices[i], dim)) {
            return i;
        }
    }
    return -1;
}

/** How far `index` goes with one step of the innermost dim, if it goes with that alone, by whole points; else
 * 0. */
int64_t steps_of(const Index &index) {
    const double step = index.affine && !index.scale.empty() ? index.scale[0] : 0;
    const bool alone = std::all_of(index.scale.begin() + (index.scale.empty() ? 0 : 1), index.scale.end(),
                                   [](double s) { return s == 0; });
    return alone && step >= 1 && step == std::floor(step) ? static_cast<int64_t>(step) : 0;
}

/** Could rows of `writer` be rows of the terms of `sum`, too? */
bool may_have_rows(const Graph &graph, FuncId sum, FuncId writer) {
    const Extents &written = graph.funcs[writer].extents;
    const Dims &summed = graph.last_stage(sum).dims;
    return written.size() > 1 && std::any_of(summed.begin(), summed.end(), [&](const Dim &d) {
               return d.reduction && d.extent == written[written.next_id() - 1];
           });
}

}  // namespace

bool is_sum(const Graph &graph, FuncId func) {
    return graph.funcs[func].stages.size() == 2;
}

bool reads_values_of(const Graph &graph, const Placements &placements, FuncId reader, FuncId func) {
    std::vector<FuncId> met{func};  // what has its values, and passes them on to whatever reads it
    for (size_t next = 0; next < met.size(); next++) {
        for (const FuncId consumer : graph.consumer_funcs(met[next])) {
            if (consumer == reader) {
                return true;
            }
            if (placements[consumer].kind == Placement::Kind::inlined &&
                std::find(met.begin(), met.end(), consumer) == met.end()) {
                met.push_back(consumer);
            }
        }
    }
    return false;
}

FuncId recomputed_for(const Graph &graph, const Placements &placements, FuncId func) {
    const Placement &p = placements[func];
    return shares_nest(p) && reads_values_of(graph, placements, func, p.consumer) ? p.consumer : no_func;
}

Table<FuncId, bool> inlined_for(const Graph &graph, const Placements &placements, Table<FuncId, bool> inlined,
                                FuncId func) {
    if (const FuncId recomputed = recomputed_for(graph, placements, func); recomputed >= 0) {
        inlined[recomputed] = true;
    }
    return inlined;
}

int64_t run_length(const Graph &graph, const Placements &placements, FuncId func, FuncId root) {
    const Extents &own = graph.funcs[func].extents, &all = graph.funcs[root].extents;
    if (own.empty() || own.size() != all.size() || !std::equal(own.begin() + 1, own.end(), all.begin() + 1)) {
        return 0;
    }
    if (own[0] >= all[0]) {
        return own[0] == all[0] ? 1 : 0;
    }
    Table<FuncId, bool> inlined;
    for (const FuncId f : placements.ids()) {
        inlined.push_back(placements[f].kind == Placement::Kind::inlined && !graph.funcs[f].input);
    }
    const StageWork written = stage_work(graph, graph.funcs[root].stages.front(), inlined);
    inlined[root] = true;
    const StageWork runs = stage_work(graph, graph.funcs[func].stages.front(), inlined);
    for (const Load &load : runs.loads) {
        for (const DimId i : load.access.indices.ids()) {
            const int64_t n = steps_of(load.access.indices[i]);
            const auto point_by_point = [&](const Load &w) {
                return w.producer == load.producer && steps_of(w.access.indices[i]) == 1;
            };
            if (n > 1 && (all[0] + n - 1) / n == own[0] &&
                std::any_of(written.loads.begin(), written.loads.end(), point_by_point)) {
                return n;
            }
        }
    }
    return 0;
}

SharedRows shared_rows(const Graph &graph, const Placements &placements, FuncId sum, FuncId writer) {
    if (!may_have_rows(graph, sum, writer)) {
        return {};
    }
    Table<FuncId, bool> inlined, with_block;
    for (const FuncId f : placements.ids()) {
        const FuncInfo &info = graph.funcs[f];
        const Placement &p = placements[f];
        inlined.push_back(p.kind == Placement::Kind::inlined && !info.input);
        with_block.push_back(inlined.back() || (p.kind == Placement::Kind::block && p.consumer == writer &&
                                                info.stages.size() == 1));
    }
    const StageWork written = stage_work(graph, graph.funcs[writer].stages.front(), with_block);
    inlined[writer] = true;  // what it reads of the writer is recomputed for it
    const StageWork summed = stage_work(graph, graph.funcs[sum].stages.back(), inlined);
    const DimId last = written.dims.next_id() - 1;
    SharedRows best;
    for (const DimId d : summed.dims.ids()) {
        const Dim &rows = summed.dims[d];
        if (last < 1 || !rows.reduction || rows.extent != written.dims[last].extent) {
            continue;
        }
        SharedRows here{d, 0, {}};
        for (const Load &load : summed.loads) {
            const DimId row = row_of(load, d);
            const bool both =
                row >= 0 && std::any_of(written.loads.begin(), written.loads.end(), [&](const Load &w) {
                    return w.producer == load.producer && row_of(w, last) == row;
                });
            if (both && std::find(here.funcs.begin(), here.funcs.end(), load.producer) == here.funcs.end()) {
                Extents all;
                for (const Dim &dim : summed.dims) {
                    all.push_back(dim.extent);
                }
                here.funcs.push_back(load.producer);
                here.bytes += static_cast<Bytes>(footprint(load, all)) * load.bytes_per_point;
            }
        }
        best = here.bytes > best.bytes ? here : best;
    }
    return best;
}

}  // namespace eutectic
