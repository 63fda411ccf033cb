#pragma once

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

#include "graph/data/ids.h"

namespace eutectic {

/** The region of every Func that the outputs need when everything has its estimated size. */
class Regions {
public:
    std::map<std::string, Halide::Internal::Box> boxes;
    /** Of a Func's dimension that some index reads without bounds: who, and the index. */
    std::map<std::pair<std::string, DimId>, std::pair<std::string, Halide::Expr>> unbounded;

    /** Extents of `f`, innermost first. A dimension that no consumer bounds falls back to bound(), to the
     * estimate of the buffer that `f` wraps (`buffer`, null for other Funcs) and to the Func's own, else
     * throws UserError, which names the index that has no bounds. */
    Extents extents(const Halide::Internal::Function &f, const Halide::Internal::Call *buffer) const;

private:
    std::string remedy(const Halide::Internal::Function &f, DimId d, bool buffer) const;
};

/** `functions`: producers first. Throws UserError naming the first output dimension without an estimate. */
Regions infer_regions(const std::vector<Halide::Internal::Function> &outputs,
                      const std::vector<Halide::Internal::Function> &functions);

}  // namespace eutectic
