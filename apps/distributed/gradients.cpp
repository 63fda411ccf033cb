#include "apps/distributed/gradients.h"

#include <algorithm>

namespace eutectic::distributed {

Gradients::Gradients(std::vector<Bucket> buckets, const digits::Network &network, int shards, Owned own,
                     bool all_shards)
    : buckets_(std::move(buckets)) {
    std::map<std::string, int64_t> sizes;
    for (const digits::Parameter &parameter : network.parameters) {
        sizes["d_" + parameter.name] = static_cast<int64_t>(parameter.value.number_of_elements());
    }
    for (size_t bucket = 0; bucket < buckets_.size(); bucket++) {
        int64_t floats = 0;
        for (const std::string &gradient : buckets_[bucket].gradients) {
            places_[gradient.substr(2)] = {bucket, floats};
            floats += sizes.at(gradient);
        }
        memory_.emplace_back(floats + (bucket == 0 ? 1 : 0), shards, own, all_shards);
    }
}

float *Gradients::of(const std::string &parameter, int shard) {
    const Place &place = places_.at(parameter);
    return memory_[place.bucket].block(shard) + place.offset;
}

float *Gradients::sum_of(const std::string &parameter) {
    const Place &place = places_.at(parameter);
    return memory_[place.bucket].sum() + place.offset;
}

float &Gradients::loss_of(int shard) {
    return memory_.front().block(shard)[memory_.front().size() - 1];
}

float Gradients::loss_sum() {
    return memory_.front().sum()[memory_.front().size() - 1];
}

void Gradients::clear(int shard) {
    for (BucketMemory &memory : memory_) {
        std::fill_n(memory.block(shard), memory.size(), 0.0f);
    }
}

}  // namespace eutectic::distributed
