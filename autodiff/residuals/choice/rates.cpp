#include "autodiff/residuals/choice/rates.h"

#include <algorithm>
#include <limits>

#include "cost/model.h"

namespace eutectic {

namespace {

// What is written out is never for nothing, so that of two ways without a difference the one with less work
// is taken.
constexpr double least_share = 0.01;

// A step's bytes between the calls, in terms of its time. No measurement: what a user is likely to give for
// memory; budget=BYTES says it exactly.
constexpr double worth_of_all_bytes = 0.1;

}  // namespace

Seconds seconds_per_held_byte(Seconds step, Bytes all) {
    return all > 0 ? worth_of_all_bytes * step / static_cast<double>(all) : 0;
}

void Work::add(const ExprSummary &of_a_point, double points) {
    ExprSummary all = of_a_point;
    all *= points;
    body += all;
}

Seconds seconds_to_keep(const Machine &machine, Bytes bytes, Bytes all) {
    return (1 + machine.store_transfers) * seconds_to_read(machine, bytes, all);
}

Seconds seconds_to_read(const Machine &machine, Bytes bytes, Bytes all) {
    return cost_model(machine).moving(bytes, all, machine);
}

Seconds seconds_to_make(const Machine &machine, const Work &work, Bytes all) {
    const CostModel &model = cost_model(machine);
    const Seconds computing = model.arithmetic(work.body, work.element_bytes, machine),
                  reading = seconds_to_read(machine, work.loads, all);
    const Seconds as_tensor = work.tensor ? machine.launch_seconds + model.allocation(work.tensor, machine) +
                                                seconds_to_keep(machine, work.tensor, all)
                                          : 0;
    return std::max(computing, reading) + as_tensor;
}

Seconds seconds_in_loop(const Machine &machine, const Work &work, Bytes bytes, Bytes all) {
    const Seconds alone = seconds_to_make(machine, work, all),
                  hidden = seconds_to_read(machine, bytes, std::numeric_limits<Bytes>::max());
    return std::max(least_share * alone, alone - hidden);
}

}  // namespace eutectic
