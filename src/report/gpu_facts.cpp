#include "report/gpu_facts.h"

#include <algorithm>

#include "cost/gpu.h"
#include "cost/gpu_nest.h"

namespace eutectic {

namespace {

bool has(const std::vector<FuncId> &funcs, FuncId func) {
    return std::find(funcs.begin(), funcs.end(), func) != funcs.end();
}

void add(std::vector<KernelAccess> &all, const KernelAccess &access) {
    if (std::find(all.begin(), all.end(), access) == all.end()) {
        all.push_back(access);
    }
}

/** bytes_of_lane() has the same cases. */
const char *how_loaded(const NestedStage &s, const Access &access) {
    const DimId dim = thread_dim(s);
    if (dim < 0 || !access.depends_on(dim)) {
        return "broadcast";
    }
    const Index &first = access.indices.front();
    const bool neighbours = first.affine && (first.scale[dim] == 1 || first.scale[dim] == -1);
    const bool elsewhere = std::any_of(access.indices.begin() + 1, access.indices.end(),
                                       [&](const Index &i) { return i.depends_on(dim); });
    return neighbours && !elsewhere ? "coalesced" : "strided";
}

KernelFacts facts(const std::vector<NestedStage> &stages) {
    KernelFacts of;
    of.block = shape_of_block(stages);
    for (const NestedStage &s : stages) {
        for (size_t l = 0; l < s.nest.loops.size(); l++) {
            if (s.nest.loops[l].kind == Loop::Kind::vector) {
                of.vector_width = std::max(of.vector_width, trips(s.nest, l, s.work->dims));
            }
        }
        for (const Load &load : s.work->loads) {
            const bool near = has(s.local, load.producer) || has(s.in_shared, load.producer) ||
                              has(s.in_registers, load.producer);
            if (!near && load.producer != s.work->func && !load.access.indices.empty()) {
                add(of.loads, {load.producer, how_loaded(s, load.access)});
            }
        }
        if (!s.stores_locally) {
            const DimId dim = thread_dim(s);
            add(of.stores, {s.work->func, dim == 0 ? "coalesced" : dim < 0 ? "by one thread" : "strided"});
        }
    }
    return of;
}

}  // namespace

std::vector<KernelFacts> kernel_facts(const Group &group) {
    std::vector<KernelFacts> all;
    std::vector<NestedStage> stages;
    for (const NestedStage &s : group.tree.of_kernels()) {
        stages.push_back(s);
        if (!s.stores_locally) {  // a stage at Root comes after what is computed in its loops
            all.push_back(facts(stages));
            stages.clear();
        }
    }
    return all.size() == group.kernels.size() ? all : std::vector<KernelFacts>();
}

}  // namespace eutectic
