// The terms of prices as rates of the machine: what is left out has a rate at which it takes no time.

#include "machine/terms.h"

#include <algorithm>

namespace eutectic {

namespace {

/** Bytes or values a second, so many that what any pipeline moves takes no time. Not infinite: rates are also
 * factors, and 0 * infinity is no number. */
constexpr double at_once = 1e30;

/** Of computing, whatever moves meanwhile. */
std::vector<PriceTerm> computing() {
    return {
        {"price.latency", "chains of accumulations that wait for each other",
         [](Machine &m) { m.fma_latency_cycles = m.integer_latency_cycles = m.store_forwarding_cycles = 0; }},
        {"price.functions", "divisions, exponentials and calls of the C library, beyond an operation each",
         [](Machine &m) {
             m.division_cycles = m.exp_cycles = 1 / m.vector_ops_per_cycle;
             m.typed_cycles = {};
             m.libm_seconds = 0;
         }},
        {"price.gathers", "lanes that are loaded or stored one by one",
         [](Machine &m) {
             m.gather_cycles_per_lane = m.index_cycles_per_lane = m.narrow_lane_cycles = 0;
             m.scatter_cycles_per_lane = m.conflict_cycles_per_lane = 0;
         }},
        {"price.pages", "addresses of pages that a core does not have at hand",
         [](Machine &m) { m.unmapped_cycles = m.far_page_cycles = 0; }},
        {"price.loops", "increment, compare and branch of loops", [](Machine &m) { m.loop_cycles = 0; }},
    };
}

/** Of moving bytes past each level. */
std::vector<PriceTerm> moving() {
    return {
        {"price.second_level", "moving bytes from the second level of cache",
         [](Machine &m) {
             m.l2.bytes_per_second = at_once;
             m.l2_run_seconds = m.l2_conflict_seconds = 0;
         }},
        {"price.third_level", "moving bytes from the third level of cache",
         [](Machine &m) {
             m.l3.bytes_per_second = at_once;
             m.l3_run_seconds = 0;
         }},
        {"price.memory", "moving bytes from memory",
         [](Machine &m) {
             m.memory_bytes_per_second = at_once;
             m.memory_run_seconds = m.memory_short_line_seconds = 0;
         }},
        {"price.runs", "waiting until runs of lines begin to come",
         [](Machine &m) {
             m.l2_run_seconds = m.l2_conflict_seconds = m.l3_run_seconds = 0;
             m.memory_run_seconds = m.memory_short_line_seconds = 0;
         }},
    };
}

/** Of what runs beside each other, and of starting it. */
std::vector<PriceTerm> running() {
    return {
        {"price.overlap", "what is felt of traffic that arithmetic hides",
         [](Machine &m) { m.overlap_loss = 0; }},
        {"price.idle", "cores that wait for the busiest one",
         [](Machine &m) { m.experiment.evenly_spread = true; }},
        {"price.launch", "starting parallel loops and their tasks",
         [](Machine &m) { m.launch_seconds = m.task_seconds = 0; }},
        {"price.allocation", "allocating buffers, and the first write to each of their pages",
         [](Machine &m) { m.allocation_seconds = m.fresh_page_seconds = 0; }},
        {"price.code", "fetching the code of innermost blocks", [](Machine &m) { m.instruction_bytes = 0; }},
    };
}

std::vector<PriceTerm> of_gpus() {
    return {
        {"price.latency", "one block's loads and instructions that wait for each other",
         [](Machine &m) {
             m.gpu->shared_latency_seconds = m.gpu->instruction_latency_cycles = 0;
             m.gpu->dram_latency_seconds = 0;
         }},
        {"price.functions", "exponentials, divisions and calls of libraries",
         [](Machine &m) {
             m.gpu->special_per_cycle = at_once;
             m.gpu->division_instructions = m.gpu->transcendental_instructions = 0;
             m.gpu->libm_instructions = 0;
         }},
        {"price.addresses", "instructions for the addresses of loads and stores",
         [](Machine &m) { m.gpu->access_instructions = 0; }},
        {"price.loops", "instructions of loops inside threads",
         [](Machine &m) { m.gpu->loop_instructions = 0; }},
        {"price.first_level", "moving bytes from the first level of cache and from shared memory",
         [](Machine &m) { m.gpu->access_bytes_per_cycle = at_once; }},
        {"price.second_level", "moving bytes from the second level of cache",
         [](Machine &m) { m.gpu->l2_bytes_per_second = at_once; }},
        {"price.memory", "moving bytes from memory",
         [](Machine &m) { m.gpu->dram_bytes_per_second = at_once, m.gpu->dram_latency_seconds = 0; }},
        {"price.barriers", "threads of a block that wait for each other",
         [](Machine &m) { m.gpu->barrier_seconds = 0; }},
        {"price.overlap", "what is felt of traffic that arithmetic hides",
         [](Machine &m) { m.overlap_loss = 0; }},
        {"price.idle", "processors that wait for the busiest one, and waves of blocks",
         [](Machine &m) { m.experiment.evenly_spread = true; }},
        {"price.launch", "starting kernels", [](Machine &m) { m.gpu->launch_seconds = 0; }},
        {"price.allocation", "allocating buffers", [](Machine &m) { m.gpu->allocation_seconds = 0; }},
    };
}

}  // namespace

const std::vector<PriceTerm> &price_terms(bool gpu) {
    static const std::vector<PriceTerm> gpus = of_gpus(), cpus = [] {
        std::vector<PriceTerm> all = computing();
        for (const std::vector<PriceTerm> &more : {moving(), running()}) {
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return gpu ? gpus : cpus;
}

Machine without_terms(Machine machine, const std::vector<std::string> &names) {
    for (const PriceTerm &term : price_terms(machine.gpu.has_value())) {
        if (std::find(names.begin(), names.end(), term.name) != names.end()) {
            term.leave_out(machine);
            machine.experiment.terms.emplace_back(term.name);
        }
    }
    return machine;
}

bool Experiment::leaves_out(const std::string &policy) const {
    return std::find(policies.begin(), policies.end(), policy) != policies.end();
}

std::string to_string(const Experiment &e) {
    std::string text = e.priced_by.empty() ? "" : ", priced by " + e.priced_by;
    for (const std::vector<std::string> *names : {&e.policies, &e.terms}) {
        for (const std::string &name : *names) {
            text += ", without " + name;
        }
    }
    return text;
}

}  // namespace eutectic
