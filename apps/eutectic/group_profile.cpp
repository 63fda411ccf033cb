#include "apps/eutectic/group_profile.h"

#include <algorithm>

namespace eutectic {

namespace {

/** Whether a Func that Halide or the plan made of `func` would be called so: its name, and more after a mark.
 */
bool made_of(const std::string &name, const std::string &func) {
    return name.rfind(func, 0) == 0 && (name.size() == func.size() || name[func.size()] == '_' ||
                                        name[func.size()] == '$' || name[func.size()] == '.');
}

}  // namespace

GroupProfile *group_of(std::vector<GroupProfile> &groups, const std::string &name) {
    GroupProfile *best = nullptr;
    size_t longest = 0;
    for (GroupProfile &g : groups) {
        for (const std::string &member : g.members) {
            if (made_of(name, member) && member.size() > longest) {
                best = &g;
                longest = member.size();
            }
        }
    }
    return best;
}

std::vector<GroupProfile> predicted(const Scheduled &s) {
    std::vector<GroupProfile> groups;
    for (const Group &g : s.planned.plan.groups) {
        GroupProfile p;
        p.root = s.graph.funcs[g.root].name;
        p.predicted_seconds = g.cost.total();
        for (const FuncId f : g.members) {
            const FuncInfo &info = s.graph.funcs[f];
            p.members.push_back(info.name);
            p.predicted_bytes +=
                materialized(s.planned.plan.placements[f]) && !info.output ? info.bytes() : 0;
        }
        groups.push_back(p);
    }
    return groups;
}

std::vector<ProfiledFunc> measure_into(std::vector<GroupProfile> &groups, const ProfiledRun &run) {
    std::vector<ProfiledFunc> rest;
    for (const ProfiledFunc &f : run.funcs) {
        if (GroupProfile *g = group_of(groups, f.name)) {
            g->seconds += f.seconds;
            g->allocated_bytes += f.allocated_bytes;
            g->peak_bytes += f.peak_bytes;
        } else if (f.seconds > 0 || f.allocated_bytes > 0) {
            rest.push_back(f);
        }
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const GroupProfile &a, const GroupProfile &b) { return a.off() > b.off(); });
    return rest;
}

}  // namespace eutectic
