#include "autodiff/residuals/choice/segments.h"

#include <algorithm>

namespace eutectic {

namespace {

size_t at(int index) {
    return static_cast<size_t>(index);
}

// A tensor's size, whether it is kept or recomputed.
Bytes size_of(const ResidualValue &value) {
    Bytes bytes = value.bytes;
    for (const Recipe &recipe : value.recipes) {
        bytes = std::max(bytes, recipe.scratch);
    }
    return bytes;
}

int first_forward_recipe(const ResidualValue &value) {
    for (size_t r = 0; r < value.recipes.size(); r++) {
        if (!value.recipes[r].rewritten) {
            return static_cast<int>(r);
        }
    }
    return -1;
}

// For each value the last one that is made out of it by a recipe that goes forward; itself when there is
// none.
std::vector<size_t> last_readers(const ResidualGraph &graph) {
    std::vector<size_t> last(graph.values.size());
    for (size_t v = 0; v < last.size(); v++) {
        last[v] = v;
        for (const Recipe &recipe : graph.values[v].recipes) {
            for (const int source : recipe.rewritten ? std::vector<int>() : recipe.from) {
                last[at(source)] = std::max(last[at(source)], v);
            }
        }
    }
    return last;
}

// Walks forward. Where what would be recomputed since the last boundary exceeds `segment`, the next boundary
// is the place since then with the fewest bytes crossing it; what crosses is kept.
ResidualChoice in_segments(const ResidualGraph &graph, Bytes segment) {
    const std::vector<size_t> last = last_readers(graph);
    const size_t count = graph.values.size();
    std::vector<bool> kept(count);
    Bytes since = 0;
    size_t start = 0;
    const auto crossing = [&](size_t place) {
        Bytes bytes = 0;
        for (size_t v = 0; v <= place; v++) {
            bytes += last[v] > place && !kept[v] && graph.values[v].may_keep ? graph.values[v].bytes : 0;
        }
        return bytes;
    };
    for (size_t v = 0; v < count; v++) {
        since += size_of(graph.values[v]);
        if (since <= segment || v == start) {
            continue;
        }
        size_t best = v - 1;
        for (size_t place = v - 1; place > start + (v - start) / 2; place--) {
            best = crossing(place) < crossing(best) ? place : best;
        }
        for (size_t u = 0; u <= best; u++) {
            kept[u] = kept[u] || (last[u] > best && graph.values[u].may_keep);
        }
        start = best + 1;
        since = 0;
        for (size_t u = start; u <= v; u++) {
            since += size_of(graph.values[u]);
        }
    }
    ResidualChoice choice;
    for (size_t v = 0; v < count; v++) {
        const int recipe = first_forward_recipe(graph.values[v]);
        const bool keep = graph.values[v].may_keep && (kept[v] || recipe < 0 || graph.values[v].bytes == 0);
        choice.way.push_back(keep ? ResidualChoice::kept : std::max(recipe, 0) + 1);
    }
    return completed(graph, choice);
}

}  // namespace

std::vector<ResidualChoice> choices_in_segments(const ResidualGraph &graph) {
    Bytes total = 0;
    for (const ResidualValue &value : graph.values) {
        total += size_of(value);
    }
    std::vector<ResidualChoice> choices;
    for (double segment = static_cast<double>(total); segment >= 1 && choices.size() < 64; segment /= 1.25) {
        ResidualChoice choice = in_segments(graph, static_cast<Bytes>(segment));
        if (evaluate(graph, choice)) {
            choices.push_back(choice);
        }
    }
    return choices;
}

}  // namespace eutectic
