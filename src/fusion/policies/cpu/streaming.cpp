// y(d0, d1, ...) = e   →   parallel outermost loop, serial middle loops, vectors along d0. Tails are
// guarded: right for every size, and nothing is computed twice (which in-place use relies on). Where rows
// come from two sources, or are a line, a rewrite makes them (rewrite.h). Several such Funcs over one domain:
// the same loops around all of them, a vector of each after the other.

#include <algorithm>

#include "fusion/policies/cpu/interleaved.h"
#include "fusion/policies/cpu/transposed.h"
#include "fusion/policies/policy.h"
#include "fusion/rewrite.h"

namespace eutectic {

namespace {

/** The innermost loop that several Funcs may have in common: the one from vector to vector; but inside a loop
 * that steps through a chunk of an outer dim Halide (21) guards what it puts there by the first Func's size,
 * so that this is the last. */
int common_loop(const Nest &nest) {
    std::vector<DimId> seen;
    int last = -1;
    for (int l = 0; l < static_cast<int>(nest.loops.size()); l++) {
        const Loop &loop = nest.loops[l];
        const bool in_chunk = std::find(seen.begin(), seen.end(), loop.dim) != seen.end();
        if (loop.dim > 0 && in_chunk) {
            return l;
        }
        last = loop.kind == Loop::Kind::vector ? last : l;
        seen.push_back(loop.dim);
    }
    return last;
}

int64_t lanes_of(const Nest &nest, const Stage &stage) {
    const size_t last = nest.loops.size() - 1;
    return nest.loops.empty() || nest.loops[last].kind != Loop::Kind::vector ? 1
                                                                             : trips(nest, last, stage.dims);
}

/** What the rewrite makes: where the loops over the points of a row begin, or in a pass of its own, of which
 * what is left of the root makes a copy. Either stays in a cache for the loop that reads it, and is not
 * priced. */
void make(const GroupRequest &q, const PassRewrite &pass, const Nest &nest, Group &g) {
    const char *const name = pass.rewrite->name();
    Added made = Added::rewrite(name, q.made(name, pass.of), pass.of, pass.others, Grade::exact);
    made.factor = lanes_of(nest, q.graph.pure_stage(q.root));
    made.bytes = pass.each_row ? 0 : q.graph.funcs[pass.of].bytes();
    g.added.push_back(made);
    int around = -1;
    for (int l = 0; l < static_cast<int>(nest.loops.size()); l++) {
        around = pass.each_row && nest.loops[l].dim > 0 ? l : around;
    }
    around < 0 ? g.tree.add_at_root(made.id) : g.tree.add_in_loop(made.id, {q.root, -1, around}, {});
}

/** Tasks for each core that are worth trying: a few even out what the other threads of the machine take away;
 * where coordinates are chosen by, the first and the last of them pay for that at every point, and
 * are to be few of many (of rows: chunks of a row are cut into vectors once more, each with an end of its
 * own). */
std::vector<int64_t> tasks_per_core(const StageWork &work, DimId dim) {
    const auto set = [](const DimFlags &flags) {
        return std::find(flags.begin(), flags.end(), true) != flags.end();
    };
    const bool guarded =
        std::any_of(work.parts.begin(), work.parts.end(), [&](const Part &p) { return set(p.guarded); });
    return dim > 0 && guarded ? std::vector<int64_t>{1, 4, 16, 64} : std::vector<int64_t>{1, 4};
}

/** Does what one turn of loop `common` touches stay in the first level, so that the next Func finds there
 * what the one before has read? */
bool finds_in_cache(const StageWork &work, const Nest &nest, int common, const Machine &m) {
    const Extents turn = tile_inside(nest, common + 1, work.dims);
    double points = 1, bytes = 0;
    for (const int64_t p : turn) {
        points *= static_cast<double>(p);
    }
    for (const Load &load : work.loads) {
        bytes += load.reread ? 0 : footprint(load, turn) * load.bytes_per_point;
    }
    return bytes + points * work.stored_bytes <= m.usable_cache * static_cast<double>(m.l1.bytes);
}

// Extents of dims that are worth a loop inside that from vector to vector: colours, the parts of a complex
// number. Of more the loads of one vector would drive each other out. Chosen, not measured.
constexpr int64_t small_extent = Interleaving::most_points;
// Vectors in the shortest row that is stored lane by lane, a colour at a time: of less the tail is most.
// Chosen, not measured.
constexpr int64_t least_vectors = 4;

/** Is there something in `work` that code for each point of `dim` computes, or loads, less often? */
bool shares_along(const StageWork &work, DimId dim) {
    return std::any_of(work.parts.begin(), work.parts.end(),
                       [&](const Part &p) { return p.chosen_by == dim || !p.depends[dim]; }) ||
           std::any_of(work.loads.begin(), work.loads.end(),
                       [&](const Load &l) { return !l.access.depends_on(dim); });
}

/** Points of `dim` for each of which there may be code: of what is chosen by it more, for each has little of
 * it. */
int64_t most_unrolled(const StageWork &work, DimId dim) {
    const bool chosen =
        std::any_of(work.parts.begin(), work.parts.end(), [&](const Part &p) { return p.chosen_by == dim; });
    return chosen ? Cases::most_points : small_extent;
}

/** Loops with vectors along dim 1 where dim 0 is small, as colours are that lie side by side; tasks of the
 * outermost dim. Nothing where there are no such dims. */
std::optional<Nest> along_second_dim(const GroupRequest &q, int64_t width) {
    const Stage &stage = q.graph.pure_stage(q.root);
    const DimId last = stage.dims.next_id() - 1;
    if (last < 1 || stage.dims[0].extent > small_extent || width < 2 ||
        stage.dims[1].extent < least_vectors * width) {
        return std::nullopt;
    }
    const int64_t tasks = q.inside_block ? 1 : q.machine.cores, step = last == 1 ? width : 1;
    const int64_t chunk = chunk_of(stage.dims[last].extent, tasks, step);
    Nest nest;
    if (tasks > 1 && chunk < stage.dims[last].extent) {
        nest.loops.parallel(last, chunk);
    }
    for (DimId d = last; d > 1; d--) {
        if (!(d == last && chunk == 1 && !nest.loops.empty())) {
            nest.loops.split(d, 1);
        }
    }
    if (!(last == 1 && chunk == width && !nest.loops.empty())) {
        nest.loops.split(1, width);
    }
    nest.loops.split(0, 1).vectorize(1);
    return nest;
}

/** To `nests`, by vectors of `width`, those that decide what the work chooses by: with code for each of the
 * few points of a dim, or for each phase of rows. */
void add_decided(const GroupRequest &q, const SharedWork &work, int64_t width, bool clamped,
                 std::vector<Nest> &nests) {
    const Stage &stage = q.graph.pure_stage(q.root);
    if (!q.sharing_nest.empty() || width < 2) {
        return;
    }
    // Not around clamps, whose loops are cut in three, in both versions: interpolation over a pyramid
    // compiled in 14.9 s instead of 4.7, for 1 % of the time.
    for (size_t n = clamped ? 0 : nests.size(); n-- > 0;) {
        for (DimId d = 1; d < stage.dims.next_id(); d++) {
            const int64_t points = stage.dims[d].extent;
            const auto unrolled = points > 1 && points <= most_unrolled(work, d) && shares_along(work, d)
                                      ? with_unrolled(q.graph, stage, nests[n], d)
                                      : std::nullopt;
            if (unrolled) {
                nests.push_back(*unrolled);
            }
        }
    }
    const bool own_loops = q.graph.funcs[q.root].output && !q.inside_block;
    for (const SomeOf &of : own_loops ? phases_of(work) : std::vector<SomeOf>()) {
        for (size_t n = nests.size(); n-- > 0;) {
            if (const std::optional<Nest> phases = with_phases(work, nests[n], of)) {
                nests.push_back(*phases);
            }
        }
    }
}

/** The loops worth trying around `work` of the request's root, by vectors of `width`. `whole_rows`: a row is
 * not cut into chunks. */
std::vector<Nest> nests_to_try(const GroupRequest &q, const SharedWork &work, int64_t width,
                               bool whole_rows) {
    const Stage &stage = q.graph.pure_stage(q.root);
    const DimId last = stage.dims.next_id() - 1;
    if (q.strip > 0) {
        Nest nest = chunked_nest(stage, width, last, q.strip);
        nest.loops.run_as(0, q.machine.cores > 1 ? Loop::Kind::parallel : Loop::Kind::serial);
        return {nest};
    }
    std::vector<Nest> nests = {chunked_nest(stage, width, -1, 0)};
    const bool clamped = clamped_vectors({work, nests.front(), {}, false, false});
    // Chunks of rows would each have a tail of clamped vectors, of which only the whole row's can be shifted
    // inwards (tails.cpp).
    whole_rows = whole_rows || (clamped && last > 0);
    for (DimId d = last; d >= (whole_rows ? 1 : 0) && q.machine.cores > 1; d--) {
        const int64_t extent = stage.dims[d].extent;
        for (const int64_t of_core : tasks_per_core(work, d)) {
            const int64_t tasks = of_core * q.machine.cores;
            int64_t chunk = chunk_of(extent, tasks);
            if (d == 0) {
                chunk = (chunk + width - 1) / width * width;
            }
            if (chunk < extent) {
                nests.push_back(chunked_nest(stage, width, d, chunk));
            }
            if (chunk > 1 && d > 0 && !q.sharing_nest.empty()) {
                // Not in chunks: so that Funcs meet at every vector.
                nests.push_back(chunked_nest(stage, width, d, 1));
            }
        }
    }
    add_decided(q, work, width, clamped, nests);
    // Not in blocks: of non-local means, whose tiles have loops of every order, prices took the wrong one (43
    // ms instead of 14, two cores with AVX-512).
    if (q.sharing_nest.empty() && width > 1 && !q.inside_block) {
        for (size_t n = nests.size(); n-- > 0;) {
            const std::vector<Nest> tiled = with_rows_inside(*work, nests[n], q.machine),
                                    kept = with_lanes_kept(*work, nests[n]);
            for (DimId d = 1; d <= last; d++) {
                const int64_t points = stage.dims[d].extent;
                const std::optional<Nest> turned =
                    points <= small_extent && points > 1 ? with_inside(nests[n], d, 0) : std::nullopt;
                if (turned) {
                    nests.push_back(*turned);
                }
            }
            nests.insert(nests.end(), tiled.begin(), tiled.end());
            nests.insert(nests.end(), kept.begin(), kept.end());
        }
    }
    return nests;
}

/** The same by vectors of any width, and along the second dim. */
std::vector<Nest> all_nests(const GroupRequest &q, const SharedWork &work, bool whole_rows) {
    const Stage &stage = q.graph.pure_stage(q.root);
    const int64_t inner = stage.dims.empty() ? 1 : stage.dims[0].extent;
    std::vector<Nest> nests;
    std::vector<int64_t> widths = wide_vector_widths(q.machine, work->element_bytes, inner);
    // Lines that the lanes of a gather come from may share a set: of fewer lanes they stay there.
    const bool across = reads_across_rows(*work, q.machine);
    while (across && widths.back() > fewest_lanes) {
        widths.push_back(widths.back() / 2);
    }
    for (const int64_t width : widths) {
        const std::vector<Nest> some = nests_to_try(q, work, width, whole_rows);
        nests.insert(nests.end(), some.begin(), some.end());
    }
    if (q.sharing_nest.empty() && q.strip == 0 && !whole_rows && stage.dims.next_id() > 1) {
        for (const int64_t width : vector_widths(q.machine, work->element_bytes, stage.dims[1].extent)) {
            if (const std::optional<Nest> nest = along_second_dim(q, width)) {
                nests.push_back(*nest);
            }
        }
    }
    if (q.sharing_nest.empty() && q.strip == 0 && !q.inside_block) {
        for (size_t n = nests.size(); n-- > 0;) {
            if (const std::optional<Nest> nest = with_known_strides(q, work, nests[n])) {
                nests.push_back(*nest);
            }
        }
    }
    return nests;
}

/** How a vector of the results of `func` is stored, and whether strides are known. */
void store(const FuncInfo &func, const Nest &nest, NestedStage &stage) {
    const DimId along = vector_dim(nest);
    stage.strides_known = std::any_of(nest.whole.begin(), nest.whole.end(),
                                      [](const Condition &c) { return c.kind == Condition::Kind::stride; });
    stage.stores_stepped = stores_side_by_side(func, nest);
    stage.stores_apart = along >= 0 && !stage.stores_stepped && !func.interleaving.is_dense(along);
}

/** What the request's root and the Funcs that its nest writes too do; nothing where they have the outer loops
 * alone in common, as only blocks of rows have them. */
std::optional<StageWork> work_of_nest(const GroupRequest &q, const std::vector<FuncId> &written) {
    std::vector<StageWork> works;
    const Extents &extents = q.graph.funcs[q.root].extents;
    for (const FuncId f : written) {
        const FuncInfo &info = q.graph.funcs[f];
        if (info.extents != extents || info.stages.size() != 1) {
            return std::nullopt;
        }
        works.push_back(stage_work(q.graph, info.stages[0], q.inlined));
    }
    return written_together(works);
}

/** What `nest` makes of the request's root and of what it writes too, `turned` > 0: with copies,
 * by vectors of so many lanes, of what its own would gather. Not priced yet; nothing where there is nothing
 * to copy. */
std::optional<Group> pass_of(const GroupRequest &q, const std::vector<FuncId> &written,
                             const SharedWork &work, const Nest &nest, int64_t turned) {
    Group g;
    g.root = q.root;
    g.policy = q.sharing_nest.empty() ? "streaming" : "streaming_together";
    for (const FuncId f : written) {
        g.tree.add_at_root(f);
        if (f != q.root) {
            g.tree.write_with(f, {q.root, -1, common_loop(nest)});
        }
        g.tree.add_stage(f, -1, q.graph.pure_stage(f).dims, nest.loops, nest.whole);
    }
    SharedWork own = work;
    if (turned > 0 && !copy_turned(q, nest, turned, own, g)) {
        return std::nullopt;
    }
    NestedStage priced{std::move(own)};
    store(q.graph.funcs[q.root], nest, priced);
    g.tree.at(q.root).stages.back().priced = std::move(priced);
    return g;
}

}  // namespace

Offer streaming(const GroupRequest &q) {
    const FuncInfo &func = q.graph.funcs[q.root];
    const Stage &stage = q.graph.pure_stage(q.root);
    const bool pure = stage.role == Role::pointwise || stage.role == Role::view || stage.role == Role::gather;
    if (!pure || func.stages.size() != 1) {
        return Offer::other_kind("is a pass over the points of a pure Func, which " + func.name + " is not");
    }
    if (!q.tiled.empty() || !q.blocked.empty()) {
        return Offer::other_kind("computes nothing inside its loops");
    }
    std::vector<FuncId> written = q.sharing_nest;
    written.push_back(q.root);
    const std::optional<StageWork> of_nest = work_of_nest(q, written);
    if (!of_nest) {
        return Offer::other_kind("writes Funcs of one size, point by point, in one nest");
    }
    const SharedWork work = *of_nest;
    const bool alone = q.sharing_nest.empty() && !q.inside_block && q.strip == 0;
    const std::vector<PassRewrite> passes =
        alone ? rewrites_of_pass(q.graph, q.inlined, q.root) : std::vector<PassRewrite>();
    const bool whole_rows =
        std::any_of(passes.begin(), passes.end(), [](const PassRewrite &p) { return p.each_row; });
    const bool across = reads_across_rows(*work, q.machine);
    std::optional<Group> best;
    for (const Nest &nest : all_nests(q, work, whole_rows)) {
        if (!q.sharing_nest.empty() && !finds_in_cache(work, nest, common_loop(nest), q.machine)) {
            continue;
        }
        std::vector<int64_t> turned = {0};
        for (int64_t lanes = across && alone ? lanes_of(nest, stage) : 0; lanes >= fewest_lanes; lanes /= 2) {
            turned.push_back(lanes);
        }
        for (const int64_t lanes : turned) {
            std::optional<Group> g = pass_of(q, written, work, nest, lanes);
            if (!g) {
                continue;
            }
            for (const PassRewrite &pass : passes) {
                make(q, pass, nest, *g);
            }
            g->cost = price(g->tree, q.machine, to_beat(best));
            best = cheaper(std::move(best), std::move(g));
        }
    }
    return Offer::of(std::move(best),
                     "finds nothing of what one Func reads in the first-level cache when the "
                     "next one comes to it");
}

}  // namespace eutectic
