#pragma once

#include <string>

#include "Halide.h"

namespace eutectic {

/** What `f` returns at its own arguments and does nothing to, or null. */
const Halide::Internal::Call *copied(const Halide::Internal::Function &f);

/** The buffer that `f` merely wraps, as the call that loads it, or null. */
const Halide::Internal::Call *wrapped_buffer(const Halide::Internal::Function &f);

/** A Func of that name that wraps `buffer`. Nothing calls it yet, and nobody schedules it: its loop levels
 * are locked. */
Halide::Internal::Function wrapper_of(const Halide::Parameter &buffer, const std::string &name);
Halide::Internal::Function wrapper_of(const Halide::Buffer<> &buffer, const std::string &name);

/** The name of the input that `f` stands for, which is called after it with the ending "_im" (as ImageParam
 * and Input<Buffer> make it, also where generators are joined and the input is another's output), or an empty
 * text.
 */
std::string input_name(const Halide::Internal::Function &f);
/** The same of `name`, which stands for f's: "g$1" of "g_im$1". */
std::string input_name(const Halide::Internal::Function &f, const std::string &name);

/** `e` as people read it: inputs by their own names. */
std::string text_of(const Halide::Expr &e);

}  // namespace eutectic
