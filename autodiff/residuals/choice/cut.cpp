#include "autodiff/residuals/choice/cut.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace eutectic {

namespace {

using Capacity = std::int64_t;
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    boost::property<boost::vertex_index_t, std::size_t,
                    boost::property<boost::vertex_color_t, boost::default_color_type,
                                    boost::property<boost::vertex_distance_t, std::int64_t,
                                                    boost::property<boost::vertex_predecessor_t,
                                                                    Traits::edge_descriptor>>>>,
    boost::property<boost::edge_capacity_t, Capacity,
                    boost::property<boost::edge_residual_capacity_t, Capacity,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

// Which recipe each value may use in the cut; -1: none.
using Allowed = std::vector<int>;

size_t at(int index) {
    return static_cast<size_t>(index);
}

class Closure {
public:
    Closure(const ResidualGraph &graph, const Price &price, const Allowed &allowed)
        : graph_(graph),
          allowed_(allowed),
          flow_(2 * graph.values.size() + 2),
          source_(2 * graph.values.size()),
          sink_(source_ + 1) {
        // Integers, so that the cut is exact and the same everywhere: all costs together are 2^55.
        double total = 0;
        for (size_t v = 0; v < graph.values.size(); v++) {
            total += keep(v, price) + make(v, price);
        }
        scale_ = total > 0 ? std::ldexp(1.0, 55) / total : 1;
        for (size_t v = 0; v < graph.values.size(); v++) {
            add(v, price);
        }
    }

    ResidualChoice solve() {
        boost::boykov_kolmogorov_max_flow(flow_, source_, sink_);
        const auto color = boost::get(boost::vertex_color, flow_);
        const auto is_chosen = [&](size_t node) { return color[node] == color[source_]; };
        ResidualChoice choice;
        choice.way.assign(graph_.values.size(), ResidualChoice::absent);
        for (size_t v = 0; v < graph_.values.size(); v++) {
            if (allowed_[v] >= 0 && is_chosen(made(v))) {
                choice.way[v] = allowed_[v] + 1;
            } else if (is_chosen(needed(v))) {
                choice.way[v] = ResidualChoice::kept;
            }
        }
        return choice;
    }

private:
    double keep(size_t v, const Price &price) const {
        const ResidualValue &value = graph_.values[v];
        return value.may_keep
                   ? price.per_byte * static_cast<double>(value.bytes) + price.per_second * value.keep_seconds
                   : 0;
    }
    double make(size_t v, const Price &price) const {
        return allowed_[v] >= 0 ? price.per_second * graph_.values[v].recipes[at(allowed_[v])].seconds : 0;
    }
    Capacity scaled(double cost) const {
        return static_cast<Capacity>(std::llround(cost * scale_));
    }
    static size_t needed(size_t v) {
        return 2 * v;
    }
    static size_t made(size_t v) {
        return 2 * v + 1;
    }

    void edge(size_t from, size_t to, Capacity capacity) {
        const auto forward = boost::add_edge(from, to, flow_).first,
                   backward = boost::add_edge(to, from, flow_).first;
        boost::put(boost::edge_capacity, flow_, forward, capacity);
        boost::put(boost::edge_capacity, flow_, backward, 0);
        boost::put(boost::edge_reverse, flow_, forward, backward);
        boost::put(boost::edge_reverse, flow_, backward, forward);
    }

    void add(size_t v, const Price &price) {
        const ResidualValue &value = graph_.values[v];
        const Capacity kept = scaled(keep(v, price));
        edge(needed(v), sink_, kept);
        if (value.is_read) {
            edge(source_, needed(v), always);
        }
        if (allowed_[v] < 0) {
            return;
        }
        // r(v) earns what keeping would cost, and costs its own seconds.
        edge(source_, made(v), kept);
        edge(made(v), sink_, scaled(make(v, price)));
        edge(made(v), needed(v), always);
        if (!value.may_keep) {
            edge(needed(v), made(v), always);
        }
        for (const int source : value.recipes[at(allowed_[v])].from) {
            edge(made(v), needed(at(source)), always);
        }
    }

    static constexpr Capacity always = std::int64_t(1) << 60;
    const ResidualGraph &graph_;
    const Allowed allowed_;
    FlowGraph flow_;
    const size_t source_, sink_;
    double scale_ = 1;
};

// The first recipe of each value that goes forward, or the first at all of a value that may not be kept.
Allowed first_recipes(const ResidualGraph &graph) {
    Allowed allowed;
    for (const ResidualValue &value : graph.values) {
        int first = -1;
        for (size_t r = value.recipes.size(); r-- > 0;) {
            first = value.recipes[r].rewritten ? first : static_cast<int>(r);
        }
        allowed.push_back(first < 0 && !value.may_keep && !value.recipes.empty() ? 0 : first);
    }
    return allowed;
}

// What v's recipe reads is then kept, where it may be.
Allowed without_circle(const ResidualGraph &graph, Allowed allowed, size_t v) {
    for (const int source : graph.values[v].recipes[at(allowed[v])].from) {
        allowed[at(source)] = graph.values[at(source)].may_keep ? -1 : allowed[at(source)];
    }
    return allowed;
}

double cost_of(const ResidualChoice &choice, const Price &price) {
    return price.per_byte * static_cast<double>(choice.bytes) + price.per_second * choice.seconds;
}

bool is_better(const ResidualChoice &a, const ResidualChoice &b, const Price &price) {
    const double x = cost_of(a, price), y = cost_of(b, price);
    const double slack = 1e-12 * std::max(std::abs(x), std::abs(y));
    return x < y - slack || (x <= y + slack && a.bytes < b.bytes);
}

}  // namespace

bool is_cut_exact(const ResidualGraph &graph) {
    return std::all_of(graph.values.begin(), graph.values.end(), [](const ResidualValue &value) {
        int recipes = 0;
        for (const Recipe &recipe : value.recipes) {
            recipes += recipe.rewritten ? 2 : recipe.spares_tensor ? 0 : 1;
        }
        return recipes < 2;
    });
}

ResidualChoice cheapest_at(const ResidualGraph &graph, const Price &price) {
    Allowed allowed = first_recipes(graph);
    const auto solve = [&](const Allowed &recipes) {
        return completed(graph, Closure(graph, price, recipes).solve());
    };
    ResidualChoice best = solve(allowed);
    const auto try_instead = [&](const Allowed &other) {
        ResidualChoice choice = solve(other);
        if (!evaluate(graph, choice) || !is_better(choice, best, price)) {
            return false;
        }
        best = std::move(choice);
        allowed = other;
        return true;
    };
    for (bool improved = true; improved;) {
        improved = false;
        for (size_t v = 0; v < graph.values.size(); v++) {
            for (int r = 0; r < static_cast<int>(graph.values[v].recipes.size()); r++) {
                if (r != allowed[v] && !graph.values[v].recipes[at(r)].spares_tensor) {
                    Allowed other = allowed;
                    other[v] = r;
                    improved = try_instead(other) || try_instead(without_circle(graph, other, v)) || improved;
                }
            }
        }
    }
    return best;
}

}  // namespace eutectic
