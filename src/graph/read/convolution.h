#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** One of the dimensions along which the window of a convolution moves. */
struct WindowDim {
    int dim = 0;          ///< argument of the convolution
    std::string reduces;  ///< the reduction variable over the three points of the window
    int step = 1;         ///< what is read is at the argument plus (1) or minus (-1) that variable
    int first = 0;        ///< its first value
};

/** f(..., u, v, ...) = start; f += image(u + r, v + s, ...) * filter(r, s, ...): a window of 3 x 3 points,
 * moved point by point, over an image that may be any expression, as one with zero outside. */
struct Convolution {
    std::array<WindowDim, 2> window;  ///< in the order of f's arguments
    Halide::Expr image;   ///< in terms of f's arguments and `channels`; of those of `window` in that of what
                          ///< is read
    Halide::Expr filter;  ///< in terms of the others, `channels` and both variables of the window
    std::vector<Halide::Internal::ReductionVariable> channels;  ///< what else is summed up over
    std::vector<std::string> of_image, of_filter;  ///< which of f's arguments but those of the window, and of
                                                   ///< the channels, occur
    Halide::Expr start;                            ///< in f's arguments
    bool from_zero = false;
};

/** `f` as a convolution; nothing where it is none, or not one of floats or doubles, or where it sums up no
 * products of channels: where no reduction variable but those of the window is in the image and the filter,
 * or no argument in the filter alone. */
std::optional<Convolution> convolution(const Halide::Internal::Function &f);

}  // namespace eutectic
