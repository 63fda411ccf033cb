#include "fusion/plan/panels.h"

#include <algorithm>

namespace eutectic {

namespace {

bool are_panels(const Added &a) {
    return a.kind == Added::Kind::pack && a.factor > 1;
}

/** The step of the innermost loop over `dim` around `loop`, that included: points in one turn. */
int64_t step_in(const LoopTree &tree, const LoopRef &loop, DimId dim) {
    const Loops &loops = tree.at(loop.func, loop.update).loops;
    int64_t points = 1;
    for (int l = 0; l <= loop.loop; l++) {
        points = loops[l].dim == dim ? loops[l].size : points;
    }
    return points;
}

}  // namespace

Verdict may_read_panels(const Graph &graph, FuncId input) {
    if (graph.gpu) {
        return Verdict::forbid("kernels for a device copy their tiles of it to shared memory");
    }
    const Edge *read = nullptr;
    for (const Edge &e : graph.edges) {
        if (e.producer != input) {
            continue;
        }
        if (read) {
            const FuncId a = graph.stages[read->consumer].func, b = graph.stages[e.consumer].func;
            return Verdict::forbid((a == b ? graph.funcs[a].name + " reads it twice"
                                           : graph.funcs[a].name + " and " + graph.funcs[b].name +
                                                 " both read it, each of which may want other panels"));
        }
        read = &e;
    }
    if (!read) {
        return Verdict::forbid("nothing reads it");
    }
    const Stage &stage = graph.stages[read->consumer];
    const FuncInfo &reader = graph.funcs[stage.func];
    if (stage.update < 0 || (stage.role != Role::contraction && stage.role != Role::reduction)) {
        return Verdict::forbid(reader.name + ", which reads it, is no product that sums it up");
    }
    if (reader.user_scheduled || reader.user_placed) {
        return Verdict::forbid(reader.name + ", which reads it, has a schedule of its author's");
    }
    if (!read->access.permutation() || read->loads != 1 || read->taps != 1) {
        return Verdict::forbid(reader.name + " reads it at other places than its own coordinates");
    }
    return Verdict::allow();
}

FuncId reader_of_panels(const Graph &graph, FuncId input) {
    return graph.consumer_funcs(input).front();
}

bool reads_pinned_panels(const Pins *pins, const Group &group) {
    return !pins || std::all_of(pins->packed.begin(), pins->packed.end(), [&](const PackedInput &p) {
        const std::vector<TreeFunc> &funcs = group.tree.funcs();
        const bool here = std::any_of(funcs.begin(), funcs.end(), [&](const TreeFunc &f) {
            return algorithm_func(group, f.func) == p.reader;
        });
        return !here || std::any_of(group.added.begin(), group.added.end(),
                                    [&](const Added &a) { return are_panels(a) && a.of == p.input; });
    });
}

bool reads_panels(const Group &group) {
    return std::any_of(group.added.begin(), group.added.end(), are_panels);
}

std::vector<Panels> panels_of(const FusionPlan &plan) {
    std::vector<Panels> all;
    for (const Group &g : plan.groups) {
        for (const Added &a : g.added) {
            if (are_panels(a)) {
                all.push_back({a.of, a.each, a.factor, whole_columns(g, a).back().points / a.factor});
            }
        }
    }
    return all;
}

std::vector<WholeColumns> whole_columns(const Group &group, const Added &panels) {
    std::vector<WholeColumns> whole;
    DimId column = panels.reduction_dim;
    const TreeFunc *f = &group.tree.at(panels.read_by.front());
    while (f->computed) {
        DimId around = 0;
        while (f->position[around] != column) {
            around++;
        }
        whole.push_back({f->func, column, step_in(group.tree, *f->computed, around)});
        column = around;
        f = &group.tree.at(f->computed->func);
    }
    return whole;
}

}  // namespace eutectic
