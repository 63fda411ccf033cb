// The price of one loop nest: compute and traffic of its stages, spread over cores.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "cost/innermost_block.h"
#include "cost/model.h"
#include "cost/pricer.h"
#include "cost/traffic.h"

namespace eutectic {

Cost &Cost::operator+=(const Cost &other) {
    compute += other.compute;
    memory += other.memory;
    idle += other.idle;
    launch += other.launch;
    compiling += other.compiling;
    return *this;
}

std::string to_string(const Cost &cost) {
    std::ostringstream s;
    s << format_seconds(cost.total()) << " (compute " << format_seconds(cost.compute) << ", memory "
      << format_seconds(cost.memory) << ", idle " << format_seconds(cost.idle) << ", launch "
      << format_seconds(cost.launch) << ")";
    return s.str();
}

double parallel_tasks(const NestedStage &stage) {
    double tasks = 0;
    for (size_t l = 0; l < stage.nest.loops.size() && stage.nest.loops[l].kind == Loop::Kind::parallel; l++) {
        tasks = std::max(tasks, 1.0) * static_cast<double>(trips(stage.nest, l, stage.work->dims));
    }
    return tasks;
}

namespace {

/** Bytes that the stages touch, what several of them do once. */
double bytes_touched(const std::vector<StageTraffic> &stages) {
    std::vector<StageTraffic::Whole> most;
    for (const StageTraffic &stage : stages) {
        for (const StageTraffic::Whole &w : stage.touched()) {
            const auto known =
                std::find_if(most.begin(), most.end(), [&](const auto &k) { return k.func == w.func; });
            if (known == most.end()) {
                most.push_back(w);
            } else {
                known->bytes = std::max(known->bytes, w.bytes);
            }
        }
    }
    return std::accumulate(most.begin(), most.end(), 0.0,
                           [](double sum, const auto &w) { return sum + w.bytes; });
}

/** Until runs of lines begin to come, by so many cores. */
Seconds waiting_seconds(const Traffic &t, double cores, const Machine &m) {
    return (t.runs_beyond_l2 * m.l3_run_seconds + t.runs_beyond_l3 * m.memory_run_seconds +
            t.short_lines_beyond_l3 * m.memory_short_line_seconds) /
           cores;
}

/** Of traffic past each level, by so many cores, waits aside. */
Seconds moving_seconds(const Traffic &t, double cores, const Machine &m) {
    return t.beyond_l1 / m.l2.bytes_per_second / cores + t.beyond_l2 / m.l3.bytes_per_second / cores +
           t.beyond_l3 / (m.memory_bytes_per_second * (cores > 1 ? 1 : m.lone_core_share));
}

}  // namespace

double bytes_touched(const std::vector<NestedStage> &stages, const Machine &m) {
    std::vector<StageTraffic> traffic;
    traffic.reserve(stages.size());
    for (const NestedStage &stage : stages) {
        traffic.emplace_back(stage, m);
    }
    return bytes_touched(traffic);
}

namespace {

/** By this project's own model; `tasks` of the nest's parallel loops. */
Cost own_price(const std::vector<NestedStage> &stages, const Machine &m, double tasks, Seconds limit) {
    Cost cost;
    const double cores = std::max(1.0, std::min(tasks, static_cast<double>(m.cores)));
    std::vector<Seconds> computing;
    for (const NestedStage &stage : stages) {
        computing.push_back(compute_cycles(stage, m) / m.hertz / cores);
    }
    if (std::accumulate(computing.begin(), computing.end(), Seconds{0}) >= limit) {
        cost.compute = std::numeric_limits<double>::infinity();
        return cost;
    }
    std::vector<StageTraffic> traffic;
    traffic.reserve(stages.size());
    for (const NestedStage &stage : stages) {
        traffic.emplace_back(stage, m);
    }
    const double touched = bytes_touched(traffic);
    Seconds later = std::accumulate(computing.begin(), computing.end(), Seconds{0});
    for (size_t s = 0; s < stages.size(); s++) {
        if (cost.compute + cost.memory + later >= limit) {
            cost.compute = std::numeric_limits<double>::infinity();
            return cost;
        }
        const NestedStage &stage = stages[s];
        const Seconds compute = computing[s];
        later -= compute;
        const Traffic t = traffic[s].past(touched);
        const Seconds moving = moving_seconds(t, cores, m), waiting = waiting_seconds(t, cores, m);
        cost.launch += code_bytes(stage, m) / m.l2.bytes_per_second;
        // Prefetching hides traffic behind the arithmetic of the same stage (stages run one after another),
        // not quite all of it; and until a run begins to come, what was read before is worked on. (A product
        // of 512^3 on two cores of an AMD EPYC, whose strips of 128 bytes of one operand come from the third
        // level again for each tile, 256 Ki a core, at a pitch of 4 KiB: 631 us, and 529 where they stay in
        // the second, at 4,120 bytes. Waiting alone would be 870.)
        const Seconds waits = std::max(0.0, waiting - compute);
        cost.compute += compute;
        // What the second level has is too near for all that: multiplying waits a little for each run. (A
        // product's operand in place, whose rows share a set of the first level: 59 of the 88 GFLOP/s of a
        // core that has it packed, where moving alone takes a fourth of the time.)
        cost.memory +=
            (t.runs_beyond_l1 * m.l2_run_seconds + t.conflicts_beyond_l1 * m.l2_conflict_seconds) / cores;
        cost.memory += stream_cycles(stage, m) / m.hertz / cores;
        cost.memory += std::max(0.0, moving + waits - compute) +
                       m.overlap_loss * (std::min(moving + waits, compute) + std::min(waiting, compute));
    }
    cost.compiling = m.compile_weight > 0 ? m.compile_weight * compile_seconds(stages, m) : 0;
    if (tasks > 0) {
        const double busiest = m.experiment.evenly_spread ? 1 : std::ceil(tasks / cores) * cores / tasks;
        cost.idle = (cost.compute + cost.memory) * (busiest - 1);
        cost.launch += m.launch_seconds + m.task_seconds * std::ceil(tasks / cores);
    }
    return cost;
}

}  // namespace

Cost price(const std::vector<NestedStage> &stages, const Machine &m, Seconds limit) {
    const double tasks = stages.empty() ? 0 : parallel_tasks(stages.front());
    if (!m.experiment.pricer || stages.empty()) {
        return own_price(stages, m, tasks, limit);
    }
    const Cost own = own_price(stages, m, tasks, std::numeric_limits<double>::infinity());
    return priced(nest_features(stages, m, tasks, own), m);
}

namespace {

class CpuCostModel : public CostModel {
public:
    KernelPrice price(const KernelStages &kernel, const Machine &m, Seconds limit) const override {
        KernelPrice price;
        price.cost = eutectic::price(kernel.stages, m, limit);
        return price;
    }

