// From nests to directives: a nest says which loops there shall be, and loops.cpp which splits make them.

#include <algorithm>
#include <map>
#include <optional>

#include "fusion/plan/names.h"
#include "schedules/directive.h"
#include "schedules/emit/added.h"
#include "schedules/emit/identifiers.h"
#include "schedules/emit/joint_nest.h"
#include "schedules/emit/loops.h"
#include "schedules/emit/padding.h"
#include "schedules/emit/panels.h"

namespace eutectic {

namespace {

using Op = Directive::Op;
using Takes = MadeRewrite::Takes;

class Emitter {
public:
    Emitter(const Graph &graph, const FusionPlan &plan) : graph_(graph), plan_(plan), names_(graph, plan) {
    }

    Schedule run() {
        out_.prepared = graph_.prepared;
        out_.vectorize_functions = graph_.functions_in_vectors;
        out_.approximate_functions = graph_.approximate_functions;
        for (const FuncId f : graph_.funcs.ids()) {
            const FuncInfo &info = graph_.funcs[f];
            out_.pipeline_index.push_back(info.pipeline_index);
            out_.measured_index.push_back(info.measured_index);
            out_.names.push_back(identifiers_.give(names_[f]));
            out_.input.push_back(info.input);
        }
        for (const Group &g : plan_.groups) {
            common_names_.merge(common_names(g));
        }
        // Made Funcs first: they redirect calls and split definitions, which later directives rely on.
        make_added(Takes::as_written);
        for (const FuncId f : graph_.funcs.ids()) {
            simplify(f);
        }
        for (const Takes definitions : {Takes::undivided, Takes::changed, Takes::final}) {
            make_added(definitions);
        }
        for (const Group &g : plan_.groups) {
            for (const TreeFunc &f : g.tree.funcs()) {
                place(g, f);
            }
            join(g);
        }
        if (std::any_of(out_.directives.begin(), out_.directives.end(),
                        [](const Directive &d) { return d.op == Op::by_threads; })) {
            add(Op::narrow_threads, -1);
        }
        return out_;
    }

private:
    const Graph &graph_;
    const FusionPlan &plan_;
    PlanNames names_;
    Identifiers identifiers_;
    Schedule out_;
    // What the readers of a sum in tiles read: the sum itself never leaves its tile.
    std::map<FuncId, FuncId> written_as_;
    // Which rewrites have taken in a definition as it was written.
    std::map<FuncId, std::vector<const MadeRewrite *>> taken_in_;
    std::map<FuncId, Table<DimId, std::string>> common_names_;  // common_names() of all groups

    /** Has this stage a schedule already, from the making of an Added Func? Halide then refuses
     * unscheduled(). */
    bool touched(FuncId func, int update) const {
        return std::any_of(out_.directives.begin(), out_.directives.end(), [&](const Directive &d) {
            const bool split = d.made == func && update == 0 &&
                               d.op == Op::rfactor;  // it has the loops that its making left
            return split ||
                   (d.func == func && d.update == update && d.op != Op::wrap && d.op != Op::compute_root);
        });
    }

    Directive &add(Op op, FuncId func, int update = -1) {
        Directive d;
        d.op = op;
        d.func = func;
        d.update = update;
        out_.directives.push_back(d);
        return out_.directives.back();
    }

    /** Rewrites that the graph was read with: no plan chooses them. */
    void simplify(FuncId f) {
        const FuncInfo &info = graph_.funcs[f];
        for (const MadeRewrite *r : all_rewrites()) {
            const auto read_so = [&](StageId s) { return graph_.stages[s].is_simplified_by(r->name()); };
            const auto needless = [&](const MadeRewrite *by) { return by->makes_needless(r->name()); };
            const std::vector<const MadeRewrite *> &by = taken_in_[f];
            if (r->takes() != Takes::simplified || info.user_scheduled || (graph_.gpu && !r->on_gpus()) ||
                std::none_of(info.stages.begin(), info.stages.end(), read_so) ||
                std::any_of(by.begin(), by.end(), needless)) {
                continue;
            }
            Directive &d = add(Op::rewrite, f);
            d.rewrite = r;
            d.made = r->replaces_func() ? f : no_func;
        }
    }

