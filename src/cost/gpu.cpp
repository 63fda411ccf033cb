// The price of a kernel. Every number that is not here by arithmetic is the device's (machine/gpu.h).

#include "cost/gpu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/gpu_nest.h"
#include "cost/pricer.h"

namespace eutectic {

namespace {

bool in_registers(const NestedStage &s, FuncId f) {
    return std::find(s.in_registers.begin(), s.in_registers.end(), f) != s.in_registers.end();
}

bool in_shared(const NestedStage &s, FuncId f) {
    return std::find(s.in_shared.begin(), s.in_shared.end(), f) != s.in_shared.end();
}

/** `fused`: one product is part of a multiply-add that is counted elsewhere. */
double instructions_of(const ExprSummary &b, bool fused, const Gpu &g) {
    return std::max(0.0, b.flops - (fused ? 1 : 0)) + g.division_instructions * b.divisions +
           g.transcendental_instructions * b.transcendentals + g.libm_instructions * b.libm_calls;
}

double special_values_of(const ExprSummary &b, const Gpu &g) {
    return b.divisions + b.transcendentals + g.libm_special_values * b.libm_calls;
}

/** What all of a kernel's blocks do together. */
struct Totals {
    double instructions = 0, special = 0, first_level_bytes = 0, l2_bytes = 0, dram_bytes = 0;
    Seconds latency = 0;         // of one block
    Seconds atomics = 0;         // until the second level has done them all
    double bytes_in_flight = 0;  // of a thread, at best
};

class Pricing {
public:
    Pricing(const KernelStages &kernel, const Machine &machine)
        : kernel_(kernel), m_(machine), g_(*machine.gpu), blocks_(blocks_of(kernel.stages.front())) {
    }

    KernelPrice run() {
        KernelPrice p;
        p.blocks = blocks_;
        const bool kept = kernel_.register_values > 0;
        p.tile_points = kept ? kernel_.register_values : std::max(kernel_.row_values, kernel_.tile_points);
        p.registers_per_point = kept || kernel_.row_values > 0 ? 1 : g_.point_registers;
        p.resources = resources();
        p.needed_registers = p.resources.registers;
        if (p.needed_registers <= g_.registers_per_thread + g_.spare_registers) {
            p.resources.registers = std::min(p.needed_registers, g_.registers_per_thread);
        }
        p.occupancy = occupancy(g_, p.resources);
        if (p.occupancy.blocks == 0) {
            p.cost.compute = std::numeric_limits<double>::infinity();
            return p;
        }
        resident_ = std::min<double>(p.occupancy.blocks, std::ceil(blocks_ / g_.sms));
        for (const NestedStage &s : kernel_.stages) {
            add(s);
        }
        p.dram_bytes = totals_.dram_bytes;
        p.l2_bytes = totals_.l2_bytes;
        p.cost = cost(p);
        return p;
    }

private:
    const KernelStages &kernel_;
    const Machine &m_;
    const Gpu &g_;
    double blocks_, resident_ = 1;
    Totals totals_;
    // What stages before have read, and the bytes of a block of it.
    std::vector<std::pair<FuncId, double>> seen_;

    /** What one block takes of an SM, if a thread has all registers that it would have. */
    KernelResources resources() const {
        KernelResources r;
        r.shared_bytes = kernel_.shared_bytes;
        r.threads = threads_of(kernel_.stages);
        int registers = g_.base_registers;
        for (const NestedStage &s : kernel_.stages) {
            const int loads = static_cast<int>(s.work->loads.size());
            registers = std::max(registers, g_.base_registers + g_.load_registers * (loads + s.work->stores) +
                                                static_cast<int>(s.work->dims.size()));
        }
        r.registers = registers + g_.point_registers * (kernel_.tile_points - 1) +
                      (kernel_.register_values > 0 ? kernel_.register_values + g_.address_registers : 0) +
                      static_cast<int>(std::ceil(g_.row_value_registers * kernel_.row_values));
        return r;
    }

    /** What of the first level a block may count on. */
    double first_level() const {
        return std::max(0.0, static_cast<double>(g_.l1_bytes_per_sm) -
                                 resident_ * static_cast<double>(kernel_.shared_bytes)) /
               resident_;
    }

