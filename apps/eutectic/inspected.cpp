#include "apps/eutectic/inspected.h"

#include <algorithm>

namespace eutectic {

namespace {

void add_region(NestCode &nest, const EmittedRegion &region, int threads) {
    if (region.turns < 0) {
        nest.unknown++;
    } else if (region.turns == 0) {
        nest.others++;
    } else {
        nest.regions.push_back(region);
        const double cycles = elapsed_cycles(region, threads);
        if (cycles < 0) {
            nest.no_cycles = nest.no_cycles.empty() ? region.code.no_cycles : nest.no_cycles;
        } else {
            nest.model_cycles = std::max(0.0, nest.model_cycles) + cycles;
        }
    }
}

}  // namespace

const EmittedRegion *NestCode::inner_loop() const {
    for (const EmittedRegion &r : regions) {  // the costliest is first
        if (r.code.innermost) {
            return &r;
        }
    }
    return nullptr;
}

namespace {

/** The plan's nests, with their prices. */
std::vector<NestCode> priced_nests(const Scheduled &scheduled, const std::vector<GroupProfile> &groups) {
    std::vector<NestCode> nests(groups.size());
    for (size_t g = 0; g < groups.size(); g++) {
        nests[g].times = groups[g];
        nests[g].policy = scheduled.planned.plan.groups[g].policy;
        nests[g].price_cycles = groups[g].predicted_seconds * scheduled.machine.hertz;
    }
    return nests;
}

}  // namespace

std::vector<NestCode> nests_of(const Scheduled &scheduled, const DeviceKernels &device) {
    std::vector<GroupProfile> groups = predicted(scheduled);
    std::vector<NestCode> nests = priced_nests(scheduled, groups);
    for (NestCode &n : nests) {
        n.price_cycles = n.times.predicted_seconds * scheduled.machine.gpu->hertz;
        n.no_cycles = "there is no public model of the device's processors";
    }
    for (const KernelCode &k : device.kernels) {
        if (const GroupProfile *const group = group_of(groups, k.func)) {
            nests[group - groups.data()].kernels.push_back(k);
        }
    }
    return nests;
}

std::vector<NestCode> nests_of(const Scheduled &scheduled, const EmittedCode &code, int threads) {
    std::vector<GroupProfile> groups = predicted(scheduled);
    std::vector<NestCode> nests = priced_nests(scheduled, groups);
    for (const EmittedRegion &r : code.regions) {
        const GroupProfile *group = r.nest.empty() ? nullptr : group_of(groups, r.nest);
        if (!group && !r.nest.empty()) {
            group = group_of(groups, r.code.name);
        }
        if (group) {
            add_region(nests[group - groups.data()], r, threads);
        }
    }
    for (NestCode &n : nests) {
        std::stable_sort(
            n.regions.begin(), n.regions.end(),
            [](const EmittedRegion &a, const EmittedRegion &b) { return model_cycles(a) > model_cycles(b); });
        n.no_cycles = n.regions.empty() ? "it has no loop and no task of its own" : n.no_cycles;
        n.model_cycles = n.no_cycles.empty() ? n.model_cycles : -1;
    }
    return nests;
}

void measure_nests(Inspected &inspected, const ProfiledRun &run, double hertz) {
    std::vector<GroupProfile> groups;
    for (const NestCode &n : inspected.nests) {
        groups.push_back(n.times);
    }
    measure_into(groups, run);
    for (NestCode &n : inspected.nests) {
        for (const GroupProfile &g : groups) {
            if (g.root == n.times.root) {
                n.times = g;
                n.measured_cycles = g.seconds * hertz;
            }
        }
    }
    inspected.measured_hertz = hertz;
}

}  // namespace eutectic
