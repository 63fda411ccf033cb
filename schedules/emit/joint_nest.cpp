#include "schedules/emit/joint_nest.h"

#include <algorithm>
#include <set>

#include "schedules/emit/identifiers.h"

namespace eutectic {

namespace {

bool shares_nest(const Group &g) {
    return std::any_of(g.tree.funcs().begin(), g.tree.funcs().end(),
                       [](const TreeFunc &f) { return f.joint.has_value(); });
}

/** Are loops of `f`, which is not the root, the root's? */
bool shares_loops(const Group &g, FuncId f) {
    const TreeFunc *const computed = g.tree.find(f);
    return computed && computed->joint;
}

/** Are loops of `f` the root's? It may have the outer ones alone. */
bool is_in_nest(const Group &g, FuncId f) {
    return f == g.root || shares_loops(g, f);
}

}  // namespace

bool is_in_strips(const Group &g, FuncId f) {
    const auto made = std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) { return a.id == f; });
    return made && shares_loops(g, f);
}

std::map<FuncId, Table<DimId, std::string>> common_names(const Group &g) {
    std::map<FuncId, Table<DimId, std::string>> result;
    if (!shares_nest(g)) {
        return result;
    }
    const Dims &of_root = g.tree.at(g.root, -1).dims;
    std::set<std::string> taken;
    const bool strips =
        std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) { return is_in_strips(g, a.id); });
    bool differ = strips;
    const std::vector<StageNest> nests = g.tree.nests();
    for (const StageNest &s : nests) {
        for (const DimId d : s.dims.ids()) {
            taken.insert(s.dims[d].name);
            differ = differ || (is_in_nest(g, s.func) &&
                                s.dims[d].name != of_root[of_root.next_id() - s.dims.next_id() + d].name);
        }
    }
    if (!differ) {
        return result;
    }
    Table<DimId, std::string> names;
    for (const Dim &d : of_root) {
        std::string name = identifier(d.name) + "_all";
        while (!taken.insert(name).second) {
            name += '_';
        }
        names.push_back(name);
    }
    for (const StageNest &s : nests) {
        if (strips ? s.func == g.root : is_in_nest(g, s.func)) {  // strips are called by the root's loop,
                                                                  // whatever else the sums' loops are
            result[s.func].assign(names.end() - s.dims.next_id(), names.end());
        }
    }
    return result;
}

}  // namespace eutectic
