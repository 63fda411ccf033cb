#include "autodiff/residuals/choice/budget.h"

#include "autodiff/residuals/choice/cut.h"
#include "autodiff/residuals/choice/exact.h"
#include "autodiff/residuals/choice/reason.h"
#include "autodiff/residuals/choice/segments.h"

#include "base/user_error.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace eutectic {

namespace {

// Of seconds: what sums in another order differ by at most.
constexpr double rounding = 1e-12;

// The price at which a second outweighs all bytes, and a byte all seconds.
Price for_speed(const ResidualGraph &graph) {
    double bytes = 1;
    Seconds least = 1e-9;
    for (const ResidualValue &value : graph.values) {
        bytes += static_cast<double>(value.bytes);
        least = value.keep_seconds > 0 ? std::min(least, value.keep_seconds) : least;
        for (const Recipe &recipe : value.recipes) {
            least = recipe.seconds > 0 ? std::min(least, recipe.seconds) : least;
        }
    }
    return {1e-6 * least / bytes, 1};
}

Price for_bytes(const ResidualGraph &graph) {
    Seconds seconds = 1e-12;
    for (const ResidualValue &value : graph.values) {
        seconds += value.keep_seconds;
        for (const Recipe &recipe : value.recipes) {
            seconds += recipe.seconds;
        }
    }
    return {1, 0.25 / seconds};
}

// The corners of the lower hull of (bytes, seconds) between two of them: the price at which both cost the
// same either is the hull's edge or finds a corner between (Eisner and Severance, "Mathematical techniques
// for efficient record segmentation", J. ACM 23, 1976).
void corners_between(const ResidualGraph &graph, const ResidualChoice &fast, const ResidualChoice &small,
                     std::vector<ResidualChoice> &found) {
    if (fast.bytes <= small.bytes || fast.seconds >= small.seconds || found.size() > 200) {
        return;
    }
    const double per_byte = (small.seconds - fast.seconds) / static_cast<double>(fast.bytes - small.bytes);
    const ResidualChoice between = cheapest_at(graph, {per_byte, 1});
    const auto cost = [&](const ResidualChoice &c) {
        return per_byte * static_cast<double>(c.bytes) + c.seconds;
    };
    if (between.bytes >= fast.bytes || between.bytes <= small.bytes ||
        cost(between) >= cost(fast) * (1 - 1e-12)) {
        return;
    }
    found.push_back(between);
    corners_between(graph, fast, between, found);
    corners_between(graph, between, small, found);
}

ResidualChoice extreme(const ResidualGraph &graph, ResidualPolicy policy) {
    ResidualChoice choice;
    for (const ResidualValue &value : graph.values) {
        int forward = -1;
        for (size_t r = value.recipes.size(); r-- > 0;) {
            forward = value.recipes[r].rewritten ? forward : static_cast<int>(r);
        }
        const bool keep =
            value.may_keep && (forward < 0 || policy == ResidualPolicy::save_all || value.kind == "output");
        choice.way.push_back(keep ? ResidualChoice::kept : std::max(forward, 0) + 1);
    }
    return completed(graph, choice);
}

// Of `found`, fastest first: from the smallest peak up, so that the least possible is among them, each that
// is faster than all smaller ones and has no fewer bytes. A budget that has room for `fast`, what is taken
// without one, takes that.
std::vector<ResidualChoice> shrinking(std::vector<ResidualChoice> found, const ResidualChoice &fast) {
    std::stable_sort(found.begin(), found.end(), [](const ResidualChoice &a, const ResidualChoice &b) {
        return std::tuple(a.peak(), a.seconds, a.bytes) < std::tuple(b.peak(), b.seconds, b.bytes);
    });
    std::vector<ResidualChoice> choices;
    Seconds least = std::numeric_limits<Seconds>::infinity();
    for (const ResidualChoice &choice : found) {
        const bool is_faster = choice.seconds < least * (1 - rounding) && choice.peak() < fast.peak();
        if (is_faster && (choices.empty() || choice.bytes >= choices.back().bytes)) {
            choices.push_back(choice);
        }
        least = std::min(least, choice.seconds);
    }
    choices.push_back(fast);
    std::reverse(choices.begin(), choices.end());
    return choices;
}

std::string bytes_text(Bytes bytes) {
    return format_count(bytes) + " bytes";
}

}  // namespace

ResidualChoice fastest(const ResidualGraph &graph) {
    const ResidualChoice cut = cheapest_at(graph, for_speed(graph));
    if (is_cut_exact(graph)) {
        return cut;
    }
    return candidates_of(graph) <= most_candidates ? search_fastest(graph, cut) : improved(graph, cut);
}

std::vector<ResidualChoice> choices_of(const ResidualGraph &graph) {
    const ResidualChoice fast = fastest(graph), small = cheapest_at(graph, for_bytes(graph));
    std::vector<ResidualChoice> found{fast, small};
    corners_between(graph, fast, small, found);
    for (const ResidualChoice &choice : choices_in_segments(graph)) {
        found.push_back(choice);
    }
    for (size_t n = found.size(); n-- > 0;) {
        found.push_back(with_least_tensors(graph, found[n]));
    }
    if (candidates_of(graph) <= most_candidates) {
        search_all(graph, found);
    }
    return shrinking(std::move(found), fast);
}

ResidualChoice choose(const ResidualGraph &graph, ResidualPolicy policy, std::optional<Bytes> budget) {
    if (budget && policy != ResidualPolicy::cost) {
        throw UserError("A budget was given with residuals_policy=" +
                        std::string(policy == ResidualPolicy::save_all ? "save-all" : "recompute-all") +
                        ", which has nothing to choose; leave one of the two out.");
    }
    if (policy != ResidualPolicy::cost) {
        return extreme(graph, policy);
    }
    if (!budget) {
        return fastest(graph);
    }
    if (!graph.without_estimate.empty()) {
        throw UserError("A budget of " + bytes_text(*budget) + " was given, but " + graph.without_estimate +
                        " has no estimate, so that no size is known; set estimates on every input and "
                        "output, or leave the budget out.");
    }
    const std::vector<ResidualChoice> choices = choices_of(graph);
    for (const ResidualChoice &choice : choices) {
        if (choice.peak() <= *budget) {
            return choice;
        }
    }
    const ResidualChoice &least = choices.back();
    throw UserError("A budget of " + bytes_text(*budget) + " is less than the least possible, " +
                    bytes_text(least.peak()) + ": " + bytes_text(least.bytes) + " of residuals and " +
                    bytes_text(least.scratch) + " of temporaries; give at least that.");
}

}  // namespace eutectic
