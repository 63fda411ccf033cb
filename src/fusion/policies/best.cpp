// The policies, in the order in which ties are broken.

#include <limits>

#include "fusion/policies/policy.h"

namespace eutectic {

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
        best = cheaper(streaming(request), tiled);
        if (tiled) {
            best = cheaper(std::move(best), cache_block(request, *tiled));
        }
        best = cheaper(std::move(best), row_reduction(request));
        best = cheaper(std::move(best), full_reduction(request));
        best = cheaper(std::move(best), serial(request));
    }
    if (!best) {
        best = Group();
        best->root = request.root;
        best->cost.compute = std::numeric_limits<double>::infinity();
    }
    return *best;
}

}  // namespace eutectic
