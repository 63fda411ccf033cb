#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/eutectic/group_profile.h"
#include "apps/eutectic/inspected_device.h"
#include "schedules/cpu/emitted_code.h"

namespace eutectic {

/** The machine code of one loop nest of the plan. Cycles are of the clock, from its first task's begin to its
 * last one's end, as seconds are. */
struct NestCode {
    GroupProfile times;  ///< `seconds` are measured; 0 where nothing was
    std::string policy;
    double model_cycles = -1;  ///< by llvm-mca's model, of all that runs; -1: none, for `no_cycles`
    double price_cycles = 0;
    std::optional<double> measured_cycles;
    std::string no_cycles;
    std::vector<EmittedRegion> regions;  ///< that run, and the costliest first
    std::vector<KernelCode> kernels;     ///< on a GPU, in place of regions
    size_t others = 0;   ///< regions that do not run at the estimates: for other sizes, other versions
    size_t unknown = 0;  ///< regions of which nobody knows how often they run

    /** The costliest loop that has no other one in it; null where there is none. */
    const EmittedRegion *inner_loop() const;
};

/** What was read, and what it is of. */
struct Inspected {
    std::string name, target, machine;
    int threads = 1;
    ReadCode read;
    std::string architecture;     ///< for kernels: "sm_80"; empty: they are none
    std::string no_sass;          ///< DeviceKernels::no_sass
    double price_hertz = 0;       ///< the clock of the price's machine
    double measured_hertz = 0;    ///< the clock while it was measured; 0: it was not
    std::string not_measured;     ///< why, as a sentence; empty if it was
    std::vector<NestCode> nests;  ///< in the order of the plan
};

/** The regions of `code` by the nests of `scheduled`, which `threads` threads run. */
std::vector<NestCode> nests_of(const Scheduled &scheduled, const EmittedCode &code, int threads);

/** The same of kernels for a GPU. */
std::vector<NestCode> nests_of(const Scheduled &scheduled, const DeviceKernels &device);

/** Puts beside them what was measured. */
void measure_nests(Inspected &inspected, const ProfiledRun &run, double hertz);

nlohmann::ordered_json to_json(const Inspected &inspected);
std::string to_text(const Inspected &inspected);

/** The same as one page. */
std::string inspect_page(const Inspected &inspected);

/** Of a kind of instructions, "multiply_add", as texts have it: "multiply-add". */
std::string kind_in_words(std::string kind);

}  // namespace eutectic
