#pragma once

// Arrays of numpy's (.npy). Not by halide_image_io.h, which reads and writes an array's first axis as the
// innermost dimension, where numpy's own last one is: tests/apps/test_npy.cpp has all that differs.

#include <string>

#include "Halide.h"

namespace eutectic {

/** The array in `path`, which covers what `needed` does. Throws UserError, naming `input`, when it is no
 * array of that type, a smaller one, or damaged. */
Halide::Buffer<> read_npy(const std::string &path, const std::string &input, const Halide::Buffer<> &needed);

/** The values as a file of numpy's, its last axis the innermost dimension. Throws UserError, naming `func`,
 * for a type that numpy lacks. */
std::string npy(const Halide::Buffer<> &values, const std::string &func);

}  // namespace eutectic
