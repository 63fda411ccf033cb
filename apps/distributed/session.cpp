#include "apps/distributed/session.h"

#include "apps/digits/data.h"
#include "apps/digits/evaluation.h"
#include "apps/digits/kernels.h"
#include "apps/digits/progress.h"
#include "apps/distributed/nccl_reduction.h"
#include "base/units.h"
#include "base/user_error.h"
#include "base/write_whole.h"

#include <algorithm>
#include <chrono>

namespace eutectic::distributed {

namespace {

std::string bytes_of(const void *data, size_t size) {
    return {static_cast<const char *>(data), size};
}

std::string hash_of(const digits::Digits &data) {
    return stable_hash(bytes_of(data.images.data(), data.images.size() * sizeof(float)) +
                       bytes_of(data.labels.data(), data.labels.size() * sizeof(int32_t)));
}

}  // namespace

uint64_t weights_hash(const digits::Network &network) {
    std::string all;
    for (const digits::Parameter &parameter : network.parameters) {
        all += bytes_of(parameter.value.data(), parameter.value.size_in_bytes());
    }
    return std::stoull(stable_hash(all), nullptr, 16);
}

Session::Session(const World &world, const Options &options)
    : Session(world, options, digits::Streams(options.settings.seed)) {
}

Session::Session(const World &world, const Options &options, digits::Streams streams)
    : world_(world), options_(options), order_(streams.order), network_(digits::widths, streams.weights) {
    world.together([&] { read(streams.split); });
    const Settings &settings = options.settings;
    const Owned own = owned_shards(settings.shards, world.ranks(), world.rank());
    trainer_ = std::make_unique<Trainer>(
        network_, data_, settings, own, kernels(settings.numerics), settings.numerics == "strict",
        [&](std::vector<BucketMemory> &buckets) {
            return options.reduce == "nccl"
                       ? make_nccl_reduction(world, buckets)
                       : make_reduction(settings.numerics, world, buckets, settings.shards);
        });
}

void Session::read(Random &split) {
    data_ = digits::read_digits(options_.data);
    lines_ = digits::split(data_.count(), split);
    data_hash_ = hash_of(data_);
    if (!options_.resume.empty()) {
        resume(options_.resumed);
    }
    if (!options_.checkpoint.empty() && world_.rank() == 0) {
        require_writable("checkpoint", options_.checkpoint);
    }
}

void Session::resume(const std::string &text) {
    const Checkpoint checkpoint = describe_checkpoint(options_.resume, text);
    if (checkpoint.data != data_hash_) {
        throw UserError("'" + options_.resume + "' was trained on other data than '" + options_.data +
                        "'; name its file with --data, or begin anew without --resume.");
    }
    position_ = checkpoint.position;
    if (position_.epoch >= options_.epochs) {
        throw UserError("'" + options_.resume + "' stands at the end of epoch " +
                        std::to_string(position_.epoch) + ", and --epochs is " +
                        std::to_string(options_.epochs) + "; give more epochs to train on.");
    }
    restore_checkpoint(options_.resume, text, network_);
    // Each epoch shuffles the order of the one before: that of the epoch that stands in the checkpoint.
    for (int epoch = 0; epoch < position_.epoch; epoch++) {
        order_.shuffle(lines_.train);
    }
}

void Session::save() {
    if (world_.rank() == 0 && !options_.checkpoint.empty()) {
        write_checkpoint(options_.checkpoint, {options_.settings, position_, data_hash_}, network_);
    }
}

/// Every rank updates weights of its own: were they to differ once, they would drift apart.
void Session::compare_ranks() const {
    if (!world_.same(weights_hash(network_))) {
        throw std::runtime_error("the weights of the ranks differ after epoch " +
                                 std::to_string(position_.epoch) +
                                 ": a machine of this job computes or sends something else");
    }
}

void Session::train_epoch() {
    order_.shuffle(lines_.train);
    const int count = static_cast<int>(lines_.train.size()), batch = options_.settings.batch;
    for (int first = position_.step * batch; first < count; first += batch) {
        const int size = std::min(batch, count - first);
        const std::vector<int> samples(lines_.train.begin() + first, lines_.train.begin() + first + size);
        position_.loss += static_cast<double>(trainer_->step(samples)) * size;
        position_.step++;
        if (size == batch) {
            times_.push_back(trainer_->times());
        }
        if (options_.every > 0 && network_.steps % options_.every == 0 && first + size < count) {
            save();
        }
    }
    losses_.push_back(position_.loss / count);
    position_ = {position_.epoch + 1, 0, 0};
    compare_ranks();
    save();
}

void Session::train(std::FILE *log) {
    digits::Progress progress(log, options_.epochs, false);
    const Kernel logits = logits_kernel();
    const auto start = std::chrono::steady_clock::now();
    while (position_.epoch < options_.epochs) {
        train_epoch();
        seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (world_.rank() == 0) {
            progress.epoch(position_.epoch, losses_.back(),
                           digits::accuracy(network_, data_, lines_.train, logits), seconds_);
        }
    }
}

double Session::test_accuracy() {
    return digits::accuracy(network_, data_, lines_.test, logits_kernel());
}

}  // namespace eutectic::distributed
