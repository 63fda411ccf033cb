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

/// Where the forward has a value, whatever is kept for the backward.
enum class ForwardPlace {
    memory,     ///< a tensor that the forward needs itself: there is nothing to do for it
    registers,  ///< of the nest that reads it, once a point: that nest stores it, too
    inlined,    ///< computed again for each of its readers: it takes a pass of its own
};

/// To read what the caller has anyway.
Seconds seconds_to_read(const Machine &machine, Bytes bytes, Bytes all);
/// To have `bytes` written by the forward, and to read them in the backward. A pass of its own also begins a
/// parallel loop, and the forward reads what it has written.
Seconds seconds_to_keep(const Machine &machine, Bytes bytes, Bytes all, ForwardPlace place);
/// How often each point is evaluated where it is written out, in all of these loops.
struct Evaluations {
    double times = 1;  // at least `loops`
    int loops = 1;     // at least 1
};

/// Written out in loops that move `bytes` each anyway: what the traffic does not hide of one evaluation in
/// each, and all of the arithmetic of further ones; at least a hundredth of making it for each of them.
Seconds seconds_in_loops(const Machine &machine, const Work &work, Bytes bytes, Bytes all,
                         const Evaluations &evaluations);
/// The same where a scheduler may choose: written out, further evaluations are worth their arithmetic alone.
/// It never takes longer than a tensor.
Seconds seconds_in_loops_or_tensor(const Machine &machine, const Work &work, Bytes bytes, Bytes all,
                                   const Evaluations &evaluations);
/// Does computing a value so many times take longer than having it as a tensor of `bytes`?
bool is_worth_storing(const Machine &machine, const Work &work, Bytes bytes, Bytes all, double times);
/// A tensor is also written and read, and needs a parallel loop and a buffer.
Seconds seconds_to_make(const Machine &machine, const Work &work, Bytes all);

}  // namespace eutectic
