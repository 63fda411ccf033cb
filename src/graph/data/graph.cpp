#include "graph/data/graph.h"

#include <algorithm>
#include <sstream>

#include "graph/data/access.h"

namespace eutectic {

const char *to_string(Role role) {
    switch (role) {
    case Role::pointwise: return "pointwise";
    case Role::view: return "view";
    case Role::reduction: return "reduction";
    case Role::contraction: return "contraction";
    case Role::gather: return "gather";
    case Role::scatter: return "scatter";
    case Role::scan: return "scan";
    case Role::library: return "library";
    case Role::opaque: break;
    }
    return "opaque";
}

bool same_points(const Access &a, const Access &b) {
    for (const DimId i : a.indices.ids()) {
        const Index &x = a.indices[i], &y = b.indices[i];
        if (!x.exact || !y.exact || !x.affine || !y.affine || x.scale != y.scale) {
            return false;
        }
    }
    return true;
}

bool Index::depends_on(DimId consumer_dim) const {
    const bool unknown = !affine && std::all_of(scale.begin(), scale.end(), [](double s) { return s == 0; });
    return unknown || scale[consumer_dim] != 0;
}

DimId Index::equals_dim() const {
    if (!affine || !exact) {
        return -1;
    }
    DimId found = -1;
    for (const DimId d : consumer_dims()) {
        if (scale[d] == 0) {
            continue;
        }
        if (scale[d] != 1 || found >= 0) {
            return -1;
        }
        found = d;
    }
    return found;
}

ExprSummary Cases::mean() const {
    ExprSummary sum;
    for (const ExprSummary &body : bodies) {
        sum += body;
    }
    sum *= 1 / static_cast<double>(bodies.size());
    return sum;
}

bool Access::affine() const {
    return std::all_of(indices.begin(), indices.end(), [](const Index &i) { return i.affine; });
}

bool Access::permutation() const {
    std::vector<DimId> seen;
    for (const Index &index : indices) {
        const DimId d = index.equals_dim();
        if (d < 0 || std::find(seen.begin(), seen.end(), d) != seen.end()) {
            return false;
        }
        seen.push_back(d);
    }
    return true;
}

bool Access::depends_on(DimId consumer_dim) const {
    return std::any_of(indices.begin(), indices.end(),
                       [&](const Index &i) { return i.depends_on(consumer_dim); });
}

std::string FuncInfo::why_own_loops() const {
    return user_scheduled ? "carries a schedule of the user's, which is left as it is"
           : in_place     ? "is added to what its buffer holds, in loops that compute each point once"
                          : "";
}

int64_t FuncInfo::points() const {
    int64_t n = 1;
    for (const int64_t e : extents) {
        n *= e;
    }
    return n;
}

const Graph::Consumers &Graph::consumers_of(FuncId func) const {
    if (consumers_.size() != funcs.size() || consumers_of_edges_ != edges.size()) {
        consumers_ = Table<FuncId, Consumers>(funcs.size());
        consumers_of_edges_ = edges.size();
        for (const Edge &e : edges) {
            Consumers &of = consumers_[e.producer];
            if (std::find(of.stages.begin(), of.stages.end(), e.consumer) == of.stages.end()) {
                of.stages.push_back(e.consumer);
            }
            const FuncId f = stages[e.consumer].func;
            if (f != e.producer && std::find(of.funcs.begin(), of.funcs.end(), f) == of.funcs.end()) {
                of.funcs.push_back(f);
            }
        }
    }
    return consumers_[func];
}

namespace {

void print_index(std::ostream &s, const Index &index) {
    if (!index.affine) {
        s << "?";
        return;
    }
    const char *plus = "";
    for (const DimId d : index.consumer_dims()) {
        if (index.scale[d] != 0) {
            s << plus;
            if (index.scale[d] != 1) {
                s << index.scale[d] << "*";
            }
            s << "d" << d;
            plus = " + ";
        }
    }
    if (!*plus) {
        s << "c";
    }
    if (!index.exact) {
        s << " ~" << index.halo + index.rounding;
    }
    if (index.wraps > 0) {
        s << " %" << index.wraps;
    }
}

}  // namespace

namespace {

/** Operations that have a price by their type: " multiply_8 2". */
std::string typed(const ExprSummary &body) {
    std::ostringstream s;
    for (size_t i = 0; i < body.typed.size(); i++) {
        const std::string key = info(static_cast<TypedOperation>(i)).key;
        if (body.typed[i] > 0) {
            s << " " << key.substr(0, key.rfind("_cycles")) << " " << body.typed[i];
        }
    }
    return s.str();
}

/** " guards 5 (d0, d1)", or nothing. */
std::string guards(const Stage &stage) {
    std::ostringstream s;
    for (const DimId d : stage.guarded.ids()) {
        if (stage.guarded[d]) {
            s << (s.str().empty() ? "" : ", ") << "d" << d;
        }
    }
    std::ostringstream all;
    all << " guards " << stage.body.guards << " (" << s.str() << ")";
    return stage.guarded.empty() ? "" : all.str();
}

/** " cases d2 (5 6 5)", the operations that are left of the body in each; " phases d1%2 0.5", the share of
 * the body that is left in one; " taken d3 1/4"; or nothing. */
std::string cases(const Stage &stage) {
    std::ostringstream s;
    if (stage.cases) {
        s << " cases d" << stage.cases->dim << " (";
        for (const ExprSummary &body : stage.cases->bodies) {
            s << (&body == &stage.cases->bodies.front() ? "" : " ") << body.operations();
        }
        s << ")";
    }
    for (const SomeOf &of : stage.phases) {
        s << " phases d" << of.dim << "%" << of.period << " " << of.share;
    }
    for (const SomeOf &of : stage.taken) {
        s << " taken d" << of.dim << " " << of.share;
    }
    return s.str();
}

/** " in d1%2 0.5" for each of the phases that read it, on their own. */
std::string phases(const Edge &edge) {
    std::ostringstream s;
    for (const SomeOf &of : edge.in_phases) {
        s << (&of == &edge.in_phases.front() ? " in d" : ", d") << of.dim << "%" << of.period << " "
          << of.share;
    }
    return s.str();
}

/** Rewrites that the stage was read with, or that a plan may make of it. */
std::string rewrites_of(const Stage &stage) {
    std::string all;
    for (const std::string &name : stage.simplified) {
        all += " " + name;
    }
    for (const std::shared_ptr<const Pattern> &p : stage.patterns) {
        all += std::string(" ") + p->name;
    }
    return all;
}

}  // namespace

std::string to_string(const Graph &graph, bool with_names) {
    std::ostringstream s;
    s << (!graph.strict ? "" : graph.sums_in_any_order ? "strict but for the order of sums\n" : "strict\n");
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &func = graph.funcs[f];
        s << "func " << f << (with_names ? " " + func.name : "") << " [";
        for (const DimId d : func.extents.ids()) {
            s << (d ? " x " : "") << func.extents[d];
        }
        s << "] " << func.bytes_per_point << " B" << (func.input ? " input" : "")
          << (func.output ? " output" : "") << "\n";
        for (const StageId id : func.stages) {
            const Stage &stage = graph.stages[id];
            s << "  stage " << id << (stage.update < 0 ? " pure " : " update ") << to_string(stage.role)
              << " (";
            for (const DimId d : stage.dims.ids()) {
                s << (d ? ", " : "") << (stage.dims[d].reduction ? "r:" : "") << stage.dims[d].extent;
            }
            s << ") flops " << stage.body.flops << " div " << stage.body.divisions << " exp "
              << stage.body.transcendentals << " libm " << stage.body.libm_calls << typed(stage.body)
              << guards(stage) << cases(stage) << rewrites_of(stage) << "\n";
            for (const EdgeId e : stage.edges) {
                const Edge &edge = graph.edges[e];
                s << "    reads " << edge.producer << "(";
                for (const DimId d : edge.access.indices.ids()) {
                    s << (d ? ", " : "");
                    print_index(s, edge.access.indices[d]);
                }
                s << ")" << (edge.loads > 1 ? " x" + std::to_string(edge.loads) : "");
                for (const int &taps : edge.taps_at) {
                    s << (&taps == &edge.taps_at.front() ? " at " : " ") << taps;
                }
                s << phases(edge) << "\n";
            }
        }
    }
    return s.str();
}

}  // namespace eutectic