    /** Threads of a block go through their loops side by side: does what one turn of these reads stay in the
     * first level until all have read it? */
    bool fits_in_steps(const NestedStage &s) const {
        Extents tile = tile_of_block(s);
        DimFlags named(tile.size(), false);
        for (const Loop &l : s.nest.loops) {
            if (l.dim >= 0 && l.kind != Loop::Kind::gpu_block) {
                named[l.dim] = true;
                int64_t &t = tile[l.dim];
                t = l.kind == Loop::Kind::serial || l.kind == Loop::Kind::gpu_step ? std::min(t, l.size) : t;
            }
        }
        for (const DimId d : tile.ids()) {
            tile[d] = named[d] ? tile[d] : 1;
        }
        double bytes = 0;
        for (const Load &load : s.work->loads) {
            bytes += block_bytes(load, tile, g_);
        }
        return bytes <= first_level();
    }

    void add(const NestedStage &s) {
        const Extents tile = tile_of_block(s);
        const double points = points_of_tile(tile) * redundant_threads(s);  // of one block
        const double threads = threads_of(s), steps = std::max(1.0, points / threads);
        const double instructions_before = totals_.instructions, special_before = totals_.special;
        for (const Part &part : s.work->parts) {
            add_arithmetic(part, points / hoisted(part, s, tile));
        }
        const Reads reads = add_loads(s, tile, points);
        const double together = trips_of(s, points_at_once);
        totals_.bytes_in_flight = std::max(totals_.bytes_in_flight, reads.in_flight * together);
        totals_.instructions += blocks_ * points / together * g_.loop_instructions;
        if (!in_registers(s, s.work->func)) {
            add_stores(s, tile, points);
        }
        // A warp issues for all of its lanes, however few have work.
        const double issued = std::ceil(threads / g_.warp_size) * g_.warp_size / threads;
        totals_.instructions = instructions_before + issued * (totals_.instructions - instructions_before);
        totals_.special = special_before + issued * (totals_.special - special_before);
        add_latency(s, reads.latency, steps / together);
    }

    /** Of one stage's loads: the longest time until a value is there, and the bytes of a point that come from
     * beyond the first level. */
    struct Reads {
        Seconds latency = 0;
        double in_flight = 0;
    };

    /** Adds what `points` points of a block read of anything. */
    Reads add_loads(const NestedStage &s, const Extents &tile, double points) {
        const bool streams = fits_in_steps(s);
        Reads reads;
        for (const Load &load : s.work->loads) {
            if (in_registers(s, load.producer)) {
                continue;
            }
            const bool local = std::find(s.local.begin(), s.local.end(), load.producer) != s.local.end();
            reads.in_flight += local ? 0 : load.bytes_per_point;
            // One array is shared memory and the first level.
            reads.latency =
                std::max(reads.latency, local || in_first_level(load, tile) ? g_.shared_latency_seconds
                                                                            : g_.dram_latency_seconds);
            if (in_shared(s, load.producer)) {
                add_shared(s, load, points);
                continue;
            }
            // Of points that a thread computes at once, those that read the same value load it once.
            const double loads = points / trips_of(s, [&](const Loop &l) {
                                     return at_once(l) && !(l.dim >= 0 && load.access.depends_on(l.dim));
                                 });
            totals_.instructions += blocks_ * loads * g_.access_instructions /
                                    points_of_vector(s, load.access, load.bytes_per_point, g_);
            totals_.first_level_bytes +=
                blocks_ * loads *
                (local ? load.bytes_per_point : bytes_of_lane(s, load.access, load.bytes_per_point, g_));
            if (!local) {
                add_traffic(load, tile, loads, bytes_of_lane(s, load.access, load.bytes_per_point, g_),
                            streams);
            }
        }
        return reads;
    }

    /** Adds the time that a thread waits in `turns` turns, each of which begins with loads. */
    void add_latency(const NestedStage &s, Seconds latency, double turns) {
        // The first values of a stage come after a whole latency; of later ones a thread has the next under
        // way, too.
        const Seconds turn =
            std::max(latency / g_.turns_under_way,
                     (s.work->accumulates ? 2 : 1) * g_.instruction_latency_cycles / g_.hertz);
        totals_.latency += latency + turns * turn;
        // What other threads read they have to wait for, and for its start before a sum.
        const bool for_others = in_shared(s, s.work->func);
        totals_.latency +=
            for_others ? g_.shared_latency_seconds + (s.work->accumulates ? 2 : 1) * g_.barrier_seconds : 0;
        // What all threads do in steps they wait for in each.
        const double taken = trips_of(s, [](const Loop &l) { return l.kind == Loop::Kind::gpu_step; });
        totals_.latency += taken > 1 ? taken * (latency + g_.barriers_a_step * g_.barrier_seconds) : 0;
    }

