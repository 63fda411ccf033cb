#include "fusion/search/lifetimes.h"

#include <algorithm>

#include "fusion/rules/rule.h"

namespace eutectic {

Table<FuncId, Lifetime> lifetimes(const Graph &graph, const Placements &placements) {
    Table<FuncId, Lifetime> of(placements.size());
    for (const FuncId f : placements.ids()) {
        of[f].first = nest_around(placements, f);
    }
    for (const FuncId f : placements.reversed_ids()) {
        of[f].last = of[f].first;
        for (const FuncId r : graph.consumer_funcs(f)) {
            const bool inlined = placements[r].kind == Placement::Kind::inlined;
            of[f].last = std::max(of[f].last, inlined ? of[r].last : of[r].first);
        }
    }
    return of;
}

bool is_buffer(const Graph &graph, const Placements &placements, FuncId func) {
    return materialized(placements[func]) && !graph.funcs[func].output && !graph.funcs[func].input;
}

}  // namespace eutectic
