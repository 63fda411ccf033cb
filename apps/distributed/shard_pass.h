#pragma once

#include "apps/digits/data.h"
#include "apps/distributed/gradients.h"
#include "apps/distributed/kernels.h"

#include <vector>

namespace eutectic::distributed {

/// A residual's extents for a shard: its last dimension counts samples if its estimate is the planned
/// shard's.
std::vector<int> residual_extents(const Argument &residual, int samples);

/// One shard's way through the pieces, forward and backward, with the buffers of all that lies between them.
class ShardPass {
public:
    /// Refers to the kernels, the network and the gradients, which must outlive it. samples ≥ 1.
    ShardPass(const Kernels &kernels, digits::Network &network, Gradients &gradients, int shard, int samples);
    ShardPass(const ShardPass &) = delete;
    ShardPass &operator=(const ShardPass &) = delete;

    /// The samples of these lines, as many as it was made for. `weight` is what the shard's mean loss counts
    /// in the batch's: its share of the samples. Gradients come weighted.
    void load(const digits::Digits &data, const std::vector<int> &lines, float weight);

    /// Every piece, and the shard's loss.
    void forward();
    /// One piece, from the last, layers − 1, to 0; then the gradients of its parameters are where they
    /// belong.
    void backward(size_t layer);

private:
    struct Piece;
    void bind(size_t layer, digits::Network &network);

    const Kernels &kernels_;
    Gradients &gradients_;
    const int shard_;
    float weight_ = 1;
    digits::Floats images_, loss_, upstream_;
    Halide::Runtime::Buffer<int32_t> labels_;
    std::vector<Piece> pieces_;

public:
    ~ShardPass();
};

}  // namespace eutectic::distributed
