// The policies for GPUs, in the order in which ties are broken.

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

/** What policies offer for one request: the cheapest, and why none of the others. */
class Offers {
public:
    void add(std::optional<Group> group) {
        if (!group) {
            return;
        }
        if (best_ && best_->cost.total() <= group->cost.total()) {
            others_.push_back(std::move(*group));
            return;
        }
        if (best_) {
            others_.push_back(std::move(*best_));
        }
        best_ = std::move(group);
    }

    const std::optional<Group> &best() const {
        return best_;
    }

    std::optional<Group> take(std::vector<std::string> &refused) {
        for (const Group &g : others_) {
            refused.push_back(sentence(g));
        }
        return std::move(best_);
    }

private:
    std::optional<Group> best_;
    std::vector<Group> others_;

    std::string sentence(const Group &g) const {
        const KernelPrice &k = g.kernels.front();
        if (!std::isfinite(g.cost.total())) {
            return g.policy + " would take " + std::to_string(k.resources.threads) + " threads of " +
                   std::to_string(k.resources.registers) + " registers and " +
                   format_bytes(k.resources.shared_bytes) + " of shared memory a block, which no SM has";
        }
        const auto count = [](double n) { return std::to_string(static_cast<int64_t>(n)); };
        return g.policy + " would take " + format_seconds(g.cost.total()) + " instead of " +
               format_seconds(best_->cost.total()) + ", with " + count(k.blocks) + " blocks of " +
               count(k.resources.threads) + " threads on " + count(100 * k.occupancy.share) +
               " % of an SM's warps and " + format_bytes(static_cast<Bytes>(k.l2_bytes)) +
               " past the first level";
    }
};

bool is_online(const GroupRequest &q, FuncId f) {
    return q.placements[static_cast<size_t>(f)].online;
}

/** Does anything in the block read each of its Funcs? A sum that is online no longer reads what its terms
 * were made of. */
bool all_read(const GroupRequest &q) {
    std::vector<FuncId> readers = q.blocked;
    readers.push_back(q.root);
    std::set<FuncId> read;
    for (const FuncId f : readers) {
        for (const StageId s : q.graph.funcs[static_cast<size_t>(f)].stages) {
            for (const Load &load : stage_work(q.graph, s, q.inlined).loads) {
                read.insert(load.producer);
            }
        }
    }
    return std::all_of(q.blocked.begin(), q.blocked.end(), [&](FuncId f) { return read.count(f) > 0; });
}

}  // namespace

std::optional<Group> best_gpu_group(const GroupRequest &q) {
    std::vector<std::string> &refused = *q.refused;
    Offers offers;
    if (!q.with.empty()) {
        if (is_online(q, q.root)) {
            offers.add(gpu_block(q));
        }
        return offers.take(refused);  // no policy has loops for anything else yet
    }
    if (!q.blocked.empty()) {
        const bool online =
            std::any_of(q.blocked.begin(), q.blocked.end(), [&](FuncId f) { return is_online(q, f); });
        if (online && !all_read(q)) {
            return std::nullopt;
        }
        offers.add(gpu_block(q));
        if (online) {
            return offers.take(refused);  // the others have no loops for running pairs
        }
        offers.add(gpu_warps(q));
        offers.add(gpu_registers(q));
        offers.add(gpu_shared_tile(q));
        return offers.take(refused);
    }
    if (q.tiled.empty()) {
        offers.add(gpu_points(q));
        offers.add(gpu_turned(q));
    }
    offers.add(gpu_contraction(q));
    offers.add(gpu_shared_tile(q));
    if (q.tiled.empty()) {
        offers.add(gpu_block(q));
        offers.add(gpu_chunks(q));
    }
    offers.add(gpu_split_sum(q, offers.best()));
    return offers.take(refused);
}

}  // namespace eutectic
