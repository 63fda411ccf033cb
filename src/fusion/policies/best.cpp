// The cheapest of what a device's policies offer.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fusion/plan/panels.h"
#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** With no loops of ours but those that every stage has, and nothing in them. */
Group left_alone(const GroupRequest &request, const char *policy) {
    GroupRequest alone = request;
    alone.tiled.clear();
    alone.blocked.clear();
    alone.sharing_nest.clear();
    Group g = *serial(alone).group();
    g.policy = policy;
    return g;
}

/** The loops that a user has given stay as they are. */
Group as_scheduled(const GroupRequest &request) {
    Group g = left_alone(request, "as scheduled");
    const bool placed = request.graph.funcs[request.root].user_placed;
    LoopTree tree;
    if (!placed) {
        tree.add_at_root(request.root);
    }
    g.tree = std::move(tree);
    return g;
}

/** What running `g` would take, in numbers; `best`: what is taken. */
std::string would_take(const Group &g, const Group &best) {
    std::string says = "would take " + format_seconds(g.cost.total()) + " instead of " +
                       format_seconds(best.cost.total()) + ", ";
    if (g.kernels.empty()) {
        return says + format_seconds(g.cost.compute) + " of computing, " + format_seconds(g.cost.memory) +
               " of waiting for memory, " + format_seconds(g.cost.idle) + " of idle cores, " +
               format_seconds(g.cost.launch) + " of starting loops and allocating";
    }
    const KernelPrice &k = g.kernels.front();
    const auto count = [](double n) { return std::to_string(static_cast<int64_t>(n)); };
    return says + "with " + count(k.blocks) + " blocks of " + count(k.resources.threads) + " threads on " +
           count(100 * k.occupancy.share) + " % of an SM's warps and " +
           format_bytes(static_cast<Bytes>(k.l2_bytes)) + " past the first level";
}

std::string does_not_fit(const Group &g) {
    if (g.kernels.empty()) {
        return "finds no loops";
    }
    const KernelResources &r = g.kernels.front().resources;
    return "would take " + std::to_string(r.threads) + " threads of " + std::to_string(r.registers) +
           " registers and " + format_bytes(r.shared_bytes) + " of shared memory a block, which no SM has";
}

/** Takes what policies offer for one request, one after the other. */
class Offers {
public:
    void add(const char *policy, Offer offer) {
        if (!offer.group()) {
            (offer.is_of_other_kind() ? of_other_kinds_ : refused_)
                .push_back(std::string(policy) + " " + offer.reason());
            return;
        }
        Group &group = *offer.group();
        if (!best_ || group.cost.total() < best_->cost.total()) {
            if (best_) {
                others_.push_back(std::move(*best_));
            }
            best_ = std::move(group);
        } else {
            others_.push_back(std::move(group));
        }
    }

    Seconds limit() const {
        return best_ ? best_->cost.total() : std::numeric_limits<Seconds>::infinity();
    }

    /** The cheapest, which says what was not taken. What is for stages of other kinds goes without saying,
     * unless no more than one policy has loops for a Func alone. */
    Group take(const GroupRequest &request) {
        Group best;
        best.root = request.root;
        best.cost.compute = std::numeric_limits<Seconds>::infinity();
        best = best_ ? std::move(*best_) : std::move(best);
        if (request.inside_block) {
            return best;  // what was not taken is said once, of the whole
        }
        for (const Group &g : others_) {
            refused_.push_back(g.policy + " " +
                               (std::isfinite(g.cost.total()) ? would_take(g, best) : does_not_fit(g)));
        }
        const bool alone = request.tiled.empty() && request.blocked.empty() && request.sharing_nest.empty();
        if (others_.empty() && (alone || !std::isfinite(best.cost.total()))) {
            refused_.insert(refused_.end(), of_other_kinds_.begin(), of_other_kinds_.end());
        }
        best.refused = std::move(refused_);
        return best;
    }

private:
    std::optional<Group> best_;
    std::vector<Group> others_;
    std::vector<std::string> refused_, of_other_kinds_;
};

}  // namespace

const std::vector<Policy> &policies_for(const Machine &machine) {
    return machine.gpu ? gpu_policies() : cpu_policies();
}

Group best_group(const GroupRequest &request) {
    if (request.graph.funcs[request.root].user_scheduled) {
        return as_scheduled(request);
    }
    if (request.graph.last_stage(request.root).library) {
        return left_alone(request, "library");
    }
    Offers offers;
    for (const Policy &policy : policies_for(request.machine)) {
        if (request.machine.experiment.leaves_out(policy.name)) {
            offers.add(policy.name, Offer::refuse("is left out"));
            continue;
        }
        GroupRequest asked = request;
        asked.limit = std::min(request.limit, offers.limit());
        Offer offer = policy.offer(asked);
        if (offer.group() && !reads_pinned_panels(request.pins, *offer.group())) {
            offer = Offer::refuse("reads as they are inputs that are handed over in panels");
        }
        offers.add(policy.name, std::move(offer));
    }
    Group best = offers.take(request);
    if (request.inside_block) {
        return best;
    }
    const auto settle = [&](Group &group) {
        if (!request.machine.gpu && request.sharing_nest.empty() && !group.tree.empty()) {
            settle_tails_and_boundaries(request.graph, request.machine, group);
            know_lanes(request.graph, group);
        }
    };
    settle(best);
    if (request.considered) {
        std::for_each(request.considered->begin(), request.considered->end(), settle);
    }
    return best;
}

}  // namespace eutectic
