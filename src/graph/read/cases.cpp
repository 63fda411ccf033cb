// f(x, y, c) = select(c == 0, red, c == 1, green, blue): what is left of it at each c.

#include "graph/read/cases.h"

#include <algorithm>

#include "graph/read/read_expr.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** A load that is left of a definition. */
struct Left {
    FuncId producer = -1;
    Access access;
};

/** Is it what `edge` reads where dim `d` is at `value`, as far as both are understood? */
bool is_left(const Left &left, const Edge &edge, DimId d, double value) {
    if (left.producer != edge.producer) {
        return false;
    }
    for (const DimId i : edge.access.indices.ids()) {
        const Index &a = left.access.indices[i], &b = edge.access.indices[i];
        for (const DimId s : b.consumer_dims()) {
            if (s != d && a.scale[s] != b.scale[s]) {
                return false;
            }
        }
        if (a.affine && b.affine && a.offset && b.offset && *a.offset != *b.offset + b.scale[d] * value) {
            return false;
        }
    }
    return true;
}

/** Does `values` choose by the variable `name`? */
bool chooses_by(const std::vector<Expr> &values, const std::string &name) {
    bool chooses = false;
    Contains uses = uses_variable(name);
    for (const Expr &v : values) {
        for_each_node(v, [&](const Expr &e) {
            const Select *select = e.as<Select>();
            const Call *call = e.as<Call>();
            const bool mux = call && call->is_intrinsic(Call::mux);
            chooses = chooses || (select && uses(select->condition)) || (mux && uses(call->args[0]));
            return !chooses;
        });
    }
    return chooses;
}

class Decide {
public:
    Decide(const std::vector<Expr> &values, const std::string &self, const BodyReader &bodies,
           const Graph &graph, const Stage &stage)
        : values_(values), self_(self), bodies_(bodies), graph_(graph), stage_(stage) {
    }

    /** What is computed where dim `d` is at `value`; adds what is read then to `left`. */
    ExprSummary at(DimId d, int64_t value, std::vector<Left> &left) const {
        ExprSummary body;
        for (const Expr &v : values_) {
            const Expr decided =
                simplify_shared(substitute_shared({{stage_.dims[d].name, static_cast<int32_t>(value)}}, v));
            body += summarize(decided);
            for_each_load(decided, [&](const Call *load) {
                if (load->call_type == Call::Halide && load->name != self_) {
                    left.push_back({bodies_.id_of(load->name), bodies_.access(load->args, stage_)});
                }
            });
        }
        return body;
    }

    /** For each edge of the stage: is it among those? */
    std::vector<bool> read_at(DimId d, int64_t value, const std::vector<Left> &left) const {
        std::vector<bool> read;
        for (const EdgeId e : stage_.edges) {
            read.push_back(std::any_of(left.begin(), left.end(), [&](const Left &l) {
                return is_left(l, graph_.edges[e], d, static_cast<double>(value));
            }));
        }
        return read;
    }

private:
    const std::vector<Expr> &values_;
    const std::string &self_;
    const BodyReader &bodies_;
    const Graph &graph_;
    const Stage &stage_;
};

}  // namespace

void find_cases(const std::vector<Expr> &values, const std::string &self, const BodyReader &bodies,
                Graph &graph, Stage &stage) {
    // As much as is left of a definition on average, at most, that is worth the name of a choice: an offset
    // that becomes a constant is none. Chosen, not measured.
    constexpr double most_left = 0.7;
    if (!std::all_of(values.begin(), values.end(), is_small)) {
        return;
    }
    const Decide decide(values, self, bodies, graph, stage);
    std::vector<std::vector<bool>> read;
    double least = stage.body.operations() * most_left;
    for (const DimId d : stage.dims.ids()) {
        const Dim &dim = stage.dims[d];
        if (!dim.first || dim.extent < 2 || dim.extent > Cases::most_points ||
            !chooses_by(values, dim.name)) {
            continue;
        }
        Cases cases{d, {}};
        std::vector<std::vector<bool>> read_here;
        for (int64_t p = 0; p < dim.extent; p++) {
            std::vector<Left> left;
            cases.bodies.push_back(decide.at(d, *dim.first + p, left));
            read_here.push_back(decide.read_at(d, *dim.first + p, left));
        }
        if (cases.mean().operations() < least) {
            least = cases.mean().operations();
            stage.cases = std::move(cases);
            read = std::move(read_here);
        }
    }
    for (size_t e = 0; stage.cases && e < stage.edges.size(); e++) {
        std::vector<int> taps;
        for (const std::vector<bool> &at_value : read) {
            taps.push_back(at_value[e] ? graph.edges[stage.edges[e]].taps : 0);
        }
        if (std::find(taps.begin(), taps.end(), 0) != taps.end()) {
            graph.edges[stage.edges[e]].taps_at = std::move(taps);
        }
    }
}

std::vector<SomeOf> taken_iterations(const Expr &predicate, const Dims &dims) {
    if (const And *both = predicate.as<And>()) {
        std::vector<SomeOf> taken = taken_iterations(both->a, dims);
        for (const SomeOf &of : taken_iterations(both->b, dims)) {
            taken.push_back(of);
        }
        return taken;
    }
    const EQ *equal = predicate.as<EQ>();
    for (const DimId d : dims.ids()) {
        const std::string &name = dims[d].name;
        const auto is = [&](const Expr &e) {
            const Variable *v = e.as<Variable>();
            return v && v->name == name;
        };
        if (equal && dims[d].reduction &&
            ((is(equal->a) && !uses_variable(name)(equal->b)) ||
             (is(equal->b) && !uses_variable(name)(equal->a)))) {
            return {{d, 1 / static_cast<double>(dims[d].extent)}};
        }
    }
    return {};
}

}  // namespace eutectic
