#include "apps/distributed/trainer.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace eutectic::distributed {

using digits::Floats;
using digits::Parameter;

/// Adam's constants: what D. Kingma and J. Ba, "Adam", 2015, propose.
static float rate = 1e-3f, beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;

/// Where Adam writes a parameter and its moments, which then change places with the old ones: a kernel may
/// compute the elements of a ragged end twice, so it must not write over what it reads. Flat views go along.
struct Trainer::Next {
    Floats value, first_moment, second_moment;
    Floats flat[6];  // of the parameter's three, and of these
    Floats gradient;
    std::vector<void *> arguments;
};

namespace {

using Clock = std::chrono::steady_clock;

/// Adds the seconds of its life to a sum.
class Timed {
public:
    explicit Timed(double &sum) : sum_(sum) {
    }
    ~Timed() {
        sum_ += std::chrono::duration<double>(Clock::now() - start_).count();
    }
    Timed(const Timed &) = delete;
    Timed &operator=(const Timed &) = delete;

private:
    double &sum_;
    const Clock::time_point start_ = Clock::now();
};

/// The buckets that the plan of the backward names.
std::vector<Bucket> planned_buckets(const Kernels &kernels, const digits::Network &network) {
    std::vector<std::string> gradients;
    for (const Parameter &parameter : network.parameters) {
        gradients.push_back("d_" + parameter.name);
    }
    return communication_buckets(nlohmann::json::parse(kernels.backward_report), gradients);
}

Floats flat(Floats &tensor) {
    return Floats(tensor.data(), static_cast<int>(tensor.number_of_elements()));
}

}  // namespace

Trainer::Trainer(digits::Network &network, const digits::Digits &data, const Settings &settings, Owned own,
                 Kernels kernels, bool all_shards, const MakeReduction &make_reduction)
    : network_(network),
      data_(data),
      settings_(settings),
      own_(own),
      kernels_(std::move(kernels)),
      gradients_(planned_buckets(kernels_, network), network, settings.shards, own, all_shards),
      reduction_(make_reduction(gradients_.memory())) {
    bind_adam();
}

Trainer::~Trainer() = default;

void Trainer::bind_adam() {
    next_.resize(network_.parameters.size());  // calls refer to its members: they must not move
    for (size_t i = 0; i < next_.size(); i++) {
        Parameter &parameter = network_.parameters[i];
        Next &next = next_[i];
        Floats *const now[3] = {&parameter.value, &parameter.first_moment, &parameter.second_moment};
        Floats *const then[3] = {&next.value, &next.first_moment, &next.second_moment};
        const char *const names[6] = {"p", "m", "v", "p_next", "m_next", "v_next"};
        Values values;
        for (int k = 0; k < 3; k++) {
            *then[k] = Floats::make_with_shape_of(*now[k]);
            next.flat[k] = flat(*now[k]);
            next.flat[3 + k] = flat(*then[k]);
        }
        for (int k = 0; k < 6; k++) {
            values.set(names[k], next.flat[k]);
        }
        next.gradient = Floats(gradients_.sum_of(parameter.name), next.flat[0].dim(0).extent());
        values.set("g", next.gradient);
        values.set_scalar("lr", &rate);
        values.set_scalar("beta1", &beta1);
        values.set_scalar("beta2", &beta2);
        values.set_scalar("epsilon", &epsilon);
        values.set_scalar("step", &network_.steps);
        next.arguments = kernels_.adam.bind(values);
    }
}

void Trainer::load(const std::vector<int> &lines) {
    const std::vector<int> sizes = shard_sizes(static_cast<int>(lines.size()), settings_.shards);
    current_.clear();
    auto first = lines.begin();
    for (int shard = 0; shard < settings_.shards; shard++) {
        const int samples = sizes[shard];
        const std::vector<int> of_shard(first, first + samples);
        first += samples;
        if (shard < own_.first || shard >= own_.last) {
            continue;
        }
        if (samples == 0) {
            gradients_.clear(shard);
            continue;
        }
        std::unique_ptr<ShardPass> &pass = passes_[{shard, samples}];
        if (!pass) {
            pass = std::make_unique<ShardPass>(kernels_, network_, gradients_, shard, samples);
        }
        pass->load(data_, of_shard, static_cast<float>(samples) / static_cast<float>(lines.size()));
        current_.push_back(pass.get());
    }
}

/// The backward of all shards, piece by piece. A bucket is on its way as soon as the last of its gradients is
/// there.
void Trainer::differentiate() {
    std::set<std::string> produced;
    std::vector<bool> begun(buckets().size(), false);
    for (size_t layer = kernels_.layers.size(); layer-- > 0;) {
        for (ShardPass *pass : current_) {
            pass->backward(layer);
            reduction_->progress();
        }
        produced.insert("d_" + network_.parameters[2 * layer].name);
        produced.insert("d_" + network_.parameters[2 * layer + 1].name);
        for (size_t bucket = 0; bucket < buckets().size(); bucket++) {
            const std::vector<std::string> &needed = buckets()[bucket].gradients;
            if (!begun[bucket] && std::all_of(needed.begin(), needed.end(), [&](const std::string &gradient) {
                    return produced.count(gradient) != 0;
                })) {
                reduction_->begin(bucket);
                begun[bucket] = true;
            }
        }
    }
}

void Trainer::update(size_t bucket) {
    for (const std::string &gradient : buckets()[bucket].gradients) {
        for (size_t i = 0; i < next_.size(); i++) {
            Parameter &parameter = network_.parameters[i];
            if ("d_" + parameter.name != gradient) {
                continue;
            }
            Next &next = next_[i];
            kernels_.adam.run(next.arguments);
            std::swap(parameter.value, next.value);
            std::swap(parameter.first_moment, next.first_moment);
            std::swap(parameter.second_moment, next.second_moment);
            for (int k = 0; k < 3; k++) {
                std::swap(next.flat[k], next.flat[3 + k]);
            }
        }
    }
}

float Trainer::step(const std::vector<int> &lines) {
    times_ = {};
    load(lines);
    {
        const Timed timed(times_.forward);
        for (ShardPass *pass : current_) {
            pass->forward();
        }
    }
    {
        const Timed timed(times_.backward);
        differentiate();
    }
    network_.steps++;
    for (size_t bucket = 0; bucket < buckets().size(); bucket++) {
        const Timed timed(times_.update);
        const double waited = reduction_->finish(bucket);
        times_.exposed += waited;
        times_.update -= waited;
        update(bucket);
        reduction_->progress();
    }
    return gradients_.loss_sum();
}

double Trainer::reduce_alone() {
    const auto start = Clock::now();
    for (size_t bucket = 0; bucket < buckets().size(); bucket++) {
        reduction_->begin(bucket);
    }
    for (size_t bucket = 0; bucket < buckets().size(); bucket++) {
        reduction_->finish(bucket);
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
}

int64_t Trainer::bucket_bytes(size_t bucket) {
    return gradients_.memory()[bucket].size() * static_cast<int64_t>(sizeof(float));
}

}  // namespace eutectic::distributed
