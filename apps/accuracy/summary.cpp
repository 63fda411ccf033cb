#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/accuracy/statistics.h"
#include "apps/accuracy/study.h"

namespace eutectic::accuracy {

using nlohmann::ordered_json;

namespace {

/// The timed plans' columns.
struct Columns {
    std::vector<double> predicted, seconds;
};

}  // namespace

ordered_json summarize(ordered_json &subjects) {
    std::vector<double> all, near, over;
    int reported = 0;
    for (ordered_json &subject : subjects) {
        Columns every, close;
        double chosen = std::numeric_limits<double>::quiet_NaN(),
               best = std::numeric_limits<double>::infinity();
        for (const ordered_json &p : subject.at("plans")) {
            if (p.contains("seconds")) {
                best = std::min(best, p.at("seconds").get<double>());
                chosen = p.at("plan") == "chosen" ? p.at("seconds").get<double>() : chosen;
            }
        }
        for (const ordered_json &p : subject.at("plans")) {
            if (!p.contains("seconds")) {
                continue;
            }
            for (Columns *c : {&every, &close}) {
                if (c == &every || p.at("seconds") <= 3 * best) {
                    c->predicted.push_back(p.at("predicted"));
                    c->seconds.push_back(p.at("seconds"));
                }
            }
        }
        const double r = spearman(every.predicted, every.seconds),
                     n = spearman(close.predicted, close.seconds);
        subject["timed"] = every.seconds.size();
        subject["near"] = close.seconds.size();
        subject["correlation"] = r;
        subject["near_correlation"] = n;
        subject["chosen_over_best"] = chosen / best;
        if (subject.at("use") == "report") {
            reported++;
            all.push_back(r);
            near.push_back(n);
            over.push_back(chosen / best);
        }
    }
    const double worst =
        over.empty() ? std::numeric_limits<double>::quiet_NaN() : *std::max_element(over.begin(), over.end());
    return {{"generators", reported},
            {"correlation", median(all)},
            {"near_correlation", median(near)},
            {"chosen_over_best", median(over)},
            {"chosen_over_best_worst", worst}};
}

}  // namespace eutectic::accuracy
