#pragma once

// Funcs with updates that propagate_adjoints cannot reverse: products, extremes, recurrences, scans, online
// tuples. The Func is taken apart into its versions, f_0 after the pure definition, f_s after update s, and
// reversed update by update.
//
//     scatter     f_s(a(v, r)) += g(v, r)
//                 dg(v, r) = df_s(a(v, r)),   df_{s-1} = df_s
//     reduction   f_s(v) = what the last step leaves of h(v, t + 1) = g(v, r_t, h(v, t)), h(v, 0) =
//     f_{s-1}(v)
//                 b(v, t) = b(v, t + 1) dg/dh(v, r_t, h(v, t)),   b(v, T) = df_s(v),   df_{s-1}(v) = b(v, 0)
//                 The backward writes the earlier values h out again, from what the steps load.
//     scan        f_s(a(r)) = g(r, f(a(r) + c), …), each point once. What a step reads at a + c is f_s
//     there if it was written before,
//                 and f_{s-1} otherwise: no history is needed, the result is one.
//                 b(a(r)) = df_s(a(r)) + sum over the reads c written before of b(a(r) - c) dg/df_c(r - c),
//                 from the last step to the first
//
// b is the adjoint of what a step writes, so that g over all steps is one pure Func with the adjoint b,
// differentiated like any other.

#include "autodiff/tape.h"

#include <Halide.h>

#include <vector>

namespace eutectic {

/// Adds what f's elements with the adjoints `adjoints` (undefined where there is none) contribute to the
/// Funcs that f reads.
void reverse_stages(Tape &tape, const Halide::Internal::Function &f,
                    const std::vector<Halide::Func> &adjoints);

}  // namespace eutectic
