#include <sstream>

#include "fusion/plan/plan.h"

namespace eutectic {

const char *to_string(Added::Kind kind) {
    switch (kind) {
    case Added::Kind::write_tile: return "write_tile";
    case Added::Kind::lanes: return "lanes";
    case Added::Kind::pack: return "pack";
    case Added::Kind::reciprocal: return "reciprocal";
    case Added::Kind::division: return "division";
    case Added::Kind::row: return "row";
    case Added::Kind::line: return "line";
    case Added::Kind::tree: return "tree";
    case Added::Kind::moved_sum: return "moved_sum";
    case Added::Kind::online: return "online";
    case Added::Kind::again: return "again";
    case Added::Kind::chunks: break;
    }
    return "chunks";
}

const char *to_string(Grade grade) {
    return grade == Grade::exact ? "exact" : grade == Grade::contracting ? "contracting" : "reassociating";
}

FuncId added_id(size_t funcs, FuncId func, Added::Kind kind, int operand) {
    const int slots = 16;  // the single kinds, the rest for packs
    const int single[] = {0,  2,  -1, 3, 4, 15,
                          14, 13, 12, 1, 1, -1};  // moved sums are outputs, and online ones are not
    int slot = kind == Added::Kind::pack || kind == Added::Kind::again ? 5 + operand
                                                                       : single[static_cast<int>(kind)];
    if (operand > 0 && single[static_cast<int>(kind)] >= 0) {  // beside at most four operands that are packed
        slot = kind == Added::Kind::lanes ? 9 : kind == Added::Kind::tree ? 10 : 11;
    }
    return static_cast<int>(funcs) + slots * func + slot;
}

bool materialized(const Placement &placement) {
    return placement.kind == Placement::Kind::root || placement.kind == Placement::Kind::with;
}

std::vector<NestedStage> priced_stages(const Group &group) {
    if (group.kernels.empty()) {
        return group.tree.priced();
    }
    std::vector<NestedStage> stages;
    for (const KernelPrice &k : group.kernels) {
        stages.insert(stages.end(), k.stages.begin(), k.stages.end());
    }
    return stages;
}

FuncId algorithm_func(const Group &group, FuncId f) {
    // What is made of something made comes after it.
    for (auto a = group.added.rbegin(); a != group.added.rend(); ++a) {
        f = a->id == f ? a->of : f;
    }
    return f;
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
    case Placement::Kind::block:
        s << "f" << f << " in a block of f" << p.consumer << (p.online ? ", online" : "") << "\n";
        break;
    case Placement::Kind::with: s << "f" << f << " with f" << p.consumer << "\n"; break;
    case Placement::Kind::root: break;
    }
}

void write_added(std::ostream &s, const Added &a) {
    s << "  add f" << a.id << " = " << to_string(a.kind) << " of f" << a.of;
    if (!a.read_by.empty()) {
        for (size_t i = 0; i < a.read_by.size(); i++) {
            s << (i ? ", f" : " for f") << a.read_by[i];
        }
    } else if (a.kind == Added::Kind::pack || a.kind == Added::Kind::again) {
        s << " for f" << a.reader;
    } else if (a.kind == Added::Kind::online) {
        s << " with f" << a.reader;
    } else if (a.kind == Added::Kind::lanes || a.kind == Added::Kind::tree || a.kind == Added::Kind::chunks) {
        s << " d" << a.reduction_dim << " / " << a.factor << (a.keep_outer ? " chunks" : "");
        for (const int d : a.each) {
            s << " of each d" << d;
        }
    }
    if (a.quotient >= 0) {
        s << ", f" << a.quotient << " undivided";
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
    for (size_t i = 0; i < f.allocated.size(); i++) {
        s << (i ? "x" : " in ") << f.allocated[i];
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
