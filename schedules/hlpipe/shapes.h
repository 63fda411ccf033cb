#pragma once

// What the buffers of a run look like.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/hlpipe/load.h"

namespace eutectic {

/** Mins, extents and strides of a pipeline's buffers: what every caller's buffer has (set_min, set_extent,
 * set_stride, set_bounds), and else what is estimated; without a stride the innermost dimension is dense,
 * and the others follow what lies inside of them without gaps, in their order. */
class Shapes {
public:
    /** Throws UserError for an output without estimates. */
    explicit Shapes(const LoadedPipeline &loaded);

    /** A zeroed buffer for an input, or for an output's element; undefined where something does not follow
     * from estimates. Throws UserError, naming it, where no buffer that can be made here is as the pipeline
     * asks. */
    Halide::Buffer<> buffer(const Halide::Parameter &of) const;

private:
    struct Sizes {
        std::vector<std::optional<int>> min, extent, stride;
    };
    std::map<std::string, Sizes> known_;
    std::set<std::string> outputs_;
    std::map<std::string, Halide::Expr> values_;  ///< of what constraints speak of: "in.extent.0", scalars

    std::optional<int> number(const Halide::Expr &e) const;
    bool learn(const Halide::Parameter &p, Sizes &sizes);
};

/** Whether the pipeline asks for more of the buffer than that its innermost dimension is dense. */
bool is_constrained(const Halide::Parameter &buffer);

/** A zeroed buffer with the same dimensions and strides. */
Halide::Buffer<> buffer_like(const Halide::Buffer<> &other);

}  // namespace eutectic
