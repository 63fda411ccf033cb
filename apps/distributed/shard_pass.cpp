#include "apps/distributed/shard_pass.h"

#include "apps/digits/evaluation.h"
#include "apps/distributed/shards.h"

namespace eutectic::distributed {

using digits::Floats;

/// What lies behind a piece, and how its two kernels are called.
struct ShardPass::Piece {
    Floats z, d_z;  // none of the last piece
    std::vector<Tensor> residuals;
    Floats d_w, d_b;  // in a bucket's memory
    std::vector<void *> forward, backward;
};

namespace {

/// The parameter's shape, in memory that someone else has.
Floats shaped_like(const Floats &value, float *at) {
    std::vector<int> extents;
    for (int d = 0; d < value.dimensions(); d++) {
        extents.push_back(value.dim(d).extent());
    }
    return Floats(at, extents);
}

}  // namespace

std::vector<int> residual_extents(const Argument &residual, int samples) {
    std::vector<int> extents = residual.extents;
    if (!extents.empty() && extents.back() == default_batch / default_shards) {
        extents.back() = samples;
    }
    return extents;
}

ShardPass::ShardPass(const Kernels &kernels, digits::Network &network, Gradients &gradients, int shard,
                     int samples)
    : kernels_(kernels),
      gradients_(gradients),
      shard_(shard),
      images_(digits::pixels, samples),
      loss_(Floats::make_scalar()),
      upstream_(Floats::make_scalar()),
      labels_(samples) {
    // Buffers are referred to by their places: all of them are made before any call is bound.
    pieces_.resize(kernels.layers.size());
    for (size_t layer = 0; layer < pieces_.size(); layer++) {
        Piece &piece = pieces_[layer];
        const digits::Parameter &w = network.parameters[2 * layer], &b = network.parameters[2 * layer + 1];
        piece.d_w = shaped_like(w.value, gradients.of(w.name, shard));
        piece.d_b = shaped_like(b.value, gradients.of(b.name, shard));
        if (layer + 1 < pieces_.size()) {
            piece.z = Floats(b.value.dim(0).extent(), samples);
            piece.d_z = Floats(b.value.dim(0).extent(), samples);
        }
        for (const Argument &argument : kernels.layers[layer].forward.arguments()) {
            if (argument.is_output() && argument.name != "z" && argument.name != "loss") {
                piece.residuals.push_back(make_tensor(argument, residual_extents(argument, samples)));
            }
        }
    }
    for (size_t layer = 0; layer < pieces_.size(); layer++) {
        bind(layer, network);
    }
}

ShardPass::~ShardPass() = default;

void ShardPass::bind(size_t layer, digits::Network &network) {
    Piece &piece = pieces_[layer];
    Values values;
    values.set("x", layer == 0 ? images_ : pieces_[layer - 1].z);
    values.set("w", network.parameters[2 * layer].value);
    values.set("b", network.parameters[2 * layer + 1].value);
    values.set("d_w", piece.d_w);
    values.set("d_b", piece.d_b);
    if (layer > 0) {
        values.set("d_x", pieces_[layer - 1].d_z);
    }
    if (layer + 1 < pieces_.size()) {
        values.set("z", piece.z);
        values.set("d_z", piece.d_z);
    } else {
        values.set("labels", labels_);
        values.set("loss", loss_);
        values.set("d_loss", upstream_);
    }
    size_t residual = 0;
    for (const Argument &argument : kernels_.layers[layer].forward.arguments()) {
        if (argument.is_output() && argument.name != "z" && argument.name != "loss") {
            values.set(argument.name, piece.residuals[residual++]);
        }
    }
    piece.forward = kernels_.layers[layer].forward.bind(values);
    piece.backward = kernels_.layers[layer].backward.bind(values);
}

void ShardPass::load(const digits::Digits &data, const std::vector<int> &lines, float weight) {
    digits::gather(data, lines, images_, &labels_);
    weight_ = weight;
    upstream_() = weight;
}

void ShardPass::forward() {
    for (size_t layer = 0; layer < pieces_.size(); layer++) {
        kernels_.layers[layer].forward.run(pieces_[layer].forward);
    }
    gradients_.loss_of(shard_) = weight_ * loss_();
}

void ShardPass::backward(size_t layer) {
    kernels_.layers[layer].backward.run(pieces_[layer].backward);
}

}  // namespace eutectic::distributed
