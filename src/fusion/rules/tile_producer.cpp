// s(i) += e(k, i);  y(j, i) = f(e(j, i), s(i))   →   e and s computed inside a block of y's outer loops, in
// buffers that stay in cache.
//
// Legal when 1. p is neither an output nor scheduled, and no update of it goes where it likes in all dims, 2.
// everything that reads p is y, or is computed inside y's loops,
// 3. y is at Root, not scheduled, has a dim to cut (or runs on a GPU, where a block of threads computes a
// single value), and is pure. What a block requires of p is inferred from the reads, whatever they are.

#include <algorithm>

#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId f : graph.funcs.ids()) {
        const Placement::Kind kind = placements[f].kind;
        if (graph.funcs[f].input || graph.funcs[f].output || kind == Placement::Kind::block) {
            continue;
        }
        const std::vector<FuncId> nests = nests_of_readers(graph, placements, f);
        if (!nests.empty()) {
            sites.push_back({f, nests});
        }
    }
    return sites;
}

/** May everything that the nest writes stay together around a block with the producer? */
bool serves_all(const Graph &graph, const Placements &placements, const Site &site) {
    const FuncId root = site.consumers.front();
    return written_with(placements, root).size() > 1 &&
           may_compute_in_block(graph, placements, site.producer, root);
}

Verdict legal(const Graph &graph, const Placements &placements, const Site &site) {
    if (site.consumers.size() != 1) {
        return Verdict::forbid(graph.funcs[site.producer].name + " is read by " +
                               std::to_string(site.consumers.size()) +
                               " kernels, and a block of one of them cannot serve the others");
    }
    const Verdict alone =
        may_compute_in_block(graph, apart_from_pure(graph, placements, site.consumers.front()), site.producer,
                             site.consumers.front());
    return alone || !serves_all(graph, placements, site) ? alone : Verdict::allow();
}

/** `next` with `func` in a block of `root`, and settled; `placements` were. */
Placements place(const Graph &graph, const Placements &placements, Placements next, FuncId func,
                 FuncId root) {
    Placement &p = next[func];
    p = {Placement::Kind::block, root};
    settle(graph, placements, next);
    return next;
}

/** For each Func: is it read, directly or through inlined ones, by what is computed in the loops of `root`?
 */
Table<FuncId, bool> read_in(const Graph &graph, const Placements &placements, FuncId root) {
    Table<FuncId, bool> read(graph.funcs.size(), placements.change_reads());  // then any may be
    for (const FuncId f : graph.funcs.reversed_ids()) {
        const bool inlined = placements[f].kind == Placement::Kind::inlined;
        if (inlined ? !read[f] : root_of(placements, f) != root) {
            continue;
        }
        for (const StageId s : graph.funcs[f].stages) {
            for (const EdgeId e : graph.stages[s].edges) {
                read[graph.edges[e].producer] = true;
            }
        }
    }
    return read;
}

/** Has some dim of `func` the coordinates of each of its readers: are there blocks that compute no point of
 * it twice? What halos make dear is taken into blocks one by one, as far as it pays. */
bool goes_without_halo(const Graph &graph, const Placements &placements, FuncId func) {
    const std::vector<Reader> all = readers(graph, placements, func);
    for (const DimId d : graph.funcs[func].extents.ids()) {
        if (graph.writes_own(func, d) && std::all_of(all.begin(), all.end(), [&](const Reader &r) {
                return r.access.indices[d].equals_dim() >= 0;
            })) {
            return true;
        }
    }
    return graph.funcs[func].extents.empty();
}

/** `from` with the producer in a block, alone, and with everything before it that may follow without halos.
 */
std::vector<Placements> with_and_without(const Graph &graph, const Placements &placements,
                                         const Placements &from, const Site &site) {
    const FuncId root = site.consumers.front();
    const Placements one = place(graph, placements, from, site.producer, root);
    Placements all = one;
    Table<FuncId, bool> read = read_in(graph, all, root);
    for (const FuncId f : graph.funcs.reversed_ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (info.input || all[f].kind != Placement::Kind::root || f == root || !read[f]) {
            continue;
        }
        const std::vector<FuncId> nests = nests_of_readers(graph, all, f);
        const bool follows = nests.size() == 1 && nests.front() == root && goes_without_halo(graph, all, f);
        if (follows && may_compute_in_block(graph, all, f, root)) {
            all = place(graph, all, all, f, root);
            read = read_in(graph, all, root);
        }
    }
    return all == one ? std::vector<Placements>{one} : std::vector<Placements>{one, all};
}

