// f(x, y, c) = select(c == 0, red, c == 1, green, blue): what is left of it at each c. And of f(x, y) =
// select(y % 2 == 0, a, b) in even rows, and in odd ones.

#include "graph/read/cases.h"

#include <algorithm>
#include <iterator>

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
        return left_of(
            [&](const Expr &v) {
                return substitute_shared({{stage_.dims[d].name, static_cast<int32_t>(value)}}, v);
            },
            left);
    }

    /** What is computed of the values that `known` makes of the stage's; adds what is read then to `left`. */
    template<class Known>
    ExprSummary left_of(const Known &known, std::vector<Left> &left) const {
        ExprSummary body;
        for (const Expr &v : values_) {
            const Expr decided = simplify_shared(known(v));
            body += bodies_.work(decided);
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

/** The remainder of a variable by a small constant, or none. */
struct Remainder {
    std::string variable;
    int64_t by = 0;
};

std::optional<Remainder> remainder(const Expr &e) {
    const Mod *mod = e.as<Mod>();
    const Call *call = e.as<Call>();
    const bool masked = call && call->is_intrinsic(Call::bitwise_and);
    if (!mod && !masked) {
        return std::nullopt;
    }
    const Variable *v = (mod ? mod->a : call->args[0]).as<Variable>();
    const auto number = as_const_int(mod ? mod->b : call->args[1]);
    if (!v || !number) {
        return std::nullopt;
    }
    const int64_t by = *number + (mod ? 0 : 1);
    const bool counts = mod || (by & (by - 1)) == 0;  // as many low bits as are kept
    return counts && by > 1 && by <= Cases::most_points ? std::optional(Remainder{v->name, by})
                                                        : std::nullopt;
}

/** Writes `value` for the remainder of `of.variable` by `of.by`. */
class Known : public IRGraphMutator {
public:
    Known(Remainder of, int64_t value) : of_(std::move(of)), value_(value) {
    }

private:
    using IRGraphMutator::visit;

    Expr visit(const Mod *op) override {
        return known(op) ? make_const(op->type, value_) : IRGraphMutator::visit(op);
    }
    Expr visit(const Call *op) override {
        return known(op) ? make_const(op->type, value_) : IRGraphMutator::visit(op);
    }
    bool known(const Expr &e) const {
        const std::optional<Remainder> r = remainder(e);
        return r && r->variable == of_.variable && r->by == of_.by;
    }

    const Remainder of_;
    const int64_t value_;
};

/** The remainder of the variable `name` by which `values` choose; none where they choose by several. */
std::optional<Remainder> phases_of(const std::vector<Expr> &values, const std::string &name) {
    std::optional<Remainder> found;
    bool one = true;
    for (const Expr &v : values) {
        for_each_node(v, [&](const Expr &e) {
            if (const Select *select = e.as<Select>()) {
                for_each_node(select->condition, [&](const Expr &c) {
                    const std::optional<Remainder> r = remainder(c);
                    const bool here = r && r->variable == name;
                    one = one && !(here && found && found->by != r->by);
                    found = here ? r : found;
                    return true;
                });
            }
            return true;
        });
    }
    return one ? found : std::nullopt;
}

}  // namespace

void find_phases(const std::vector<Expr> &values, const std::string &self, const BodyReader &bodies,
                 Graph &graph, Stage &stage) {
    if (!std::all_of(values.begin(), values.end(), is_small)) {
        return;
    }
    std::vector<Expr> written;  // a condition that is used twice is behind a let
    std::transform(values.begin(), values.end(), std::back_inserter(written), without_lets);
    const Decide decide(written, self, bodies, graph, stage);
    for (const DimId d : stage.dims.ids()) {
        const std::optional<Remainder> by = phases_of(written, stage.dims[d].name);
        if (!by || stage.dims[d].reduction || stage.dims[d].extent < by->by) {
            continue;
        }
        const double phases = static_cast<double>(by->by);
        double operations = 0;
        std::vector<double> read(stage.edges.size(), 0);
        for (int64_t p = 0; p < by->by; p++) {
            Known known(*by, p);
            std::vector<Left> left;
            operations += decide.left_of([&](const Expr &v) { return known.mutate(v); }, left).operations();
            const std::vector<bool> read_here = decide.read_at(d, 0, left);
            for (size_t e = 0; e < read.size(); e++) {
                read[e] += read_here[e] ? 1 / phases : 0;
            }
        }
        const double share = operations / phases / std::max(1.0, stage.body.operations());
        stage.phases.push_back({d, std::min(1.0, share), by->by});
        for (size_t e = 0; e < read.size(); e++) {
            if (read[e] > 0 && read[e] < 1) {
                graph.edges[stage.edges[e]].in_phases.push_back({d, read[e], by->by});
            }
        }
    }
}

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
    if (stage.cases && graph.funcs[stage.func].is_constant(stage.cases->dim)) {
        stage.dims[stage.cases->dim].constant = true;  // there may be code for each, and no other version
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