    Seconds allocation(Bytes bytes, const Machine &m) const override {
        const double fresh = bytes > m.kept_allocation_bytes && !m.arena
                                 ? static_cast<double>(bytes) / static_cast<double>(m.page_bytes)
                                 : 0;
        return m.allocation_seconds + fresh * m.fresh_page_seconds;
    }

    Seconds trimming(const std::vector<Bytes> &buffers, const Machine &m, Bytes other) const override {
        if (m.arena) {
            return 0;
        }
        Bytes sum = 0, largest = other <= m.kept_allocation_bytes ? other : 0;
        Bytes heap = m.heap_pad_bytes, unused = m.heap_pad_bytes;
        for (const Bytes b : buffers) {
            if (b > m.kept_allocation_bytes || b <= m.thread_kept_bytes) {
                continue;
            }
            sum += b;
            largest = std::max(largest, b);
            if (b > unused) {
                heap += b - unused + m.heap_pad_bytes;
                unused = m.heap_pad_bytes;
            } else {
                unused -= b;
            }
        }
        const bool trimmed = heap > (largest < m.trimmed_bytes ? m.trimmed_bytes : 2 * largest);
        return trimmed ? static_cast<double>(std::max<Bytes>(0, sum - m.heap_pad_bytes)) /
                             static_cast<double>(m.page_bytes) * m.fresh_page_seconds
                       : 0;
    }

    Seconds arithmetic(const ExprSummary &all, int element_bytes, const Machine &m) const override {
        return arithmetic_cycles(all, element_bytes, m) / m.hertz / m.cores;
    }

    Seconds moving(Bytes bytes, Bytes all, const Machine &m) const override {
        const auto past = [&](const CacheLevel &level) {
            const double room = m.usable_cache * static_cast<double>(level.bytes) * m.cores;
            return static_cast<double>(all) > room ? static_cast<double>(bytes) : 0;
        };
        return moving_seconds({static_cast<double>(bytes), past(m.l2), past(m.l3)}, m.cores, m);
    }
};

}  // namespace

const CostModel &cpu_cost_model() {
    static const CpuCostModel model;
    return model;
}

}  // namespace eutectic