/** A block of the one Func that is left where the nest's others are written apart, and one for all that it
 * writes. */
std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    const FuncId root = site.consumers.front();
    const Placements apart = apart_from_pure(graph, placements, root);
    std::vector<Placements> result;
    if (may_compute_in_block(graph, apart, site.producer, root)) {
        result = with_and_without(graph, placements, apart, site);
    }
    if (!(apart == placements) && serves_all(graph, placements, site)) {
        const std::vector<Placements> together = with_and_without(graph, placements, placements, site);
        result.insert(result.end(), together.begin(), together.end());
    }
    return result;
}

/** Can some of its points be computed without the others, in a block? */
/** Are the points of `f`, whose last stage that is, independent of each other, a thread's for each? Of a
 * Tuple's update no role is known, but that it writes its own point. Of a tile that is cut short, Halide (21)
 * reads what an update's condition reads of all of it. */
bool has_own_points(const FuncInfo &f, const Stage &last) {
    bool whole = false;
    for (const DimId d : last.dims.ids()) {
        whole = whole || (!last.dims[d].reduction && !last.may_be_cut(d));
    }
    const bool tuple = f.tuple_size > 1 && last.update >= 0 && last.own.empty();
    const bool known = last.role != Role::opaque && last.role != Role::scan && last.role != Role::scatter;
    return (known || (tuple && last.role == Role::opaque)) && !whole;
}

Verdict may_compute_parts(const Graph &graph, FuncId func) {
    const FuncInfo &f = graph.funcs[func];
    const Stage &pure = graph.pure_stage(func);
    if (pure.role == Role::opaque) {
        return Verdict::forbid(f.name + " is computed as a whole, because " + pure.why_opaque);
    }
    if (graph.gpu && (!has_own_points(f, graph.last_stage(func)) || f.stages.size() > 2)) {
        return Verdict::forbid(f.name +
                               " is neither pure nor a single reduction without a condition on other "
                               "data, and blocks of threads compute no others");
    }
    bool parts = f.stages.size() == 1 || f.extents.empty();
    for (const DimId d : f.extents.ids()) {
        parts = parts || graph.writes_own(func, d);
    }
    if (!parts) {
        return Verdict::forbid(f.name + " has updates at coordinates of their own in every dimension, and is "
                                        "computed as a whole");
    }
    return Verdict::allow();
}

}  // namespace

Verdict may_compute_in_block(const Graph &graph, const Placements &placements, FuncId func, FuncId root) {
    const FuncInfo &f = graph.funcs[func];
    const FuncInfo &r = graph.funcs[root];
    if (const Verdict leave = may_leave_root(graph, func); !leave) {
        return leave;
    }
    if (!f.between.empty()) {
        return Verdict::forbid(f.name + " stays inlined: " + f.between);
    }
    if (const std::string own = r.why_own_loops(); !own.empty()) {
        return Verdict::forbid(r.name + " " + own);
    }
    if (const Verdict parts = may_compute_parts(graph, func); !parts) {
        return parts;
    }
    if (placements[root].kind != Placement::Kind::root) {
        return Verdict::forbid(r.name + ", whose loops " + f.name + " would join, is not at Root");
    }
    if (r.stages.size() != 1 || (r.extents.empty() && !graph.gpu) ||
        graph.last_stage(root).role == Role::opaque) {
        return Verdict::forbid(r.name + ", whose loops " + f.name +
                               " would join, is not a pure Func with loops to cut into blocks");
    }
    for (const Reader &reader : readers(graph, placements, func)) {
        if (nest_of(placements, reader.func) != root) {
            return Verdict::forbid(f.name + " is also read by " + graph.funcs[reader.func].name +
                                   ", outside the loops of " + r.name);
        }
        const StageId s = graph.funcs[reader.func].stages[reader.update + 1];
        if (graph.stages[s].external) {
            return Verdict::forbid(graph.funcs[reader.func].name + " is an extern stage, which takes " +
                                   f.name + " as a buffer");
        }
    }
    if (written_with(placements, root).size() > 1 && read_at_computed_points(graph, placements, func)) {
        return Verdict::forbid(
            f.name + " is read at computed points, and " + r.name +
            " shares its loops: blocks that serve several Funcs compute what these read at known points");
    }
    return Verdict::allow();
}

Rule tile_producer() {
    return {"tile_producer", match, legal, candidates};
}

}  // namespace eutectic
