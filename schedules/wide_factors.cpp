#include "schedules/wide_factors.h"

#include "schedules/rewrites.h"

namespace eutectic {

std::vector<std::pair<int, int>> wide_factors(const Graph &graph, const Halide::Pipeline &pipeline) {
    std::vector<std::pair<int, int>> found;
    for (const Stage &stage : graph.stages) {
        const FuncInfo &func = graph.funcs[stage.func];
        if (stage.update < 0 || stage.external || func.user_scheduled || !stage.reassociable ||
            func.pipeline_index < 0) {
            continue;
        }
        if (widens_factors(Halide::Pipeline(pipeline).get_func(func.pipeline_index).function(),
                           stage.update)) {
            found.emplace_back(func.pipeline_index, stage.update);
        }
    }
    return found;
}

}  // namespace eutectic
