#include "apps/eutectic/trials.h"

#include <algorithm>
#include <sstream>

#include "apps/eutectic/text_table.h"
#include "apps/support/format.h"
#include "pages.h"
#include "report/page/page.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

ordered_json number(const std::optional<double> &value) {
    return value ? ordered_json(*value) : ordered_json();
}

ordered_json to_json(const Trial &t) {
    ordered_json rounds = ordered_json::array();
    for (const TimedRound &r : t.rounds) {
        rounds.push_back({{"plan_seconds", r.plan}, {"against_seconds", r.against}});
    }
    return {{"decisions", t.decisions},
            {"change", t.change},
            {"pins", ordered_json::parse(t.pins)},
            {"predicted_seconds", t.predicted},
            {"status", t.status},
            {"reason", t.reason},
            {"seconds", t.seconds > 0 ? ordered_json(t.seconds) : ordered_json()},
            {"ratio", number(t.ratio)},
            {"against", t.against},
            {"rounds", rounds},
            {"compile_seconds", number(t.compile_seconds)},
            {"peak_bytes", t.peak_bytes ? ordered_json(*t.peak_bytes) : ordered_json()},
            {"max_error", number(t.max_error)},
            {"last", t.last},
            {"second", t.second},
            {"rank", t.rank}};
}

/** Of the first plan; 0 where it has none. */
Seconds predicted_first(const Tuned &tuned) {
    const auto first = std::find_if(tuned.trials.begin(), tuned.trials.end(),
                                    [&](const Trial &t) { return t.decisions == tuned.first; });
    return first == tuned.trials.end() ? 0 : first->predicted;
}

}  // namespace

std::optional<double> Trial::ratio_of_rounds() const {
    if (rounds.empty()) {
        return std::nullopt;
    }
    TimedRound least = rounds.front();
    for (const TimedRound &r : rounds) {
        least = {std::min(least.plan, r.plan), std::min(least.against, r.against)};
    }
    return least.plan / least.against;
}

bool Trial::wins() const {
    return !rounds.empty() &&
           std::all_of(rounds.begin(), rounds.end(), [](const TimedRound &r) { return r.plan < r.against; });
}

ordered_json to_json(const Tuned &tuned) {
    ordered_json trials = ordered_json::array();
    for (const Trial &t : tuned.trials) {
        trials.push_back(to_json(t));
    }
    return {{"name", tuned.name},
            {"target", tuned.target},
            {"machine", tuned.machine},
            {"cpu", tuned.cpu},
            {"threads", tuned.threads},
            {"first", {{"decisions", tuned.first}, {"seconds", tuned.first_seconds}}},
            {"best",
             {{"decisions", tuned.best},
              {"seconds", tuned.best_seconds},
              {"change", tuned.change},
              {"pins", ordered_json::parse(tuned.pins)}}},
            {"ratio", tuned.ratio},
            {"ended", tuned.why},
            {"plans_priced", tuned.looked_at},
            {"trials_of_earlier_runs", tuned.earlier},
            {"trials", trials}};
}

std::string to_text(const Tuned &tuned) {
    std::ostringstream s;
    s << tuned.name << " for " << tuned.target << " on " << tuned.cpu << ", " << tuned.threads
      << (tuned.threads == 1 ? " thread" : " threads") << "\n\n";
    const Seconds predicted = predicted_first(tuned);
    std::vector<std::vector<std::string>> table = {{"trial", "time", "predicted", "change"}};
    for (const Trial &t : tuned.trials) {
        table.push_back({std::to_string(table.size()), t.ratio ? format("%.3g", *t.ratio) : t.status,
                         predicted > 0 ? format("%.3g", t.predicted / predicted) : "",
                         t.change + (t.last ? ", once more" : "") +
                             (t.reason.empty() ? "" : " (" + t.reason + ")") +
                             (t.decisions == tuned.best ? "  <- best" : "")});
    }
    s << text_table(table, 0, true);
    s << "\n" << tuned.trials.size() << " plans of " << tuned.looked_at << " that were priced are measured";
    if (tuned.earlier > 0) {
        s << ", " << tuned.earlier << " of them in earlier runs";
    }
    s << "; times are those of the plan that is chosen without measuring, which takes "
      << format_seconds(tuned.first_seconds) << ".\n";
    if (tuned.change.empty()) {
        s << "None is faster in every round: that plan stays.\n";
    } else {
        s << "The best takes " << format("%.3g", tuned.ratio) << " of that, "
          << format_seconds(tuned.best_seconds) << ": " << tuned.change << ".\n";
    }
    s << "Ended: " << tuned.why << ".\n";
    return s.str();
}

std::string tune_page(const Tuned &tuned) {
    return fill_page(page_of_tune, tuned.name + ", tuned", to_json(tuned));
}

}  // namespace eutectic
