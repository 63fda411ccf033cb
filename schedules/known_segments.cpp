#include "schedules/known_segments.h"

#include "schedules/rewrites.h"

namespace eutectic {

std::vector<std::pair<int, int>> known_segments(const Graph &graph, const Halide::Pipeline &pipeline) {
    std::vector<std::pair<int, int>> found;
    for (const FuncInfo &func : graph.funcs) {
        if (func.input || func.user_scheduled || func.user_placed || !func.own_buffer_reason.empty() ||
            !func.between.empty()) {
            continue;
        }
        for (const StageId s : func.stages) {
            const Stage &stage = graph.stages[s];
            if (stage.role == Role::scatter &&
                adds_known_segments(Halide::Pipeline(pipeline).get_func(func.pipeline_index).function(),
                                    stage.update)) {
                found.emplace_back(func.pipeline_index, stage.update);
            }
        }
    }
    return found;
}

}  // namespace eutectic
