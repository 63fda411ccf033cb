#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace eutectic::numerics {

/// Values that an input is drawn from: low, low + step, … up to high. By default multiples of 1/8, so that
/// sums of products are exact in float32 and no rounding decides on which side of relu's kink an element
/// falls (Numbers in evaluate.h).
struct Draw {
    double low = -0.5, high = 0.5, step = 0.125;
};

/// What must be known of a generator to call its kernels at any size; all else is in the kernels' metadata.
struct Shapes {
    /// The dimensions of each buffer, innermost first: free ones by their names, and sizes that follow from
    /// them (range_of in subject.h). The gradient "d_NAME" has those of NAME; residuals are not listed, since
    /// the backward itself says (by a bounds query) what it needs of them.
    std::map<std::string, std::vector<std::string>> buffers;
    std::map<std::string, Draw> draws;  ///< of inputs that need others than the default
    std::map<std::string, std::string>
        indices_into;  ///< integer inputs, and the free dimension whose points they are
    std::map<std::string, double> scalars;
    std::set<std::string>
        fixed;  ///< dimensions that a kernel has by its parameters: always the estimate, from 0
    std::map<std::string, int>
        largest;  ///< dimensions that stay small, so that the scalar reference can follow
    std::map<std::string, int> smallest =
        {};  ///< dimensions that do not get smaller, since what is left then is what roundings leave

    /// The dimensions of a buffer, or nothing for a residual.
    std::optional<std::vector<std::string>> dims_of(const std::string &buffer) const;
    /// All free and fixed dimensions.
    std::vector<std::string> free_dims() const;
};

/// The table: by generator, and by NAME_WHAT where parameters change a generator's shapes. Throws
/// std::logic_error, naming the line, if it has none.
const Shapes &shapes_of(const std::string &line);

/// Is it the name of a dimension, not a size that follows from others?
bool is_name(const std::string &dim);

}  // namespace eutectic::numerics
