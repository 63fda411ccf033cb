#pragma once

// What the backward reads of the forward, and the ways in which it can have it, as plain data (no Halide).
//
// A value is a forward tensor, one bit an element of a condition on forward tensors, or a tensor made for a
// rule (an argmax, a log-sum-exp). In the backward it is kept (written by the forward, or an output that the
// caller has anyway), or made there by one of its recipes out of inputs and of other values, which are then
// needed too.

#include "base/units.h"

#include <string>
#include <vector>

namespace eutectic {

/// One way to make a value in the backward.
struct Recipe {
    /// rewritten: computed back from a result of the value (b = exp(y) where y = log(b)), which may not
    /// itself be made out of it.
    bool rewritten = false;
    /// The recipe before it without a tensor: slower, for less memory.
    bool spares_tensor = false;
    /// The values it reads, as indices into the graph; inputs are always there and are not among them.
    std::vector<int> from;
    /// To make all of it once, on the machine that the graph was built for.
    Seconds seconds = 0;
    /// It is a tensor of the backward of this size; 0: it is written out where it is read.
    Bytes scratch = 0;
    /// Written out, it may still be put into buffers of its reader's loops, one a thread; these bytes in all.
    Bytes in_tiles = 0;
    /// Units in the last place that it may be off by, at most.
    double ulps = 0;
    /// "recomputed from h, w2", "y = log(b), so that b = exp(y)".
    std::string how;
};

struct ResidualValue {
    std::string name;
    /// What it is when kept: saved, mask, argmax, argmin, lse; output where the caller has it anyway.
    std::string kind = "saved";
    /// Between the two calls, when kept; 0 for an output.
    Bytes bytes = 0;
    /// When kept: what the forward takes longer to write it, and to read it in the backward.
    Seconds keep_seconds = 0;
    /// The backward itself reads it, whatever is chosen for others.
    bool is_read = false;
    /// False inside a checkpoint segment, and for what no tensor decides: `why_not_kept` says which. It has a
    /// recipe then.
    bool may_keep = true;
    std::string why_not_kept;
    std::vector<Recipe> recipes;
    /// Sentences: ways that it does not have, and why.
    std::vector<std::string> refused;
    /// Where in the backward it is read, as indices into ResidualGraph::backward_scratch.
    std::vector<int> uses;
    /// As a tensor of the forward that is not kept: its bytes, and where it is made and last read (indices
    /// into forward_scratch).
    Bytes forward_bytes = 0;
    int made = 0, last_read = 0;
};

struct ResidualGraph {
    /// Producers first: what a recipe that is not `rewritten` reads stands before the value.
    std::vector<ResidualValue> values;
    /// Bytes of temporary tensors at each step of the backward, and of the forward, that no choice changes:
    /// those of its own adjoints.
    std::vector<Bytes> backward_scratch, forward_scratch;
    /// Sizes are guesses: an estimate is missing, of what this says. Empty: all are known.
    std::string without_estimate;
};

/// What is chosen for each value: not needed, kept, or recipe number way - 1.
struct ResidualChoice {
    static constexpr int absent = -1, kept = 0;
    std::vector<int> way;
    Bytes bytes = 0;      // of residuals
    Bytes scratch = 0;    // the larger peak of temporaries, of the forward and of the backward
    Seconds seconds = 0;  // of keeping and of making: what forward and backward take because of them

    Bytes peak() const {
        return bytes + scratch;
    }
};

/// `choice` without the tensors that slower recipes spare. Where none does, `choice`.
ResidualChoice with_least_tensors(const ResidualGraph &graph, const ResidualChoice &choice);

/// Fills bytes, scratch and seconds from `way`. False when something needed is absent, something absent
/// cannot be made, or values are made in a circle.
bool evaluate(const ResidualGraph &graph, ResidualChoice &choice);

/// For a choice without circles: everything that is needed, and nothing else, kept or made as `way` says;
/// absent values that turn out to be needed are kept, or made by their first recipe where they may not be
/// kept.
ResidualChoice completed(const ResidualGraph &graph, ResidualChoice choice);

/// Every value in a line, for tests and for people.
std::string to_text(const ResidualGraph &graph);
std::string to_text(const ResidualGraph &graph, const ResidualChoice &choice);

}  // namespace eutectic
