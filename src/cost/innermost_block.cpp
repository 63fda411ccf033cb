#include "cost/innermost_block.h"

#include <cmath>

namespace eutectic {

Block innermost_block(const NestedStage &stage) {
    Block block;
    const Nest &nest = stage.nest;
    block.vectors.assign(stage.work->dims.size(), 1);
    std::vector<int64_t> left;
    left.reserve(stage.work->dims.size());
    for (const Dim &d : stage.work->dims) {
        left.push_back(d.extent);
    }
    for (size_t l = 0; l < nest.loops.size(); l++) {
        const Loop &loop = nest.loops[l];
        const int64_t n = trips(nest, l, stage.work->dims);
        if (loop.dim >= 0) {
            left[loop.dim] = loop.size;
        }
        if (loop.kind == Loop::Kind::vector) {
            block.vector_dim = loop.dim;
            block.lanes = n;
        } else if (loop.kind == Loop::Kind::unroll && loop.dim >= 0) {
            block.vectors[loop.dim] *= n;
        } else {
            block.repeats *= static_cast<double>(n);
        }
    }
    for (size_t d = 0; d < left.size(); d++) {
        block.repeats *= static_cast<double>(left[d]);  // dims that no loop names
    }
    return block;
}

double distinct(const Block &block, const std::vector<bool> &depends) {
    double n = 1;
    for (size_t d = 0; d < block.vectors.size(); d++) {
        n *= depends[d] ? static_cast<double>(block.vectors[d]) : 1;
    }
    return n;
}

std::vector<bool> dims_of(const Load &load, size_t dims) {
    std::vector<bool> depends(dims);
    for (size_t d = 0; d < dims; d++) {
        depends[d] = load.access.depends_on(static_cast<int>(d));
    }
    return depends;
}

bool contiguous_along(const Load &load, size_t dim) {
    bool contiguous = !load.access.indices.empty() && load.access.indices[0].affine &&
                      load.access.indices[0].wraps == 0 && std::abs(load.access.indices[0].scale[dim]) == 1;
    for (size_t i = 1; i < load.access.indices.size(); i++) {
        contiguous = contiguous && !load.access.indices[i].depends_on(static_cast<int>(dim));
    }
    return contiguous;
}

}  // namespace eutectic
