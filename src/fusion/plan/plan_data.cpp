#include <algorithm>
#include <sstream>
#include <utility>

#include "fusion/plan/plan.h"

namespace eutectic {

Added Added::write_tile(FuncId id, FuncId of) {
    return {Kind::write_tile, "write_tile", id, of};
}

Added Added::pack(FuncId id, FuncId of, std::vector<FuncId> read_by) {
    return {Kind::pack, "pack", id, of, std::move(read_by)};
}

Added Added::partial(const std::string &name, FuncId id, FuncId of, DimId reduction_dim, int64_t factor,
                     Grade grade, bool keep_outer) {
    return {Kind::partial, name, id, of, {}, {}, reduction_dim, factor, grade, keep_outer};
}

Added Added::rewrite(const std::string &name, FuncId id, FuncId of, std::vector<FuncId> others, Grade grade) {
    return {Kind::rewrite, name, id, of, {}, std::move(others), -1, 1, grade};
}

const char *to_string(Grade grade) {
    const char *const names[] = {"exact", "contracting", "reassociating", "approximate"};
    return names[static_cast<int>(grade)];
}

bool materialized(const Placement &placement) {
    return placement.kind == Placement::Kind::root || shares_nest(placement);
}

bool shares_nest(const Placement &placement) {
    return placement.kind == Placement::Kind::joint || placement.kind == Placement::Kind::strips ||
           placement.kind == Placement::Kind::one_pass;
}

std::vector<FuncId> sharing_nest_of(const Placements &placements, FuncId root) {
    std::vector<FuncId> sharing;
    for (const FuncId f : placements.ids()) {
        if (shares_nest(placements[f]) && placements[f].consumer == root) {
            sharing.push_back(f);
        }
    }
    return sharing;
}

std::vector<NestedStage> priced_stages(const Group &group) {
    return group.kernels.empty() ? group.tree.priced() : group.tree.of_kernels();
}

FuncId algorithm_func(const Group &group, FuncId f) {
    // What is made of something made comes after it.
    for (auto a = group.added.rbegin(); a != group.added.rend(); ++a) {
        f = a->id == f ? a->of : f;
    }
    return f;
}

Group renamed(Group group, const std::function<FuncId(FuncId)> &name) {
    for (Added &a : group.added) {
        a.id = name(a.id);
        a.of = name(a.of);
        for (std::vector<FuncId> *funcs : {&a.read_by, &a.others}) {
            std::transform(funcs->begin(), funcs->end(), funcs->begin(), name);
        }
    }
    group.tree.rename(name);
    return group;
}

Cost FusionPlan::cost() const {
    Cost sum;
    for (const Group &g : groups) {
        sum += g.cost;
    }
    sum.launch += trimming;
    return sum;
}

namespace {

void write_placement(std::ostream &s, FuncId f, const Placement &p) {
    switch (p.kind) {
    case Placement::Kind::inlined: s << "f" << f << " inlined\n"; break;
    case Placement::Kind::at: s << "f" << f << " at f" << p.consumer << "\n"; break;
    case Placement::Kind::block: s << "f" << f << " in a block of f" << p.consumer << "\n"; break;
    case Placement::Kind::joint: s << "f" << f << " in the nest of f" << p.consumer << "\n"; break;
    case Placement::Kind::strips: s << "f" << f << " in strips of f" << p.consumer << "\n"; break;
    case Placement::Kind::one_pass: s << "f" << f << " in one pass with f" << p.consumer << "\n"; break;
    case Placement::Kind::root: break;
    }
}

void write_list(std::ostream &s, const char *before, const std::vector<FuncId> &funcs) {
    for (size_t i = 0; i < funcs.size(); i++) {
        s << (i ? "," : before) << " f" << funcs[i];
    }
}

void write_added(std::ostream &s, const Added &a) {
    s << "  add f" << a.id << " = " << a.name << " of f" << a.of;
    if (a.kind == Added::Kind::pack) {
        write_list(s, " for", a.read_by.empty() ? std::vector<FuncId>{no_func} : a.read_by);
        for (const DimId d : a.each) {
            s << (d == a.each.front() ? " of " + std::to_string(a.factor) + " columns, d" : ",") << d;
        }
    } else if (a.kind == Added::Kind::rewrite && !a.others.empty()) {
        write_list(s, " with", a.others);
        s << (a.factor > 1 ? ", " + std::to_string(a.factor) : "");
    } else if (a.kind == Added::Kind::partial) {
        s << " d" << a.reduction_dim << " / " << a.factor << (a.keep_outer ? " chunks" : "");
        for (const DimId d : a.each) {
            s << " of each d" << d;
        }
    }
    s << (a.grade == Grade::reassociating ? " (reassociating)" : "") << "\n";
}

/** Loops are counted from the outermost of all, those of the stages around them included. */
void write_computed(std::ostream &s, const LoopTree &tree, const TreeFunc &f) {
    s << "  f" << f.func << " computed at ";
    if (f.computed) {
        s << "f" << f.computed->func << "." << f.computed->update << " loop " << tree.depth(*f.computed);
    } else {
        s << "root";
    }
    if (f.stays) {
        s << " kept from turn to turn";
    }
    if (f.stored) {
        s << " sliding in loop " << tree.depth(*f.stored);
    }
    if (f.allocated_in) {
        s << " hoisted to loop " << tree.depth(*f.allocated_in);
    }
    if (f.joint) {
        s << " with f" << f.joint->func << " to loop " << tree.depth(*f.joint);
    }
    for (size_t i = 0; i < f.storage.size(); i++) {
        s << (i ? "," : " stored ") << f.storage[i];
    }
    for (const DimId d : f.allocated.ids()) {
        s << (d > 0 ? "x" : " in ") << f.allocated[d];
    }
    s << (f.by_threads ? " by each thread" : "") << "\n";
}

void write_group(std::ostream &s, const Group &g) {
    s << "group f" << g.root << ": " << g.policy << "\n";
    for (const Added &a : g.added) {
        write_added(s, a);
    }
    for (const TreeFunc &f : g.tree.funcs()) {
        write_computed(s, g.tree, f);
    }
    for (const StageNest &n : g.tree.nests()) {
        s << "  f" << n.func << "." << n.update << ": " << to_string(n.nest) << "\n";
    }
    for (const KernelPrice &k : g.kernels) {
        s << "  kernel of " << k.blocks << " x " << k.resources.threads << " threads\n";
    }
}

}  // namespace

std::string to_string(const FusionPlan &plan) {
    std::ostringstream s;
    for (const FuncId f : plan.placements.ids()) {
        write_placement(s, f, plan.placements[f]);
    }
    for (const Group &g : plan.groups) {
        write_group(s, g);
    }
    return s.str();
}

}  // namespace eutectic
