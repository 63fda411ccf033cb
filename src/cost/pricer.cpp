// Prices by other models than this project's own.

#include "cost/pricer.h"

#include <algorithm>

#include "base/user_error.h"
#include "cost/gpu_nest.h"
#include "cost/innermost_block.h"
#include "cost/traffic.h"

namespace eutectic {

namespace {

double product_of_trips(const NestedStage &stage, Loop::Kind kind) {
    double product = 1;
    for (size_t l = 0; l < stage.nest.loops.size(); l++) {
        if (stage.nest.loops[l].kind == kind) {
            product *= static_cast<double>(trips(stage.nest, l, stage.work->dims));
        }
    }
    return product;
}

/** Iterations of the stage in its loops, those of the stages around it included. */
double iterations_of(const NestedStage &stage) {
    const Block block = innermost_block(stage);
    double points = block.repeats * static_cast<double>(block.lanes);
    for (const int64_t vectors : block.vectors) {
        points *= static_cast<double>(vectors);
    }
    return points;
}

/** What it computes, loads and stores in so many iterations. */
eutectic_stage work_of(const StageWork &work, double iterations) {
    eutectic_stage s = {};
    s.points = iterations * share_of(work.taken);
    for (const Part &part : work.parts) {
        s.flops += s.points * part.body.flops;
        s.divisions += s.points * part.body.divisions;
        s.transcendentals += s.points * part.body.transcendentals;
        s.libm_calls += s.points * part.body.libm_calls;
    }
    for (const Load &load : work.loads) {
        s.loaded_bytes += s.points * share_of(load.read_at) * load.taps * load.bytes_per_point;
    }
    s.recomputed = work.recomputed;
    s.element_bytes = work.element_bytes;
    s.stored_bytes = s.points * work.stored_bytes;
    s.lanes = s.unrolled = 1;
    return s;
}

/** Peak arithmetic and traffic to memory, whichever takes longer. */
void roofline(const eutectic_nest *nest, const eutectic_machine *m, eutectic_price *price) {
    const double cores = std::max(1.0, std::min(nest->tasks, m->cores));
    double operations = 0, bytes = 0;
    for (int s = 0; s < nest->stage_count; s++) {
        const eutectic_stage &stage = nest->stages[s];
        operations += stage.flops + stage.divisions + stage.transcendentals + stage.libm_calls;
        bytes += stage.beyond_l3;
    }
    price->compute = operations / m->flops_per_second / cores;
    price->memory = std::max(0.0, bytes / m->memory_bytes_per_second - price->compute);
}

/** Bytes past every level at its bandwidth. */
void traffic(const eutectic_nest *nest, const eutectic_machine *m, eutectic_price *price) {
    const double cores = std::max(1.0, std::min(nest->tasks, m->cores));
    const auto seconds = [](double bytes, double rate) { return rate > 0 ? bytes / rate : 0; };
    for (int s = 0; s < nest->stage_count; s++) {
        const eutectic_stage &stage = nest->stages[s];
        price->memory += seconds(stage.beyond_l1, m->l2_bytes_per_second * cores) +
                         seconds(stage.beyond_l2, m->l3_bytes_per_second * cores) +
                         seconds(stage.beyond_l3, m->memory_bytes_per_second);
    }
}

eutectic_price as_c(const Cost &c) {
    return {c.compute, c.memory, c.idle, c.launch};
}

}  // namespace

const std::vector<std::string> &pricer_names() {
    static const std::vector<std::string> names = {"roofline", "traffic"};
    return names;
}

std::shared_ptr<const Pricer> load_pricer(const std::string &path);

std::shared_ptr<const Pricer> pricer_named(const std::string &name) {
    if (name == "roofline") {
        return std::make_shared<Pricer>(Pricer{name, roofline});
    }
    return name == "traffic" ? std::make_shared<Pricer>(Pricer{name, traffic}) : load_pricer(name);
}

NestFeatures nest_features(const std::vector<NestedStage> &stages, const Machine &m, double tasks,
                           const Cost &own) {
    NestFeatures nest;
    nest.tasks = tasks;
    nest.touched_bytes = bytes_touched(stages, m);
    nest.own = own;
    const double cores = std::max(1.0, std::min(tasks, static_cast<double>(m.cores)));
    for (const NestedStage &stage : stages) {
        eutectic_stage s = work_of(*stage.work, iterations_of(stage));
        const Traffic t = StageTraffic(stage, m).past(nest.touched_bytes);
        s.beyond_l1 = t.beyond_l1;
        s.beyond_l2 = t.beyond_l2;
        s.beyond_l3 = t.beyond_l3;
        s.lanes = product_of_trips(stage, Loop::Kind::vector);
        s.unrolled = product_of_trips(stage, Loop::Kind::unroll);
        s.in_registers = stage.accumulates_in_registers ? 1 : 0;
        s.compute_seconds = compute_cycles(stage, m) / m.hertz / cores;
        nest.stages.push_back(s);
    }
    return nest;
}

NestFeatures kernel_features(const KernelStages &kernel, const KernelPrice &own) {
    eutectic_stage all = {};
    for (const NestedStage &stage : kernel.stages) {
        const eutectic_stage s = work_of(*stage.work, own.blocks * points_of_tile(tile_of_block(stage)));
        all.points += s.points;
        all.flops += s.flops;
        all.divisions += s.divisions;
        all.transcendentals += s.transcendentals;
        all.libm_calls += s.libm_calls;
        all.recomputed += s.recomputed;
        all.loaded_bytes += s.loaded_bytes;
        all.stored_bytes += s.stored_bytes;
        all.element_bytes = s.element_bytes;
    }
    all.lanes = own.resources.threads;
    all.unrolled = own.tile_points;
    all.in_registers = own.tile_points > 1 ? 1 : 0;
    all.beyond_l1 = own.l2_bytes;
    all.beyond_l2 = all.beyond_l3 = own.dram_bytes;
    all.compute_seconds = own.cost.compute;
    NestFeatures nest;
    nest.tasks = own.blocks;
    nest.touched_bytes = own.dram_bytes;
    nest.own = own.cost;
    nest.stages.push_back(all);
    return nest;
}

eutectic_machine priced_machine(const Machine &m) {
    if (m.gpu) {
        const Gpu &g = *m.gpu;
        return {static_cast<double>(g.sms),
                32 * g.fmas_per_cycle,
                2 * g.fmas_per_cycle * g.hertz,
                static_cast<double>(g.l1_bytes_per_sm),
                static_cast<double>(g.l2_bytes) / g.sms,
                0,
                g.l2_bytes_per_second / g.sms,
                0,
                g.dram_bytes_per_second,
                g.launch_seconds,
                0};
    }
    return {static_cast<double>(m.cores),
            static_cast<double>(m.vector_bits),
            2 * m.vector_ops_per_cycle * std::min(m.vector_bits, m.datapath_bits) / 32 * m.hertz,
            static_cast<double>(m.l1.bytes),
            static_cast<double>(m.l2.bytes),
            static_cast<double>(m.l3.bytes),
            m.l2.bytes_per_second,
            m.l3.bytes_per_second,
            m.memory_bytes_per_second,
            m.launch_seconds,
            m.task_seconds};
}

Cost priced(const NestFeatures &nest, const Machine &machine) {
    const Pricer &by = *machine.experiment.pricer;
    const eutectic_machine m = priced_machine(machine);
    const eutectic_nest told = {nest.stages.data(), static_cast<int>(nest.stages.size()), nest.tasks,
                                nest.touched_bytes, as_c(nest.own)};
    eutectic_price price = {};
    by.price(&told, &m, &price);
    for (const double part : {price.compute, price.memory, price.idle, price.launch}) {
        if (!(part >= 0)) {
            throw UserError(
                "The cost model " + by.name + " answers " + std::to_string(part) +
                " s for a nest of loops, which is no time: let it answer numbers of seconds of at "
                "least 0.");
        }
    }
    return {price.compute, price.memory, price.idle, price.launch, nest.own.compiling};
}

}  // namespace eutectic
