#include "schedules/tuples_in_lanes.h"

#include <algorithm>
#include <cstdint>

#include "schedules/prepare.h"
#include "schedules/rewrites.h"

namespace eutectic {

namespace {

// Terms of each lane, at least, so that merging lanes takes little beside them. Chosen, not measured.
constexpr int64_t least_terms = 8;

// Vectors of lanes: an element of a Tuple waits for the comparison of the one before. Chosen: with two the
// best of rows of 4,096 floats takes as long as with four.
constexpr int64_t vectors = 2;

// Of threads for one row: what a block has without shared memory, as gpu_points' have.
constexpr int64_t block_lanes = 256;

bool may_change(const Graph &graph, FuncId f) {
    const FuncInfo &func = graph.funcs[f];
    return may_redefine(func) && func.stages.size() == 2 && func.tuple_size > 1 &&
           graph.pure_stage(f).role != Role::opaque && !graph.last_stage(f).external;
}

/** The largest power of two up to `n`; 1 for less. */
int64_t power_of_two(int64_t n) {
    int64_t p = 1;
    while (2 * p <= n) {
        p *= 2;
    }
    return p;
}

/** Does what the stage loads lie side by side along `d`? Where it loads nothing, nothing lies apart. */
bool lies_along(const Graph &graph, const Stage &stage, DimId d) {
    bool loads = false, along = false;
    for (const EdgeId e : stage.edges) {
        const Access &access = graph.edges[e].access;
        if (graph.edges[e].producer != stage.func && !access.indices.empty()) {
            loads = true;
            along = along || (access.indices[0].affine && access.indices[0].scale[d] == 1);
        }
    }
    return along || !loads;
}

/** Lanes for `points` rows of `terms` along the variable that is split; fewer than 2: none. */
int64_t lanes_on_gpu(int64_t points, int64_t terms, const Gpu &gpu) {
    const int64_t threads = static_cast<int64_t>(gpu.sms) * gpu.threads_per_sm;
    if (2 * points > threads) {
        return 1;
    }
    const int64_t most = points < gpu.sms ? threads / points : block_lanes;
    return power_of_two(std::min(most, terms / least_terms));
}

int64_t lanes_on_cpu(int64_t points, int64_t terms, int element_bytes, const Machine &machine) {
    const int64_t of_core = vectors * machine.lanes(element_bytes);
    const int64_t cores = points < machine.cores ? power_of_two(2 * machine.cores - 1) : 1;
    const int64_t lanes = power_of_two(of_core) * cores;
    return terms >= least_terms * lanes ? lanes : 1;
}

}  // namespace

std::vector<std::pair<int, int>> tuples_in_lanes(const Graph &graph, const Halide::Pipeline &pipeline,
                                                 const Machine &machine) {
    std::vector<std::pair<int, int>> reductions;
    for (const FuncId f : graph.funcs.ids()) {
        if (!may_change(graph, f)) {
            continue;
        }
        const FuncInfo &func = graph.funcs[f];
        const std::optional<ReducibleInLanes> found =
            reducible_in_lanes(Halide::Pipeline(pipeline).get_func(func.pipeline_index).function());
        const bool same_bits = found && (found->exact || !graph.strict ||
                                         (graph.sums_in_any_order && found->adds_or_multiplies));
        if (!same_bits) {
            continue;
        }
        const Stage &update = graph.last_stage(f);
        const DimId split = func.extents.next_id() + found->variable;
        const int64_t terms = update.dims[split].extent;
        const int64_t lanes = machine.gpu ? lanes_on_gpu(func.points(), terms, *machine.gpu)
                              : lies_along(graph, update, split)
                                  ? lanes_on_cpu(func.points(), terms, func.element_bytes, machine)
                                  : 1;
        if (lanes > 1) {
            reductions.emplace_back(func.pipeline_index, static_cast<int>(lanes));
        }
    }
    return reductions;
}

}  // namespace eutectic
