#include "report/edge_bytes.h"

#include <algorithm>
#include <map>

#include "fusion/plan/shared_rows.h"
#include "fusion/rules/rule.h"
#include "graph/data/access.h"

namespace eutectic {

namespace {

/** A stage with loops of its own that ends up reading the producer. */
struct Read {
    const Stage *stage;
    Access access;  ///< of the producer, in the stage's dims
};

std::vector<Read> reads(const Graph &graph, const Placements &placements, FuncId producer, FuncId consumer) {
    std::vector<Read> result;
    const auto add = [&](const Stage &reader, const Stage &stage, const Access *through) {
        for (const EdgeId e : reader.edges) {
            const Edge &edge = graph.edges[e];
            if (edge.producer == producer) {
                result.push_back(
                    {&stage, through ? compose(edge.access, *through, stage.dims.size()) : edge.access});
            }
        }
    };
    const auto recomputes = [&](FuncId reader) {
        return recomputed_for(graph, placements, reader) == producer;
    };  // then it reads what the producer reads
    if (placements[consumer].kind != Placement::Kind::inlined) {
        if (recomputes(consumer)) {
            return result;
        }
        for (const StageId s : graph.funcs[consumer].stages) {
            add(graph.stages[s], graph.stages[s], nullptr);
        }
        return result;
    }
    for (const Reader &r : readers(graph, placements, consumer)) {
        if (recomputes(r.func)) {
            continue;
        }
        const StageId s = graph.funcs[r.func].stages[r.update + 1];
        add(graph.pure_stage(consumer), graph.stages[s], &r.access);
    }
    return result;
}

/** Distinct bytes that each nest reads, over all nests; several reads of one overlap wholly where they are
 * the same, and at most wholly otherwise. */
Bytes read_bytes(const Graph &graph, const Placements &placements, FuncId producer,
                 const std::vector<Read> &all) {
    const FuncInfo &p = graph.funcs[producer];
    std::map<FuncId, double> points;
    for (size_t i = 0; i < all.size(); i++) {
        const FuncId nest = nest_around(placements, all[i].stage->func);
        const bool known =
            std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), [&](const Read &r) {
                return nest_around(placements, r.stage->func) == nest &&
                       r.stage->dims.size() == all[i].stage->dims.size() &&
                       same_points(r.access, all[i].access);
            });
        Extents whole;
        for (const Dim &d : all[i].stage->dims) {
            whole.push_back(d.extent);
        }
        points[nest] +=
            known ? 0 : footprint(Load{producer, all[i].access, p.bytes_per_point, p.extents}, whole);
    }
    Bytes bytes = 0;
    for (const auto &[nest, n] : points) {
        bytes += static_cast<Bytes>(std::min(n, static_cast<double>(p.points()))) * p.bytes_per_point;
    }
    return bytes;
}

/** Of writing the producer; what is left over goes to the first consumer, so that all shares together are its
 * size. */
Bytes write_share(const Graph &graph, FuncId producer, FuncId consumer) {
    const std::vector<FuncId> &consumers = graph.consumer_funcs(producer);
    const Bytes bytes = graph.funcs[producer].bytes(), n = static_cast<Bytes>(consumers.size());
    return bytes / n + (consumer == consumers.front() ? bytes % n : 0);
}

double operations(const Stage &stage) {
    return stage.body.flops + stage.body.divisions + stage.body.transcendentals + stage.body.libm_calls;
}

Table<FuncId, bool> inlined_flags(const Graph &graph, const Placements &placements) {
    Table<FuncId, bool> inlined;
    for (const FuncId f : placements.ids()) {
        inlined.push_back(placements[f].kind == Placement::Kind::inlined && !graph.funcs[f].input);
    }
    return inlined;
}

/** Of a producer in memory, and of what is inlined into it, for the sums in strips of its rows that read it
 * through `consumer`. */
double recomputed_in_strips(const Graph &graph, const Placements &placements, FuncId producer,
                            FuncId consumer) {
    const Table<FuncId, bool> inlined = inlined_flags(graph, placements);
    double each = 0, sum = 0;
    for (const Part &part : stage_work(graph, graph.funcs[producer].stages.front(), inlined).parts) {
        each += part.body.flops + part.body.divisions + part.body.transcendentals + part.body.libm_calls;
    }
    for (const FuncId s : sums_that_recompute(graph, placements, producer, consumer)) {
        const StageWork work = stage_work(graph, graph.funcs[s].stages.back(), inlined);
        const auto reads = std::count_if(work.loads.begin(), work.loads.end(),
                                         [&](const Load &load) { return load.producer == producer; });
        sum += each * work.points() * static_cast<double>(reads);
    }
    return sum;
}

double evaluations(const Graph &graph, const Placements &placements, FuncId producer, FuncId consumer) {
    double sum = 0;
    for (const Read &r : reads(graph, placements, producer, consumer)) {
        double points = 1;
        for (const DimId d : r.stage->dims.ids()) {
            points *= r.access.depends_on(d) ? static_cast<double>(r.stage->dims[d].extent) : 1;
        }
        sum += points;
    }
    return sum;
}

