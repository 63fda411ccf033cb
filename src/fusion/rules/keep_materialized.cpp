// The sentence for what stays in memory: the refusal of the last rule that looked at it, or the price of the step that was not worth it.

#include "fusion/rules/rules.h"

namespace eutectic {

std::string keep_materialized(const Graph &graph, const Placements &placements, FuncId func, const Step *weighed) {
    const FuncInfo &f = graph.funcs[static_cast<size_t>(func)];
    if (f.output) {
        return "an output: the caller gets it in memory";
    }
    const Stage &last = graph.last_stage(func);
    if (!last.why_opaque.empty()) {
        return "kept in memory: " + f.name + " is not understood by any rule, because " + last.why_opaque;
    }
    if (!weighed) {
        return "kept in memory: no rule applies to " + f.name;
    }
    if (!weighed->verdict) {
        return "kept in memory: " + weighed->verdict.reason();
    }
    // The recomputation, where the step was to inline.
    std::string more;
    if (f.stages.size() == 1) {
        double evaluations = 0;
        for (const Reader &r : readers(graph, placements, func)) {
            double points = 1;
            for (const Dim &d : graph.stages[static_cast<size_t>(graph.funcs[static_cast<size_t>(r.func)].stages[static_cast<size_t>(r.update + 1)])].dims) {
                points *= static_cast<double>(d.extent);
            }
            evaluations += points;
        }
        more = ": its " + format_count(f.points()) + " values would be evaluated up to " + format_count(static_cast<int64_t>(evaluations)) + " times";
    }
    return "kept in memory: " + std::string(weighed->rule) + " would cost " + format_seconds(weighed->after - weighed->before) + " more than the " +
           format_bytes(2 * f.bytes()) + " of traffic that it saves" + more;
}

}  // namespace eutectic
