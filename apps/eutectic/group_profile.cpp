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

/** A copy, or something else that no member of `group` gave its name to. */
bool is_copy(const GroupProfile &group, const std::string &name) {
    return std::none_of(group.members.begin(), group.members.end(),
                        [&](const std::string &member) { return made_of(name, member); });
}

}  // namespace

GroupProfile *group_of(std::vector<GroupProfile> &groups, const std::string &name) {
    GroupProfile *best = nullptr;
    size_t longest = 0;
    const auto look = [&](const std::string &of) {
        for (GroupProfile &g : groups) {
            for (const std::string &member : g.members) {
                if (made_of(of, member) && member.size() > longest) {
                    best = &g;
                    longest = member.size();
                }
            }
        }
    };
    const auto is_name = [&](const GroupProfile &g) {
        return std::find(g.members.begin(), g.members.end(), name) != g.members.end();
    };
    const std::string in = "_in_";
    if (std::none_of(groups.begin(), groups.end(), is_name)) {
        for (size_t at = name.find(in); at != std::string::npos; at = name.find(in, at + 1)) {
            look(name.substr(at + in.size()));
        }
    }
    if (!best) {
        look(name);
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
            g->peak_bytes += is_copy(*g, f.name) ? 0 : f.peak_bytes;
        } else if (f.seconds > 0 || f.allocated_bytes > 0) {
            rest.push_back(f);
        }
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const GroupProfile &a, const GroupProfile &b) { return a.off() > b.off(); });
    return rest;
}

}  // namespace eutectic
