#include "fusion/plan/grade.h"
#include "fusion/plan/shared_rows.h"
#include "fusion/policies/policy.h"

#include <algorithm>
#include <limits>

namespace eutectic {

namespace {

/** The total, and on CPUs a little of what computing takes, which memory may hide: of groups that wait for
 * memory as long, the one that computes less is as fast where there is more bandwidth, too. (Chosen, not
 * measured. A pyramid's first level, 4 lanes instead of 8 at the same price: 7.7 ms instead of 2.8 on two
 * cores with twice the bandwidth of the preset.) */
Seconds with_hidden(const Group &group) {
    constexpr double share = 0.05;
    return group.cost.total() + (group.kernels.empty() ? share * group.cost.compute : 0);
}

}  // namespace

std::optional<Group> cheaper(std::optional<Group> a, std::optional<Group> b) {
    if (!a) {
        return b;
    }
    return b && with_hidden(*b) < with_hidden(*a) ? b : a;
}

Seconds to_beat(const std::optional<Group> &best) {
    return best ? with_hidden(*best) : std::numeric_limits<Seconds>::infinity();
}

std::vector<FuncId> placed_in(const Placements &placements, Placement::Kind kind, FuncId func) {
    std::vector<FuncId> result;
    for (const FuncId f : placements.ids()) {
        if (placements[f].kind == kind && placements[f].consumer == func) {
            result.push_back(f);
        }
    }
    return result;
}

DimMap dims_in_producer(const StageWork &work, FuncId producer) {
    DimMap map(work.dims.size(), -1);
    for (const Load &load : work.loads) {
        for (DimId i = 0; load.producer == producer && i < load.access.indices.next_id(); i++) {
            const DimId d = load.access.indices[i].equals_dim();
            if (d >= 0) {
                map[d] = i;
            }
        }
    }
    return map;
}

Condition whole_tiles(const Dim &dim, int64_t points) {
    return {*dim.at_least, std::max(points, dim.when), dim.inside};
}

int64_t testable_points(const Dim &dim) {
    const bool less = dim.at_least && dim.at_least->points > 0 && dim.at_least->points < dim.extent;
    return !dim.at_least ? 1 : less ? dim.at_least->points : dim.extent;
}

namespace {

/** The loop over single points of `dim`, if it is one that can be put elsewhere. */
std::optional<size_t> serial_loop(const Loops &loops, DimId dim) {
    std::optional<size_t> found;
    for (size_t l = 0; l < loops.size(); l++) {
        if (loops[l].dim == dim) {
            if (found || loops[l].size != 1 || loops[l].kind != Loop::Kind::serial) {
                return std::nullopt;
            }
            found = l;
        }
    }
    return found;
}

/** The run-time test that a loop over `dim` has as many points as are expected, from the same one on, if
 * there is one: its loop is one over all of an output's dimension. */
std::optional<Condition> as_expected(const Graph &graph, const Dim &dim) {
    if (!dim.at_least || dim.inside || dim.blocks != 1 || !dim.first) {
        return std::nullopt;
    }
    const FuncInfo &func = graph.funcs[dim.at_least->func];
    if (!func.output) {
        return std::nullopt;
    }
    const Dim &all = graph.pure_stage(dim.at_least->func).dims[dim.at_least->dim];
    if (all.extent != dim.extent || all.first != dim.first) {
        return std::nullopt;
    }
    return Condition{*dim.at_least, dim.extent, std::nullopt, Condition::Kind::exactly, *dim.first};
}

}  // namespace

void guard_tails(Loops &loops) {
    for (size_t l = 0; l < loops.size(); l++) {
        if (loops[l].tail == Loop::Tail::by_version) {
            loops.set_tail(l, Loop::Tail::guarded);
        }
    }
}

std::optional<Loops> unrolled_inside(const Loops &loops, DimId dim, int64_t points) {
    const std::optional<size_t> loop = serial_loop(loops, dim);
    if (!loop) {
        return std::nullopt;
    }
    Loops result = loops;
    const Loop vector = result.back();
    result.remove(result.size() - 1);
    result.remove(*loop);
    result.split(dim, points).unroll(dim).vectorize(vector.dim);
    return result;
}

std::optional<Nest> with_unrolled(const Graph &graph, const Stage &stage, const Nest &nest, DimId dim) {
    const Dim &of = stage.dims[dim];
    const std::optional<Condition> condition = of.constant ? std::nullopt : as_expected(graph, of);
    const std::optional<Loops> unrolled = unrolled_inside(nest.loops, dim, of.extent);
    if (!nest.whole.empty() || (!of.constant && !condition) || !unrolled) {
        return std::nullopt;
    }
    Nest result{*unrolled, nest.shared, {}};
    guard_tails(result.loops);
    if (condition) {
        result.whole.push_back(*condition);
    }
    return result;
}

Nest plain_nest(size_t dims, int64_t width) {
    Nest nest;
    for (DimId d = static_cast<int>(dims) - 1; d >= 0; d--) {
        nest.loops.split(d, d == 0 ? width : 1);
    }
    if (width > 1) {
        nest.loops.vectorize(0);
    }
    return nest;
}

Nest chunked_nest(const Stage &stage, int64_t width, DimId along, int64_t chunk) {
    Nest nest;
    if (along >= 0) {
        nest.loops.parallel(along, chunk);
    }
    for (const DimId d : stage.dims.reversed_ids()) {
        const int64_t step = d == 0 ? width : 1;
        if (stage.has_loop(d) && !(d == along && chunk == step)) {
            nest.loops.split(d, step);
        }
    }
    if (width > 1) {
        nest.loops.vectorize(0);
    }
    return nest;
}

int64_t chunk_of(int64_t extent, int64_t tasks, int64_t step) {
    return ((extent + tasks - 1) / tasks + step - 1) / step * step;
}

Nest pass_nest(const GroupRequest &q, const StageWork &work, int64_t width) {
    const Nest serial = plain_nest(work.dims.size(), width);
    const int64_t tasks = q.inside_block ? 1 : q.machine.cores;
    for (const DimId d : work.dims.reversed_ids()) {
        const int64_t extent = work.dims[d].extent, step = d == 0 ? width : 1;
        const int64_t chunk = chunk_of(extent, tasks, step);
        if (tasks == 1 || chunk >= extent) {
            continue;
        }
        Nest parallel = serial;
        if (chunk == step) {  // one turn each: the loop itself runs in parallel
            const auto own = std::find_if(parallel.loops.begin(), parallel.loops.end(),
                                          [&](const Loop &l) { return l.dim == d; });
            parallel.loops.remove(static_cast<size_t>(own - parallel.loops.begin()));
        }
        parallel.loops.around({d, chunk, Loop::Kind::parallel});
        const auto cost = [&](const Nest &nest) {
            return price({{work, nest, {}, false, false}}, q.machine).total();
        };
        return cost(parallel) < cost(serial) ? parallel : serial;
    }
    return serial;
}

StageWork addition_work(FuncId func, const Dims &dims, int element_bytes) {
    StageWork work;
    work.func = func;
    work.update = 0;
    work.dims = dims;
    work.stored_bytes = work.element_bytes = element_bytes;
    work.accumulates = true;
    ExprSummary add;
    add.flops = 1;
    work.parts.push_back({add, false, DimFlags(dims.size(), true)});
    return work;
}

void add_recomputed(const GroupRequest &q, FuncId func, const NestedStage &stage, Group &g) {
    if (recomputed_for(q.graph, q.placements, func) != q.root) {
        return;
    }
    NestedStage from_cache = stage;
    StageWork work = stage_work(q.graph, q.graph.funcs[func].stages.back(), q.inlined);
    work.dims = stage.work->dims;
    from_cache.work = std::move(work);
    from_cache.in_block.push_back(q.root);
    const Seconds longer = price({stage}, q.machine).total() - price({from_cache}, q.machine).total();
    g.added.push_back(Added::rewrite("recomputed", q.made("recomputed", func), q.root, {func},
                                     grade_of_inlining(q.graph, q.placements, q.root, func)));
    g.added.back().recompute = longer;
}

std::string not_alone(const GroupRequest &q) {
    if (!q.machine.gpu && q.graph.pure_stage(q.root).wrapper && q.tiled.empty()) {
        return "has no place for the division of " + q.graph.funcs[q.root].name +
               " after its terms are added up";
    }
    return q.tiled.empty() && q.blocked.empty() && q.sharing_nest.empty()
               ? ""
               : "runs the loops of one Func alone";
}

bool is_single_reduction(const Graph &graph, FuncId func) {
    const FuncInfo &info = graph.funcs[func];
    const Role role = graph.last_stage(func).role;
    return info.stages.size() == 2 && info.tuple_size == 1 &&
           (role == Role::reduction || role == Role::contraction);
}

bool has_window(const Stage &update) {
    // Terms that are unrolled at most: 7 x 7. Not a matter of speed, which the price of code decides, but of
    // how long a kernel is compiled. Chosen, not measured: with more, larger windows are as many times the
    // code; with fewer, those of 7 x 7 run as loops.
    constexpr int64_t most_terms = 49;
    int64_t terms = 1;
    for (const Dim &d : update.dims) {
        terms *= !d.reduction ? 1 : d.constant ? d.extent : 0;
    }
    return terms > 1 && terms <= most_terms;
}

std::vector<int64_t> wide_vector_widths(const Machine &machine, int element_bytes, int64_t extent) {
    std::vector<int64_t> widths = vector_widths(machine, element_bytes, extent);
    if (2 * widths.front() <= extent) {
        widths.insert(widths.begin(), 2 * widths.front());
    }
    return widths;
}

std::vector<int64_t> vector_widths(const Machine &machine, int element_bytes, int64_t extent) {
    std::vector<int64_t> widths;
    for (int64_t w = std::max<int64_t>(machine.lanes(element_bytes), fewest_lanes); w >= fewest_lanes;
         w /= 2) {
        if (w <= extent) {
            widths.push_back(w);
            // A half or quarter is worth a look only where whole vectors leave a remainder.
            if (extent % w == 0 || widths.size() == 3) {
                break;
            }
        }
    }
    if (widths.empty()) {
        widths.push_back(1);
    }
    return widths;
}

}  // namespace eutectic
