#pragma once

// Seconds of keeping a tensor and of recomputing it, by the cost model (src/cost/model.h).

#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/// What it takes to make a value once.
struct Work {
    /// Summed over all points of all definitions.
    ExprSummary body;
    /// Of everything that is read.
    Bytes loads = 0;
    int element_bytes = 4;
    /// As a tensor of its own: its size; 0: written out where it is read.
    Bytes tensor = 0;

    void add(const ExprSummary &of_a_point, double points);
};

/// What a byte is worth that is held from one call to the other, of a step that takes `step` and could keep
/// `all` bytes: together they are worth a tenth of the step, so that a tensor is recomputed where that takes
/// ten times less of the time than it has of the bytes.
Seconds seconds_per_held_byte(Seconds step, Bytes all);

/// To write `bytes` in the forward and read them in the backward.
Seconds seconds_to_keep(const Machine &machine, Bytes bytes, Bytes all);
/// To read what the caller has anyway.
Seconds seconds_to_read(const Machine &machine, Bytes bytes, Bytes all);
/// Written out in a loop that moves `bytes` anyway, at memory's speed: what the traffic does not hide, and at
/// least a hundredth.
Seconds seconds_in_loop(const Machine &machine, const Work &work, Bytes bytes, Bytes all);
/// A tensor is also written and read, and needs a parallel loop and a buffer.
Seconds seconds_to_make(const Machine &machine, const Work &work, Bytes all);

}  // namespace eutectic
