// m(x) = f(g(x));  w(x) = h(g(x))   →   one nest over x writes m and w: g comes from memory once.
//
// Where the nest holds blocks of rows (write_rows_together.cpp), w may also have only the outer dims of m.
//
// Legal when 1. m and w are at Root, one pure definition each that some rule understands, with loops, 2.
// nobody scheduled them, and nothing asks that they be kept apart, 3. their extents are equal, 4. nothing
// else is computed in the loops of either, such as a reciprocal for each row, 5. neither is computed from the
// other, through whatever Funcs and whatever shares their nests. At run time the outputs' sizes and mins may
// differ all the same: each is guarded by its own.

#include <algorithm>
#include <set>

#include "features/work.h"
#include "fusion/plan/shared_rows.h"
#include "fusion/rewrite.h"
#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

using Kind = Placement::Kind;

/** Why `func` cannot be one of several that the nest of `root` writes. */
Verdict may_share(const Graph &graph, const Placements &placements, FuncId func, FuncId root) {
    const FuncInfo &f = graph.funcs[func];
    if (const std::string own = f.why_own_loops(); !own.empty()) {
        return Verdict::forbid(f.name + " " + own);
    }
    if (!f.own_buffer_reason.empty()) {
        return Verdict::forbid(f.name + " " + f.own_buffer_reason);
    }
    const Role role = graph.last_stage(func).role;
    if (f.stages.size() != 1 || (role != Role::pointwise && role != Role::view && role != Role::gather)) {
        return Verdict::forbid(
            f.name + " is not a pure Func, whose points may be written in any order and with others");
    }
    if (f.extents.empty()) {
        return Verdict::forbid(f.name + " is a single value: it has no loops to share");
    }
    if (!materialized(placements[func])) {
        return Verdict::forbid(f.name + " is not written as a whole");
    }
    const bool blocks =
        func == root && holds_blocks(placements, root);  // then every row is one Func's at a time
    if (!blocks) {
        if (const Verdict shares = rewrites_allow(graph, placements, func, NestSharing::joint_nest);
            !shares) {
            return shares;
        }
    }
    for (const FuncId i : placements.ids()) {
        const Placement &p = placements[i];
        if ((p.kind == Kind::at || (p.kind == Kind::block && func != root)) && p.consumer == func) {
            return Verdict::forbid(f.name + "'s loops hold " + graph.funcs[i].name + ", and are its own");
        }
    }
    return Verdict::allow();
}

/** Has `func`, as a pass of its own, a rewrite, without which it would divide or choose at every point? */
bool is_put_together(const Graph &graph, const Placements &placements, FuncId func) {
    Table<FuncId, bool> inlined;
    for (const FuncId f : placements.ids()) {
        inlined.push_back(placements[f].kind == Kind::inlined && !graph.funcs[f].input);
    }
    return !rewrites_of_pass(graph, inlined, func).empty();
}

/** Bytes that one nest for both would read once instead of twice: what both read at the same points, all
 * along the loops. */
Bytes read_by_both(const StageWork &a, const StageWork &b) {
    Bytes bytes = 0;
    for (const Load &x : a.loads) {
        bool everywhere = true, both = false;
        for (const DimId d : a.dims.ids()) {
            everywhere = everywhere && (a.dims[d].extent == 1 || x.access.depends_on(d));
        }
        for (const Load &y : b.loads) {
            both = both || same_points(x, y);
        }
        bytes += everywhere && both ? static_cast<Bytes>(a.points()) * x.bytes_per_point : 0;
    }
    return bytes;
}

/** Later Funcs that one may be written with: the nearest of those that read most of the same, and the
 * runners-up, for where that one has others in its nest. Chosen, not measured: with fewer a Func stays alone
 * whose nearest are taken, with more there are that many more sites to price after every step. */
constexpr size_t most_partners = 3;

/** For each Func at Root the later ones that read most of the same, the nearest of those, and rather those
 * that it may share a nest with. Where nothing is read by both, one nest still starts one parallel loop
 * instead of two: the nearest that go over the same points are asked, too. */
