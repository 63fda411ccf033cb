// The policies, in the order in which ties are broken.

#include <limits>

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** No policy applies. */
Group nothing(const GroupRequest &request) {
    Group g;
    g.root = request.root;
    g.cost.compute = std::numeric_limits<double>::infinity();
    return g;
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
    std::optional<Group> best;
    if (!request.blocked.empty()) {
        best = block(request);
    } else if (!request.with.empty()) {
        best = streaming(request);
    } else {
        const std::optional<Group> tiled = register_tile(request);
        // A sum that is divided afterwards needs the tile that divides.
        const bool divides = request.tiled.empty() && request.graph.pure_stage(request.root).divides_late;
        best = divides ? tiled : cheaper(streaming(request), tiled);
        if (tiled) {
            best = cheaper(std::move(best), cache_block(request, *tiled));
        }
        if (divides) {
            return best ? *best : nothing(request);
        }
        best = cheaper(std::move(best), row_reduction(request));
        best = cheaper(std::move(best), full_reduction(request));
        best = cheaper(std::move(best), window(request));
        best = cheaper(std::move(best), scatter(request));
        best = cheaper(std::move(best), serial(request));
    }
    return best ? *best : nothing(request);
}

}  // namespace eutectic