    /** Loads from shared memory of `points` points of `s`: neighbours that a thread computes at once come
     * together, what a warp's threads share comes once, and threads that meet in a bank take turns. */
    void add_shared(const NestedStage &s, const Load &load, double points) {
        const Index &first = load.access.indices.front();
        double wide = 1, shared = 1;
        int64_t apart = 1;  // of neighbouring threads' points
        const DimId thread = thread_dim(s);
        for (size_t l = 0; l < s.nest.loops.size(); l++) {
            const Loop &loop = s.nest.loops[l];
            if (loop.dim < 0) {
                continue;
            }
            const double turns = static_cast<double>(trips(s.nest, l, s.work->dims));
            shared *= at_once(loop) && !load.access.depends_on(loop.dim) ? turns : 1;
            wide *= at_once(loop) && first.equals_dim() == loop.dim ? turns : 1;
            apart = is_thread(loop) && loop.dim == thread && first.equals_dim() == thread ? loop.size : apart;
        }
        wide = std::min(wide, static_cast<double>(g_.widest_load_bytes) / load.bytes_per_point);
        const double loads = points / shared / wide;
        const bool one_for_all = thread < 0 || !load.access.depends_on(thread);
        const double turns = std::max(1.0, static_cast<double>(apart) / wide);
        totals_.instructions += blocks_ * loads;  // distances from one address
        totals_.first_level_bytes +=
            blocks_ * loads *
            (one_for_all ? g_.access_bytes_per_cycle / g_.warp_size : load.bytes_per_point * wide * turns);
    }

    /** Of the points that a thread goes over one after another, those that share one evaluation of `part`. */
    static double hoisted(const Part &part, const NestedStage &s, const Extents &tile) {
        double shared = 1;
        for (const DimId d : tile.ids()) {
            double threads = 1;
            for (size_t l = 0; l < s.nest.loops.size(); l++) {
                threads *= is_thread(s.nest.loops[l]) && s.nest.loops[l].dim == d
                               ? static_cast<double>(trips(s.nest, l, s.work->dims))
                               : 1;
            }
            shared *= part.depends.contains(d) && !part.depends[d]
                          ? std::max(1.0, static_cast<double>(tile[d]) / threads)
                          : 1;
        }
        return shared;
    }

    void add_arithmetic(const Part &part, double evaluations) {
        totals_.instructions +=
            blocks_ * evaluations * instructions_of(part.body, part.multiply_accumulate, g_);
        totals_.special += blocks_ * evaluations * special_values_of(part.body, g_);
    }

    /** Has a stage before this one read what a block reads here? */
    bool reread(const Load &load, double of_block) const {
        return std::any_of(seen_.begin(), seen_.end(),
                           [&](const auto &s) { return s.first == load.producer && s.second >= of_block; });
    }

    /** And is it still there? */
    bool in_first_level(const Load &load, const Extents &tile) const {
        const double of_block = block_bytes(load, tile, g_);
        return of_block <= first_level() && reread(load, of_block);
    }

    void add_traffic(const Load &load, const Extents &tile, double loads, double lane_bytes, bool streams) {
        const double of_block = block_bytes(load, tile, g_);
        double whole = load.bytes_per_point;
        for (const int64_t e : load.extents) {
            whole *= static_cast<double>(e);
        }
        const bool stays = of_block <= first_level();
        const bool before = reread(load, of_block);
        if (!(before && stays)) {
            totals_.l2_bytes +=
                blocks_ * (stays || streams ? of_block : std::max(of_block, loads * lane_bytes));
        }
        if (!before) {
            // Blocks that run at the same time find each other's in the second level; of what it does not
            // hold they read again.
            const double once = std::min(whole, blocks_ * of_block);
            totals_.dram_bytes +=
                std::min(blocks_ * of_block, once * std::max(1.0, once / static_cast<double>(g_.l2_bytes)));
            seen_.emplace_back(load.producer, of_block);
        } else if (resident_ * g_.sms * of_block > static_cast<double>(g_.l2_bytes)) {
            totals_.dram_bytes += blocks_ * of_block;
        }
    }

