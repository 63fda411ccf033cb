#include <algorithm>

#include "features/work.h"
#include "fusion/late_division.h"
#include "fusion/rule.h"
#include "fusion/shared_rows.h"

namespace eutectic {

std::vector<Reader> readers(const Graph &algorithm, const Placements &placements, FuncId func) {
    const RewrittenGraph rewritten(algorithm, placements);
    const Graph &graph = rewritten.get();
    // Merge what is inlined, as the machine will see it, but keep `func` itself a load.
    std::vector<bool> inlined;
    for (size_t f = 0; f < placements.size(); f++) {
        inlined.push_back(placements[f].kind == Placement::Kind::inlined && !graph.funcs[f].input && static_cast<FuncId>(f) != func);
    }
    std::vector<bool> passes_on = inlined;
    for (size_t f = 0; f < placements.size(); f++) {
        if (const FuncId again = computed_again_for(graph, placements, static_cast<FuncId>(f)); again >= 0) {
            passes_on[static_cast<size_t>(again)] = true;
        }
    }
    std::vector<bool> reaches(graph.funcs.size(), false);  // does an inlined Func read `func`, directly or not?
    reaches[static_cast<size_t>(func)] = true;
    for (const Edge &e : graph.edges) {  // producers first: one pass suffices
        const FuncId consumer = graph.stages[static_cast<size_t>(e.consumer)].func;
        if (reaches[static_cast<size_t>(e.producer)] && (e.producer == func || passes_on[static_cast<size_t>(e.producer)])) {
            reaches[static_cast<size_t>(consumer)] = true;
        }
    }
    std::vector<Reader> result;
    for (size_t s = 0; s < graph.stages.size(); s++) {
        const Stage &stage = graph.stages[s];
        if (!reaches[static_cast<size_t>(stage.func)] || stage.func == func || inlined[static_cast<size_t>(stage.func)]) {
            continue;
        }
        for (const Load &load : stage_work(graph, static_cast<StageId>(s), inlined_for(graph, placements, inlined, stage.func)).loads) {
            if (load.producer == func) {
                result.push_back({stage.func, stage.update, load.access});
            }
        }
    }
    return result;
}

FuncId home(const Placements &placements, FuncId func) {
    while (placements[static_cast<size_t>(func)].kind == Placement::Kind::at || placements[static_cast<size_t>(func)].kind == Placement::Kind::block) {
        func = placements[static_cast<size_t>(func)].consumer;
    }
    return func;
}

FuncId nest_of(const Graph &graph, const Placements &placements, FuncId func) {
    const FuncId h = home(placements, func);
    const Placement &p = placements[static_cast<size_t>(h)];
    return p.kind == Placement::Kind::with && graph.funcs[static_cast<size_t>(h)].stages.size() == 1 ? p.consumer : h;
}

std::vector<FuncId> homes_of_readers(const Graph &graph, const Placements &placements, FuncId func) {
    std::vector<FuncId> homes;
    for (const Reader &r : readers(graph, placements, func)) {
        const FuncId h = home(placements, r.func);
        if (std::find(homes.begin(), homes.end(), h) == homes.end()) {
            homes.push_back(h);
        }
    }
    return homes;
}

}  // namespace eutectic
