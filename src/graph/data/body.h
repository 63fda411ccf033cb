#pragma once

// What one evaluation of a definition computes.

#include <cstdint>
#include <vector>

#include "base/typed_operation.h"
#include "graph/data/ids.h"

namespace eutectic {

/** Work in one evaluation of a stage's right-hand side, counted on its expression. */
struct ExprSummary {
    double flops = 0;  ///< adds, multiplies, comparisons, selects, conversions, integer operations
    double divisions = 0;
    double transcendentals = 0;  ///< exp, log and what is made of them: inlined as polynomials in float32
    double libm_calls = 0;       ///< scalar calls
    double guards = 0;  ///< comparisons and choices of boundary conditions, which loop partitioning leaves to
                        ///< the ends of loops
    double operand_bytes =
        0;  ///< of all but guards, each with the bytes of its result or operands, whichever are wider: what
            ///< fills vectors. 0: they have the type of what is stored
    TypedCounts typed{};  ///< of the operations counted above, those that cost more because of their type

    void add_flops(double n, int bytes) {
        flops += n;
        operand_bytes += n * bytes;
    }
    void add_typed(TypedOperation operation, double n) {
        typed[static_cast<size_t>(operation)] += static_cast<float>(n);
    }
    double operations() const {
        return flops + divisions + transcendentals + libm_calls;
    }
    /** Of one operation, on average. */
    double bytes_of_operation(int element_bytes) const {
        return operand_bytes > 0 ? operand_bytes / operations() : element_bytes;
    }

    ExprSummary &operator+=(const ExprSummary &o) {
        flops += o.flops;
        divisions += o.divisions;
        transcendentals += o.transcendentals;
        libm_calls += o.libm_calls;
        guards += o.guards;
        operand_bytes += o.operand_bytes;
        for (size_t i = 0; i < typed.size(); i++) {
            typed[i] += o.typed[i];
        }
        return *this;
    }
    /** Without what `o` counts, which is part of it. */
    ExprSummary &operator-=(ExprSummary o) {
        o *= -1;
        *this += o;
        for (double *part : {&flops, &divisions, &transcendentals, &libm_calls, &guards, &operand_bytes}) {
            *part = *part > 0 ? *part : 0;
        }
        for (float &count : typed) {
            count = count > 0 ? count : 0;
        }
        return *this;
    }
    ExprSummary &operator*=(double times) {
        for (double *part : {&flops, &divisions, &transcendentals, &libm_calls, &guards, &operand_bytes}) {
            *part *= times;
        }
        for (float &count : typed) {
            count *= static_cast<float>(times);
        }
        return *this;
    }
};

/** A dim of few points by which a definition chooses: select(c == 0, red, …). Where the compiler knows its
 * value, as in a loop that is unrolled or where it is read at a constant coordinate, the choice is decided,
 * and what is not chosen is not computed. */
struct Cases {
    /** Dims of more points are not looked at: so many times a definition is simplified. Chosen, not measured:
     * colours, parts of a number, and cases of a program that is interpreted. */
    static constexpr int64_t most_points = 16;

    DimId dim = -1;
    std::vector<ExprSummary> bodies;  ///< what is left of the body at each of its points

    /** On average. */
    ExprSummary mean() const;
};

/** What iterations of a recurrence wait for: each needs what the one before has computed. */
struct Chain {
    DimId dim = -1;         ///< of the recurrence
    int operations = 1;     ///< from one to the next
    bool integers = false;  ///< of integers
};

/** What happens at a share of the points of a dim alone: where a case is asked for, or a condition holds. */
struct SomeOf {
    DimId dim = -1;
    double share = 1;
    int64_t period =
        0;  ///< they are those with certain remainders by this, as even rows (a phase); 0: they are any
    bool operator==(const SomeOf &other) const {
        return dim == other.dim && share == other.share && period == other.period;
    }
};

}  // namespace eutectic
