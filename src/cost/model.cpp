#include "cost/model.h"

#include "cost/gpu.h"

namespace eutectic {

const CostModel &cost_model(const Machine &machine) {
    return machine.gpu ? gpu_cost_model() : cpu_cost_model();
}

KernelPrice price_kernel(const KernelStages &kernel, const Machine &machine) {
    return cost_model(machine).price(kernel, machine, std::numeric_limits<double>::infinity());
}

KernelPrice price_kernel(const LoopTree &tree, KernelStages kernel, const Machine &machine) {
    kernel.stages = tree.of_kernels();
    return price_kernel(kernel, machine);
}

Seconds allocation_cost(Bytes bytes, const Machine &machine) {
    return cost_model(machine).allocation(bytes, machine);
}

Seconds trimming_cost(const std::vector<Bytes> &buffers, const Machine &machine, Bytes other) {
    return cost_model(machine).trimming(buffers, machine, other);
}

}  // namespace eutectic
