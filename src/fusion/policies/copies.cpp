#include "fusion/policies/copies.h"

namespace eutectic {

std::optional<Offer> not_for_copies(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const bool scatters = info.stages.size() == 2 && q.graph.last_stage(q.root).role == Role::scatter;
    if (info.stages.size() != 2 || (!scatters && info.tuple_size == 1)) {
        return Offer::other_kind("is for one update of a Tuple, or at coordinates that it computes, which " +
                                 info.name + " does not have");
    }
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    return std::nullopt;
}

std::optional<Offer> not_mergeable(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const Stage &update = q.graph.last_stage(q.root);
    if (q.graph.pure_stage(q.root).role == Role::opaque) {
        return Offer::refuse("splits a reduction, and " + info.name + " stays as it is, because " +
                             q.graph.pure_stage(q.root).why_opaque);
    }
    if (!update.mergeable) {
        return Offer::refuse("merges results of parts, and the update of " + info.name +
                             " is not associative");
    }
    if (!q.graph.may_merge(update)) {
        return Offer::reorders(info.name);
    }
    return std::nullopt;
}

}  // namespace eutectic
