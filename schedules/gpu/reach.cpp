#include "schedules/gpu/reach.h"

#include <algorithm>
#include <map>
#include <string>

#include "graph/read/read_expr.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;

namespace {

using Positions = std::map<std::string, DimId>;

/** Is what `index` says the same at every size? Multiples, quotients and remainders by what the estimates
 * tell are not; nor is how far two loads of one Func lie apart (`several`), where that is such a number. */
bool holds_at_every_size(const Expr &index, const Positions &dims, bool several) {
    const Index read = read_index(index, dims);
    return read.affine && (!several || read.offset);
}

/** Marks the indices of the loads of `producer`, of that name, in `stage` that are chosen, or known at the
 * estimates alone. */
void mark(Graph &graph, const Stage &stage, const std::vector<Expr> &values, FuncId producer,
          const std::string &name) {
    Positions dims;
    for (const DimId d : stage.dims.ids()) {
        dims[stage.dims[d].name] = d;
    }
    std::vector<const Internal::Call *> loads;
    std::vector<Expr> whole;  // they live as long as what they are in
    for (const Expr &value : values) {
        whole.push_back(without_lets(value));
        for_each_load(whole.back(), [&](const Internal::Call *load) {
            if (load->name == name) {
                loads.push_back(load);
            }
        });
    }
    for (const Internal::Call *load : loads) {
        for (size_t a = 0; a < load->args.size(); a++) {
            const Expr &arg = load->args[a];
            const bool several = std::any_of(loads.begin(), loads.end(), [&](const Internal::Call *other) {
                return !Internal::graph_equal(other->args[a], arg);
            });
            const bool known = Internal::graph_equal(likely_sides(arg), arg) && is_small(arg) &&
                               holds_at_every_size(arg, dims, several);
            for (const EdgeId e : stage.edges) {
                Edge &edge = graph.edges[e];
                if (!known && edge.producer == producer) {
                    edge.access.indices[static_cast<int>(a)].affine = false;
                }
            }
        }
    }
}

}  // namespace

Graph with_uncertain_reach_anywhere(Graph graph, const Pipeline &pipeline) {
    const auto function = [&](FuncId f) {
        return Pipeline(pipeline).get_func(graph.funcs[f].pipeline_index).function();
    };
    for (const Stage &stage : graph.stages) {
        if (stage.external || graph.funcs[stage.func].input) {
            continue;
        }
        const Internal::Function f = function(stage.func);
        const Internal::Definition &definition = stage.update < 0 ? f.definition() : f.update(stage.update);
        std::vector<Expr> values = definition.values();
        values.push_back(definition.predicate());
        for (const EdgeId e : stage.edges) {
            const FuncId producer = graph.edges[e].producer;
            if (!graph.funcs[producer].input) {
                mark(graph, stage, values, producer, function(producer).name());
            }
        }
    }
    return graph;
}

}  // namespace eutectic
