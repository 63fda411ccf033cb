#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace eutectic::numerics {

/// Values that an input is drawn from: low, low + step, … up to high. By default multiples of 1/8, so that sums of products are exact in
/// float32 and no rounding decides on which side of relu's kink an element falls (Numbers in evaluate.h).
struct Draw {
    double low = -0.5, high = 0.5, step = 0.125;
};

/// What must be known of a generator to call its kernels at any size; all else is in the kernels' metadata.
struct Shapes {
    /// The free dimensions of each buffer, innermost first. The gradient "d_NAME" has those of NAME; residuals are not listed, since the
    /// backward itself says (by a bounds query) what it needs of them.
    std::map<std::string, std::vector<std::string>> buffers;
    std::map<std::string, Draw> draws;                ///< of inputs that need others than the default
    std::map<std::string, std::string> indices_into;  ///< integer inputs, and the free dimension whose points they are
    std::map<std::string, double> scalars;

    /// The free dimensions of a buffer, or nothing for a residual.
    std::optional<std::vector<std::string>> dims_of(const std::string &buffer) const;
    /// All free dimensions.
    std::vector<std::string> free_dims() const;
};

/// The table. Throws std::logic_error, naming the generator, if it has no line.
const Shapes &shapes_of(const std::string &generator);

}  // namespace eutectic::numerics
