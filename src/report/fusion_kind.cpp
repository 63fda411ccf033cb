#include "report/fusion_kind.h"

#include <algorithm>

#include "fusion/rules/rule.h"

namespace eutectic {

namespace {

bool is_constant(const Index &index) {
    return std::all_of(index.scale.begin(), index.scale.end(), [](double scale) { return scale == 0; });
}

/** Does each point of the reader read one point, named by its own coordinates? Those that an index leaves out
 * read the same one. */
bool one_point(const Edge &edge) {
    const Table<DimId, Index> &indices = edge.access.indices;
    return edge.taps == 1 && std::all_of(indices.begin(), indices.end(), [](const Index &i) {
               return i.affine && i.halo == 0 && (i.equals_dim() >= 0 || is_constant(i));
           });
}

bool reduces(const Stage &stage) {
    return stage.update >= 0 && (stage.role == Role::reduction || stage.role == Role::contraction);
}

/** Does the nest that writes `producer` hold what reads it through `consumer`, too? */
bool in_one_nest(const Graph &graph, const Placements &placements, FuncId producer, FuncId consumer) {
    const auto shares = [&](FuncId reader) {
        return nest_around(placements, reader) == nest_around(placements, producer);
    };
    if (placements[consumer].kind != Placement::Kind::inlined) {
        return shares(consumer);
    }
    const std::vector<Reader> all = readers(graph, placements, consumer);
    return std::any_of(all.begin(), all.end(), [&](const Reader &r) { return shares(r.func); });
}

FusionKind inlined_kind(const Graph &graph, FuncId producer, FuncId consumer) {
    bool any = false, into_reduction = false, points = true;
    for (const StageId s : graph.funcs[consumer].stages) {
        const Stage &stage = graph.stages[s];
        for (const EdgeId e : stage.edges) {
            const Edge &edge = graph.edges[e];
            if (edge.producer != producer) {
                continue;
            }
            points = points && one_point(edge) && !any;  // of two loads of the same point one edge is made
            into_reduction = into_reduction || reduces(stage);
            any = true;
        }
    }
    return into_reduction                                       ? FusionKind::into_reduction
           : graph.last_stage(producer).role == Role::view      ? FusionKind::view
           : points && graph.funcs[consumer].stages.size() == 1 ? FusionKind::element_wise
                                                                : FusionKind::producer_consumer;
}

}  // namespace

const char *to_string(FusionKind kind) {
    switch (kind) {
    case FusionKind::element_wise: return "element-wise";
    case FusionKind::view: return "view";
    case FusionKind::producer_consumer: return "producer-consumer";
    case FusionKind::into_reduction: return "into a reduction";
    case FusionKind::epilogue: return "epilogue";
    case FusionKind::loop: return "loop";
    case FusionKind::joint: return "joint";
    case FusionKind::none: break;
    }
    return "none";
}

FusionKind fusion_kind(const Graph &graph, const Placements &placements, FuncId producer, FuncId consumer) {
    switch (placements[producer].kind) {
    case Placement::Kind::inlined: return inlined_kind(graph, producer, consumer);
    case Placement::Kind::at:
        return graph.funcs[producer].stages.size() > 1 ? FusionKind::epilogue : FusionKind::loop;
    case Placement::Kind::block: return FusionKind::loop;
    case Placement::Kind::root:
    case Placement::Kind::joint:
    case Placement::Kind::strips:
    case Placement::Kind::one_pass: break;
    }
    return in_one_nest(graph, placements, producer, consumer) ? FusionKind::joint : FusionKind::none;
}

}  // namespace eutectic
