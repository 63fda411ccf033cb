#include "fusion/search/dominance.h"

#include <algorithm>
#include <map>

#include "fusion/rules/rules.h"
#include "fusion/search/pinned_start.h"
#include "graph/data/access.h"

namespace eutectic {

namespace {

/** Funcs that are inlined without a price one into the next. Halide (21) substitutes them one by one and goes
 * over the result again each time: 13 s of compiling for a chain of 400, as the third power of its length,
 * hence 0.05 s at 64. */
constexpr int longest_chain = 64;

/** Left as it is defined, with no part of a pattern that rewrites or policies look for. */
bool is_plain(const Stage &stage) {
    const bool patterned = !stage.patterns.empty() || !stage.simplified.empty();
    return !patterned && stage.guarded.empty() && (stage.role == Role::pointwise || stage.role == Role::view);
}

class Dominance {
public:
    Dominance(const Graph &graph, const Pins &pins, const Placements &placements)
        : graph_(graph),
          pins_(pins),
          placements_(placements),
          into_(graph.funcs.size(), -1),
          chain_(graph.funcs.size(), 0),
          in_pattern_(graph.funcs.size(), false),
          read_by_(graph.funcs.size()) {
        for (const Stage &stage : graph.stages) {
            for (const std::shared_ptr<const Pattern> &p : stage.patterns) {
                for (const FuncId f : p->others) {
                    in_pattern_[f] = true;
                }
            }
        }
        for (const Edge &e : graph.edges) {
            read_by_[e.producer].push_back(&e);
        }
    }

    /** The nest that each Func goes into; itself where it stays. */
    Table<FuncId, FuncId> run() {
        for (const FuncId f : into_.reversed_ids()) {  // readers first
            if (!graph_.funcs[f].input && placements_[f].kind == Placement::Kind::root) {
                const FuncId nest = is_candidate(f) ? nest_of_readers(f) : no_func;
                into_[f] = nest >= 0 ? nest : f;
                chain_[f] = nest >= 0 ? chain_of_readers(f) + 1 : 0;
            }
        }
        return into_;
    }

private:
    const Graph &graph_;
    const Pins &pins_;
    const Placements &placements_;
    Table<FuncId, FuncId> into_;
    Table<FuncId, int> chain_;  // Funcs through which each reaches its nest
    Table<FuncId, bool> in_pattern_;
    Table<FuncId, std::vector<const Edge *>> read_by_;

    bool is_candidate(FuncId f) const {
        const bool elsewhere =
            pins_.funcs.contains(f) && pins_.funcs[f] && pins_.funcs[f]->kind != Placement::Kind::inlined;
        const bool in_memory = std::any_of(pins_.unfused.begin(), pins_.unfused.end(),
                                           [&](const auto &pair) { return pair.first == f; });
        return !elsewhere && !in_memory && !in_pattern_[f] && graph_.funcs[f].stages.size() == 1 &&
               is_plain(graph_.pure_stage(f)) && may_inline(graph_, placements_, {f, {}});
    }

    /** The one nest in which `f` is read, if each reader goes over the points of `f` as they are; else -1. */
    FuncId nest_of_readers(FuncId f) const {
        FuncId nest = -1;
        for (const Edge *e : read_by_[f]) {
            const Stage &reader = graph_.stages[e->consumer];
            const FuncInfo &info = graph_.funcs[reader.func];
            const FuncId into = into_[reader.func];
            const bool same_points = info.extents == graph_.funcs[f].extents && at_identity(e->access);
            const bool pure = info.stages.size() == 1 && !info.user_scheduled && is_plain(reader);
            if (into < 0 || !same_points || !pure || (nest >= 0 && nest != into)) {
                return -1;
            }
            nest = into;
        }
        return chain_of_readers(f) < longest_chain ? nest : no_func;
    }

    int chain_of_readers(FuncId f) const {
        int longest = 0;
        for (const Edge *e : read_by_[f]) {
            longest = std::max(longest, chain_[graph_.stages[e->consumer].func]);
        }
        return longest;
    }

    static bool at_identity(const Access &access) {
        for (const DimId d : access.indices.ids()) {
            if (access.indices[d].equals_dim() != d) {
                return false;
            }
        }
        return true;
    }
};

}  // namespace

Table<FuncId, FuncId> dominating_nests(const Graph &graph, const Pins &pins, const Placements &start) {
    return Dominance(graph, pins, start).run();
}

namespace {

bool is_inlined(const Table<FuncId, FuncId> &nests, FuncId f) {
    return nests[f] >= 0 && nests[f] != f;
}

/** Gives `stage` what it computes and loads once the Funcs that it reads at its own points are a part of it.
 */
class Collapse {
public:
    Collapse(const Graph &graph, const Table<FuncId, FuncId> &nests, Stage &stage)
        : graph_(graph), nests_(nests), stage_(stage) {
    }

