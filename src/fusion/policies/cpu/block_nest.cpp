// A block's pipeline inside the root's loops: every nest gets the loops outside around it, and the whole is
// priced.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fusion/policies/cpu/block.h"

namespace eutectic {

namespace {

class Assembly {
public:
    explicit Assembly(const Blocks &blocks) : b_(blocks), q_(blocks.q), root_(blocks.root) {
    }

    Group assemble(const Inside &in, const Outside &outside, Seconds limit) const {
        Group g;
        g.root = q_.root;
        g.policy = "block";
        const Group &root = *in.groups.back();
        put_root(in, root, outside, g);
        const size_t of_root = g.tree.funcs().size();
        for (size_t i = 0; i < q_.blocked.size(); i++) {
            put_member(in, *in.groups[i], outside, g);
        }
        const size_t inside = g.tree.funcs().size();
        bool shares = q_.sharing_nest.empty() || has_one_nest(root);
        for (size_t i = 0; i < q_.sharing_nest.size(); i++) {
            const Group &joint = *in.groups[q_.blocked.size() + i];
            shares = shares && has_one_nest(joint);
            put_joint(q_.sharing_nest[i], joint, outside, g);
        }
        if (!shares) {
            g.cost.compute = std::numeric_limits<double>::infinity();
            return g;
        }
        // In the order in which a block runs (Halide, 21, puts the Func whose loops they are before those
        // that join it): what one stage has read from outside is there for the next.
        std::vector<TreeFunc> &funcs = g.tree.funcs();
        std::vector<FuncId> there = q_.blocked;
        for (size_t f = 0; f < funcs.size(); f++) {
            for (TreeStage &s : funcs[f < inside ? (of_root + f) % inside : f].stages) {
                find_there(in, s, there);
            }
        }
        for (const FuncId f : q_.sharing_nest) {
            NestedStage stage = *g.tree.at(f, -1).priced;
            stage.nest = g.tree.nest(f, -1).nest;
            add_recomputed(q_, f, stage, g);
        }
        g.cost = price(g.tree, q_.machine, limit);
        if (!std::isfinite(g.cost.compute)) {
            return g;
        }
        g.cost.launch += buffers(in, outside, g);
        return g;
    }

private:
    const Blocks &b_;
    const GroupRequest &q_;
    const Stage &root_;

    /** `there`: what the block has by now. */
    static void find_there(const Inside &in, TreeStage &s, std::vector<FuncId> &there) {
        if (!s.priced) {
            return;
        }
        s.priced->in_block = there;
        s.priced->block_bytes = in.bytes;
        for (const Load &load : s.priced->work->loads) {
            if (s.priced->block_loops > 0 &&
                std::find(there.begin(), there.end(), load.producer) == there.end()) {
                there.push_back(load.producer);
            }
        }
    }

    /** Each task allocates the block's buffers once, and frees them: what the allocator then gives back is
     * mapped again by the next task. */
    Seconds buffers(const Inside &in, const Outside &outside, Group &g) const {
        const Nest root{g.tree.funcs().front().stages.front().loops, 0, {}};
        double tasks = 1, blocks = 1;
        bool parallel = true;
        for (size_t l = 0; l < outside.loops.size(); l++) {
            parallel = parallel && outside.loops[l].kind == Loop::Kind::parallel;
            const double turns = static_cast<double>(trips(root, l, root_.dims));
            blocks *= turns;
            tasks *= parallel ? turns : 1;
        }
        std::vector<Bytes> of_task;
        Seconds allocations = q_.sharing_nest.empty() ? 0 : q_.machine.shared_turn_seconds * blocks / tasks;
        for (const FuncId f : q_.blocked) {
            of_task.push_back(b_.bytes_of(in, f));
            allocations += allocation_cost(of_task.back(), q_.machine) *
                           (q_.sharing_nest.empty() || fits_stack(in, f) ? 1 : blocks / tasks);
        }
        std::vector<Bytes> packed;  // copies that are made once, at Root
        for (const TreeFunc &f : g.tree.funcs()) {
            if (!f.computed && b_.stays_outside(g, f.func)) {
                const StageWork &copy = f.stages.front().priced->work;
                packed.push_back(static_cast<Bytes>(copy.points()) * copy.stored_bytes);
            }
        }
        const Bytes largest = packed.empty() ? 0 : *std::max_element(packed.begin(), packed.end());
        const Seconds by_task = trimming_cost(of_task, q_.machine, largest);
        packed.insert(packed.end(), of_task.begin(), of_task.end());
        g.scratch = packed;
        const Seconds by_run = by_task > 0 ? 0 : trimming_cost(packed, q_.machine);
        return std::ceil(tasks / q_.machine.cores) * (allocations + by_task) + by_run;
    }