    void make_added(Takes definitions) {
        for (const Group &g : plan_.groups) {
            for (const Added *a : added_in_order(g, definitions)) {
                make(g, *a);
            }
        }
    }

    void make(const Group &g, const Added &a) {
        out_.made_names[a.id] = identifiers_.give(names_[a.id]);
        switch (a.kind) {
        case Added::Kind::rewrite: rewrite(a); break;
        case Added::Kind::partial: make_lanes(g, a); break;
        case Added::Kind::write_tile: wrap(a); break;
        case Added::Kind::pack: a.factor > 1 ? add_panels(g, a, out_.directives) : wrap(a); break;
        }
    }

    void rewrite(const Added &a) {
        const MadeRewrite &r = rewrite_named(a.name);
        Directive &d = add(Op::rewrite, a.of);
        d.rewrite = &r;
        d.others = a.others;
        d.made = a.id;
        d.size = r.takes_size() ? a.factor : 0;
        if (r.takes() == Takes::as_written) {
            taken_in_[a.of].push_back(&r);
            for (const FuncId f : a.others) {
                taken_in_[f].push_back(&r);
            }
        }
        if (a.factor > 1 && !r.takes_size()) {
            add_points(Op::bound_extent, a.id, a.reduction_dim, a.factor);
        }
    }

    /** `op` of dimension `dim` of `func`: its `points`. */
    void add_points(Op op, FuncId func, DimId dim, int64_t points) {
        Directive &d = add(op, func);
        d.vars = {{dim, -1, "", false}};
        d.size = points;
    }

    void wrap(const Added &a) {
        const auto tile = written_as_.find(a.of);
        const bool packs_tile = a.kind == Added::Kind::pack && tile != written_as_.end();
        Directive &d = add(Op::wrap, packs_tile ? tile->second : a.of);
        if (a.read_by.size() == 1) {
            d.other = a.read_by.front();
        } else {
            d.others = a.read_by;
        }
        d.made = a.id;
        if (a.kind == Added::Kind::write_tile) {
            written_as_[a.of] = a.id;
        }
    }

    /** The rewrite that makes partial results of `func`, which is made itself; null: rfactor() does. */
    static const MadeRewrite *partials_of(const Group &g, FuncId func) {
        for (const Added &a : g.added) {
            if (a.id == func && a.kind == Added::Kind::rewrite) {
                return rewrite_named(a.name).partials();
            }
        }
        return nullptr;
    }

    void make_lanes(const Group &g, const Added &a) {
        const FuncId origin = algorithm_func(g, a.of);
        const FuncInfo &info = graph_.funcs[origin];
        const DimId lane_dim = info.extents.next_id();
        if (const MadeRewrite *r = partials_of(g, a.of)) {
            Directive &d = add(Op::rewrite, a.of);
            d.rewrite = r;
            d.size = a.factor;
            d.made = a.id;
            add_points(Op::bound_extent, a.id, lane_dim, a.factor);
            return;
        }
        const Stage &update = graph_.last_stage(origin);
        const bool tree = a.name == "tree";  // of partial results, over which the sum goes with
                                             // its only reduction variable
        VarRef old;
        old.reduction = tree ? 0 : a.reduction_dim - info.extents.next_id();
        const bool of_chunks = std::any_of(g.added.begin(), g.added.end(), [&](const Added &b) {
            return b.id == a.of && b.kind == Added::Kind::partial;
        });
        const std::string base =
            tree ? identifier(info.name) + "_t"
                 : identifier(update.dims[a.reduction_dim].name) + (of_chunks ? "_c" : "");
        const VarRef outer{-1, -1, base + "_o", true}, inner{-1, -1, base + "_i", true},
            lane{-1, -1, is_in_strips(g, a.id) ? loop_var(g, {g.root, -1, 0}).made : base + "_u", false};
        Directive &split = add(Op::split, a.of, 0);
        split.vars = {old, outer, inner};
        split.size = a.factor;
        Directive &rfactor = add(Op::rfactor, a.of, 0);
        rfactor.vars = {a.keep_outer ? outer : inner, lane};
        for (const DimId d : a.each) {
            rfactor.vars.push_back({-1, d - info.extents.next_id(), "", true});
            rfactor.vars.push_back({-1, -1, identifier(update.dims[d].name) + "_u", false});
        }
        rfactor.made = a.id;
        if (!a.keep_outer) {
            add_points(Op::bound_extent, a.id, lane_dim + (of_chunks ? 1 : 0), a.factor);
        }
    }

