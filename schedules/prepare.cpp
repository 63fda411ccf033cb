#include "schedules/prepare.h"

#include "graph/read/shared.h"
#include "schedules/conditions_on_devices.h"
#include "schedules/cut_scans.h"
#include "schedules/known_segments.h"
#include "schedules/rewrites.h"
#include "schedules/shared_terms.h"
#include "schedules/transposed_scans.h"
#include "schedules/tuples_in_lanes.h"
#include "schedules/wide_factors.h"

namespace eutectic {

using Changes = Preparation::Changes;

namespace {

bool has_floats(const std::vector<Halide::Expr> &values) {
    bool floats = false;
    for (const Halide::Expr &value : values) {
        for_each_node(value, [&](const Halide::Expr &e) {
            floats = floats || e.type().is_float();
            return !floats;
        });
    }
    return floats;
}

/** Definitions, as Func and number (-1: the pure one), that read Funcs in terms that cancel; of strict floats
 * nothing does. */
Changes cancelling(const Graph &graph, const Halide::Pipeline &pipeline) {
    Changes found;
    for (const Stage &stage : graph.stages) {
        const FuncInfo &func = graph.funcs[stage.func];
        if (!stage.cancels || func.user_scheduled) {
            continue;
        }
        const Halide::Internal::Function f =
            Halide::Pipeline(pipeline).get_func(func.pipeline_index).function();
        const Halide::Internal::Definition &definition =
            stage.update < 0 ? f.definition() : f.update(stage.update);
        if (!graph.strict || !has_floats(definition.values())) {
            found.emplace_back(func.pipeline_index, stage.update);
        }
    }
    return found;
}

/** Nothing that `call` makes is final. */
template<void (*call)(Halide::Pipeline, const Changes &)>
std::vector<std::string> make(const Halide::Pipeline &pipeline, const Changes &changes) {
    call(pipeline, changes);
    return {};
}

std::string of_definition(const std::string &func, int update) {
    return update < 0 ? func : "update " + std::to_string(update) + " of " + func;
}

std::string on_choices(const std::string &func, int update) {
    return of_definition(func, update) + " is behind a condition that reads data: it chooses between new and "
                                         "old values, so that threads may "
                                         "share its points at every size";
}

std::string on_segments(const std::string &func, int update) {
    return of_definition(func, update) + " adds at places that are known: it gathers the terms of each "
                                         "point, and the points do not wait for "
                                         "each other";
}

std::string on_cancelling(const std::string &func, int update) {
    return of_definition(func, update) +
           " reads in terms that cancel: it is simplified, and what nothing else reads is not computed";
}

std::string on_shared(const std::string &func, int) {
    return func +
           " has a costly part of its terms in common with another sum: that is a Func of its own, and "
           "computed once for both where it pays";
}

std::string on_pieces(const std::string &func, int points) {
    return func + " scans one point after the other: it goes along pieces of " + std::to_string(points) +
           " points, each on its own, and then adds what comes before";
}

}  // namespace

bool may_redefine(const FuncInfo &func) {
    return !func.input && !func.user_scheduled && !func.user_placed && func.own_buffer_reason.empty() &&
           func.between.empty();
}

const std::vector<Preparation> &preparations() {
    static const std::vector<Preparation> all = {
        {"drop_cancelled_loads",
         [](const Graph &graph, const Halide::Pipeline &pipeline, const Machine &) {
             return cancelling(graph, pipeline);
         },
         make<drop_cancelled_loads>, on_cancelling, true, true},
        {"choose_by_condition",
         [](const Graph &graph, const Halide::Pipeline &pipeline, const Machine &machine) {
             return conditions_on_devices(graph, pipeline, machine);
         },
         make<choose_by_condition>, on_choices, true},
        {"gather_segments",
         [](const Graph &graph, const Halide::Pipeline &pipeline, const Machine &) {
             return known_segments(graph, pipeline);
         },
         make<gather_segments>, on_segments},
        {"share_terms",
         [](const Graph &graph, const Halide::Pipeline &pipeline, const Machine &) {
             return shared_terms(graph, pipeline);
         },
         make<share_terms>, on_shared},
        {"cut_scans", scans_to_cut,
         [](const Halide::Pipeline &pipeline, const Changes &scans) { return cut_scans(pipeline, scans); },
         on_pieces, true, true},
        {"reduce_in_lanes", tuples_in_lanes,
         [](const Halide::Pipeline &pipeline, const Changes &reductions) {
             return reduce_in_lanes(pipeline, reductions);
         },
         [](const std::string &func, int lanes) {
             return func + " reduces Tuples: " + std::to_string(lanes) +
                    " lanes have results of their own, which are merged at the end";
         },
         true, false, true},
        {"transpose_scans",
         [](const Graph &graph, const Halide::Pipeline &, const Machine &machine) {
             return scans_along_rows(graph, machine);
         },
         make<transpose_scans>,
         [](const std::string &func, int) {
             return func + " scans along rows: it goes down the columns of a transposed one";
         },
         false, false, true},
        {"widen_factors",
         [](const Graph &graph, const Halide::Pipeline &pipeline, const Machine &) {
             return wide_factors(graph, pipeline);
         },
         make<widen_factors>,
         [](const std::string &func, int update) {
             return of_definition(func, update) +
                    " multiplies 16-bit floats: they may be widened once, not for each product";
         }},
    };
    return all;
}

}  // namespace eutectic
