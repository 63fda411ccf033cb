#include "gpu_plans.h"

#include <doctest/doctest.h>

#include "fusion/policies/gpu/gpu.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

namespace eutectic::test {

Planned planned(Graph graph) {
    graph.gpu = true;
    return plan_greedy(graph, round_gpu_machine(), gpu_rules());
}

size_t kernels(const FusionPlan &plan) {
    size_t n = 0;
    for (const Group &g : plan.groups) {
        n += g.kernels.size();
    }
    return n;
}

std::string policies(const FusionPlan &plan) {
    std::string text;
    for (const Group &g : plan.groups) {
        text += (text.empty() ? "" : " ") + g.policy + "/" + std::to_string(g.kernels.size());
    }
    return text;
}

void check_blocks(const FusionPlan &plan) {
    for (const Group &g : plan.groups) {
        for (const StageNest &s : g.tree.nests()) {
            const bool blocks = !s.nest.loops.empty() && s.nest.loops.front().kind == Loop::Kind::gpu_block;
            INFO(to_string(s.nest));
            CHECK(blocks);
        }
    }
}

Graph sum_of_everything(int64_t n) {
    Sketch s;
    const FuncId x = s.input("x", {n});
    const FuncId sum = s.reduction("sum", {}, {n}, {{x, {at(0)}}});
    s.output(sum);
    return s.graph();
}

}  // namespace eutectic::test
