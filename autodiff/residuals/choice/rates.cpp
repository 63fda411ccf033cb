#include "autodiff/residuals/choice/rates.h"

#include <algorithm>

#include "cost/model.h"

namespace eutectic {

namespace {

// What is written out is never for nothing, so that of two ways without a difference the one with less work
// is taken.
constexpr double least_share = 0.01;

Seconds seconds_to_compute(const Machine &machine, const Work &work) {
    return cost_model(machine).arithmetic(work.body, work.element_bytes, machine);
}

Seconds seconds_to_write(const Machine &machine, Bytes bytes, Bytes all) {
    return machine.store_transfers * seconds_to_read(machine, bytes, all);
}

// Of evaluations after a loop's first, at least `least_again` of making it.
Seconds in_loops(const Machine &machine, const Work &work, Bytes bytes, Bytes all,
                 const Evaluations &evaluations, double least_again) {
    const Seconds alone = seconds_to_make(machine, work, all), hidden = seconds_to_read(machine, bytes, all);
    return evaluations.loops * std::max(least_share * alone, alone - hidden) +
           (evaluations.times - evaluations.loops) *
               std::max(least_again * alone, seconds_to_compute(machine, work));
}

}  // namespace

void Work::add(const ExprSummary &of_a_point, double points) {
    ExprSummary all = of_a_point;
    all *= points;
    body += all;
}

Seconds seconds_to_keep(const Machine &machine, Bytes bytes, Bytes all, ForwardPlace place) {
    const Seconds reading = seconds_to_read(machine, bytes, all),
                  writing = seconds_to_write(machine, bytes, all);
    switch (place) {
    case ForwardPlace::memory: return reading;
    case ForwardPlace::registers: return writing + reading;
    case ForwardPlace::inlined: break;
    }
    return machine.launch_seconds + writing + 2 * reading;
}

Seconds seconds_to_read(const Machine &machine, Bytes bytes, Bytes all) {
    return cost_model(machine).moving(bytes, all, machine);
}

Seconds seconds_to_make(const Machine &machine, const Work &work, Bytes all) {
    const Seconds as_tensor =
        work.tensor
            ? machine.launch_seconds + cost_model(machine).allocation(work.tensor, machine) +
                  seconds_to_write(machine, work.tensor, all) + seconds_to_read(machine, work.tensor, all)
            : 0;
    return std::max(seconds_to_compute(machine, work), seconds_to_read(machine, work.loads, all)) + as_tensor;
}

Seconds seconds_in_loops(const Machine &machine, const Work &work, Bytes bytes, Bytes all,
                         const Evaluations &evaluations) {
    return in_loops(machine, work, bytes, all, evaluations, least_share);
}

Seconds seconds_in_loops_or_tensor(const Machine &machine, const Work &work, Bytes bytes, Bytes all,
                                   const Evaluations &evaluations) {
    Work tensor = work;
    tensor.tensor = bytes;
    return std::min(seconds_to_make(machine, tensor, all),
                    in_loops(machine, work, bytes, all, evaluations, 0));
}

bool is_worth_storing(const Machine &machine, const Work &work, Bytes bytes, Bytes all, double times) {
    return (times - 1) * seconds_to_compute(machine, work) > machine.launch_seconds +
                                                                 seconds_to_write(machine, bytes, all) +
                                                                 seconds_to_read(machine, bytes, all);
}

}  // namespace eutectic
