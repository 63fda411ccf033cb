#include "fusion/search/completer.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "fusion/policies/policy.h"
#include "fusion/rewrites/late_division.h"
#include "fusion/rules/rule.h"

namespace eutectic {

namespace {

/** Funcs of the algorithm that are inlined; inputs are loads, not Funcs to merge. */
Table<FuncId, bool> inlined_flags(const Graph &graph, const Placements &placements) {
    std::vector<bool> flags;
    for (const FuncId f : placements.ids()) {
        flags.push_back(placements[f].kind == Placement::Kind::inlined && !graph.funcs[f].input);
    }
    return flags;
}

/** Adds `func` and the Funcs computed with it, inlined ones before their readers. */
void collect(const Graph &graph, FuncId func, const Table<FuncId, bool> &inlined,
             std::vector<FuncId> &members) {
    if (std::find(members.begin(), members.end(), func) != members.end()) {
        return;
    }
    for (const StageId s : graph.funcs[func].stages) {
        for (const EdgeId e : graph.stages[s].edges) {
            const FuncId producer = graph.edges[e].producer;
            if (inlined[producer]) {
                collect(graph, producer, inlined, members);
            }
        }
    }
    members.push_back(func);
}

/** The stage with what a rewrite computes and loads. */
void rewrite(Graph &graph, StageId id, const RewrittenBody &body) {
    Stage &stage = graph.stages[id];
    stage.body = body.body;
    stage.multiply_accumulate = body.multiply_accumulate;
    stage.edges.clear();
    for (Edge e : body.edges) {
        e.consumer = id;
        stage.edges.push_back(graph.edges.next_id());
        graph.edges.push_back(std::move(e));
    }
}

/** The pure definition `id` reads `func` at its own point: that is needed wherever it is. */
void read_where_it_starts(Graph &graph, StageId id, FuncId func) {
    const size_t dims = graph.funcs[func].extents.size();
    Edge e;
    e.producer = func;
    e.consumer = id;
    e.access = identity_access(dims, dims);
    graph.stages[id].edges.push_back(graph.edges.next_id());
    graph.edges.push_back(std::move(e));
}

/** Does the plan compute `func` otherwise than it is defined, whoever reads it? (What is divided late changes
 * who reads whom, and is rewritten before.) */
bool is_rewritten(const Placement &p) {
    return p.reciprocal || p.online;
}

/** The graph with the divisions of `members` as multiplications, and their sums as running pairs, where the
 * plan makes them so. */
Graph with_rewrites(const Graph &graph, const std::vector<FuncId> &members, const Placements &placements) {
    Graph rewritten = graph;
    rewritten.consumers_of.clear();
    for (const FuncId f : members) {
        const std::vector<StageId> &stages = graph.funcs[f].stages;
        if (stages.empty()) {
            continue;
        }
        rewritten.stages[stages.front()].reciprocal = placements[f].reciprocal;
        if (placements[f].online) {
            const OnlineUpdate online = *rewritten.stages[stages.back()].online;
            rewrite(rewritten, stages.back(), online.update);
            if (placements[f].kind == Placement::Kind::block) {
                read_where_it_starts(rewritten, stages.front(), online.maximum);
            }
        }
    }
    return rewritten;
}

/** The reciprocal by which `func` multiplies, computed in the innermost of func's loops that changes it. */
void add_reciprocal(const Graph &graph, const Placements &placements, FuncId func, Group &g) {
    const FuncId id = added_id(graph.funcs.size(), func, Added::Kind::reciprocal);
    const Table<FuncId, bool> &depends = *graph.pure_stage(func).row_division;
    std::optional<LoopRef> where;
    if (g.tree.find(func, -1)) {
        const Nest nest = g.tree.nest(func, -1).nest;
        for (size_t l = 0; l < nest.loops.size() && !is_unrolled(nest.loops[l].kind); l++) {
            const int dim = nest.loops[l].dim;
            if (dim >= 0 && depends[dim]) {
                where = g.tree.loop_of(func, -1, static_cast<int>(l));
            }
        }
    }
    // No loop changes what divides everything, but it may be computed in a block.
    const bool may_be_in_block = !where || (graph.gpu && where->func == g.root);
    for (const TreeFunc &f : g.tree.funcs()) {
        if (may_be_in_block && f.computed && f.computed->func == g.root &&
            placements[algorithm_func(g, f.func)].kind == Placement::Kind::block) {
            where = LoopRef{g.root, -1, std::max(where ? where->loop : 0, f.computed->loop)};
        }
    }
    g.added.insert(g.added.begin(), {Added::Kind::reciprocal, id, func, -1, -1, 1, Grade::reassociating});
    if (where) {
        g.tree.add_in_loop(id, *where, {});
    } else {
        g.tree.add_at_root(id);
    }
}

/** What the key of a group says of one member: the Func and how its definition is rewritten. */
std::string key_of(const Graph &graph, const Placements &placements, FuncId f) {
    const Placement &p = placements[f];
    return std::to_string(f) + (p.reciprocal ? "r" : "") + (p.online ? "o" : "") +
           (p.divide_late ? "d" : "") + (divided_late_in(graph, placements, f) >= 0 ? "u," : ",");
}

/** The divisions that `members` hand over to their sums; where the sum is in a tile of its reader, that
 * reader divides. */
void add_divisions(const Graph &graph, const std::vector<FuncId> &members, const Placements &placements,
                   Group &g) {
    for (const FuncId f : members) {
        const Placement &p = placements[f];
        if (p.divide_late && p.kind == Placement::Kind::at) {
            g.added.insert(g.added.begin(),
                           {Added::Kind::division, added_id(graph.funcs.size(), f, Added::Kind::division), f,
                            -1, -1, 1, Grade::reassociating});
        }
    }
    for (Added &a : g.added) {
        if (a.kind == Added::Kind::division) {
            a.quotient = undivided_quotient(graph, algorithm_func(g, a.of));
        }
    }
}

}  // namespace

Completer::Completer(const Graph &graph, const Machine &machine, Pins pins)
    : graph_(graph), machine_(machine), pins_(std::move(pins)), readers_(graph.funcs.size()) {
    for (const Edge &e : graph.edges) {
        std::vector<FuncId> &of = readers_[e.producer];
        const FuncId reader = graph.stages[e.consumer].func;
        if (reader != e.producer && (of.empty() || of.back() != reader)) {
            of.push_back(reader);
        }
    }
}

const Group &Completer::group(const Graph &graph, FuncId root, const Placements &placements,
                              const Table<FuncId, bool> &inlined) {
    const std::vector<FuncId> blocked = placed_in(placements, Placement::Kind::block, root);
    std::vector<FuncId> tiled, members;
    std::string key;
    const auto add = [&](FuncId in) {
        tiled = placed_in(placements, Placement::Kind::at, in);
        for (const FuncId f : tiled) {
            collect(graph, f, inlined, members);
            key += std::to_string(f) + ",";
        }
        collect(graph, in, inlined, members);
        key += "at " + std::to_string(in) + ";";
    };
    std::for_each(blocked.begin(), blocked.end(), add);
    const std::vector<FuncId> with = placed_in(placements, Placement::Kind::with, root);
    for (const FuncId f : with) {
        collect(graph, f, inlined, members);
        key += "with " + std::to_string(f) + ";";
    }
    add(root);
    for (const FuncId f : members) {
        key += key_of(graph_, placements, f);
    }
    const auto it = groups_.find(key);
    if (it != groups_.end()) {
        return it->second;
    }
    const bool rewritten =
        std::any_of(members.begin(), members.end(), [&](FuncId f) { return is_rewritten(placements[f]); });
    const std::optional<Graph> changed =
        rewritten ? std::optional(with_rewrites(graph, members, placements)) : std::nullopt;
    searched_members_ += members.size();
    std::sort(members.begin(), members.end());
    const std::optional<Machine> limited =
        pins_.limits.empty() ? std::nullopt
                             : std::optional(within_limits(machine_, pins_.limits, root, members));
    Group g = best_group({changed ? *changed : graph, limited ? *limited : machine_, placements, inlined,
                          root, tiled, blocked, &inside_blocks_, false, with, 0, &pins_});
    g.members = members;
    for (const FuncId f : members) {
        if (placements[f].reciprocal) {
            add_reciprocal(graph_, placements, f, g);
        }
    }
    add_divisions(graph_, members, placements, g);
    // A buffer of its own for what is not handed to the caller.
    const auto allocate = [&](FuncId f) {
        const FuncInfo &info = graph_.funcs[f];
        g.cost.launch += info.output ? 0 : allocation_cost(info.bytes(), machine_);
    };
    std::for_each(with.begin(), with.end(), allocate);
    allocate(root);
    return groups_.emplace(key, std::move(g)).first->second;
}

void Completer::mark_groups(const Placements &placements, FuncId func, Table<FuncId, bool> &marked,
                            Table<FuncId, bool> &seen) const {
    if (seen[func]) {
        return;
    }
    seen[func] = true;
    const Placement &p = placements[func];
    if (p.kind == Placement::Kind::root) {
        marked[func] = true;
    } else if (p.kind != Placement::Kind::inlined) {
        mark_groups(placements, p.consumer, marked, seen);
    } else {
        for (const FuncId reader : readers_[func]) {
            mark_groups(placements, reader, marked, seen);
        }
    }
}

Table<FuncId, Completer::OfRoot> Completer::by_root(const Placements &placements) {
    const size_t count = placements.size();
    const bool all = base_.size() != count || divides_late(base_) || divides_late(placements);
    Table<FuncId, bool> changed(count, all), seen_before(count, false), seen_now(count, false);
    for (const FuncId f : placements.ids()) {
        if (!all && !(placements[f] == base_[f])) {
            mark_groups(base_, f, changed, seen_before);
            mark_groups(placements, f, changed, seen_now);
        }
    }
    const Table<FuncId, bool> inlined = inlined_flags(graph_, placements);
    const RewrittenGraph rewritten(graph_, placements);
    Table<FuncId, OfRoot> of_roots(count);
    for (const FuncId f : placements.ids()) {
        if (placements[f].kind == Placement::Kind::root && !changed[f]) {
            of_roots[f] = base_of_roots_[f];
        } else if (placements[f].kind == Placement::Kind::root) {
            const Group &g = group(rewritten.get(), f, placements, inlined);
            of_roots[f] = {g.cost.total(), g.scratch};
        }
    }
    return of_roots;
}

void Completer::compare_with(const Placements &placements) {
    base_of_roots_ = by_root(placements);
    base_ = placements;
}

Seconds Completer::trimming(const Placements &placements, const Table<FuncId, OfRoot> &of_roots) const {
    const size_t n = placements.size();
    const auto computed_in = [&](FuncId f) {
        const FuncId nest = home(placements, f);
        return placements[nest].kind == Placement::Kind::with ? placements[nest].consumer : nest;
    };
    Table<FuncId, FuncId> last(n);  // the nest after which a Func is read no more
    Table<FuncId, Bytes> alive(n, 0), changes(n + 1, 0);
    Bytes largest = 0;
    for (const FuncId f : placements.reversed_ids()) {
        alive[f] += std::accumulate(of_roots[f].scratch.begin(), of_roots[f].scratch.end(), Bytes{0});
        last[f] = computed_in(f);
        for (const FuncId r : readers_[f]) {
            last[f] =
                std::max(last[f], placements[r].kind == Placement::Kind::inlined ? last[r] : computed_in(r));
        }
        if (is_buffer(placements, f)) {
            const Bytes bytes = graph_.funcs[f].bytes();
            largest = bytes <= machine_.kept_allocation_bytes ? std::max(largest, bytes) : largest;
            changes[computed_in(f)] += bytes;
            changes[last[f] + 1] -= bytes;
        }
    }
    Bytes buffered = 0;
    for (const FuncId f : placements.ids()) {
        buffered += changes[f];
        alive[f] += buffered;
    }
    const FuncId peak = alive.id_of(std::max_element(alive.begin(), alive.end()));
    std::vector<Bytes> buffers;
    for (const FuncId f : placements.ids()) {
        if (is_buffer(placements, f) && computed_in(f) <= peak && peak <= last[f]) {
            buffers.push_back(graph_.funcs[f].bytes());
        }
    }
    if (placements.contains(peak)) {
        const std::vector<Bytes> &scratch = of_roots[peak].scratch;
        buffers.insert(buffers.end(), scratch.begin(), scratch.end());
    }
    return trimming_cost(buffers, machine_, largest);
}

bool Completer::is_buffer(const Placements &placements, FuncId f) const {
    return materialized(placements[f]) && !graph_.funcs[f].output && !graph_.funcs[f].input;
}

Seconds Completer::total(const Placements &placements) {
    const Table<FuncId, OfRoot> of_roots = by_root(placements);
    Seconds sum = overlook_trimming_ ? 0 : trimming(placements, of_roots);
    for (const OfRoot &r : of_roots) {
        sum += r.seconds;
    }
    return sum;
}

FusionPlan Completer::plan(const Placements &placements) {
    const Table<FuncId, bool> inlined = inlined_flags(graph_, placements);
    const RewrittenGraph rewritten(graph_, placements);
    FusionPlan plan;
    plan.placements = placements;
    plan.trimming = trimming(placements, by_root(placements));
    for (const FuncId f : placements.ids()) {
        if (placements[f].kind == Placement::Kind::root) {
            plan.groups.push_back(group(rewritten.get(), f, placements, inlined));
        }
    }
    return plan;
}

FusionPlan complete(const Graph &graph, const Machine &machine, const Placements &placements) {
    return Completer(graph, machine).plan(placements);
}

Placements unfused(const Graph &graph) {
    Placements placements;
    for (const FuncInfo &f : graph.funcs) {
        placements.push_back(
            {f.input || !f.between.empty() ? Placement::Kind::inlined : Placement::Kind::root, -1});
    }
    return placements;
}

}  // namespace eutectic
