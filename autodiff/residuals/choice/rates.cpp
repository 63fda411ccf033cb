#include "autodiff/residuals/choice/rates.h"

#include <algorithm>

namespace eutectic {

namespace {

// Of the peak rate, what loops reach that a planner schedules without looking at them here: between 0.5 and
// 0.8 for this project's contractions (docs/bench, two cores with AVX-512). A share of one number for all; no
// option overrides it.
constexpr double share_of_peak = 0.6;

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

void Work::add(const ExprSummary &body, double points) {
    flops += body.flops * points;
    divisions += body.divisions * points;
    transcendentals += body.transcendentals * points;
    libm_calls += body.libm_calls * points;
}

namespace {

double memory_rate(const Machine &machine) {
    return machine.memory_bytes_per_second * (machine.cores == 1 ? machine.lone_core_share : 1);
}

}  // namespace

double bytes_per_second(const Machine &machine, Bytes all) {
    const auto fits = [&](const CacheLevel &level) {
        return static_cast<double>(all) <=
               machine.usable_cache * static_cast<double>(level.bytes) * machine.cores;
    };
    if (fits(machine.l2)) {
        return machine.l2.bytes_per_second * machine.cores;
    }
    if (fits(machine.l3)) {
        return machine.l3.bytes_per_second * machine.cores;
    }
    return memory_rate(machine);
}

Seconds seconds_to_keep(const Machine &machine, Bytes bytes, Bytes all) {
    return (1 + machine.store_transfers) * seconds_to_read(machine, bytes, all);
}

Seconds seconds_to_read(const Machine &machine, Bytes bytes, Bytes all) {
    return static_cast<double>(bytes) / bytes_per_second(machine, all);
}

Seconds seconds_to_make(const Machine &machine, const Work &work, Bytes all) {
    const double turns = std::max(1.0, static_cast<double>(machine.vector_bits) / machine.datapath_bits);
    const double cycles = work.flops / machine.vector_ops_per_cycle +
                          work.divisions * machine.division_cycles +
                          work.transcendentals * machine.exp_cycles;
    const double vectors = turns * cycles / machine.lanes(work.element_bytes);
    const Seconds computing =
        (vectors / machine.hertz / share_of_peak + work.libm_calls * machine.libm_seconds) / machine.cores;
    const Seconds reading = seconds_to_read(machine, work.loads, all);
    const Seconds as_tensor = work.tensor ? machine.launch_seconds + machine.allocation_seconds +
                                                seconds_to_keep(machine, work.tensor, all)
                                          : 0;
    return std::max(computing, reading) + as_tensor;
}

Seconds seconds_beside(const Machine &machine, const Work &work, Bytes bytes, Bytes all) {
    const Seconds alone = seconds_to_make(machine, work, all),
                  hidden = static_cast<double>(bytes) / memory_rate(machine);
    return std::max(least_share * alone, alone - hidden);
}

}  // namespace eutectic
