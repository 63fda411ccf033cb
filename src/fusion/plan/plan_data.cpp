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
    return static_cast<FuncId>(funcs) + slots * func + slot;
}

bool materialized(const Placement &placement) {
    return placement.kind == Placement::Kind::root || placement.kind == Placement::Kind::with;
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

/** `root`: of the group in which it is computed. */
void write_computed(std::ostream &s, const Computed &c, FuncId root) {
    s << "  f" << c.func << " computed at ";
    if (c.consumer < 0) {
        s << "root";
    } else {
        s << "f" << c.consumer << "." << c.consumer_update << " loop " << c.loop;
    }
    if (c.stays) {
        s << " kept from turn to turn";
    }
    if (c.hoisted >= 0) {
        s << " hoisted to loop " << c.hoisted;
    }
    if (c.with >= 0) {
        s << " with f" << root << " to loop " << c.with;
    }
    for (size_t i = 0; i < c.storage.size(); i++) {
        s << (i ? "," : " stored ") << c.storage[i];
    }
    for (size_t i = 0; i < c.allocated.size(); i++) {
        s << (i ? "x" : " in ") << c.allocated[i];
    }
    s << (c.by_threads ? " by each thread" : "") << "\n";
}

void write_group(std::ostream &s, const Group &g) {
    s << "group f" << g.root << ": " << g.policy << "\n";
    for (const Added &a : g.added) {
        write_added(s, a);
    }
    for (const Computed &c : g.computed) {
        write_computed(s, c, g.root);
    }
    for (const StageNest &n : g.nests) {
        s << "  f" << n.func << "." << n.update << ": " << to_string(n.nest) << "\n";
    }
    for (const KernelPrice &k : g.kernels) {
        s << "  kernel of " << k.blocks << " x " << k.resources.threads << " threads\n";
    }
}

}  // namespace

std::string to_string(const FusionPlan &plan) {
    std::ostringstream s;
    for (size_t f = 0; f < plan.placements.size(); f++) {
        write_placement(s, static_cast<FuncId>(f), plan.placements[f]);
    }
    for (const Group &g : plan.groups) {
        write_group(s, g);
    }
    return s.str();
}

}  // namespace eutectic
