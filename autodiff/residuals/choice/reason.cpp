#include "autodiff/residuals/choice/reason.h"

#include <cmath>

namespace eutectic {

namespace {

// Of all seconds: what sums in another order differ by at most.
constexpr double rounding = 1e-12;

bool is_faster(const ResidualChoice &a, const ResidualChoice &b) {
    return a.seconds < b.seconds - rounding * std::abs(b.seconds);
}

bool is_kept(const ResidualChoice &choice, size_t v) {
    return choice.way[v] == ResidualChoice::kept;
}

// What is kept in `other` and not in `choice`, v left out.
std::string kept_instead(const ResidualGraph &graph, const ResidualChoice &choice,
                         const ResidualChoice &other, size_t v) {
    std::string names;
    for (size_t u = 0; u < graph.values.size(); u++) {
        if (u != v && is_kept(other, u) && !is_kept(choice, u) && graph.values[u].kind != "output") {
            names += (names.empty() ? "" : ", ") + graph.values[u].name;
        }
    }
    return names.empty() ? "" : " (with " + names + " kept instead)";
}

std::string compared(const ResidualChoice &choice, const ResidualChoice &other) {
    const std::string would = " would take ";
    if (is_faster(choice, other)) {
        return would + format_seconds(other.seconds - choice.seconds) + " longer";
    }
    return is_faster(other, choice)
               ? would + format_seconds(choice.seconds - other.seconds) + " less, which the budget rules out"
               : would + "as long";
}

}  // namespace

std::optional<ResidualChoice> best_otherwise(const ResidualGraph &graph, const ResidualChoice &choice,
                                             size_t v) {
    std::optional<ResidualChoice> best;
    const ResidualValue &value = graph.values[v];
    if (choice.way[v] == ResidualChoice::absent) {
        return best;
    }
    for (int way = ResidualChoice::kept; way <= static_cast<int>(value.recipes.size()); way++) {
        if (way == choice.way[v] || (way == ResidualChoice::kept && !value.may_keep)) {
            continue;
        }
        ResidualChoice other = choice;
        other.way[v] = way;
        other = completed(graph, other);
        if (evaluate(graph, other) && (!best || other.seconds < best->seconds)) {
            best = other;
        }
    }
    return best;
}

ResidualChoice improved(const ResidualGraph &graph, ResidualChoice choice) {
    for (bool again = true; again;) {
        again = false;
        for (size_t v = 0; v < graph.values.size(); v++) {
            const auto other = best_otherwise(graph, choice, v);
            if (other && is_faster(*other, choice)) {
                choice = *other;
                again = true;
            }
        }
    }
    return choice;
}

std::string reason_of(const ResidualGraph &graph, const ResidualChoice &choice, size_t v) {
    const ResidualValue &value = graph.values[v];
    const auto other = best_otherwise(graph, choice, v);
    if (is_kept(choice, v)) {
        if (value.kind == "output") {
            return "the caller has it: passed again";
        }
        return other ? value.recipes[static_cast<size_t>(other->way[v] - 1)].how +
                           kept_instead(graph, choice, *other, v) + compared(choice, *other)
                     : "the backward reads it, and it cannot be made there";
    }
    const std::string &how = value.recipes[static_cast<size_t>(choice.way[v] - 1)].how;
    if (!other) {
        return how;
    }
    return how + "; " +
           (is_kept(*other, v) ? "keeping it" : value.recipes[static_cast<size_t>(other->way[v] - 1)].how) +
           kept_instead(graph, choice, *other, v) + compared(choice, *other);
}

}  // namespace eutectic
