#pragma once

// Values computed back from their results, and how far off they may be: y = f(x) was rounded, and so x = g(y)
// is not quite x.
//
// In float32 a relative error r is at most r 2^24 units in the last place. Halide's exp and log are off by at
// most one unit, so that y = log(x) is off by at most 2^-23 |y|; g passes that on times its derivative, and
// adds its own roundings:
//     log       x = exp(y)                        2 |log x| + 1
//     exp       x = log(y)                        2 / |x| + 1
//     sqrt      x = y y                           3: sqrt is rounded correctly
//     tanh      x = log((1 + y) / (1 - y)) / 2    (3 cosh(x)^2 + 1.5) / |x| + 1, with y = 1 - 2 / (exp(2x) +
//     1) off by three roundings of 1 sigmoid   x = log(y / (1 - y))              2 ((2 - y) / (1 - y) + 1) /
//     |x| + 1, with y = 1 / (1 + exp(-x))

#include "base/verdict.h"

#include <optional>
#include <string>

namespace eutectic {

enum class Invertible { log, exp, sqrt, tanh, sigmoid };

/// Units in the last place, beyond which a value is not computed back.
constexpr double most_ulps = 4;

/// What is known of a value, from the ranges declared for inputs. Both ends included, low <= high; they may
/// be infinite.
struct ValueRange {
    double low, high;
};

/// The largest of the bounds above for x in `range`; infinite where that contains 0 (log and sqrt: something
/// not in their domain).
double ulps_of_inverse(Invertible f, const ValueRange &range);

/// May x be computed back from y? The names are for the sentence, which gives the bound, or says that no
/// range is known.
Verdict may_invert(Invertible f, const std::string &x, const std::string &y,
                   const std::optional<ValueRange> &range);

std::string ulps_text(double ulps);

/// "log(x)" and "exp(y)" and so on, of the function and of its inverse.
std::string forward_text(Invertible f, const std::string &x);
std::string inverse_text(Invertible f, const std::string &y);

}  // namespace eutectic
