#include <algorithm>
#include <map>
#include <utility>

#include "features/work.h"
#include "fusion/plan/shared_rows.h"
#include "fusion/rules/rule.h"
#include "graph/data/access.h"
#include "graph/patterns/taps.h"

namespace eutectic {

namespace {

/** Goes from a Func to the loops that end up reading it, through whatever is inlined on the way. */
class Paths {
public:
    Paths(const Graph &graph, const Placements &placements)
        : graph_(placements.reads(graph)), placements_(placements) {
    }

    /** A stage that is not inlined, and what it reads of the Func. */
    struct Place {
        StageId stage;
        Taps taps;
    };

    /** Of `func`, in the order of the stages. */
    const std::vector<Place> &of(FuncId func) {
        const auto known = known_.find(func);
        if (known != known_.end()) {
            return known->second;
        }
        std::vector<Place> places;
        for (const StageId s : graph_.consumers(func)) {
            const FuncId reader = graph_.stages[s].func;
            if (reader == func) {
                continue;
            }
            for (const EdgeId e : graph_.stages[s].edges) {
                if (graph_.edges[e].producer == func) {
                    add_paths(s, reader, graph_.edges[e], places);
                }
            }
        }
        std::stable_sort(places.begin(), places.end(),
                         [](const Place &a, const Place &b) { return a.stage < b.stage; });
        return known_.emplace(func, std::move(places)).first->second;
    }

private:
    const Graph &graph_;
    const Placements &placements_;
    std::map<FuncId, std::vector<Place>> known_;

    void add_paths(StageId stage, FuncId reader, const Edge &e, std::vector<Place> &places) {
        if (placements_[reader].kind != Placement::Kind::inlined) {
            add({stage, {e.access, static_cast<double>(e.taps)}}, places);
            return;
        }
        for (const Place &p : of(reader)) {
            const Access access = compose(e.access, p.taps.span, graph_.stages[p.stage].dims.size());
            const double taps = p.taps.count * e.taps;
            add({p.stage, {access, different_taps(access, taps)}}, places);
        }
    }

    static void add(const Place &place, std::vector<Place> &places) {
        for (Place &old : places) {
            if (old.stage != place.stage) {
                continue;
            }
            if (same_points(old.taps.span, place.taps.span)) {
                return;
            }
            if (const auto both = joined(old.taps, place.taps)) {
                old.taps = *both;
                return;
            }
        }
        places.push_back(place);
    }
};

/** What the stages of `reader`, for which the rows of `recomputed` are recomputed, read of `func`. */
std::vector<Reader> read_recomputed(const Graph &algorithm, const Placements &placements, FuncId reader,
                                    FuncId recomputed, FuncId func) {
    const Graph &rewritten = placements.reads(algorithm);
    Table<FuncId, bool> inlined;
    for (const FuncId f : placements.ids()) {
        const bool merged = placements[f].kind == Placement::Kind::inlined && !algorithm.funcs[f].input;
        inlined.push_back((merged && f != func) || f == recomputed);
    }
    std::vector<Reader> result;
    for (const StageId s : algorithm.funcs[reader].stages) {
        for (const Load &load : stage_work(rewritten, s, inlined).loads) {
            if (load.producer == func) {
                result.push_back({reader, algorithm.stages[s].update, load.access});
            }
        }
    }
    return result;
}

}  // namespace

std::vector<Reader> readers(const Graph &graph, const Placements &placements, FuncId func) {
    std::vector<std::pair<FuncId, FuncId>> recomputed;  // Funcs for which another's rows are recomputed
    for (const FuncId f : placements.ids()) {
        const FuncId of = recomputed_for(graph, placements, f);
        if (of >= 0 && f != func) {
            recomputed.push_back({f, of});
        }
    }
    Paths paths(graph, placements);
    std::vector<Reader> result;
    for (const Paths::Place &p : paths.of(func)) {
        const Stage &stage = graph.stages[p.stage];
        const bool otherwise = std::any_of(recomputed.begin(), recomputed.end(),
                                           [&](const auto &pair) { return pair.first == stage.func; });
        if (!otherwise) {
            result.push_back({stage.func, stage.update, p.taps.span});
        }
    }
    for (const auto &[reader, of] : recomputed) {
        const std::vector<Reader> more = read_recomputed(graph, placements, reader, of, func);
        result.insert(result.end(), more.begin(), more.end());
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Reader &a, const Reader &b) { return a.func < b.func; });
    return result;
}

FuncId root_of(const Placements &placements, FuncId func) {
    while (placements[func].kind == Placement::Kind::at || placements[func].kind == Placement::Kind::block) {
        func = placements[func].consumer;
    }
    return func;
}

FuncId nest_of(const Placements &placements, FuncId func) {
    const FuncId h = root_of(placements, func);
    const Placement &p = placements[h];
    return p.kind == Placement::Kind::joint ? p.consumer : h;
}

FuncId nest_around(const Placements &placements, FuncId func) {
    const FuncId h = root_of(placements, func);
    return shares_nest(placements[h]) ? placements[h].consumer : h;
}

namespace {

/** Where everything that reads `func` is, by `place` of it, each once. */
template<typename Place>
std::vector<FuncId> places_of_readers(const Graph &graph, const Placements &placements, FuncId func,
                                      const Place &place) {
    std::vector<FuncId> places;
    for (const Reader &r : readers(graph, placements, func)) {
        const FuncId p = place(r.func);
        if (std::find(places.begin(), places.end(), p) == places.end()) {
            places.push_back(p);
        }
    }
    return places;
}

}  // namespace

std::vector<FuncId> roots_of_readers(const Graph &graph, const Placements &placements, FuncId func) {
    return places_of_readers(graph, placements, func, [&](FuncId f) { return root_of(placements, f); });
}

std::vector<FuncId> nests_of_readers(const Graph &graph, const Placements &placements, FuncId func) {
    return places_of_readers(graph, placements, func, [&](FuncId f) { return nest_of(placements, f); });
}

}  // namespace eutectic
