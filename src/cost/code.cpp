// What a stage is as code: the instructions of its innermost block, and how long they take to compile.

#include <algorithm>

#include "cost/innermost_block.h"

namespace eutectic {

namespace {

/** Instructions of the block's arithmetic, for vectors of the machine's width. */
double arithmetic(const NestedStage &stage, const Block &block, const Machine &m) {
    double instructions = 0;
    for (const Part &part : stage.work->parts) {
        const double polynomials = part.body.transcendentals * m.exp_cycles * m.vector_ops_per_cycle;
        instructions += distinct(block, part.depends) *
                        (part.body.flops - (part.multiply_accumulate ? 1 : 0) + part.body.guards +
                         part.body.divisions + polynomials + part.body.libm_calls);
    }
    return instructions;
}

/** Full-width instructions for each of the block's vectors. */
double issues(const NestedStage &stage, const Block &block, const Machine &m) {
    return std::max(1.0, static_cast<double>(block.lanes) / m.lanes(stage.work->element_bytes));
}

bool is_gather(const Load &load, const NestedStage &stage, const Block &block) {
    const DimId along = block.vector_dim;
    return along >= 0 && load.access.depends_on(along) &&
           (step_along(load, along, stage.strides_known) == 0 || clamped_along(load, along));
}

double loads_of(const Load &load, const NestedStage &stage, const Block &block) {
    return load.taps * distinct(block, dims_of(load, stage.work->dims.size()));
}

}  // namespace

double code_bytes(const NestedStage &stage, const Machine &m) {
    const Block block = innermost_block(stage);
    double instructions = arithmetic(stage, block, m);
    for (const Load &load : stage.work->loads) {
        instructions += loads_of(load, stage, block);
    }
    return instructions * issues(stage, block, m) * m.instruction_bytes;
}

Seconds compile_seconds(const NestedStage &stage, const Machine &m) {
    const Block block = innermost_block(stage);
    const double of_vector = issues(stage, block, m);
    Seconds seconds = 0;
    for (const Part &part : stage.work->parts) {
        const ExprSummary &body = part.body;
        const double calls = body.libm_calls * static_cast<double>(block.lanes) / of_vector;
        const double plain = body.flops - (part.multiply_accumulate ? 1 : 0) + body.divisions + calls;
        seconds += of_vector * distinct(block, part.depends) *
                   (plain * m.compile_operation_seconds + body.transcendentals * m.compile_exp_seconds +
                    body.guards * m.compile_guard_seconds);
    }
    for (const Load &load : stage.work->loads) {
        const double loads = loads_of(load, stage, block);
        seconds += is_gather(load, stage, block)
                       ? loads * static_cast<double>(block.lanes) * m.compile_lane_seconds
                       : loads * of_vector * m.compile_load_seconds;
    }
    return seconds * stage.nest.versions;
}

Seconds compile_seconds(const std::vector<NestedStage> &stages, const Machine &m) {
    Seconds sum = m.compile_nest_seconds;
    for (const NestedStage &stage : stages) {
        sum += compile_seconds(stage, m);
    }
    return sum;
}

}  // namespace eutectic