    void add_stores(const NestedStage &s, const Extents &tile, double points) {
        double stored = 1;
        size_t pure = 0;
        for (const DimId d : tile.ids()) {
            stored *= s.work->dims[d].reduction ? 1 : static_cast<double>(tile[d]);
            pure += s.work->dims[d].reduction ? 0 : 1;
        }
        if (s.atomic_bytes > 0) {
            add(atomic_updates(s, points, in_shared(s, s.work->func), g_));
            return;
        }
        const bool in_memory =
            s.work->accumulates && !s.accumulates_in_registers;  // every term is a load and a store
        const double stores = in_memory ? 2 * points : stored;
        const Access own = identity_access(pure, s.work->dims.size());
        const double lane = s.stores_locally || pure == 0 ? s.work->stored_bytes
                                                          : bytes_of_lane(s, own, s.work->stored_bytes, g_);
        const int values = std::max(1, s.work->stores);  // of a Tuple, each of which is stored for itself
        totals_.instructions += blocks_ * stores * values * g_.access_instructions /
                                points_of_vector(s, own, s.work->stored_bytes / values, g_);
        totals_.first_level_bytes += blocks_ * stores * lane * s.bank_conflicts;
        if (!s.stores_locally) {
            totals_.l2_bytes += blocks_ * stores * lane;
            totals_.dram_bytes += blocks_ * stored * s.work->stored_bytes * (s.work->accumulates ? 2 : 1);
        }
    }

    void add(const AtomicUpdates &a) {
        totals_.instructions += blocks_ * a.instructions;
        totals_.first_level_bytes += blocks_ * a.first_level_bytes;
        totals_.l2_bytes += blocks_ * a.l2_bytes;
        totals_.dram_bytes += std::min(a.results_bytes, blocks_ * a.l2_bytes);
        totals_.atomics += blocks_ * a.seconds;
    }

    Cost cost(const KernelPrice &p) const {
        const double busy = std::min<double>(g_.sms, blocks_);
        const double cycles =
            std::max({totals_.instructions / g_.fmas_per_cycle, totals_.special / g_.special_per_cycle,
                      totals_.first_level_bytes / g_.access_bytes_per_cycle});
        const Seconds compute = cycles / g_.hertz / busy;
        // Little's law: latency times bandwidth is what must be under way.
        const double needed = g_.dram_latency_seconds * g_.dram_bytes_per_second;
        const double under_way = busy * resident_ * p.resources.threads * totals_.bytes_in_flight;
        const double hidden = totals_.bytes_in_flight > 0 ? std::min(1.0, under_way / needed) : 1;
        const Seconds memory = std::max({totals_.dram_bytes / g_.dram_bytes_per_second / hidden,
                                         totals_.l2_bytes / g_.l2_bytes_per_second, totals_.atomics});
        const double waves = std::ceil(blocks_ / (g_.sms * static_cast<double>(p.occupancy.blocks)));
        Cost c;
        c.launch = g_.launch_seconds;
        c.compute = compute;
        c.memory = std::max(0.0, memory - compute) + m_.overlap_loss * std::min(memory, compute);
        const Seconds throughput = c.compute + c.memory;
        const double uneven = std::ceil(blocks_ / busy) * busy / blocks_;  // the SM with most blocks
        c.idle = m_.experiment.evenly_spread
                     ? 0
                     : std::max(throughput * uneven, waves * totals_.latency) - throughput;
        return c;
    }
};

class GpuCostModel : public CostModel {
public:
    KernelPrice price(const KernelStages &kernel, const Machine &machine, Seconds) const override {
        KernelPrice price = Pricing(kernel, machine).run();
        price.cost.compiling =
            machine.compile_weight > 0 ? machine.compile_weight * compile_seconds(kernel.stages, machine) : 0;
        if (machine.experiment.pricer && price.occupancy.blocks > 0) {
            price.cost = priced(kernel_features(kernel, price), machine);
        }
        return price;
    }

    Seconds allocation(Bytes, const Machine &machine) const override {
        return machine.gpu->allocation_seconds;
    }

    /** The runtime keeps what the device's buffers were. */
    Seconds trimming(const std::vector<Bytes> &, const Machine &, Bytes) const override {
        return 0;
    }

    Seconds arithmetic(const ExprSummary &all, int, const Machine &machine) const override {
        const Gpu &g = *machine.gpu;
        return std::max(instructions_of(all, false, g) / g.fmas_per_cycle,
                        special_values_of(all, g) / g.special_per_cycle) /
               g.hertz / g.sms;
    }

    Seconds moving(Bytes bytes, Bytes all, const Machine &machine) const override {
        const Gpu &g = *machine.gpu;
        return static_cast<double>(bytes) /
               (all <= g.l2_bytes ? g.l2_bytes_per_second : g.dram_bytes_per_second);
    }
};

}  // namespace

const CostModel &gpu_cost_model() {
    static const GpuCostModel model;
    return model;
}

}  // namespace eutectic
