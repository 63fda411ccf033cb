#include "apps/bench/means.h"

#include <algorithm>
#include <optional>

namespace eutectic::bench {

namespace {

constexpr double worthy_share = 0.9;
constexpr int worthy_variants = 50;

/// Seconds of the fastest contender of a kind, if any was timed.
std::optional<double> best_of(const Outcome &outcome, ContenderKind kind) {
    std::optional<double> best;
    for (const Contender &contender : all_contenders()) {
        const auto found = outcome.times.find(contender.name);
        if (contender.kind == kind && found != outcome.times.end() &&
            (!best || found->second.minimum < *best)) {
            best = found->second.minimum;
        }
    }
    return best;
}

/// Of the frameworks, and of libraries by themselves.
std::optional<double> best_peer_of(const Outcome &outcome) {
    const auto framework = best_of(outcome, ContenderKind::peer),
               call = best_of(outcome, ContenderKind::call);
    return framework && call ? std::min(*framework, *call) : framework ? framework : call;
}

const Row &row_of(const Suite &suite, const Outcome &outcome) {
    return *std::find_if(suite.rows.begin(), suite.rows.end(),
                         [&](const Row &row) { return row.name == outcome.row; });
}

/// Seconds of each opponent of a row.
std::map<std::string, double> opponents(const Row &row, const Outcome &outcome) {
    std::map<std::string, double> seconds;
    if (const auto peer = best_peer_of(outcome)) {
        seconds["best_peer"] = *peer;
        if (row.by_hand > 0) {
            seconds["best_peer_table"] = *peer;
        }
    }
    if (const auto halide = best_of(outcome, ContenderKind::halide)) {
        seconds["best_halide"] = *halide;
    }
    if (manual_counts(row, outcome)) {
        seconds["manual"] = *best_of(outcome, ContenderKind::manual);
    }
    return seconds;
}

void add(Mean &mean, double ratio, const std::string &row) {
    mean.ratios.add(ratio);
    mean.ratio = *mean.ratios.value();
    if (mean.rows == 0 || ratio < mean.worst) {
        mean.worst = ratio;
        mean.worst_row = row;
    }
    mean.rows++;
}

}  // namespace

bool manual_counts(const Row &row, const Outcome &outcome) {
    const auto manual = best_of(outcome, ContenderKind::manual), peer = best_of(outcome, ContenderKind::peer);
    if (!manual) {
        return false;
    }
    return row.by_hand > 0 ? peer && *peer / *manual >= worthy_share * row.by_hand
                           : row.variants >= worthy_variants;
}

std::map<std::string, Means> geometric_means(const Suite &suite, const std::vector<Outcome> &outcomes) {
    std::map<std::string, Means> means;
    for (const Outcome &outcome : outcomes) {
        const Row &row = row_of(suite, outcome);
        if (!row.counts) {
            continue;
        }
        for (const auto &[opponent, seconds] : opponents(row, outcome)) {
            for (const Contender &contender : all_contenders()) {
                const auto found = outcome.times.find(contender.name);
                if (found != outcome.times.end()) {
                    add(means[contender.name][opponent], seconds / found->second.minimum, row.name);
                }
            }
        }
    }
    return means;
}

}  // namespace eutectic::bench
