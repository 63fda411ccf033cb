// A cost model of your own: what each nest of loops takes is what this library says (cost/priced_nest.h).
//
// This one is for a machine whose memory is all that matters, but for what starting something costs: a nest
// takes its traffic to memory at the memory's bandwidth, or its arithmetic at a third of the peak, whichever
// is longer, and every task a launch of its own. EUTECTIC_MEMORY_SHARE=0.1 in the environment has it plan for
// a tenth of the bandwidth.

#include "cost/priced_nest.h"

#include <algorithm>

namespace {

/** Of the peak that real loops reach: your own number, from your own measurements. */
constexpr double reached = 1.0 / 3;

/** What the stage computes, in additions and multiplications: an exponential counts as twenty. */
double operations(const eutectic_stage &s) {
    return s.flops + 8 * s.divisions + 20 * s.transcendentals + 60 * s.libm_calls;
}

/** Lanes of the stage's vectors that the machine computes at once: a stage without vectors has one of them.
 */
double share_of_lanes(const eutectic_stage &s, const eutectic_machine &m) {
    const double lanes = m.vector_bits / 8 / std::max(1.0, s.element_bytes);
    return std::min(1.0, std::max(1.0, s.lanes) / lanes);
}

}  // namespace

extern "C" int eutectic_cost_model_version(void) {
    return EUTECTIC_COST_MODEL_VERSION;
}

extern "C" void eutectic_price_nest(const eutectic_nest *nest, const eutectic_machine *machine,
                                    eutectic_price *price) {
    const double cores = std::max(1.0, std::min(nest->tasks, machine->cores));
    for (int i = 0; i < nest->stage_count; i++) {
        const eutectic_stage &stage = nest->stages[i];
        const double rate = reached * machine->flops_per_second * share_of_lanes(stage, *machine) * cores;
        const double compute = operations(stage) / rate;
        const double moving = stage.beyond_l3 / machine->memory_bytes_per_second;
        price->compute += compute;
        price->memory += std::max(0.0, moving - compute);
    }
    price->launch = nest->tasks > 0 ? machine->launch_seconds + nest->tasks * machine->task_seconds : 0;
}