    static void append(Group &g, const Group &from) {
        g.added.insert(g.added.end(), from.added.begin(), from.added.end());
    }

    /** The root's own tree with the loops outside around it, and what is computed in its tile. */
    void put_root(const Inside &in, const Group &from, const Outside &outside, Group &g) const {
        append(g, from);
        g.tree = from.tree;
        TreeFunc &writer = g.tree.funcs().front();
        const Nest old{writer.stages.front().loops, 0, writer.stages.front().whole};
        set_dims(writer, root_.dims);
        g.tree.put_around(writer.func, outside.loops, outside.gone);
        TreeStage &written = writer.stages.front();
        if (std::any_of(old.whole.begin(), old.whole.end(), is_of_any_size)) {
            guard_tails(written.loops);
        }
        written.whole = q_.sharing_nest.empty() ? whole(written, old, outside) : std::vector<Condition>();
        add_fitted(written);
        for (size_t f = 1; f < g.tree.funcs().size(); f++) {
            TreeFunc &inner = g.tree.funcs()[f];
            if (!inner.computed && copies_member(from, inner.func)) {
                in_loops_outside(in, from, outside, inner.func, g.tree);
            } else if (!inner.computed && inner.func == q_.root) {
                set_dims(inner, root_.dims);  // a pass over the whole output
            }
        }
        note_blocks(outside, 0, g.tree);
        written.priced->block_loops = outside.loops.size();
    }

    static void set_dims(TreeFunc &func, const Dims &dims) {
        for (TreeStage &s : func.stages) {
            s.dims = dims;
            s.priced->work.edit().dims = dims;
        }
    }

    /** Tells Funcs of the tree, from the `first` on, which of them are computed in a block: their extents are
     * those of one, or of a turn of loops in it. */
    static void note_blocks(const Outside &outside, size_t first, LoopTree &tree) {
        for (size_t f = first; f < tree.funcs().size(); f++) {
            TreeFunc &func = tree.funcs()[f];
            const size_t loops = func.computed ? outside.loops.size() : 0;
            func.block_loops += loops;
            for (TreeStage &s : func.stages) {
                if (s.priced) {
                    s.priced->block_loops = loops;
                }
            }
        }
    }

    /** Whether `f` is a copy of something that the block computes. */
    bool copies_member(const Group &from, FuncId f) const {
        return std::any_of(from.added.begin(), from.added.end(), [&](const Added &a) {
            return a.kind == Added::Kind::pack && a.id == f && b_.is_member(a.of);
        });
    }

    /** Where several Funcs have the loops outside in common, Halide (21) cannot tell that each turn needs as
     * many points as the one before: a buffer allocated further out would be as large as all turns together.
     * What a turn has allocated on the stack the next one finds again instead, but were its size a constant,
     * it would have to fit there. */
    bool fits_stack(const Inside &in, FuncId f) const {
        return !q_.graph.funcs.contains(f) || b_.bytes_of(in, f) <= q_.machine.stack_buffer_bytes;
    }

    bool is_library_call(FuncId f) const {
        return q_.graph.funcs.contains(f) && q_.graph.pure_stage(f).library;
    }

    /** Computes `f` in the block, in a buffer that is allocated once for all the blocks of a task. (A packed
     * copy of what the block computes lives there too; of anything else, it is made once, at Root.) */
    void in_loops_outside(const Inside &in, const Group &from, const Outside &outside, FuncId f,
                          LoopTree &tree) const {
        const FuncId writer = tree.funcs().front().func;
        const int last = static_cast<int>(outside.loops.size()) - 1;
        const auto it = in.computed.find(algorithm_func(from, f));
        tree.move_into(f, {writer, -1, last}, it == in.computed.end() ? DimMap() : it->second.position,
                       outside.loops.size());
        const auto warm_up = outside.warm_up.find(f);
        if (warm_up != outside.warm_up.end()) {
            tree.slide_in(f, {writer, -1, last - 1}, warm_up->second);
            return;
        }
        if (is_library_call(f)) {
            return;  // Halide has no bounds for what an extern stage computes in all blocks of a task
                     // together
        }
        if (!q_.sharing_nest.empty()) {
            tree.at(f).stays = fits_stack(in, f);
            return;
        }
        if (outside.loops.back().kind == Loop::Kind::parallel) {
            return;  // a block is a task
        }
        int tasks = -1;
        for (int l = 0; l < last && outside.loops[l].kind == Loop::Kind::parallel; l++) {
            tasks = l;
        }
        if (tasks >= 0) {
            tree.allocate_in(f, {writer, -1, tasks});
        }
    }

