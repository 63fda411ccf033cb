// What the loads of a stage have in common.

#include <algorithm>

#include "features/work.h"
#include "graph/data/access.h"
#include "graph/patterns/taps.h"

namespace eutectic {

bool clamped_along(const Load &load, DimId dim) {
    return std::any_of(load.access.indices.begin(), load.access.indices.end(), [&](const Index &i) {
        return i.cut && i.affine && i.wraps == 0 && i.rounding == 0 && i.scale[dim] != 0;
    });
}

bool same_points(const Load &a, const Load &b) {
    return a.producer == b.producer && same_points(a.access, b.access);
}

namespace {

/** Everything between two loads that differ by constants. */
Load spanning(Load a, const Load &b) {
    a.access = spanning(std::move(a.access), b.access);
    a.taps += b.taps;
    if (a.read_at != b.read_at) {
        a.read_at.clear();
    }
    return a;
}

}  // namespace

std::vector<LoadGroup> beside_each_other(const StageWork &work) {
    Extents everywhere;
    everywhere.reserve(work.dims.size());
    for (const Dim &d : work.dims) {
        everywhere.push_back(d.extent);
    }
    const auto pays = [&](const LoadGroup &group, const Load &load) {
        const Load &span = group.span();
        const bool same_producer = span.producer == load.producer && span.reread == load.reread &&
                                   differ_by_constants(span.access, load.access);
        return same_producer && points_read(spanning(span, load), everywhere) <
                                    points_read(span, everywhere) + points_read(load, everywhere);
    };
    std::vector<LoadGroup> groups;
    for (const Load &load : work.loads) {
        const auto group =
            std::find_if(groups.begin(), groups.end(), [&](const LoadGroup &g) { return pays(g, load); });
        if (group == groups.end()) {
            groups.push_back({{&load}, nullptr});
        } else {
            group->loads.push_back(&load);
            group->together = std::make_shared<const Load>(spanning(group->span(), load));
        }
    }
    return groups;
}

const std::vector<LoadGroup> &SharedWork::load_groups() const {
    if (!groups_) {
        groups_ = std::make_shared<const std::vector<LoadGroup>>(beside_each_other(*of_));
    }
    return *groups_;
}

const LoadGroup &SharedWork::own_result() const {
    if (!own_ && of_->written) {
        own_ = std::make_shared<const LoadGroup>(LoadGroup{{&*of_->written}, nullptr});
    } else if (!own_) {
        Load own;
        own.producer = of_->func;
        own.bytes_per_point = of_->stored_bytes;
        own.packed = of_->stores_packed;
        for (const Dim &d : of_->dims) {  // pure dims come first
            if (!d.reduction) {
                own.extents.push_back(d.extent);
            }
        }
        own.access = identity_access(own.extents.size(), of_->dims.size());
        own.read_at = of_->taken;
        const auto held = std::make_shared<const Load>(std::move(own));
        own_ = std::make_shared<const LoadGroup>(LoadGroup{{held.get()}, held});
    }
    return *own_;
}

double share_of(const std::vector<SomeOf> &iterations, const Extents &tile) {
    double share = 1;
    for (const SomeOf &of : iterations) {
        // Phases are read at all rows but where the code knows them; there are then two rows to a tile.
        share *= of.period > 0 ? 1 : std::min(1.0, of.share * static_cast<double>(tile[of.dim]));
    }
    return share;
}

double share_of(const std::vector<SomeOf> &iterations) {
    double share = 1;
    for (const SomeOf &of : iterations) {
        share *= of.period > 0 ? 1 : of.share;
    }
    return share;
}

}  // namespace eutectic
