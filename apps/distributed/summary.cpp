#include "apps/distributed/summary.h"

#include "apps/support/format.h"
#include "base/units.h"

#include <cinttypes>
#include <cstdio>
#include <string>

namespace eutectic::distributed {

namespace {

using nlohmann::json;

std::string hexadecimal(uint64_t number) {
    char text[20];
    std::snprintf(text, sizeof text, "%016" PRIx64, number);
    return text;
}

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

std::string why_not_measured(const World &world) {
    return world.has_cores_for_all()
               ? "no batch was whole"
               : std::to_string(world.local_ranks()) + " ranks share " + std::to_string(world.cores()) +
                     (world.cores() == 1 ? " core" : " cores");
}

void print_times(std::ostream &out, const World &world, const Measurement &measured) {
    const Measurement::Times &times = *measured.times;
    out << "step: " << format_seconds(measured.step.median) << ": forward "
        << format_seconds(times.forward.median) << ", backward " << format_seconds(times.backward.median)
        << ", waiting for buckets " << format_seconds(times.exposed.median) << ", sums and Adam "
        << format_seconds(times.update.median) << "\n";
    if (world.ranks() == 1) {
        out << "overlap and efficiency: one rank has none\n";
    } else {
        out << "overlap: " << format("%.0f %%", 100 * times.overlap()) << " of communication, which takes "
            << format_seconds(times.communication.median) << " by itself\n";
        out << "efficiency: " << format("%.0f %%", 100 * measured.efficiency(world.ranks()))
            << " (undisturbed a step takes " << format_seconds(measured.step.quiet)
            << ", one process that runs all shards " << format_seconds(times.lone_step.quiet) << ")\n";
    }
    out << "a shard's backward: " << format_seconds(times.split_seconds) << " in "
        << times.piece_seconds.size() << " pieces, " << format_seconds(times.whole_seconds)
        << " as one kernel\n";
}

json typical_json(const Typical &seconds) {
    return {{"median", seconds.median}, {"quiet", seconds.quiet}};
}

json times_json(const World &world, const Measurement &measured) {
    const Measurement::Times &times = *measured.times;
    return {{"forward_seconds", typical_json(times.forward)},
            {"backward_seconds", typical_json(times.backward)},
            {"exposed_seconds", typical_json(times.exposed)},
            {"update_seconds", typical_json(times.update)},
            {"communication_seconds", typical_json(times.communication)},
            {"lone_step_seconds", typical_json(times.lone_step)},
            {"overlap", world.ranks() > 1 ? json(times.overlap()) : json()},
            {"efficiency", world.ranks() > 1 ? json(measured.efficiency(world.ranks())) : json()},
            {"shard_backward_seconds", times.split_seconds},
            {"shard_backward_pieces_seconds", times.piece_seconds},
            {"bucket_add_seconds", times.add_seconds},
            {"mpi_add_seconds", times.mpi_add_seconds},
            {"shard_backward_whole_seconds", times.whole_seconds}};
}

}  // namespace

void print_summary(std::ostream &out, const World &world, Session &session, const Measurement &measured,
                   double test_accuracy) {
    Trainer &trainer = session.trainer();
    const std::vector<Bucket> &buckets = trainer.buckets();
    out << "communication boundaries of the backward's plan, each bucket " << trainer.reduction().name()
        << ":\n";
    for (size_t i = 0; i < buckets.size(); i++) {
        out << "    " << (buckets[i].boundary.empty() ? "the first" : buckets[i].boundary) << ": "
            << joined(buckets[i].gradients) << ", " << format_bytes(trainer.bucket_bytes(i)) << "\n";
    }
    if (measured.times) {
        print_times(out, world, measured);
    } else {
        out << "overlap and efficiency: not measured, " << why_not_measured(world) << "\n";
    }
    for (const Link &link : measured.links) {
        out << "a message of " << format_bytes(link.bytes) << ": " << format_seconds(link.seconds) << "\n";
    }
    out << "weights: " << hexadecimal(weights_hash(session.network())) << "\n";
    out << "test accuracy: " << format("%.4f", test_accuracy) << "\n";
}

json summary_json(const World &world, const Options &options, Session &session, const Measurement &measured,
                  double test_accuracy) {
    Trainer &trainer = session.trainer();
    json buckets = json::array(), links = json::array();
    for (size_t i = 0; i < trainer.buckets().size(); i++) {
        buckets.push_back({{"boundary", trainer.buckets()[i].boundary},
                           {"gradients", trainer.buckets()[i].gradients},
                           {"bytes", trainer.bucket_bytes(i)}});
    }
    for (const Link &link : measured.links) {
        links.push_back({{"bytes", link.bytes}, {"seconds", link.seconds}});
    }
    return {{"ranks", world.ranks()},
            {"local_ranks", world.local_ranks()},
            {"cores", world.cores()},
            {"threads", options.threads},
            {"seed", options.settings.seed},
            {"batch", options.settings.batch},
            {"shards", options.settings.shards},
            {"numerics", options.settings.numerics},
            {"reduction", trainer.reduction().name()},
            {"buckets", buckets},
            {"times", measured.times ? times_json(world, measured) : json()},
            {"not_measured", measured.times ? json() : json(why_not_measured(world))},
            {"links", links},
            {"losses", session.losses()},
            {"training_seconds", session.seconds()},
            {"step_seconds", typical_json(measured.step)},
            {"updates", session.network().steps},
            {"weights", hexadecimal(weights_hash(session.network()))},
            {"test_accuracy", test_accuracy}};
}

}  // namespace eutectic::distributed
