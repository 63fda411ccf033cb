// What a stage is as code: the instructions of its innermost block, and how long they take to compile.

#include <algorithm>

#include "cost/innermost_block.h"

namespace eutectic {

namespace {

/** Instructions for each of the block's vectors, of elements of so many bytes. */
double issues(const Block &block, double bytes, const Machine &m) {
    return std::max(1.0, full_instructions(static_cast<double>(block.lanes), bytes, m));
}

/** Of what takes longer than an operation because of its type, which is as much code as it takes time. */
double typed_instructions(const ExprSummary &body, const Block &block, const Machine &m) {
    return typed_cycles(body, static_cast<double>(block.lanes), m) * m.vector_ops_per_cycle;
}

/** Of the block's arithmetic, for vectors of the machine's width. */
double arithmetic(const NestedStage &stage, const Block &block, const Machine &m) {
    double instructions = 0;
    for (const Part &part : stage.work->parts) {
        const ExprSummary &body = body_in(stage, block, part);
        const double polynomials = body.transcendentals * m.exp_cycles * m.vector_ops_per_cycle;
        instructions += distinct(block, part.depends) *
                        (issues(block, body.bytes_of_operation(stage.work->element_bytes), m) *
                             (body.flops - (part.multiply_accumulate ? 1 : 0) + body.guards + body.divisions +
                              polynomials + body.libm_calls) +
                         typed_instructions(body, block, m));
    }
    return instructions;
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
    if (stage.work->library) {
        return 0;
    }
    const Block block = innermost_block(stage);
    double instructions = arithmetic(stage, block, m);
    for (const Load &load : stage.work->loads) {
        instructions += loads_of(load, stage, block) * issues(block, load.bytes_per_point, m);
    }
    return instructions * m.instruction_bytes;
}

Seconds compile_seconds(const NestedStage &stage, const Machine &m) {
    if (stage.work->library) {
        return 0;
    }
    const Block block = innermost_block(stage);
    Seconds seconds = 0;
    for (const Part &part : stage.work->parts) {
        const ExprSummary &body = body_in(stage, block, part);
        const double of_vector = issues(block, body.bytes_of_operation(stage.work->element_bytes), m);
        const double calls = body.libm_calls * static_cast<double>(block.lanes) / of_vector;
        const double plain = body.flops - (part.multiply_accumulate ? 1 : 0) + body.divisions + calls;
        seconds +=
            distinct(block, part.depends) *
            (of_vector * (plain * m.compile_operation_seconds + body.transcendentals * m.compile_exp_seconds +
                          body.guards * m.compile_guard_seconds) +
             typed_instructions(body, block, m) * m.compile_operation_seconds);
    }
    for (const Load &load : stage.work->loads) {
        const double loads = loads_of(load, stage, block);
        seconds += is_gather(load, stage, block)
                       ? loads * static_cast<double>(block.lanes) * m.compile_lane_seconds
                       : loads * issues(block, load.bytes_per_point, m) * m.compile_load_seconds;
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
