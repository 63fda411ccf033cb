// What one nest writes, and the order in which nests can run.

#include <algorithm>
#include <set>

#include "fusion/rules/rules.h"

namespace eutectic {

std::vector<FuncId> written_with(const Placements &placements, FuncId func) {
    const Placement &p = placements[func];
    const FuncId root = shares_nest(p) ? p.consumer : func;
    std::vector<FuncId> all = sharing_nest_of(placements, root);
    all.insert(all.begin(), root);
    return all;
}

bool holds_blocks(const Placements &placements, FuncId root) {
    return std::any_of(placements.begin(), placements.end(), [&](const Placement &p) {
        return p.kind == Placement::Kind::block && p.consumer == root;
    });
}

bool read_at_computed_points(const Graph &graph, const Placements &placements, FuncId func) {
    const std::vector<Reader> all = readers(graph, placements, func);
    return std::any_of(all.begin(), all.end(), [](const Reader &r) { return !r.access.affine(); });
}

FuncId looked_up_in_blocks(const Graph &graph, const Placements &placements, FuncId root) {
    for (const FuncId f : placements.ids()) {
        const Placement &p = placements[f];
        if (p.kind == Placement::Kind::block && p.consumer == root &&
            read_at_computed_points(graph, placements, f)) {
            return f;
        }
    }
    return -1;
}

FuncId computed_from(const Graph &graph, const Placements &placements, const std::vector<FuncId> &funcs,
                     FuncId recomputed) {
    struct From {
        FuncId func;
        bool inlined;  // it is `recomputed`, or reads that and is inlined: what reads it computes all of it
                       // for itself
        bool operator<(const From &o) const {
            return func != o.func ? func < o.func : inlined < o.inlined;
        }
    };
    Table<FuncId, std::vector<FuncId>> sharing(placements.size());  // sharing_nest_of() each of them, at once
    for (const FuncId f : placements.ids()) {
        if (shares_nest(placements[f])) {
            sharing[placements[f].consumer].push_back(f);
        }
    }
    std::set<From> after;
    std::vector<From> left;
    for (const FuncId f : funcs) {
        left.push_back({f, f == recomputed});
    }
    while (!left.empty()) {
        const From from = left.back();
        left.pop_back();
        for (const FuncId reader : graph.consumer_funcs(from.func)) {
            if (std::find(funcs.begin(), funcs.end(), reader) != funcs.end()) {
                if (from.inlined) {
                    continue;
                }
                return reader;
            }
            const auto follow = [&](FuncId f) {
                const From next{f, from.inlined && placements[f].kind == Placement::Kind::inlined};
                if (after.insert(next).second) {
                    left.push_back(next);
                }
            };
            const FuncId root = shares_nest(placements[reader]) ? placements[reader].consumer : reader;
            follow(root);
            std::for_each(sharing[root].begin(), sharing[root].end(), follow);
        }
    }
    return -1;
}

bool nests_in_order(const Graph &graph, const Placements &placements) {
    const auto nest = [&](FuncId f) { return shares_nest(placements[f]) ? placements[f].consumer : f; };
    Table<FuncId, std::vector<FuncId>> after(placements.size());
    Table<FuncId, int> before(placements.size(), 0);  // reads of what has not run yet
    for (const Stage &stage : graph.stages) {
        for (const EdgeId e : stage.edges) {
            const FuncId from = graph.edges[e].producer;
            if (from != stage.func) {
                if (nest(from) == nest(stage.func)) {
                    return false;
                }
                after[nest(from)].push_back(nest(stage.func));
                before[nest(stage.func)]++;
            }
        }
    }
    std::vector<FuncId> ready;
    size_t nests = 0;
    for (const FuncId f : placements.ids()) {
        nests += nest(f) == f ? 1 : 0;
        if (nest(f) == f && before[f] == 0) {
            ready.push_back(f);
        }
    }
    for (size_t r = 0; r < ready.size(); r++) {
        for (const FuncId f : after[ready[r]]) {
            before[f]--;
            if (before[f] == 0) {
                ready.push_back(f);
            }
        }
    }
    return ready.size() == nests;
}

}  // namespace eutectic
