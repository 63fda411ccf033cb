#include "schedules/cut_scans.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "schedules/prepare.h"
#include "schedules/rewrites.h"

namespace eutectic {

namespace {

// Bytes of a piece. Many, so that starting a piece, and carrying, take nothing beside it; few enough for what
// a piece reads and writes to stay in a second-level cache until the pass that adds what came before. Chosen,
// not measured.
constexpr int64_t most_bytes = 16384, least_bytes = 256;
// Pieces for each core, so that cores that finish early find others. Chosen, as streaming's tasks are.
constexpr int64_t pieces_of_core = 4;

// On GPUs a thread goes along each piece. Of many points the threads are few, of few the pieces that follow
// each other are many; they are cut again. Chosen, not measured.
constexpr int gpu_points = 64;

bool may_change(const Graph &graph, FuncId f) {
    const FuncInfo &func = graph.funcs[f];
    return may_redefine(func) && func.stages.size() == 2 && graph.pure_stage(f).role != Role::opaque &&
           graph.last_stage(f).role == Role::scan;
}

/** As many bytes, or a little less: an odd number of lines, so that the pieces that tasks go along side by
 * side do not meet in one set of a cache. (A sum of 2^22 floats in pieces of 4,096, 128 of them in turn, on
 * an AMD EPYC: 27 ms.) */
int64_t odd_lines(int64_t bytes, const Machine &machine) {
    const int64_t lines = bytes / machine.line_bytes;
    return (lines - (lines % 2 == 0 ? 1 : 0)) * machine.line_bytes;
}

/** What cutting a scan takes and saves. */
struct Gain {
    Seconds before, after;
    int points;  ///< of a piece
};

Gain on_cpu(const FuncInfo &func, int64_t steps, double others, const Machine &machine) {
    const Seconds waiting = static_cast<double>(func.points()) * machine.fma_latency_cycles / machine.hertz;
    const int64_t pieces = pieces_of_core * machine.cores;
    const Seconds starting = 3 * machine.launch_seconds + static_cast<double>(pieces) * machine.task_seconds;
    const int64_t bytes = std::min(most_bytes, steps / pieces * func.element_bytes);
    const bool enough =
        machine.cores > 1 && others < machine.cores && steps * func.element_bytes >= pieces * least_bytes;
    return {enough ? waiting : 0, starting, static_cast<int>(odd_lines(bytes, machine) / func.element_bytes)};
}

/** A thread waits for what each step loads, as long as few threads are there to wait beside it; the bytes of
 * all take as long as they do. */
Gain on_gpu(const FuncInfo &func, int64_t steps, double others, const Gpu &gpu) {
    const Seconds step = gpu.dram_latency_seconds / gpu.turns_under_way;
    const Seconds pass = 2 * static_cast<double>(func.bytes()) / gpu.dram_bytes_per_second;
    const auto serial = [&](double points, double threads) {
        const double turns = std::ceil(threads / (static_cast<double>(gpu.sms) * gpu.threads_per_sm));
        return std::max(points * step * turns, pass);
    };
    const double pieces = static_cast<double>(steps) / gpu_points;
    return {serial(static_cast<double>(steps), others),
            2 * gpu.launch_seconds + serial(gpu_points, others * pieces) +
                std::min(pieces, 2.0 * gpu_points) * step + pass,
            gpu_points};
}

}  // namespace

std::vector<std::pair<int, int>> scans_to_cut(const Graph &graph, const Halide::Pipeline &pipeline,
                                              const Machine &machine) {
    std::vector<std::pair<int, int>> scans;
    for (const FuncId f : graph.funcs.ids()) {
        if (!may_change(graph, f)) {
            continue;
        }
        const FuncInfo &func = graph.funcs[f];
        const Halide::Internal::Function scan =
            Halide::Pipeline(pipeline).get_func(func.pipeline_index).function();
        const std::optional<CuttableScan> found = cuttable_scan(scan);
        const bool in_any_order = !graph.strict || (graph.sums_in_any_order && found && !found->has_factors);
        if (!found || (!in_any_order && scan.output_types().front().is_float())) {
            continue;
        }
        const int64_t steps = func.extents[found->argument];
        const double others = static_cast<double>(func.points()) / static_cast<double>(steps);
        const Gain gain =
            machine.gpu ? on_gpu(func, steps, others, *machine.gpu) : on_cpu(func, steps, others, machine);
        if (gain.before > 2 * gain.after) {
            scans.emplace_back(func.pipeline_index, gain.points);
        }
    }
    return scans;
}

}  // namespace eutectic