/** The first consumers evaluate each point for the first time. */
double recomputed_inlined(const Graph &graph, const Placements &placements, FuncId producer,
                          FuncId consumer) {
    double first = static_cast<double>(graph.funcs[producer].points());
    for (const FuncId c : graph.consumer_funcs(producer)) {
        const double here = evaluations(graph, placements, producer, c);
        if (c == consumer) {
            return std::max(0.0, here - first) * operations(graph.pure_stage(producer));
        }
        first = std::max(0.0, first - here);
    }
    return 0;
}

/** The loops around the block in which a stage runs: the first ones of the group's root. Tiles inside it cut
 * what is computed, and do not repeat it. */
size_t loops_outside(const NestedStage &stage) {
    size_t outside = 0;
    while (outside < static_cast<size_t>(stage.nest.shared) && stage.nest.loops[outside].count > 0) {
        outside++;
    }
    return outside;
}

/** How many blocks there are, of the loops of `of`, whose group's stages are `all`; those at the end of a dim
 * count as far as they are filled. */
double blocks(FuncId of, const std::vector<NestedStage> &all, const NestedStage &stage) {
    const size_t outside = loops_outside(stage);
    double count = 1;
    for (size_t l = 0; l < outside; l++) {
        count *= static_cast<double>(stage.nest.loops[l].count);
    }
    const auto root = std::find_if(all.begin(), all.end(), [&](const NestedStage &s) {
        return s.work->func == of && s.nest.shared == 0 && s.nest.loops.size() >= outside;
    });
    if (root == all.end()) {
        return count;
    }
    const Extents inside = tile_inside(root->nest, outside, root->work->dims);
    std::map<DimId, double>
        covered;  // points of each of the root's dims that all blocks together have room for
    for (size_t l = 0; l < outside; l++) {
        const DimId dim = root->nest.loops[l].dim;
        if (dim < 0) {
            continue;  // a kernel's one block
        }
        covered.emplace(dim, static_cast<double>(inside[dim])).first->second *=
            static_cast<double>(trips(root->nest, l, root->work->dims));
    }
    for (const auto &[dim, points] : covered) {
        count *= std::min(1.0, static_cast<double>(root->work->dims[dim].extent) / points);
    }
    return count;
}

double recomputed_in_blocks(const Graph &graph, const FusionPlan &plan, FuncId producer) {
    double recomputed = 0;
    for (const StageId id : graph.funcs[producer].stages) {
        const Stage &stage = graph.stages[id];
        double once = 1, terms = 1, points = 0;
        int pure = 0;  // its first dims, whatever becomes of the reduction's
        for (const Dim &d : stage.dims) {
            once *= static_cast<double>(d.extent);
            terms *= d.reduction ? static_cast<double>(d.extent) : 1;
            pure += d.reduction ? 0 : 1;
        }
        for (const Group &g : plan.groups) {
            const std::vector<NestedStage> all = priced_stages(g);
            for (const NestedStage &s : all) {
                if (s.work->update == stage.update && s.nest.shared > 0 && s.work->func == producer) {
                    const Extents inside = tile_inside(s.nest, loops_outside(s), s.work->dims);
                    double here = blocks(g.root, all, s) * terms;
                    for (DimId d = 0; d < pure; d++) {
                        here *= static_cast<double>(inside[d]);
                    }
                    points = std::max(points, here);  // a sum in lanes has two such stages
                }
            }
        }
        recomputed += std::max(0.0, points - once) * operations(stage);
    }
    return recomputed;
}

}  // namespace

Bytes unfused_bytes(const Graph &graph, FuncId producer, FuncId consumer) {
    const Placements placements = unfused(graph);
    return write_share(graph, producer, consumer) +
           read_bytes(graph, placements, producer, reads(graph, placements, producer, consumer));
}

Bytes fused_bytes(const Graph &graph, const Placements &placements, FuncId producer, FuncId consumer) {
    return write_share(graph, producer, consumer) +
           read_bytes(graph, placements, producer, reads(graph, placements, producer, consumer));
}

double recomputed_operations(const Graph &graph, const FusionPlan &plan, FuncId producer, FuncId consumer) {
    switch (plan.placements[producer].kind) {
    case Placement::Kind::inlined: return recomputed_inlined(graph, plan.placements, producer, consumer);
    case Placement::Kind::block:
        return recomputed_in_blocks(graph, plan, producer) /
               static_cast<double>(graph.consumer_funcs(producer).size());
    case Placement::Kind::root: return recomputed_in_strips(graph, plan.placements, producer, consumer);
    case Placement::Kind::at:
    case Placement::Kind::joint:
    case Placement::Kind::strips:
    case Placement::Kind::one_pass: break;
    }
    return 0;
}

std::vector<FuncId> sums_that_recompute(const Graph &graph, const Placements &placements, FuncId producer,
                                        FuncId consumer) {
    std::vector<FuncId> sums;
    for (const FuncId f : placements.ids()) {
        const bool through = placements[consumer].kind == Placement::Kind::inlined &&
                             reads_values_of(graph, placements, f, consumer);
        if ((f == consumer || through) && recomputed_for(graph, placements, f) == producer) {
            sums.push_back(f);
        }
    }
    return sums;
}

}  // namespace eutectic
