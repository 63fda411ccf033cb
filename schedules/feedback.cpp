#include "schedules/feedback.h"

#include <algorithm>
#include <cmath>

#include "schedules/cpu/code_feedback.h"
#include "schedules/directive.h"
#include "schedules/gpu/device_code.h"
#include "schedules/gpu/ptxas.h"

namespace eutectic {

using namespace Halide;

namespace {

constexpr int register_bytes = 4;

const char *const estimates_stand = ", so registers, shared memory and occupancy are estimates";

/** A plan whose kernels were compiled. */
struct Attempt {
    Planned planned;
    std::vector<KernelLimit> limits;
    std::vector<CompiledKernel> kernels;
    std::string failure;  ///< why they were not

    /** Kernels that cannot be launched count more than any spill. */
    std::pair<int, Bytes> faults() const {
        std::pair<int, Bytes> sum{0, 0};
        for (const CompiledKernel &k : kernels) {
            sum.first += k.occupancy.blocks == 0 ? 1 : 0;
            sum.second += k.spill_bytes;
        }
        return sum;
    }
};

/** "sm_80": what the device runs, or else what the code is written for. */
std::string architecture(const Subject &s) {
    const int capability = s.machine.gpu->capability;
    return "sm_" + std::to_string(capability > 0 ? capability : s.target.get_cuda_capability_lower_bound());
}

/** The nests of a group that are kernels, in the order of its kernels. */
std::vector<std::pair<FuncId, int>> launched(const Group &g) {
    std::vector<std::pair<FuncId, int>> stages;
    for (const TreeFunc &f : g.tree.funcs()) {
        for (size_t s = 0; s < f.stages.size() && !f.computed; s++) {
            stages.emplace_back(f.func, f.stages[s].update);
        }
    }
    return stages;
}

/** Which group of `plan`, and which of its kernels, the stage `update` of `func` is; nothing for what is no
 * kernel of the plan's. */
const Group *kernel_of(const FusionPlan &plan, FuncId func, int update, size_t &kernel) {
    for (const Group &g : plan.groups) {
        const std::vector<std::pair<FuncId, int>> stages = launched(g);
        const auto at = std::find(stages.begin(), stages.end(), std::make_pair(func, update));
        kernel = at - stages.begin();
        if (at != stages.end() && stages.size() == g.kernels.size()) {
            return &g;
        }
    }
    return nullptr;
}

/** Of two versions of a kernel, the most that either needs. */
void merge(std::vector<CompiledKernel> &kernels, const CompiledKernel &k) {
    const auto same = std::find_if(kernels.begin(), kernels.end(), [&](const CompiledKernel &o) {
        return o.root == k.root && o.kernel == k.kernel;
    });
    if (same == kernels.end()) {
        kernels.push_back(k);
        return;
    }
    KernelResources &r = same->resources;
    r = {std::max(r.threads, k.resources.threads), std::max(r.registers, k.resources.registers),
         std::max(r.shared_bytes, k.resources.shared_bytes)};
    same->spill_bytes = std::max(same->spill_bytes, k.spill_bytes);
}

/** Schedules a copy, compiles it, and puts what the assembler says of each kernel beside the plan's. */
Attempt compile(const Subject &s, const std::string &ptxas, const Planned &planned,
                const std::vector<KernelLimit> &limits) {
    Attempt attempt{planned, limits, {}, ""};
    const Pipeline copy = copy_of(s.pipeline);
    std::map<std::string, FuncId> ids;
    for (const auto &[id, func] : apply(emit(s.graph, planned.plan), copy)) {
        ids[func.name()] = id;
    }
    const DeviceCode code = device_code(copy, s.target);
    const Gpu &gpu = *s.machine.gpu;
    const bool fewer = gpu.registers_per_thread < Gpu().registers_per_thread;
    const Assembled assembled =
        assemble(ptxas, code.ptx, architecture(s), fewer ? gpu.registers_per_thread : 0);
    attempt.failure = assembled.failure;
    for (const DeviceKernel &k : assembled.failure.empty() ? code.kernels : std::vector<DeviceKernel>()) {
        size_t number = 0;
        const auto id = ids.find(k.func);
        const Group *group =
            id == ids.end() ? nullptr : kernel_of(planned.plan, id->second, k.update, number);
        const auto said = std::find_if(assembled.kernels.begin(), assembled.kernels.end(),
                                       [&](const AssembledKernel &a) { return a.name == k.name; });
        if (!group || said == assembled.kernels.end()) {
            continue;
        }
        const KernelResources &estimate = group->kernels[number].resources;
        merge(attempt.kernels,
              {group->root,
               number,
               {k.threads > 0 ? k.threads : estimate.threads, said->registers,
                k.shared_bytes < 0 ? estimate.shared_bytes : k.shared_bytes + said->shared_bytes},
               said->spill_stores + said->spill_loads,
               {}});
    }
    for (CompiledKernel &k : attempt.kernels) {
        k.occupancy = occupancy(gpu, k.resources);
    }
    return attempt;
}

/** What the kernels of `attempt` teach, added to what it keeps to already. */
std::vector<KernelLimit> learned(const Subject &s, const Attempt &attempt,
                                 std::vector<std::string> &sentences) {
    std::vector<KernelLimit> limits = attempt.limits;
    for (const CompiledKernel &k : attempt.kernels) {
        const Group &g = *std::find_if(attempt.planned.plan.groups.begin(), attempt.planned.plan.groups.end(),
                                       [&](const Group &o) { return o.root == k.root; });
        const Lesson one = lesson(s.graph, *s.machine.gpu, g, g.kernels[k.kernel], k);
        if (!one.sentence.empty()) {
            limits.push_back(one.limit);
            sentences.push_back(one.sentence);
        }
    }
    return limits;
}

std::string count(size_t n, const std::string &of) {
    return std::to_string(n) + " " + of + (n == 1 ? "" : "s");
}

/** How it ended: `taken` is the plan, after `compiles`. */
std::string ending(const Subject &s, const Attempt &taken, int compiles) {
    const auto [unlaunched, spilled] = taken.faults();
    const std::string found =
        unlaunched > 0 || spilled > 0
            ? (unlaunched > 0 ? std::to_string(unlaunched) + " of them not to be launched, " : "") +
                  format_bytes(spilled) + " spilled in all: of the plans tried, none is better"
            : "none spills";
    return "feedback: " + count(taken.kernels.size(), "kernel") + " assembled for " + architecture(s) + ", " +
           found + " (" + count(compiles, "compile") + ")";
}

/** Why there is nothing to compile; empty if there is. */
std::string not_compiled(const Subject &s) {
    return s.target.has_feature(Target::CUDA)
               ? ""
               : "feedback: the device's driver compiles kernels in OpenCL C" + std::string(estimates_stand);
}

/** First a thread gets fewer values at once, to which what it needs is taken to be in proportion; then the
 * kernel fewer Funcs. */
void learn_of_spill(const KernelPrice &estimate, const CompiledKernel &kernel, const std::string &name,
                    Lesson &l) {
    // A store and a load for each register that is missing.
    const double missing = std::max(1.0, static_cast<double>(kernel.spill_bytes) / (2 * register_bytes)),
                 share = kernel.resources.registers / (kernel.resources.registers + missing);
    const int points =
        std::max(1, std::min(estimate.tile_points - 1, static_cast<int>(estimate.tile_points * share)));
    const std::string found = name + " spills " + format_bytes(kernel.spill_bytes) + " with " +
                              count(kernel.resources.registers, "register") + " a thread, where " +
                              std::to_string(estimate.needed_registers) +
                              " were estimated: planned again with at most ";
    l.limit.registers =
        estimate.needed_registers - estimate.registers_per_point * (estimate.tile_points - points);
    if (points < estimate.tile_points) {
        l.sentence = found + count(points, "value") + " at once in a thread instead of " +
                     std::to_string(estimate.tile_points);
    } else if (l.limit.members.size() > 1) {
        const size_t members = l.limit.members.size(),
                     out = static_cast<size_t>(
                         std::ceil(missing));  // a Func in memory keeps about one value less in registers
        l.limit.most_members = members > out ? members - out : 1;
        l.sentence =
            found + std::to_string(l.limit.most_members) + " of its " + std::to_string(members) + " Funcs";
    }
}

}  // namespace

Lesson lesson(const Graph &graph, const Gpu &gpu, const Group &group, const KernelPrice &estimate,
              const CompiledKernel &kernel) {
    Lesson l{{group.members, group.members.size(), -1, -1, -1}, ""};
    const KernelResources &r = kernel.resources;
    const std::string name = "feedback: the kernel of " + graph.funcs[group.root].name;
    if (r.shared_bytes > gpu.shared_bytes_per_block) {
        // As many times less as it has too much.
        l.limit.shared_bytes =
            std::min(estimate.resources.shared_bytes - 1,
                     estimate.resources.shared_bytes * gpu.shared_bytes_per_block / r.shared_bytes);
        if (l.limit.shared_bytes >= 0) {
            l.sentence = name + " has " + format_bytes(r.shared_bytes) +
                         " of shared memory in a block, more than " +
                         format_bytes(gpu.shared_bytes_per_block) +
                         ": planned again with an estimate of at most " + format_bytes(l.limit.shared_bytes);
        }
    } else if (kernel.spill_bytes > 0) {
        learn_of_spill(estimate, kernel, name, l);
    } else if (kernel.occupancy.blocks == 0) {
        int threads = r.threads / 2;
        while (threads >= gpu.warp_size &&
               occupancy(gpu, {threads, r.registers, r.shared_bytes}).blocks == 0) {
            threads /= 2;
        }
        if (threads >= gpu.warp_size) {
            l.limit.threads =
                std::min(threads, estimate.resources.threads * threads /
                                      r.threads);  // Halide's blocks may have more than the plan's
            l.sentence = name + " needs " + count(r.registers, "register") + " for each of the " +
                         std::to_string(r.threads) +
                         " threads of a block, more than an SM has: planned again with at most " +
                         std::to_string(l.limit.threads) + " threads";
        }
    }
    return l;
}

Feedback learn(const Subject &s, const Planned &first, const Replan &replan) {
    if (!s.machine.gpu) {
        return learn_of_code(s, first, replan);
    }
    Feedback feedback{first, {}, {}, {}, 0};
    const std::string why_not = not_compiled(s);
    const CudaTool ptxas = why_not.empty() ? find_ptxas() : CudaTool();
    if (ptxas.path.empty()) {
        feedback.sentences = {!why_not.empty()
                                  ? why_not
                                  : "feedback: " + ptxas.absent + estimates_stand +
                                        ": install the CUDA toolkit, or name its ptxas in EUTECTIC_PTXAS"};
        return feedback;
    }
    Attempt best, now = compile(s, ptxas.path, first, {});
    for (feedback.compiles = 1;; feedback.compiles++) {
        if (!now.failure.empty()) {
            feedback.sentences.push_back("feedback: " + ptxas.path + " failed for " + architecture(s) + " (" +
                                         now.failure + ")" + estimates_stand);
            return feedback;
        }
        best = feedback.compiles == 1 || now.faults() < best.faults() ? now : best;
        if (feedback.compiles == most_compiles || !replan) {
            break;
        }
        std::vector<std::string> sentences;
        const std::vector<KernelLimit> limits = learned(s, now, sentences);
        if (sentences.empty()) {
            break;
        }
        const Planned next = replan(limits);
        feedback.sentences.insert(feedback.sentences.end(), sentences.begin(), sentences.end());
        if (!std::isfinite(next.plan.cost().total()) || to_string(next.plan) == to_string(now.planned.plan)) {
            feedback.sentences.emplace_back("feedback: no other plan keeps to that, so this one stays");
            break;
        }
        now = compile(s, ptxas.path, next, limits);
    }
    feedback.sentences.push_back(ending(s, best, feedback.compiles));
    feedback.planned = best.planned;
    feedback.kernels = best.kernels;
    feedback.limits = best.limits;
    return feedback;
}

}  // namespace eutectic
