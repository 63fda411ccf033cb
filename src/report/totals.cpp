#include "report/totals.h"

#include <algorithm>
#include <numeric>

#include "fusion/search/lifetimes.h"
#include "report/report.h"

namespace eutectic {

namespace {

/** How often the outermost parallel loop of a nest is started; 0: it has none. */
int64_t starts(const StageNest &s) {
    int64_t times = 1;
    for (size_t l = 0; l < s.nest.loops.size(); l++) {
        if (s.nest.loops[l].kind == Loop::Kind::parallel) {
            return l < static_cast<size_t>(s.nest.shared) ? 0 : times;  // else it is another stage's
        }
        times *= trips(s.nest, l, s.dims);
    }
    return 0;
}

/** Tasks that may run at once: of the parallel loops of the group's first stage. */
int64_t tasks_at_once(const Group &g, const Machine &machine) {
    int64_t tasks = 1;
    const std::vector<StageNest> nests = g.tree.nests();
    if (nests.empty()) {
        return tasks;  // what is left alone has no loops of ours
    }
    const StageNest &first = nests.front();
    for (size_t l = 0; l < first.nest.loops.size() && first.nest.loops[l].kind == Loop::Kind::parallel; l++) {
        tasks *= trips(first.nest, l, first.dims);
    }
    return std::min<int64_t>(tasks, machine.cores);
}

/** What a group allocates beside its Funcs in memory. Copies that it makes before its blocks are part of
 * `scratch` and are Added, too. */
Bytes allocated_by(const Graph &graph, const Group &g, const Machine &machine) {
    Bytes added = 0, copies = 0;
    for (const Added &a : g.added) {
        const Bytes bytes = added_bytes(graph, g, a);
        added += bytes;
        copies += a.kind == Added::Kind::pack ? bytes : 0;
    }
    const Bytes scratch = std::accumulate(g.scratch.begin(), g.scratch.end(), Bytes{0});
    return added + std::max<Bytes>(0, scratch - copies) * tasks_at_once(g, machine);
}

void count_loops(const Graph &graph, const Group &g, Totals &t) {
    t.kernels += static_cast<int64_t>(g.kernels.size());
    const std::vector<StageNest> nests = g.tree.nests();
    if (nests.empty()) {  // loops as they are defined
        t.nests += static_cast<int64_t>(graph.funcs[g.root].stages.size());
    }
    for (const StageNest &s : nests) {
        const TreeFunc &func = g.tree.at(s.func);
        if (!func.computed && !func.joint) {
            t.nests++;
        }
        if (!func.joint) {
            t.parallel_loops += starts(s);
        }
    }
}

}  // namespace

Totals totals(const Graph &graph, const FusionPlan &plan, const Machine &machine) {
    Totals t;
    const Table<FuncId, Lifetime> times = lifetimes(graph, plan.placements);
    Table<FuncId, Bytes> alive(plan.placements.size(), 0);
    for (const FuncId f : plan.placements.ids()) {
        if (is_buffer(graph, plan.placements, f)) {
            t.temporary_bytes += graph.funcs[f].bytes();
            for (FuncId nest = times[f].first; nest <= times[f].last; nest++) {
                alive[nest] += graph.funcs[f].bytes();
            }
        }
    }
    for (const Group &g : plan.groups) {
        count_loops(graph, g, t);
        const Bytes more = allocated_by(graph, g, machine);
        t.temporary_bytes += more;
        alive[g.root] += more;
        t.peak_bytes = std::max(t.peak_bytes, alive[g.root]);
    }
    return t;
}

}  // namespace eutectic
