#include "graph/patterns/taps.h"

#include <algorithm>
#include <cmath>

#include "graph/data/access.h"

namespace eutectic {

namespace {

/** Of a span, the share that is read: a box is full whatever the order in which its points are met, while
 * points far apart stay apart. Chosen, not measured: with a larger share sparse stencils are an edge for each
 * of their points, with a smaller one spans count as read what is not. */
constexpr double least_density = 0.5;

bool differ_by_a_constant(const Index &a, const Index &b) {
    return a.affine && b.affine && a.offset && b.offset && a.scale == b.scale && a.wraps == b.wraps;
}

}  // namespace

bool differ_by_constants(const Access &a, const Access &b) {
    return std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
                      differ_by_a_constant);
}

Access spanning(Access a, const Access &b) {
    for (const DimId i : a.indices.ids()) {
        Index &x = a.indices[i];
        const Index &y = b.indices[i];
        const double end = std::max(*x.offset + x.halo, *y.offset + y.halo);
        x.offset = std::min(*x.offset, *y.offset);
        x.halo = end - *x.offset;
        x.exact = x.exact && y.exact && x.halo == 0;
        x.cut = x.cut || y.cut;
        x.rounding = std::max(x.rounding, y.rounding);
        const bool same_clamp = x.clamped_dim == y.clamped_dim && x.clamped_to == y.clamped_to && x.halo == 0;
        x.clamped_dim = same_clamp ? x.clamped_dim : DimId(-1);
        x.clamped_to = same_clamp ? x.clamped_to : std::nullopt;
    }
    return a;
}

double positions(const Access &span) {
    double points = 1;
    for (const Index &i : span.indices) {
        points *= std::ceil(i.halo + 1);
    }
    return points;
}

double different_taps(const Access &span, double taps) {
    const bool quotients =
        std::any_of(span.indices.begin(), span.indices.end(), [](const Index &i) { return i.rounding > 0; });
    return span.affine() && !quotients ? std::min(taps, positions(span)) : taps;
}

namespace {

/** Is it the scaled loops and nothing else? Rules ask for Funcs that are read so. */
bool is_exact(const Access &access) {
    return std::all_of(access.indices.begin(), access.indices.end(), [](const Index &i) { return i.exact; });
}

}  // namespace

std::optional<Taps> together(const Taps &a, const Taps &b) {
    if (is_exact(a.span) || is_exact(b.span) || !differ_by_constants(a.span, b.span)) {
        return std::nullopt;
    }
    Taps both{spanning(a.span, b.span), a.count + b.count};
    both.count = different_taps(both.span, both.count);
    return both.count >= least_density * positions(both.span) ? std::optional(both) : std::nullopt;
}

namespace {

/** Do both name the same point in every iteration, for certain? */
bool same_place(const Access &a, const Access &b) {
    return std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
                      [](const Index &x, const Index &y) {
                          return differ_by_a_constant(x, y) && *x.offset == *y.offset && x.halo == y.halo &&
                                 x.exact == y.exact && x.cut == y.cut;
                      });
}

}  // namespace

std::optional<Taps> joined(const Taps &a, const Taps &b) {
    if (same_place(a.span, b.span)) {
        return a.count >= b.count ? a : b;
    }
    return a.count > 1 || b.count > 1 ? together(a, b) : std::nullopt;
}

namespace {

/** What is read of both in each of the cases. */
std::vector<int> together_at(const Edge &a, const Edge &b) {
    std::vector<int> taps(std::max(a.taps_at.size(), b.taps_at.size()), 0);
    for (size_t v = 0; v < taps.size(); v++) {
        for (const Edge *e : {&a, &b}) {
            taps[v] += e->taps_at.empty() ? e->taps : e->taps_at[v];
        }
    }
    return taps;
}

/** Joins `edge` to one of `edges`, if there is one that it is together with. */
bool joins(std::vector<Edge> &edges, const Edge &edge) {
    for (Edge &old : edges) {
        const bool same = old.producer == edge.producer && !same_points(old.access, edge.access);
        const auto both = same ? together({old.access, static_cast<double>(old.taps)},
                                          {edge.access, static_cast<double>(edge.taps)})
                               : std::nullopt;
        if (both) {
            old.taps_at = together_at(old, edge);
            if (old.in_phases != edge.in_phases) {
                old.in_phases.clear();
            }
            old.access = both->span;
            old.taps = static_cast<int>(both->count);
            old.loads += edge.loads;
            old.into |= edge.into;
            old.forwarded = old.forwarded || edge.forwarded;
            return true;
        }
    }
    return false;
}

}  // namespace

Graph with_taps_together(const Graph &graph) {
    Graph result = graph;
    result.edges.clear();
    result.forget_consumers();
    for (Stage &stage : result.stages) {
        std::vector<Edge> edges;
        for (const EdgeId e : stage.edges) {
            const Edge &edge = graph.edges[e];
            if (stage.update >= 0 || !joins(edges, edge)) {
                edges.push_back(edge);
            }
        }
        stage.edges.clear();
        for (Edge &e : edges) {
            stage.edges.push_back(result.edges.next_id());
            result.edges.push_back(std::move(e));
        }
    }
    return result;
}

}  // namespace eutectic
