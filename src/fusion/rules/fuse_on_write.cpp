// c(j, i) += e(j, k, i);  y(j, i) = f(c(j, i))   →   y in register tiles; c computed inside each, f applied
// before the tile is written.
//
// Legal when 1. c is one reduction with one value, not an output and not scheduled, 2. all reads of c come
// from one Func y, which is pure, at Root and not scheduled, 3. y reads c at y's own coordinates, in any
// order of dimensions, all of them, in one way only.

#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

/** Has it loops of its own, at Root or in a block? */
bool is_nest(const Placement &p) {
    return p.kind == Placement::Kind::root || p.kind == Placement::Kind::block;
}

/** Does one update go over each point by itself? A sum, or, on a CPU, whatever else is kept of the terms in
 * their order, of several values, too. */
bool has_accumulators(const Graph &graph, FuncId f) {
    const FuncInfo &info = graph.funcs[f];
    const Stage &update = graph.last_stage(f);
    const bool sum =
        info.tuple_size == 1 && (update.role == Role::reduction || update.role == Role::contraction);
    // Of a tile that is cut short, Halide (21) reads what the condition reads of all of it.
    bool by_itself = update.own.empty() && update.written.indices.empty();
    for (const DimId d : update.dims.ids()) {
        by_itself = by_itself && (update.dims[d].reduction || update.may_be_cut(d));
    }
    return info.stages.size() == 2 && (sum || (by_itself && !graph.gpu));
}

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (info.input || info.stages.size() != 2 || !is_nest(placements[f])) {
            continue;
        }
        Site site{f, {}};
        for (const Reader &r : readers(graph, placements, f)) {
            if (site.consumers.empty() || site.consumers.back() != r.func) {
                site.consumers.push_back(r.func);
            }
        }
        if (!site.consumers.empty()) {
            sites.push_back(site);
        }
    }
    return sites;
}

Verdict legal(const Graph &graph, const Placements &placements, const Site &site) {
    if (site.consumers.size() != 1) {
        return Verdict::forbid(graph.funcs[site.producer].name + " is read by " +
                               std::to_string(site.consumers.size()) +
                               " Funcs at Root, and one tile can serve only one of them");
    }
    return may_compute_at_tile(graph, apart(placements, site.consumers.front()), site.producer,
                               site.consumers.front());
}

/** At the consumer's tile; and, the consumer inlined, at the tile of what reads that: a chain of them is one
 * epilogue. */
std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    std::vector<Placements> result;
    FuncId consumer = site.consumers.front();
    Placements next = apart(placements, consumer);  // a tile is one Func's alone
    for (;;) {
        result.push_back(next);
        Placement &p = result.back()[site.producer];
        p = {Placement::Kind::at, consumer};
        settle(graph, placements, result.back());
        if (!may_inline(graph, next, {consumer, {}})) {
            return result;
        }
        next = inline_producer(graph, next, consumer);
        const std::vector<Reader> all = readers(graph, next, site.producer);
        if (all.empty() || !may_compute_at_tile(graph, next, site.producer, all.front().func)) {
            return result;
        }
        consumer = all.front().func;
    }
}

}  // namespace

Verdict may_compute_at_tile(const Graph &graph, const Placements &placements, FuncId func, FuncId consumer) {
    const FuncInfo &f = graph.funcs[func];
    const FuncInfo &c = graph.funcs[consumer];
    if (const Verdict leave = may_leave_root(graph, func); !leave) {
        return leave;
    }
    if (const std::string own = c.why_own_loops(); !own.empty()) {
        return Verdict::forbid(c.name + " " + own);
    }
    if (graph.pure_stage(func).role == Role::opaque) {
        return Verdict::forbid(f.name + " is computed as a whole, because " +
                               graph.pure_stage(func).why_opaque);
    }
    if (!has_accumulators(graph, func)) {
        return Verdict::forbid(f.name + " is not updated once, each point by itself, so it has no "
                                        "accumulators to keep in registers");
    }
    if (c.stages.size() != 1) {
        return Verdict::forbid(c.name + ", which reads " + f.name + ", is a reduction itself: it needs " +
                               f.name + " at other points than it writes");
    }
    if (c.extents.empty()) {
        return Verdict::forbid(c.name + ", which reads " + f.name +
                               ", is a single value: it has no tile to compute " + f.name + " in");
    }
    if (!is_nest(placements[consumer])) {
        return Verdict::forbid(c.name + ", which reads " + f.name + ", has no loops of its own to tile");
    }
    const std::vector<Reader> all = readers(graph, placements, func);
    for (const Reader &r : all) {
        if (r.func != consumer || !r.access.permutation() || r.access.indices.size() != c.extents.size()) {
            return Verdict::forbid(c.name + " reads " + f.name +
                                   " at other coordinates than its own, so one tile of " + c.name +
                                   " needs more than one tile of " + f.name);
        }
    }
    for (size_t i = 1; i < all.size(); i++) {
        for (const DimId d : c.extents.ids()) {
            if (all[i].access.indices[d].scale != all[0].access.indices[d].scale) {
                return Verdict::forbid(c.name + " reads " + f.name +
                                       " in two ways, so one tile cannot serve both");
            }
        }
    }
    return Verdict::allow();
}

Rule fuse_on_write() {
    return {"fuse_on_write", match, legal, candidates};
}

}  // namespace eutectic
