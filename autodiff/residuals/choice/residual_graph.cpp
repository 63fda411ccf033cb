#include "autodiff/residuals/choice/residual_graph.h"

#include <algorithm>
#include <sstream>

namespace eutectic {

namespace {

size_t at(int index) {
    return static_cast<size_t>(index);
}

const Recipe *recipe_of(const ResidualGraph &graph, const ResidualChoice &choice, size_t v) {
    return choice.way[v] > ResidualChoice::kept ? &graph.values[v].recipes[at(choice.way[v] - 1)] : nullptr;
}

// The values that are made, each after those that it is made of; empty and false when there is a circle.
class MakingOrder {
public:
    MakingOrder(const ResidualGraph &graph, const ResidualChoice &choice)
        : graph_(graph), choice_(choice), mark_(graph.values.size(), 0) {
        for (size_t v = 0; v < mark_.size(); v++) {
            visit(v);
        }
    }
    bool has_circle = false;
    std::vector<size_t> order;

private:
    void visit(size_t v) {
        const Recipe *recipe = recipe_of(graph_, choice_, v);
        if (!recipe || mark_[v] == 2) {
            return;
        }
        if (mark_[v] == 1) {
            has_circle = true;
            return;
        }
        mark_[v] = 1;
        for (const int source : recipe->from) {
            visit(at(source));
        }
        mark_[v] = 2;
        order.push_back(v);
    }

    const ResidualGraph &graph_;
    const ResidualChoice &choice_;
    std::vector<int> mark_;
};

// First and last step at which a value is at work in the backward; -1: never.
struct Life {
    int first = -1, last = -1;

    void use(int step) {
        first = first < 0 ? step : std::min(first, step);
        last = std::max(last, step);
    }
};

Bytes peak_of(const std::vector<Bytes> &steps) {
    return steps.empty() ? 0 : *std::max_element(steps.begin(), steps.end());
}

void add_over(std::vector<Bytes> &steps, int first, int last, Bytes bytes) {
    for (int step = std::max(first, 0); step <= last && at(step) < steps.size(); step++) {
        steps[at(step)] += bytes;
    }
}

// Buffers in tiles are where the value is read. A tensor that is recomputed is made when it is first read,
// and lives until it is last read. What is written out keeps what it reads alive.
Bytes backward_peak(const ResidualGraph &graph, const ResidualChoice &choice,
                    const std::vector<size_t> &order) {
    std::vector<Life> lives(graph.values.size());
    std::vector<Bytes> steps = graph.backward_scratch;
    for (size_t v = 0; v < lives.size(); v++) {
        for (const int step : graph.values[v].uses) {
            lives[v].use(step);
        }
    }
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        const Recipe &recipe = *recipe_of(graph, choice, *v);
        const Life life = lives[*v];
        if (life.first < 0) {
            continue;
        }
        for (const int source : recipe.from) {
            lives[at(source)].use(life.first);
            lives[at(source)].use(recipe.scratch ? life.first : life.last);
        }
        add_over(steps, life.first, life.last, std::max(recipe.scratch, recipe.in_tiles));
    }
    return peak_of(steps);
}

Bytes forward_peak(const ResidualGraph &graph, const ResidualChoice &choice) {
    std::vector<Bytes> steps = graph.forward_scratch;
    for (size_t v = 0; v < graph.values.size(); v++) {
        const ResidualValue &value = graph.values[v];
        if (choice.way[v] != ResidualChoice::kept) {
            add_over(steps, value.made, value.last_read, value.forward_bytes);
        }
    }
    return peak_of(steps);
}

}  // namespace

bool evaluate(const ResidualGraph &graph, ResidualChoice &choice) {
    choice.bytes = choice.scratch = 0;
    choice.seconds = 0;
    for (size_t v = 0; v < graph.values.size(); v++) {
        const ResidualValue &value = graph.values[v];
        const int way = choice.way[v];
        if ((way == ResidualChoice::absent && value.is_read) ||
            (way == ResidualChoice::kept && !value.may_keep) ||
            way > static_cast<int>(value.recipes.size())) {
            return false;
        }
        if (way == ResidualChoice::kept) {
            choice.bytes += value.bytes;
            choice.seconds += value.keep_seconds;
        }
        if (const Recipe *recipe = recipe_of(graph, choice, v)) {
            choice.seconds += recipe->seconds;
            for (const int source : recipe->from) {
                if (choice.way[at(source)] == ResidualChoice::absent) {
                    return false;
                }
            }
        }
    }
    const MakingOrder making(graph, choice);
    if (making.has_circle) {
        return false;
    }
    choice.scratch = std::max(backward_peak(graph, choice, making.order), forward_peak(graph, choice));
    return true;
}

ResidualChoice completed(const ResidualGraph &graph, ResidualChoice choice) {
    std::vector<bool> needed(graph.values.size());
    std::vector<size_t> open;
    const auto need = [&](size_t v) {
        if (!needed[v]) {
            needed[v] = true;
            open.push_back(v);
        }
    };
    for (size_t v = 0; v < needed.size(); v++) {
        if (graph.values[v].is_read) {
            need(v);
        }
    }
    while (!open.empty()) {
        const size_t v = open.back();
        open.pop_back();
        if (choice.way[v] == ResidualChoice::absent) {
            choice.way[v] = graph.values[v].may_keep ? ResidualChoice::kept : 1;
        }
        if (const Recipe *recipe = recipe_of(graph, choice, v)) {
            for (const int source : recipe->from) {
                need(at(source));
            }
        }
    }
    for (size_t v = 0; v < needed.size(); v++) {
        choice.way[v] = needed[v] ? choice.way[v] : ResidualChoice::absent;
    }
    evaluate(graph, choice);
    return choice;
}

ResidualChoice with_least_tensors(const ResidualGraph &graph, const ResidualChoice &choice) {
    ResidualChoice less = choice;
    for (size_t v = 0; v < less.way.size(); v++) {
        const std::vector<Recipe> &recipes = graph.values[v].recipes;
        const int next = less.way[v];  // ways count from 1
        if (next > ResidualChoice::kept && at(next) < recipes.size() && recipes[at(next)].spares_tensor) {
            less.way[v]++;
        }
    }
    return less.way == choice.way || !evaluate(graph, less) ? choice : less;
}

std::string to_text(const ResidualGraph &graph) {
    std::ostringstream out;
    for (const ResidualValue &value : graph.values) {
        out << value.name << (value.is_read ? " (read)" : "") << ":";
        if (value.may_keep) {
            out << " " << value.kind << " " << value.bytes << " bytes, "
                << format_seconds(value.keep_seconds);
        }
        for (const Recipe &recipe : value.recipes) {
            out << "; " << recipe.how << ", " << format_seconds(recipe.seconds);
        }
        for (const std::string &sentence : value.refused) {
            out << "; " << sentence;
        }
        out << "\n";
    }
    return out.str();
}

std::string to_text(const ResidualGraph &graph, const ResidualChoice &choice) {
    std::ostringstream out;
    for (size_t v = 0; v < graph.values.size(); v++) {
        const ResidualValue &value = graph.values[v];
        if (const Recipe *recipe = recipe_of(graph, choice, v)) {
            out << value.name << ": " << (recipe->rewritten ? "rewritten" : "recomputed") << "\n";
        } else if (choice.way[v] == ResidualChoice::kept) {
            out << value.name << ": " << value.kind << "\n";
        }
    }
    return out.str();
}

}  // namespace eutectic