    std::vector<Edge> edges;

    void add(const Stage &from) {
        for (const EdgeId id : from.edges) {
            Edge e = graph_.edges[id];
            if (!is_inlined(nests_, e.producer)) {
                e.consumer = graph_.funcs[stage_.func].stages.front();
                push(e);
            } else if (std::find(known_.begin(), known_.end(), e.producer) == known_.end()) {
                known_.push_back(e.producer);
                const Stage &inlined = graph_.pure_stage(e.producer);
                stage_.body += inlined.body;
                add(inlined);
            }
        }
    }

private:
    const Graph &graph_;
    const Table<FuncId, FuncId> &nests_;
    Stage &stage_;
    std::vector<FuncId> known_;

    void push(const Edge &e) {
        const auto same = [&](const Edge &old) {
            return old.producer == e.producer && same_points(old.access, e.access);
        };
        const auto old = std::find_if(edges.begin(), edges.end(), same);
        if (old == edges.end()) {
            edges.push_back(e);
            return;
        }
        old->loads += e.loads;
        old->into |= e.into;
        old->forwarded = old->forwarded || e.forwarded;
    }
};

}  // namespace

Graph collapsed(const Graph &graph, const Table<FuncId, FuncId> &nests) {
    Graph result = graph;
    result.edges.clear();
    result.forget_consumers();
    for (const StageId s : graph.stages.ids()) {  // edges stay in the order of their stages
        Stage &stage = result.stages[s];
        const FuncId nest = nests[stage.func];
        std::vector<Edge> edges;
        if (nest == stage.func && stage.update < 0 && graph.funcs[nest].stages.size() == 1) {
            Collapse collapse(graph, nests, stage);
            collapse.add(graph.stages[s]);
            edges = std::move(collapse.edges);
        } else if (!is_inlined(nests, stage.func)) {
            for (const EdgeId e : graph.stages[s].edges) {
                edges.push_back(graph.edges[e]);
            }
        }
        stage.edges.clear();
        for (Edge &e : edges) {
            stage.edges.push_back(result.edges.next_id());
            result.edges.push_back(std::move(e));
        }
    }
    for (const FuncId f : nests.ids()) {
        if (is_inlined(nests, f)) {
            // Nothing here says what it is computed from and for, so that it must not be moved.
            result.funcs[f].between = "it is a part of " + graph.funcs[nests[f]].name;
        }
    }
    return result;
}

Placements take_dominating(const Graph &graph, Completer &completer, const Table<FuncId, FuncId> &nests,
                           const Placements &start, std::vector<Step> &taken) {
    std::map<FuncId, std::vector<FuncId>> inlined;
    for (const FuncId f : nests.ids()) {
        if (is_inlined(nests, f)) {
            inlined[nests[f]].push_back(f);
        }
    }
    Placements now = start;
    for (const auto &[nest, funcs] : inlined) {
        Placements next = now;
        for (const FuncId f : funcs) {
            next[f] = {Placement::Kind::inlined, -1};
        }
        settle(graph, now, next);
        completer.compare_with(now);
        const Site site{funcs.back(), graph.consumer_funcs(funcs.back())};
        taken.push_back({"inline_pointwise", site, Verdict::allow(), completer.total(now),
                         completer.total(next), true, funcs});
        now = next;
    }
    return now;
}

SearchSpace search_space(const Graph &graph, Completer &completer, const std::vector<Rule> &rules,
                         std::vector<Step> &taken) {
    const Placements pinned = pinned_start(graph, completer, taken);
    // A kernel that spilled is to be taken apart: then registers are what it costs, too.
    const std::vector<KernelLimit> &limits = completer.pins().limits;
    const bool inlines =
        std::all_of(limits.begin(), limits.end(), [](const KernelLimit &l) { return l.of_loops(); }) &&
        std::any_of(rules.begin(), rules.end(),
                    [](const Rule &r) { return r.name == std::string("inline_pointwise"); });
    SearchSpace space{graph, pinned};
    if (inlines) {
        const Table<FuncId, FuncId> nests = dominating_nests(graph, completer.pins(), pinned);
        space = {collapsed(graph, nests), take_dominating(graph, completer, nests, pinned, taken)};
    }
    return space;
}

}  // namespace eutectic