    /** Loops in one version, of the Func itself: what Funcs need that share the loops outside. */
    static bool has_one_nest(const Group &from) {
        const std::vector<TreeFunc> &funcs = from.tree.funcs();
        return funcs.size() == 1 && funcs.front().stages.size() == 1 && from.added.empty() &&
               funcs.front().stages.front().whole.empty();
    }

    /** A Func that the root's nest writes too: the loops outside are the root's, those inside a block its
     * own. */
    void put_joint(FuncId f, const Group &from, const Outside &outside, Group &g) const {
        const int missing = b_.missing_dims(f);
        Loops loops;
        for (Loop l : outside.loops) {
            l.size /= l.dim == 0 ? b_.run(f) : 1;
            l.dim = l.dim - missing;
            loops.nest(l);
        }
        const TreeStage &own = from.tree.funcs().front().stages.front();
        for (const Loop &l : own.loops) {
            if (!outside.gone[l.dim + missing]) {
                loops.nest(l);
            }
        }
        NestedStage priced = *own.priced;
        priced.work.edit().dims = q_.graph.pure_stage(f).dims;
        priced.block_loops = outside.loops.size();
        g.tree.add_at_root(f);
        g.tree.write_with(f, {q_.root, -1, static_cast<int>(outside.loops.size()) - 1});
        g.tree.add_stage(f, loops, {}, std::move(priced));
    }

    void put_member(const Inside &in, const Group &from, const Outside &outside, Group &g) const {
        append(g, from);
        const size_t first = g.tree.funcs().size();
        g.tree.append(from.tree);
        for (size_t f = first; f < g.tree.funcs().size(); f++) {
            const TreeFunc &inner = g.tree.funcs()[f];
            if (!inner.computed && !b_.stays_outside(from, inner.func)) {
                in_loops_outside(in, from, outside, inner.func, g.tree);
            }
        }
        note_blocks(outside, first, g.tree);
    }

    /** A loop whose tail is fitted needs a point. (Where there is none Halide drops the other version.) */
    static void add_fitted(TreeStage &s) {
        const bool tiles = !s.whole.empty();
        for (size_t l = 0; l < s.loops.size(); l++) {
            const Dim &dim = s.dims[s.loops[l].dim];
            if (s.loops[l].tail == Loop::Tail::fitted && dim.at_least) {
                s.whole.push_back(whole_tiles(dim, 1));
            }
        }
        if (!tiles && !s.whole.empty()) {
            guard_tails(s.loops);
        }
    }

    /** The sizes from which on every split of the root's loops is whole; none when one of them cannot be
     * tested. */
    static std::vector<Condition> whole(const TreeStage &s, const Nest &old, const Outside &outside) {
        const Nest nest{s.loops, 0, {}};
        const bool cut = outside.loops.back().size > 1;
        if (old.whole.empty() && !cut) {
            return {};
        }
        Extents needed(s.dims.size(), 1);
        for (size_t l = 0; l < s.loops.size(); l++) {
            const Loop &loop = s.loops[l];
            const bool constant = is_unrolled(loop.kind) && loop.tail == Loop::Tail::by_version;
            int64_t &n = needed[loop.dim];
            const bool any_size = loop.tail != Loop::Tail::by_version;
            n = std::max({n, any_size ? 1 : loop.size, constant ? trips(nest, l, s.dims) * loop.size : 1});
        }
        std::vector<Condition> conditions;
        std::copy_if(old.whole.begin(), old.whole.end(), std::back_inserter(conditions), is_of_any_size);
        const auto asked = [&](DimId d) {
            return std::any_of(conditions.begin(), conditions.end(), [&](const Condition &c) {
                return s.dims[d].at_least && c.buffer == *s.dims[d].at_least;
            });
        };
        for (const DimId d : needed.ids()) {
            if (needed[d] > 1 && !asked(d)) {
                if (!s.dims[d].at_least) {
                    return {};
                }
                conditions.push_back(whole_tiles(s.dims[d], needed[d]));
            }
        }
        return conditions;
    }
};

}  // namespace

Group block_nest(const Blocks &blocks, const Inside &inside, const Outside &outside, Seconds limit) {
    return Assembly(blocks).assemble(inside, outside, limit);
}

}  // namespace eutectic
