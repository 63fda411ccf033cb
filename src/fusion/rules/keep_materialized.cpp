// The sentence for what stays in memory: the refusal of the last rule that looked at it, or the price of the
// step that was not worth it.

#include <cmath>

#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

double loop_points(const Stage &stage) {
    double points = 1;
    for (const Dim &d : stage.dims) {
        points *= static_cast<double>(d.extent);
    }
    return points;
}

}  // namespace

std::string keep_materialized(const Graph &graph, const Placements &placements, FuncId func,
                              const Step *weighed) {
    const FuncInfo &f = graph.funcs[func];
    if (f.output) {
        return "an output: the caller gets it in memory";
    }
    if (const Verdict leave = may_leave_root(graph, func); !leave) {
        return "kept in memory: " + leave.reason();
    }
    const Stage &last = graph.last_stage(func);
    if (last.library && last.library->whole) {
        return "kept in memory: " + f.name + " is a library's, and " + last.why_opaque;
    }
    if (!last.why_opaque.empty() && (!weighed || !weighed->verdict)) {
        return "kept in memory: " + f.name + " is not understood by any rule, because " + last.why_opaque;
    }
    if (!weighed || weighed->stays) {
        return "kept in memory: no rule applies to " + f.name;
    }
    if (!weighed->verdict) {
        return "kept in memory: " + weighed->verdict.reason();
    }
    // What inlining would recompute: each reader's loops, over the dims that its access depends on.
    std::string more;
    if (f.stages.size() == 1) {
        int nests = 0;
        double points = 0;
        for (const Reader &r : readers(graph, placements, func)) {
            const StageId id = graph.funcs[r.func].stages[r.update + 1];
            points += loop_points(graph.stages[id]);
            nests++;
        }
        more = "; its " + format_count(f.points()) + " values are read in " + std::to_string(nests) +
               (nests == 1 ? " place, by loops of " : " places, by loops of ") +
               format_count(static_cast<int64_t>(points)) + " points";
    }
    const std::string saved = "kept in memory: " + std::string(weighed->rule) + " would save " +
                              format_bytes(2 * f.bytes()) + " of traffic";
    if (!std::isfinite(weighed->after)) {
        return saved + ", but no policy has loops for it" + more;
    }
    return saved + " and cost " + format_seconds(weighed->after - weighed->before) +
           " of the predicted time all the same" + more;
}

}  // namespace eutectic
