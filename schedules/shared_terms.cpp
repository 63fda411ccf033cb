#include "schedules/shared_terms.h"

#include "schedules/prepare.h"
#include "schedules/rewrites.h"

namespace eutectic {

std::vector<std::pair<int, int>> shared_terms(const Graph &graph, const Halide::Pipeline &pipeline) {
    std::vector<std::pair<int, Halide::Internal::Function>> sums;
    for (const Stage &stage : graph.stages) {
        const FuncInfo &func = graph.funcs[stage.func];
        const bool functions = stage.body.transcendentals > 0 || stage.body.libm_calls > 0;
        if (stage.update == 0 && functions && may_redefine(func) && func.pipeline_index >= 0) {
            sums.emplace_back(func.pipeline_index,
                              Halide::Pipeline(pipeline).get_func(func.pipeline_index).function());
        }
    }
    return sums_that_share_terms(sums);
}

}  // namespace eutectic