std::vector<Site> match(const Graph &graph, const Placements &placements) {
    Table<FuncId, bool> inlined;
    for (const FuncId f : placements.ids()) {
        inlined.push_back(placements[f].kind == Kind::inlined && !graph.funcs[f].input);
    }
    std::vector<FuncId> nests;
    std::vector<StageWork> works;
    for (const FuncId f : placements.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (!info.input && placements[f].kind == Kind::root && info.stages.size() == 1 &&
            !info.extents.empty()) {
            nests.push_back(f);
            works.push_back(stage_work(graph, info.stages.front(), inlined));
        }
    }
    struct Partner {
        Bytes bytes;
        FuncId func;
    };
    std::vector<Site> sites;
    for (size_t a = 0; a < nests.size(); a++) {
        std::vector<Partner> partners;
        size_t strangers = 0;
        for (size_t b = a + 1; b < nests.size(); b++) {
            const bool same_loops = works[a].dims.size() == works[b].dims.size();
            const Bytes bytes = same_loops ? read_by_both(works[a], works[b]) : 0;
            const bool saves_tasks =
                graph.funcs[nests[a]].extents == graph.funcs[nests[b]].extents && strangers < most_partners;
            strangers += bytes == 0 && saves_tasks ? 1 : 0;
            if (bytes > 0 || saves_tasks) {
                partners.push_back({bytes, nests[b]});
            }
        }
        std::stable_sort(partners.begin(), partners.end(),
                         [](const Partner &x, const Partner &y) { return x.bytes > y.bytes; });
        size_t found = 0;
        for (size_t p = 0; p < partners.size() && found < most_partners; p++) {
            if (may_write_with(graph, placements, nests[a], partners[p].func)) {
                sites.push_back({nests[a], {partners[p].func}});
                found++;
            }
        }
        if (found == 0 && !partners.empty()) {
            sites.push_back({nests[a], {partners.front().func}});  // a report says why not
        }
    }
    return sites;
}

/** A site that was found before other steps may have been taken by one of them. */
Verdict legal(const Graph &graph, const Placements &placements, const Site &site) {
    if (placements[site.producer].kind != Kind::root) {
        return Verdict::forbid(graph.funcs[site.producer].name + " has no nest of its own");
    }
    return may_write_with(graph, placements, site.producer, site.consumers.front());
}

std::vector<Placements> candidates(const Graph &, const Placements &placements, const Site &site) {
    Placements next = placements;
    for (const FuncId f : written_with(placements, site.producer)) {
        Placement &p = next[f];
        p = {Kind::joint, site.consumers.front()};
    }
    return {next};
}

}  // namespace

Verdict may_write_with(const Graph &graph, const Placements &placements, FuncId func, FuncId root) {
    if (placements[root].kind != Kind::root) {
        return Verdict::forbid(graph.funcs[root].name + ", whose loops would write " +
                               graph.funcs[func].name + ", is not at Root");
    }
    std::vector<FuncId> all = written_with(placements, root);
    for (const FuncId f : written_with(placements, func)) {
        if (std::find(all.begin(), all.end(), f) == all.end()) {
            all.push_back(f);
        }
    }
    for (const FuncId f : all) {
        if (placements[f].kind == Kind::strips && holds_blocks(placements, root)) {
            return Verdict::forbid(graph.funcs[f].name + " is summed up in strips of the rows of " +
                                   graph.funcs[root].name + ", whose blocks then serve no other Func");
        }
        if (const Verdict share = may_share(graph, placements, f, root); !share) {
            return share;
        }
    }
    if (const FuncId looked_up = looked_up_in_blocks(graph, placements, root); looked_up >= 0) {
        return Verdict::forbid(graph.funcs[looked_up].name + ", in blocks of the loops of " +
                               graph.funcs[root].name +
                               ", is read at computed points, and serves no other Func there");
    }
    const FuncInfo &first = graph.funcs[func], &last = graph.funcs[root];
    const auto &extents = first.extents.elements(), &all_extents = last.extents.elements();
    const bool outer_only = holds_blocks(placements, root) && extents.size() < all_extents.size();
    const bool fits = std::equal(
        extents.rbegin(), extents.rend(), all_extents.rbegin(),
        outer_only ? all_extents.rbegin() + static_cast<std::ptrdiff_t>(extents.size()) : all_extents.rend());
    const int64_t run = run_length(graph, placements, func, root);
    if (!fits && run == 0) {
        return Verdict::forbid(first.name + " and " + last.name +
                               " have other extents, so one nest would not fit both");
    }
    if (!fits && holds_blocks(placements, root)) {
        // Halide (21) does not prove that clamped reads of a block's buffer are in range, and gathers point
        // by point: a convolution with bias, relu and mask took 1.57 ms instead of 1.39 ms.
        return Verdict::forbid(first.name + " goes over runs of the points of " + last.name +
                               ", whose blocks serve only what goes over the same points");
    }
    if (!fits && is_put_together(graph, placements, root)) {
        return Verdict::forbid(last.name + " is put together row by row, in loops of its own");
    }
    if (const FuncId reader = computed_from(graph, placements, all, run > 1 ? root : no_func); reader >= 0) {
        return Verdict::forbid(graph.funcs[reader].name + " is computed from what the same nest would write");
    }
    Placements next = placements;
    next[func] = {Kind::joint, root};
    return recomputed_for(graph, next, func) < 0 ? Verdict::allow() : may_recompute(graph, next, func, root);
}

Rule write_together() {
    return {"write_together", match, legal, candidates, true};
}

}  // namespace eutectic
