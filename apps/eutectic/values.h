#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "Halide.h"

#include "schedules/hlpipe/trial.h"

namespace eutectic {

/** Where an input's values come from. */
struct ValueSource {
    enum class Kind {
        uniform,   ///< numbers from `low` to `high`
        integers,  ///< whole numbers from `low` to `high`, both included
        file
    };  ///< an array of numpy's (.npy), its last axis Halide's innermost dimension
    Kind kind = Kind::uniform;
    double low = -1, high = 1;
    std::string path;
};

/** "uniform(-1,1)", "int(0,9)" or "FILE.npy". Throws UserError, naming `input`, for anything else. */
ValueSource parse_source(const std::string &input, const std::string &text);

/** What an input gets when nobody says otherwise: what the pipeline implies; else floats in [-1, 1), all
 * values of 8 bits, as pixels and quantized weights have them, wider integers in [-8, 7] or [0, 15], whose
 * sums and products stay small, and both truth values. */
ValueSource default_source(const Halide::Type &type, const std::optional<ImpliedRange> &implied);

/** Fills `buffer`. The value at a coordinate follows from `input` and the coordinate alone, so that buffers
 * of different sizes agree where they overlap. */
void fill(Halide::Buffer<> &buffer, const std::string &input, const ValueSource &source);

/** The number as a scalar argument of that type. */
halide_scalar_value_t scalar_value(const Halide::Type &type, const std::string &input,
                                   const nlohmann::json &number);

/** How two runs differ. */
struct Difference {
    double largest = 0;    ///< |a - b|, infinite where only one is NaN
    bool agrees = true;    ///< each within what was allowed
    bool all_nan = false;  ///< of the reference's values
    bool all_zero = false;
};

/** What two runs may differ by. */
struct Allowance {
    double terms = 1;      ///< of the longest sum
    bool exact = false;    ///< nothing at all
    bool rounded = false;  ///< integers were floats on their way (rounding.h): one of a hundred may be 1 off
};

/** Compares with `reference`, element by element: |a - b| <= (1e-5 + sqrt(terms) * eps) * max|reference| +
 * terms * eps * |reference| for floats, no difference for integers unless `rounded`. NaN agrees with NaN, an
 * infinity with itself. Both have one type and size. (Errors of rounding grow with the root of the terms:
 * Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019. Before max|reference| eps
 * is at most that of 32 bits, in which narrower values are summed.) */
Difference compare(const Halide::Buffer<> &result, const Halide::Buffer<> &reference,
                   const Allowance &allowance);

}  // namespace eutectic
