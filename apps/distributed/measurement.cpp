#include "apps/distributed/measurement.h"

#include "apps/digits/evaluation.h"
#include "apps/digits/kernels.h"
#include "apps/support/timing.h"

#include <algorithm>
#include <memory>

namespace eutectic::distributed {

namespace {

/// Reductions with nothing to do meanwhile: enough for a median, some milliseconds on one machine.
constexpr int reduction_rounds = 50;

/// What one process is timed for, in seconds.
constexpr double lone_seconds = 0.3;

double median(std::vector<double> samples) {
    return summarize(std::move(samples)).median;
}

Typical typical(const World &world, std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return {world.largest(quantile(samples, 0.5)), world.largest(quantile(samples, 0.1))};
}

template<typename Of>
Typical typical_of(const World &world, const std::vector<StepTimes> &steps, const Of &of) {
    std::vector<double> samples;
    for (const StepTimes &step : steps) {
        samples.push_back(of(step));
    }
    return typical(world, std::move(samples));
}

std::vector<int> one_batch(const Session &session, int batch) {
    const std::vector<int> &train = session.lines().train;
    return {train.begin(), train.begin() + std::min<ptrdiff_t>(batch, static_cast<ptrdiff_t>(train.size()))};
}

/// One process that runs all shards: the same kernels, the same sum, and batches one after the other as in
/// training.
Typical lone_step(Session &session, const Settings &settings) {
    Random weights(settings.seed);
    digits::Network network(digits::widths, weights);
    Trainer trainer(network, session.data(), settings, {0, settings.shards}, kernels(settings.numerics), true,
                    make_lone_reduction);
    const std::vector<int> &train = session.lines().train;
    std::vector<double> samples;
    double sum = 0;
    while (sum < lone_seconds) {
        for (size_t first = 0; first + settings.batch <= train.size(); first += settings.batch) {
            const auto begin = train.begin() + static_cast<ptrdiff_t>(first);
            trainer.step({begin, begin + settings.batch});
            samples.push_back(trainer.times().total());
            sum += samples.back();
        }
    }
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.5), quantile(samples, 0.1)};
}

/// A shard's backward as one kernel, with what its forward keeps.
double whole_backward(const Settings &settings, Session &session, const std::vector<int> &lines) {
    const Pair whole = kernels(settings.numerics).whole;
    digits::Floats images(digits::pixels, static_cast<int>(lines.size()));
    Halide::Runtime::Buffer<int32_t> labels(static_cast<int>(lines.size()));
    digits::gather(session.data(), lines, images, &labels);
    digits::Floats loss = digits::Floats::make_scalar(), upstream = digits::Floats::make_scalar();
    upstream() = 1;
    Values values;
    values.set("x", images);
    values.set("labels", labels);
    values.set("loss", loss);
    values.set("d_loss", upstream);
    for (digits::Parameter &parameter : session.network().parameters) {
        values.set(parameter.name, parameter.value);
        values.set("d_" + parameter.name, parameter.gradient);
    }
    std::vector<Tensor> residuals;
    residuals.reserve(whole.forward.arguments().size());
    for (const Argument &argument : whole.forward.arguments()) {
        if (argument.is_output() && argument.name != "loss") {
            residuals.push_back(
                make_tensor(argument, residual_extents(argument, static_cast<int>(lines.size()))));
            values.set(argument.name, residuals.back());
        }
    }
    whole.forward.run(values);
    std::vector<void *> bound = whole.backward.bind(values);
    return median(time_runs([&] { whole.backward.run(bound); }, lone_seconds));
}

/// The same in pieces, the last first.
std::vector<double> piece_backwards(const Settings &settings, Session &session,
                                    const std::vector<int> &lines) {
    const Kernels pieces = kernels(settings.numerics);
    Gradients gradients(session.trainer().buckets(), session.network(), 1, {0, 1}, true);
    ShardPass pass(pieces, session.network(), gradients, 0, static_cast<int>(lines.size()));
    pass.load(session.data(), lines, 1);
    pass.forward();
    std::vector<std::function<void()>> parts;
    for (size_t layer = pieces.layers.size(); layer-- > 0;) {
        parts.emplace_back([&pass, layer] { pass.backward(layer); });
    }
    std::vector<double> seconds;
    for (std::vector<double> &samples : time_parts(parts, lone_seconds)) {
        seconds.push_back(median(std::move(samples)));
    }
    return seconds;
}

/// What every sum over shards is made of.
std::vector<double> additions(Trainer &trainer) {
    std::vector<std::vector<float>> pairs;
    for (size_t bucket = 0; bucket < trainer.buckets().size(); bucket++) {
        pairs.emplace_back(2 * trainer.bucket_bytes(bucket) / sizeof(float));
    }
    std::vector<double> seconds;
    for (std::vector<float> &pair : pairs) {
        const auto size = static_cast<int64_t>(pair.size() / 2);
        seconds.push_back(median(time_runs([&] { sum_in_tree(pair.data(), 2, size); }, lone_seconds / 10)));
    }
    return seconds;
}

std::vector<Link> measure_links(const World &world) {
    std::vector<Link> links;
    for (int64_t bytes = 8; bytes <= 1 << 22; bytes *= 8) {
        links.push_back({bytes, world.message_seconds(bytes)});
    }
    return links;
}

}  // namespace

double Measurement::Times::overlap() const {
    return communication.median > 0 ? std::clamp(1 - exposed.median / communication.median, 0.0, 1.0) : 0;
}

double Measurement::efficiency(int ranks) const {
    return times->lone_step.quiet / (ranks * step.quiet);
}

Measurement measure(const World &world, Session &session, const Options &options) {
    Measurement result;
    if (options.links && world.ranks() > 1) {
        result.links = measure_links(world);
    }
    if (session.times().empty()) {
        return result;
    }
    result.step = typical_of(world, session.times(), [](const StepTimes &step) { return step.total(); });
    if (!world.has_cores_for_all()) {
        return result;
    }
    Measurement::Times times{};
    const auto part = [&](double StepTimes::*of) {
        return typical_of(world, session.times(), [of](const StepTimes &step) { return step.*of; });
    };
    times.forward = part(&StepTimes::forward);
    times.backward = part(&StepTimes::backward);
    times.exposed = part(&StepTimes::exposed);
    times.update = part(&StepTimes::update);
    std::vector<double> samples;
    for (int round = 0; round < reduction_rounds; round++) {
        samples.push_back(session.trainer().reduce_alone());
    }
    times.communication = typical(world, std::move(samples));
    const Settings &settings = options.settings;
    // The shard that the kernels are planned for, as many samples as there are at the least.
    const std::vector<int> shard = one_batch(session, default_batch / default_shards);
    if (world.rank() == 0) {
        times.lone_step = lone_step(session, settings);
        times.whole_seconds = whole_backward(settings, session, shard);
        times.piece_seconds = piece_backwards(settings, session, shard);
        times.add_seconds = additions(session.trainer());
        for (size_t bucket = 0; bucket < session.trainer().buckets().size(); bucket++) {
            times.mpi_add_seconds.push_back(world.add_seconds(session.trainer().bucket_bytes(bucket)));
        }
        for (const double piece : times.piece_seconds) {
            times.split_seconds += piece;
        }
    }
    world.wait_for_all();
    result.times = times;
    return result;
}

}  // namespace eutectic::distributed
