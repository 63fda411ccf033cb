#pragma once

#include <vector>

#include "Halide.h"

#include "machine/measure.h"

namespace eutectic {

/** `pipeline`, compiled for `target`, to be run on `buffers` (one or two, the output last), which does `work`
 * units. A run that fails throws std::runtime_error. */
Probe compiled_probe(Halide::Pipeline pipeline, const std::vector<Halide::Argument> &arguments,
                     const std::vector<Halide::Buffer<>> &buffers, const Halide::Target &target, double work);

/** Schedules sums acc(x, v), of `vectors` vectors of `lanes` lanes over `r`, to be in registers, inside out's
 * loop over `each`, or inside the only iteration of a loop made for that (null). */
void keep_in_registers(Halide::Func &acc, Halide::Func &out, const Halide::RDom &r, int lanes, int vectors,
                       const Halide::Var *each);

/** Throws std::runtime_error unless a kernel's status is 0. */
void check_status(int status);

}  // namespace eutectic