    /** One nest for all whose loops are the root's. */
    void join(const Group &g) {
        for (const TreeFunc &f : g.tree.funcs()) {
            for (int update = -1; f.joint && update < (is_in_strips(g, f.func) ? 1 : 0); update++) {
                Directive &d = add(Op::compute_with, f.func, update);
                d.other = f.joint->func;
                d.vars = {loop_var(g, *f.joint)};
            }
        }
    }

    /** Where a Func is computed, then the loops of each of its stages. */
    void place(const Group &g, const TreeFunc &f) {
        if (f.computed) {
            in_loop(Op::compute_at, g, f.func, f.computed);
            in_loop(Op::store_at, g, f.func, f.stored);
            if (f.stays) {
                add(Op::store_on_stack, f.func);
            }
            in_loop(Op::hoist_storage, g, f.func, f.allocated_in);
        } else {
            add(Op::compute_root, f.func);
        }
        const auto common = common_names_.find(f.func);
        if (common != common_names_.end()) {
            for (const DimId d : common->second.ids()) {
                add(Op::rename, f.func).vars = {{d, -1, "", false}, {-1, -1, common->second[d], false}};
            }
        }
        if (f.storage.size() > 1) {
            Directive &d = add(Op::reorder_storage, f.func);
            for (const DimId dim : f.storage) {
                d.vars.push_back({dim, -1, "", false});
            }
        }
        for (const DimId d : f.allocated.ids()) {
            add_points(Op::bound_storage, f.func, d, f.allocated[d]);
        }
        if (const int points = row_padding(g.tree, f); points > 1) {
            add_points(Op::align_storage, f.func, f.storage.empty() ? DimId(0) : f.storage.front(), points);
        }
        if (f.by_threads) {
            add(Op::by_threads, f.func);
        }
        for (const TreeStage &s : f.stages) {
            emit_stage(g.tree.nest(f.func, s.update));
        }
    }

    /** Adds `op`, which names `loop`, to `func`, if there is such a loop. */
    void in_loop(Op op, const Group &g, FuncId func, const std::optional<LoopRef> &loop) {
        if (loop) {
            Directive &d = add(op, func, loop->update);
            d.other = loop->func;
            d.vars = {loop_var(g, *loop)};
        }
    }

    void emit_stage(const StageNest &s) {
        if (s.nest.loops.empty()) {
            if (s.update >= 0 && !touched(s.func, s.update)) {
                add(Op::unscheduled, s.func, s.update);
            }
            return;
        }
        if (!s.nest.whole.empty()) {
            add(Op::specialize, s.func, s.update).conditions = s.nest.whole;
            emit_loops(s, true);
        }
        StageNest other = s;
        other.nest.loops = s.nest.otherwise.empty() ? s.nest.loops : s.nest.otherwise;
        emit_loops(other, false);
    }

    StageLoops loops_of(const StageNest &s) const {
        const auto common = common_names_.find(s.func);
        return make_loops(s, common != common_names_.end() ? common->second : Table<DimId, std::string>());
    }

    VarRef loop_var(const Group &g, const LoopRef &loop) const {
        return loops_of(g.tree.nest(loop.func, loop.update)).vars.at(loop.loop);
    }

    static Op op_of(Loop::Kind kind) {
        const std::map<Loop::Kind, Op> ops = {
            {Loop::Kind::parallel, Op::parallel},      {Loop::Kind::unroll, Op::unroll},
            {Loop::Kind::vector, Op::vectorize},       {Loop::Kind::gpu_block, Op::gpu_blocks},
            {Loop::Kind::gpu_thread, Op::gpu_threads}, {Loop::Kind::gpu_lane, Op::gpu_lanes}};
        return ops.at(kind);
    }

