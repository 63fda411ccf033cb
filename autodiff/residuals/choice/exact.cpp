#include "autodiff/residuals/choice/exact.h"

#include <algorithm>

namespace eutectic {

namespace {

size_t at(int index) {
    return static_cast<size_t>(index);
}

// Decides one needed value after the other; what a recipe reads is needed from then on.
class Search {
public:
    Search(const ResidualGraph &graph, std::vector<ResidualChoice> &found)
        : graph_(graph), found_(found), needed_(graph.values.size(), 0) {
        choice_.way.assign(graph.values.size(), ResidualChoice::absent);
        for (size_t v = 0; v < needed_.size(); v++) {
            needed_[v] += graph.values[v].is_read;
        }
        for (const auto *steps : {&graph.backward_scratch, &graph.forward_scratch}) {
            least_scratch_ = std::max(least_scratch_,
                                      steps->empty() ? 0 : *std::max_element(steps->begin(), steps->end()));
        }
    }

    void run(Bytes bytes, Seconds seconds) {
        if (is_dominated(bytes + least_scratch_, seconds)) {
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
            run(bytes + value.bytes, seconds + cost_of_keeping(graph_, value));
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
    bool is_dominated(Bytes peak, Seconds seconds) const {
        return std::any_of(found_.begin(), found_.end(),
                           [&](const ResidualChoice &c) { return c.peak() <= peak && c.seconds <= seconds; });
    }

    const ResidualGraph &graph_;
    std::vector<ResidualChoice> &found_;
    std::vector<int> needed_;
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
    Search(graph, found).run(0, 0);
}

}  // namespace eutectic
