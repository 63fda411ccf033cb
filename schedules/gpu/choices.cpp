#include "schedules/gpu/choices.h"

#include "graph/read/read_expr.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Marks the indices of the loads of `producer`, of that name, in `stage` that are chosen. */
void mark(Graph &graph, const Stage &stage, const std::vector<Expr> &values, FuncId producer,
          const std::string &name) {
    for (const Expr &value : values) {
        for_each_load(without_lets(value), [&](const Internal::Call *load) {
            for (size_t a = 0; load->name == name && a < load->args.size(); a++) {
                if (Internal::graph_equal(likely_sides(load->args[a]), load->args[a])) {
                    continue;
                }
                for (const EdgeId e : stage.edges) {
                    Edge &edge = graph.edges[e];
                    if (edge.producer == producer) {
                        edge.access.indices[static_cast<int>(a)].affine = false;
                    }
                }
            }
        });
    }
}

}  // namespace

Graph with_choices_anywhere(Graph graph, const Pipeline &pipeline) {
    const auto function = [&](FuncId f) {
        return Pipeline(pipeline).get_func(graph.funcs[f].pipeline_index).function();
    };
    for (const Stage &stage : graph.stages) {
        if (stage.external || graph.funcs[stage.func].input) {
            continue;
        }
        const Internal::Function f = function(stage.func);
        const std::vector<Expr> values =
            stage.update < 0 ? f.definition().values() : f.update(stage.update).values();
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
