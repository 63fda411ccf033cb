// The policies, in the order in which ties are broken.

#include <algorithm>
#include <limits>

#include "fusion/policies/gpu/gpu.h"
#include "fusion/policies/policy.h"
#include "fusion/rewrites/shared_rows.h"

namespace eutectic {

namespace {

/** No policy applies. */
Group nothing(const GroupRequest &request) {
    Group g;
    g.root = request.root;
    g.cost.compute = std::numeric_limits<double>::infinity();
    return g;
}

/** The loops of the group's root are the same. */
bool same_tile(const Group &a, const Group &b) {
    return to_string(a.nests.front().nest) == to_string(b.nests.front().nest);
}

/** cache_block() of `tiled`, or of the tile that is best where all that it reads is at hand, as what a chunk
 * reads is. */
std::optional<Group> blocked(const GroupRequest &request, const Group &tiled,
                             const std::optional<Group> &of_arithmetic, Seconds limit) {
    GroupRequest limited = request;
    limited.limit = limit;
    std::optional<Group> best = cache_block(limited, tiled);
    return of_arithmetic && !same_tile(tiled, *of_arithmetic)
               ? cheaper(std::move(best), cache_block(limited, *of_arithmetic))
               : best;
}

/** Does the nest write Funcs that only have the outer loops in common with the root? */
bool have_other_loops(const GroupRequest &request) {
    const auto extents = [&](FuncId f) { return request.graph.funcs[static_cast<size_t>(f)].extents; };
    return std::any_of(request.with.begin(), request.with.end(),
                       [&](FuncId f) { return extents(f) != extents(request.root); });
}

}  // namespace

Group best_group(const GroupRequest &request) {
    if (request.graph.funcs[static_cast<size_t>(request.root)].user_scheduled) {
        Group g = *serial(request);
        g.policy = "as scheduled";
        g.nests.clear();
        if (request.graph.funcs[static_cast<size_t>(request.root)].user_placed) {
            g.computed.clear();
        }
        return g;
    }
    if (request.machine.gpu) {
        std::vector<std::string> refused;
        GroupRequest asked = request;
        asked.refused = &refused;
        const std::optional<Group> kernels = best_gpu_group(asked);
        Group g = kernels ? *kernels : nothing(request);
        g.refused = std::move(refused);
        return g;
    }
    std::optional<Group> best;
    if (!request.with.empty() && is_sum(request.graph, request.with.front())) {
        best = rows_and_sums(request);
    } else if (!request.blocked.empty() || have_other_loops(request)) {
        best = block(request);
    } else if (!request.with.empty()) {
        best = streaming(request);
    } else {
        std::optional<Group> of_arithmetic;
        const std::optional<Group> tiled = register_tile(request, &of_arithmetic);
        // A sum that is divided afterwards needs the tile that divides.
        const bool divides = request.tiled.empty() && request.graph.pure_stage(request.root).divides_late;
        best = divides ? tiled : cheaper(streaming(request), tiled);
        if (tiled) {
            best = cheaper(std::move(best), blocked(request, *tiled, of_arithmetic, best->cost.total()));
        }
        for (const auto policy : {row_reduction, full_reduction, window, scatter, serial}) {
            best = divides ? std::move(best) : cheaper(std::move(best), policy(request));
        }
    }
    if (!best) {
        return nothing(request);
    }
    if (!request.inside_block && request.with.empty()) {
        settle_boundary_loops(*best);
    }
    return *best;
}

}  // namespace eutectic