    /** Do no two points along `dim` write the same one? What is made has no loops but those of its making. */
    bool has_free_order(const StageNest &s, DimId dim) const {
        if (!graph_.funcs.contains(s.func)) {
            return false;
        }
        const std::vector<StageId> &stages = graph_.funcs[s.func].stages;
        const auto of = std::find_if(stages.begin(), stages.end(),
                                     [&](StageId id) { return graph_.stages[id].update == s.update; });
        return of != stages.end() && graph_.stages[*of].has_free_order(dim);
    }

    /** Says that terms are added up in any order, unless one of the directives from `first` on does. */
    void add_atomic(const StageNest &s, size_t first) {
        const auto from = out_.directives.begin() + static_cast<std::ptrdiff_t>(first);
        if (std::none_of(from, out_.directives.end(),
                         [](const Directive &d) { return d.op == Op::atomic; })) {
            add(Op::atomic, s.func, s.update);
        }
    }

    void emit_loops(const StageNest &s, bool whole) {
        const auto [vars, splits, fuses, order, blocks, grid] = loops_of(s);
        const size_t first = out_.directives.size();
        for (const StageLoops::Split &split : splits) {
            Directive &d = add(Op::split, s.func, s.update);
            d.vars = {split.old, split.outer, split.inner};
            d.size = split.size;
            const Loop &loop = s.nest.loops[split.loop];
            const bool fitted = loop.tail == Loop::Tail::fitted;
            const bool any_size = fitted && !s.dims[loop.dim].at_least;  // it has but one
            const bool shifted = any_size || (whole && loop.tail != Loop::Tail::guarded);
            d.tail = shifted && s.update < 0 ? Directive::Tail::shift_inwards : Directive::Tail::guard;
            if (fitted && whole) {
                const BufferDim &buffer = *s.dims[loop.dim].at_least;
                const int64_t beyond =
                    s.dims[loop.dim].extent - graph_.funcs[buffer.func].extents[buffer.dim];
                d.fit = {buffer, trips(s.nest, split.loop, s.dims), std::max<int64_t>(0, beyond)};
            }
        }
        for (const StageLoops::Fuse &fuse : fuses) {
            add(Op::fuse, s.func, s.update).vars = {fuse.inner, fuse.outer, fuse.fused};
        }
        if (order.size() > 1) {
            add(Op::reorder, s.func, s.update).vars.assign(order.rbegin(), order.rend());
        }
        bool scheduled = !splits.empty() || order.size() > 1;
        std::vector<VarRef> unpartitioned;
        for (size_t l = 0; l < vars.size(); l++) {
            const Loop &loop = s.nest.loops[l + s.nest.shared];
            const Loop::Kind kind = loop.kind;
            const DimId dim = loop.dim;
            if (!may_be_cut(s.nest, whole, loop)) {
                unpartitioned.push_back(vars[l]);
            }
            const bool reduces = dim >= 0 && s.dims[dim].reduction;
            const bool tiled_only =
                (kind == Loop::Kind::unroll || reduces || loop.only_whole) && !s.nest.whole.empty() && !whole;
            const bool fused =
                std::find(blocks.begin(), blocks.end(), l) != blocks.end() && l != blocks.front();
            if (kind == Loop::Kind::serial || kind == Loop::Kind::gpu_step || tiled_only || fused) {
                continue;  // guarded tails are not worth the code of an unrolled tile
            }
            if (kind != Loop::Kind::unroll && reduces && !has_free_order(s, dim)) {
                add_atomic(s, first);
            }
            for (const VarRef &var : kind == Loop::Kind::gpu_block ? grid : std::vector<VarRef>{vars[l]}) {
                add(op_of(kind), s.func, s.update).vars = {var};
            }
            scheduled = true;
        }
        if (!unpartitioned.empty()) {
            add(Op::never_partition, s.func, s.update).vars = unpartitioned;
        }
        for (size_t i = first; i < out_.directives.size(); i++) {
            out_.directives[i].whole = whole;
        }
        if (!scheduled && s.update >= 0 && !touched(s.func, s.update)) {
            add(Op::unscheduled, s.func, s.update);
        }
    }
};

}  // namespace

Schedule emit(const Graph &graph, const FusionPlan &plan) {
    return Emitter(graph, plan).run();
}

}  // namespace eutectic
