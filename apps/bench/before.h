#pragma once

#include "apps/bench/contest.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace eutectic::bench {

/// A row in which contender `before`, another build's plugin, was timed beside eutectic.
struct BesideBefore {
    std::string row;
    double ratio = 1;  ///< how many times as fast eutectic is: before's minimum over eutectic's
    /// By how much more than before's minimum eutectic's has to be before that is no accident, as a share:
    /// the processes of `before` beside each other. See telling_process().
    double spread = 0;

    /// Eutectic takes more than 3 % longer than before, and more than the spread.
    bool slower() const;
};

/// What a run with --before found.
struct BeforeSummary {
    std::vector<BesideBefore> rows;         ///< those in which both were timed
    double ratio = 1;                       ///< geometric mean over those
    std::vector<std::string> not_compared;  ///< rows in which one of the two failed
};

/// Nothing if `before` took part in no row.
std::optional<BeforeSummary> summarize_before(const std::vector<Outcome> &outcomes);

/// Of `before` processes of one program, the fastest first, and `after` of another: the first one, counted
/// from 0, of which it says something that it is faster than all of the other's. Were both programs equally
/// fast, any order of all the processes would be as likely, and that one would be before all of the other's
/// in at most one of 20 rows. The last one where there are too few for that. Both at least 1.
size_t telling_process(size_t before, size_t after);

/// {ratio, rows: [{name, ratio, spread, slower}], not_compared: [name]}.
nlohmann::json to_json(const BeforeSummary &summary);

/// A line a row, the geometric mean, and which rows are slower.
void print_before(std::ostream &out, const BeforeSummary &summary);

/// The absolute path of a plugin that the option named. Throws UserError if there is no such file.
std::string plugin_at(const std::string &option, const std::string &path);

}  // namespace eutectic::bench
