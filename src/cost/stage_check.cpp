#include "cost/stage_check.h"

#include <stdexcept>
#include <string>

namespace eutectic {

namespace {

void require(bool holds, const StageWork &work, const std::string &otherwise) {
    if (!holds) {
        throw std::runtime_error("not the stages of a plan: func " +
                                 std::to_string(static_cast<int>(work.func)) + " has " + otherwise);
    }
}

bool has(const StageWork &work, DimId dim) {
    return dim >= 0 && dim < static_cast<int>(work.dims.size());
}

void require_consistent(const Load &load, const StageWork &work) {
    require(load.access.indices.size() == load.extents.size(), work,
            "a load with " + std::to_string(load.access.indices.size()) + " indices of a buffer of " +
                std::to_string(load.extents.size()) + " dims");
    for (const Index &index : load.access.indices) {
        require(index.scale.size() == work.dims.size(), work,
                "an index over " + std::to_string(index.scale.size()) + " dims, and " +
                    std::to_string(work.dims.size()) + " dims of its own");
    }
    const int last = static_cast<int>(load.extents.size()) - 1;
    require(load.interleaving.inner >= 0 && load.interleaving.outer >= -1 &&
                (last < 0 || load.interleaving.inner <= last) && load.interleaving.outer <= last,
            work, "a load interleaved along dims that its buffer has not");
    for (const SomeOf &some : load.read_at) {
        require(has(work, some.dim), work, "a load at a share of a dim that it has not");
    }
}

void require_consistent(const Loops &loops, const StageWork &work) {
    for (const Loop &loop : loops) {
        require(has(work, loop.dim) || (loop.dim == -1 && loop.count > 0), work,
                "a loop over a dim that it has not");
        require(loop.size >= 1 && loop.count >= 0, work, "a loop of no points");
        require(loop.kind >= Loop::Kind::serial && loop.kind <= Loop::Kind::gpu_step, work,
                "a loop of a kind that there is not");
    }
}

}  // namespace

void require_consistent(const NestedStage &stage) {
    const StageWork &work = *stage.work;
    for (const Part &part : work.parts) {
        require(part.depends.size() == work.dims.size() && part.guarded.size() <= work.dims.size(), work,
                "a part that depends on other dims than its own");
    }
    for (const Load &load : work.loads) {
        require_consistent(load, work);
    }
    if (work.written) {
        require_consistent(*work.written, work);
    }
    require(work.scattered_by.empty() || work.scattered_by.size() == work.dims.size(), work,
            "places that depend on other dims than its own");
    for (const SomeOf &some : work.taken) {
        require(has(work, some.dim), work, "an update at a share of a dim that it has not");
    }
    require(!work.chain || has(work, work.chain->dim), work, "a recurrence along a dim that it has not");
    const size_t loops = stage.nest.loops.size();
    require(stage.nest.shared >= 0 && static_cast<size_t>(stage.nest.shared) <= loops &&
                stage.block_loops <= loops,
            work, "more loops in common with others than it has");
    require_consistent(stage.nest.loops, work);
}

}  // namespace eutectic
