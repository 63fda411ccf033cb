// What plans are made for: a machine, or a family of processors, with what parameters add.

#include <algorithm>
#include <filesystem>

#include "base/user_error.h"
#include "cost/pricer.h"
#include "machine/calibration.h"
#include "machine/processors.h"
#include "machine/terms.h"
#include "schedules/autoschedule.h"
#include "schedules/functions.h"
#include "schedules/library_products.h"
#include "schedules/mechanisms.h"
#include "schedules/target.h"

namespace eutectic {

using namespace Halide;

namespace {

/** With what parameters add to any machine. */
Machine as_asked(const Machine &machine, const Parameters &p) {
    return p.experiment(with_library(p.arena ? with_arena(machine) : machine, p));
}

}  // namespace

Machine Parameters::experiment(Machine machine) const {
    machine = without_terms(std::move(machine), disable);
    for (const Mechanism &m : mechanisms(machine.gpu.has_value())) {
        if (m.kind == "policy" && disables(m.name)) {
            machine.experiment.policies.push_back(m.name);
        }
    }
    if (!cost_model.empty()) {
        machine.experiment.pricer = pricer_named(cost_model);
        machine.experiment.priced_by = std::filesystem::path(cost_model).filename().string();
    }
    machine.name += to_string(machine.experiment);
    return machine;
}

Machine choose_machine(const Target &target, const Parameters &p) {
    if (target.has_unknowns()) {
        throw UserError(
            "The target " + target.to_string() +
            " names no processor or no operating system, and a plan needs the vectors to expect: plan for "
            "a whole one, such as host or x86-64-linux-avx2-fma.");
    }
    const TargetDescription d = describe(target);
    if (!p.processor.empty() && processors().at(p.processor).arch != d.arch) {
        throw UserError("The machine " + p.processor + " was asked for, which has the architecture " +
                        processors().at(p.processor).arch + ", but the target " + target.to_string() +
                        " is for another one: name a processor that runs it, or leave the machine out.");
    }
    const Machine cpu = !p.machine_file.empty() ? machine_from_file(p.machine_file, d, p.parallelism)
                        : !p.processor.empty()  ? machine_of(processors().at(p.processor), d, p.parallelism)
                        : p.machine_host        ? machine_from_host(d, p.parallelism)
                                                : machine_from_target(d, p.parallelism);
    return as_asked(with_functions(with_gpu(cpu, d, p.gpu), target, p), p);
}

std::vector<Member> choose_family(const Target &target, const Parameters &p) {
    const Machine first = choose_machine(target, p);
    if (first.gpu || p.machine_host || !p.machine_file.empty() || !p.processor.empty()) {
        return {{first.name, first}};
    }
    const TargetDescription d = describe(target);
    std::vector<Member> family;
    for (const Processor *processor : family_of(d)) {
        family.push_back({processor->name, as_asked(machine_of(*processor, d, p.parallelism), p)});
    }
    return family;
}

}  // namespace eutectic
