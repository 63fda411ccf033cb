#include "schedules/conditions_on_devices.h"

#include "schedules/prepare.h"
#include "schedules/rewrites.h"

namespace eutectic {

std::vector<std::pair<int, int>> conditions_on_devices(const Graph &graph, const Halide::Pipeline &pipeline,
                                                       const Machine &machine) {
    std::vector<std::pair<int, int>> updates;
    for (const Stage &stage : graph.stages) {
        const FuncInfo &func = graph.funcs[stage.func];
        if (!machine.gpu || stage.update < 0 || stage.condition.empty() || !may_redefine(func)) {
            continue;
        }
        bool shared = false, all = true;  // dims that threads could share
        for (const DimId d : func.extents.ids()) {
            shared = shared || stage.is_own(d);
            all = all && (!stage.is_own(d) || stage.condition[d]);
        }
        if (shared && all &&
            chooses_by_condition(Halide::Pipeline(pipeline).get_func(func.pipeline_index).function(),
                                 stage.update)) {
            updates.emplace_back(func.pipeline_index, stage.update);
        }
    }
    return updates;
}

}  // namespace eutectic
