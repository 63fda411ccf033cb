#include "random_graph.h"

#include <functional>
#include <random>

namespace eutectic::test {

ResidualGraph random_graph(unsigned seed, int count, bool scratch) {
    std::mt19937 engine(seed);
    const auto below = [&](int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); };
    ResidualGraph graph;
    graph.backward_scratch.assign(static_cast<size_t>(count) + 1, 0);
    graph.forward_scratch.assign(static_cast<size_t>(count) + 1, 0);
    for (int v = 0; v < count; v++) {
        ResidualValue value;
        value.name = "v" + std::to_string(v);
        value.bytes = 1 + below(9) * below(9);
        value.keep_seconds = 1e-6 * below(4);
        value.is_read = below(2) == 0;
        if (below(5) != 0) {
            Recipe recipe;
            for (int n = below(4); n > 0 && v > 0; n--) {
                recipe.from.push_back(below(v));
            }
            recipe.seconds = 1e-6 * (1 + below(30));
            recipe.scratch = scratch ? value.bytes : 0;
            value.recipes.push_back(recipe);
            if (scratch && below(3) == 0) {
                recipe.seconds += 1e-6 * (1 + below(30));
                recipe.scratch = 0;
                recipe.in_tiles = value.bytes / 4;
                recipe.spares_tensor = true;
                value.recipes.push_back(recipe);
            }
            value.may_keep = below(8) != 0;
        }
        if (below(4) == 0 && v + 1 < count) {
            Recipe recipe;
            recipe.rewritten = true;
            recipe.from = {v + 1};
            recipe.seconds = 1e-6 * below(6);
            value.recipes.push_back(recipe);
        }
        value.uses = {count - v};
        value.made = v;
        value.last_read = count;
        graph.backward_scratch[v] = scratch ? below(20) : 0;
        graph.values.push_back(value);
    }
    return graph;
}

ResidualGraph chain(int count, Bytes bytes, Seconds seconds) {
    ResidualGraph graph;
    for (int v = 0; v < count; v++) {
        ResidualValue value;
        value.name = "h" + std::to_string(v);
        value.bytes = bytes;
        value.keep_seconds = seconds / 10;
        value.is_read = true;
        value.recipes = {{false, false, v > 0 ? std::vector<int>{v - 1} : std::vector<int>(), seconds, bytes,
                          0, 0, "recomputed"}};
        value.uses = {count - 1 - v};
        value.made = v;
        value.last_read = v + 1;
        graph.values.push_back(value);
    }
    graph.backward_scratch.assign(static_cast<size_t>(count), 2 * bytes);
    graph.forward_scratch.assign(static_cast<size_t>(count) + 1, 0);
    return graph;
}

namespace {

class Exhaustive {
public:
    Exhaustive(const ResidualGraph &graph, const std::function<void(const ResidualChoice &)> &visit)
        : graph_(graph), visit_(visit), needed_(graph.values.size(), 0) {
        choice_.way.assign(graph.values.size(), ResidualChoice::absent);
        for (size_t v = 0; v < needed_.size(); v++) {
            needed_[v] += graph.values[v].is_read;
        }
    }

    void run() {
        const auto open = [&](size_t v) {
            return needed_[v] > 0 && choice_.way[v] == ResidualChoice::absent;
        };
        size_t v = 0;
        while (v < needed_.size() && !open(v)) {
            v++;
        }
        if (v == needed_.size()) {
            ResidualChoice whole = choice_;
            if (evaluate(graph_, whole)) {
                visit_(whole);
            }
            return;
        }
        for (choice_.way[v] = ResidualChoice::kept;
             choice_.way[v] <= static_cast<int>(graph_.values[v].recipes.size()); choice_.way[v]++) {
            count_sources(v, 1);
            run();
            count_sources(v, -1);
        }
        choice_.way[v] = ResidualChoice::absent;
    }

private:
    void count_sources(size_t v, int by) {
        if (choice_.way[v] > ResidualChoice::kept) {
            const Recipe &recipe = graph_.values[v].recipes[static_cast<size_t>(choice_.way[v] - 1)];
            for (const int source : recipe.from) {
                needed_[static_cast<size_t>(source)] += by;
            }
        }
    }

    const ResidualGraph &graph_;
    const std::function<void(const ResidualChoice &)> &visit_;
    std::vector<int> needed_;
    ResidualChoice choice_;
};

}  // namespace

void for_each_choice(const ResidualGraph &graph, const std::function<void(const ResidualChoice &)> &visit) {
    Exhaustive(graph, visit).run();
}

std::optional<Seconds> by_brute_force(const ResidualGraph &graph, Bytes budget, bool with_scratch) {
    std::optional<Seconds> best;
    ResidualChoice choice;
    choice.way.assign(graph.values.size(), ResidualChoice::absent);
    for (;;) {
        ResidualChoice tried = choice;
        if (evaluate(graph, tried) && (with_scratch ? tried.peak() : tried.bytes) <= budget) {
            best = std::min(best.value_or(tried.seconds), tried.seconds);
        }
        size_t v = 0;
        while (v < choice.way.size() && ++choice.way[v] > static_cast<int>(graph.values[v].recipes.size())) {
            choice.way[v++] = ResidualChoice::absent;
        }
        if (v == choice.way.size()) {
            return best;
        }
    }
}

}  // namespace eutectic::test
