#include "autodiff/residuals/choice/exact.h"

#include <algorithm>
#include <limits>

namespace eutectic {

namespace {

size_t at(int index) {
    return static_cast<size_t>(index);
}

// Decides one needed value after the other; what a recipe reads is needed from then on.
class Search {
public:
    // `only_seconds`: whatever memory it takes.
    Search(const ResidualGraph &graph, std::vector<ResidualChoice> &found, bool only_seconds)
        : graph_(graph), found_(found), only_seconds_(only_seconds), needed_(graph.values.size(), 0) {
        choice_.way.assign(graph.values.size(), ResidualChoice::absent);
        for (size_t v = 0; v < needed_.size(); v++) {
            needed_[v] += graph.values[v].is_read;
            const ResidualValue &value = graph.values[v];
            Seconds least = value.may_keep ? value.keep_seconds : std::numeric_limits<Seconds>::infinity();
            for (const Recipe &recipe : value.recipes) {
                least = std::min(least, recipe.seconds);
            }
            least_seconds_.push_back(least);
        }
        for (const auto *steps : {&graph.backward_scratch, &graph.forward_scratch}) {
            least_scratch_ = std::max(least_scratch_,
                                      steps->empty() ? 0 : *std::max_element(steps->begin(), steps->end()));
        }
    }

    void run(Bytes bytes, Seconds seconds) {
        if (is_dominated(bytes + least_scratch_, seconds + seconds_at_least())) {
            return;
        }
        const int v = next();
        if (v < 0) {
            ResidualChoice whole = choice_;
            if (evaluate(graph_, whole) && !is_dominated(whole.peak(), whole.seconds)) {
                found_.push_back(whole);
            }
            return;
        }
        const ResidualValue &value = graph_.values[at(v)];
        int &way = choice_.way[at(v)];
        if (value.may_keep) {
            way = ResidualChoice::kept;
            run(bytes + value.bytes, seconds + value.keep_seconds);
        }
        for (size_t r = 0; r < value.recipes.size(); r++) {
            way = static_cast<int>(r) + 1;
            for (const int source : value.recipes[r].from) {
                needed_[at(source)]++;
            }
            run(bytes, seconds + value.recipes[r].seconds);
            for (const int source : value.recipes[r].from) {
                needed_[at(source)]--;
            }
        }
        way = ResidualChoice::absent;
    }

private:
    // The last needed value without a way.
    int next() const {
        for (size_t v = needed_.size(); v-- > 0;) {
            if (needed_[v] && choice_.way[v] == ResidualChoice::absent) {
                return static_cast<int>(v);
            }
        }
        return -1;
    }
    // Of what is needed and not decided.
    Seconds seconds_at_least() const {
        Seconds sum = 0;
        for (size_t v = 0; v < needed_.size(); v++) {
            sum += needed_[v] && choice_.way[v] == ResidualChoice::absent ? least_seconds_[v] : 0;
        }
        return sum;
    }
    bool is_dominated(Bytes peak, Seconds seconds) const {
        return std::any_of(found_.begin(), found_.end(), [&](const ResidualChoice &c) {
            return (only_seconds_ || c.peak() <= peak) && c.seconds <= seconds * (1 + rounding);
        });
    }

    // Sums in another order differ by that much at most.
    static constexpr double rounding = 1e-12;
    const ResidualGraph &graph_;
    std::vector<ResidualChoice> &found_;
    const bool only_seconds_;
    std::vector<int> needed_;
    std::vector<Seconds> least_seconds_;
    ResidualChoice choice_;
    Bytes least_scratch_ = 0;
};

}  // namespace

int candidates_of(const ResidualGraph &graph) {
    return static_cast<int>(
        std::count_if(graph.values.begin(), graph.values.end(),
                      [](const ResidualValue &value) { return value.recipes.size() + value.may_keep > 1; }));
}

void search_all(const ResidualGraph &graph, std::vector<ResidualChoice> &found) {
    Search(graph, found, false).run(0, 0);
}

ResidualChoice search_fastest(const ResidualGraph &graph, const ResidualChoice &start) {
    std::vector<ResidualChoice> found{start};
    Search(graph, found, true).run(0, 0);
    return found.back();
}

}  // namespace eutectic
