// A block's pipeline inside the root's loops: every nest gets the loops outside around it, and the whole is
// priced.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fusion/policies/cpu/block.h"

namespace eutectic {

namespace {

constexpr Bytes most_on_stack = 32768;  // of one buffer; threads have some hundred KiB at least
// Of one turn of loops that several Funcs have in common: finding its buffers again, and the bounds of what
// they hold. Measured with blocks of one vector of gelu_gradient, on an AVX-512 machine at 4 GHz; part of the
// policy.
constexpr Seconds turn_seconds = 8e-9;

class Assembly {
public:
    explicit Assembly(const Blocks &blocks) : b_(blocks), q_(blocks.q), root_(blocks.root) {
    }

    Group assemble(const Inside &in, const Outside &outside, Seconds limit) const {
        Group g;
        g.root = q_.root;
        g.policy = "block";
        const Group &root = *in.groups.back();
        size_t stages = 0;
        for (const std::shared_ptr<const Group> &inside : in.groups) {
            stages += inside->work.size();
        }
        g.work.reserve(stages);
        g.nests.reserve(stages);
        const FuncId writer = root.computed.front().func;
        put_root(in, root, writer, outside, g);
        const size_t of_root = g.work.size();
        for (size_t i = 0; i < q_.blocked.size(); i++) {
            put_member(in, *in.groups[i], writer, outside, g);
        }
        const size_t before = g.work.size();  // of what runs before and with the root
        bool shares = q_.with.empty() || has_one_nest(root);
        for (size_t i = 0; i < q_.with.size(); i++) {
            const Group &beside = *in.groups[q_.blocked.size() + i];
            shares = shares && has_one_nest(beside);
            put_beside(q_.with[i], beside, outside, g);
        }
        if (!shares) {
            g.cost.compute = std::numeric_limits<double>::infinity();
            return g;
        }
        // In the order in which a block runs (Halide, 21, puts the Func whose loops they are before those
        // that join it): what one stage has read from outside is there for the next.
        std::vector<FuncId> there = q_.blocked;
        for (size_t i = 0; i < g.work.size(); i++) {
            NestedStage &s = g.work[i < before ? (of_root + i) % before : i];
            s.in_block = there;
            s.block_bytes = in.bytes;
            for (const Load &load : s.work->loads) {
                if (s.block_loops > 0 &&
                    std::find(there.begin(), there.end(), load.producer) == there.end()) {
                    there.push_back(load.producer);
                }
            }
        }
        for (const FuncId f : q_.with) {
            add_again(q_, f,
                      *std::find_if(g.work.begin(), g.work.end(),
                                    [&](const NestedStage &s) { return s.work->func == f; }),
                      g);
        }
        g.cost = price(g.work, q_.machine, limit);
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

    /** Each task allocates the block's buffers once, and frees them: what the allocator then gives back is
     * mapped again by the next task. */
    Seconds buffers(const Inside &in, const Outside &outside, Group &g) const {
        double tasks = 1;
        for (size_t l = 0; l < outside.loops.size() && outside.loops[l].kind == Loop::Kind::parallel; l++) {
            tasks *= static_cast<double>(trips(g.nests.front().nest, l, root_.dims));
        }
        double blocks = 1;
        for (size_t l = 0; l < outside.loops.size(); l++) {
            blocks *= static_cast<double>(trips(g.nests.front().nest, l, root_.dims));
        }
        std::vector<Bytes> of_task;
        Seconds allocations = q_.with.empty() ? 0 : turn_seconds * blocks / tasks;
        for (const FuncId f : q_.blocked) {
            of_task.push_back(b_.bytes_of(in, f));
            allocations += allocation_cost(of_task.back(), q_.machine) *
                           (q_.with.empty() || fits_stack(in, f) ? 1 : blocks / tasks);
        }
        std::vector<Bytes> packed;  // copies that are made once, at Root
        for (const Computed &c : g.computed) {
            for (const NestedStage &s : g.work) {
                if (c.consumer < 0 && c.func == s.work->func && b_.stays_outside(g, c.func)) {
                    packed.push_back(static_cast<Bytes>(s.work->points()) * s.work->stored_bytes);
                }
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

    /** The loops outside as a stage of `f` sees them, whose nest is inside them. */
    std::vector<Loop> around(const Inside &in, FuncId f, const Outside &outside, const std::vector<Dim> &dims,
                             const Nest &root) const {
        std::vector<Loop> result;
        for (size_t l = 0; l < outside.loops.size(); l++) {
            Loop loop = outside.loops[l];
            const auto it = in.computed.find(f);
            loop.count = trips(root, l, root_.dims);
            loop.dim = it == in.computed.end() ? -1 : it->second.position[static_cast<size_t>(loop.dim)];
            loop.size = loop.dim >= 0 ? dims[static_cast<size_t>(loop.dim)].extent : loop.count;
            result.push_back(loop);
        }
        return result;
    }

    /** The root's nest inside the loops outside, and what is computed in its tile. */
    void put_root(const Inside &in, const Group &from, FuncId writer, const Outside &outside,
                  Group &g) const {
        append(g, from);
        const StageNest &old = from.nests.front();
        StageNest nest{writer, -1, root_.dims, {}};
        nest.nest.loops = outside.loops;
        std::vector<int> moved;  // loop numbers of the old nest in the new one
        for (const Loop &l : old.nest.loops) {
            if (!outside.gone[static_cast<size_t>(l.dim)]) {
                nest.nest.loops.push_back(l);
            }
            moved.push_back(static_cast<int>(nest.nest.loops.size()) - 1);
        }
        if (q_.with.empty()) {
            nest.nest.whole = whole(nest, old.nest, outside);
        }
        g.nests.push_back(nest);
        g.computed.push_back(from.computed.front());
        NestedStage work = from.work.front();
        work.work.edit().dims = root_.dims;
        work.nest = nest.nest;
        work.block_loops = outside.loops.size();
        g.work.push_back(std::move(work));
        for (size_t c = 1; c < from.computed.size(); c++) {
            Computed computed = from.computed[c];
            if (computed.consumer == writer) {
                computed.loop = moved[static_cast<size_t>(computed.loop)];
            } else if (computed.consumer >= 0) {
                computed.loop += static_cast<int>(outside.loops.size()) -
                                 replaced(old, outside, shared_loops(from, computed.consumer));
            }
            if (computed.consumer < 0 && copies_member(from, computed.func)) {
                in_loops_outside(in, writer, outside, computed);
            }
            g.computed.push_back(computed);
        }
        for (size_t s = 1; s < from.nests.size(); s++) {
            StageNest inside = from.nests[s];
            if (becomes_pass(from, inside.func, inside.nest)) {
                inside.dims = root_.dims;
            }
            reshape(in, from, outside, nest.nest, inside.func, inside.dims, inside.nest);
            g.nests.push_back(inside);
        }
        for (size_t s = 1; s < from.work.size(); s++) {
            NestedStage inside = from.work[s];
            if (becomes_pass(from, inside.work->func, inside.nest)) {
                inside.work.edit().dims = root_.dims;
            }
            reshape(in, from, outside, nest.nest, inside.work->func, inside.work->dims, inside.nest);
            inside.block_loops = inside.nest.shared > 0 ? outside.loops.size() : 0;
            g.work.push_back(inside);
        }
    }

    /** Of the first `count` loops of the root's old nest, those that the loops outside replace. */
    static int replaced(const StageNest &old, const Outside &outside, int count) {
        int n = 0;
        // Every dim has one loop before the tile's.
        for (size_t l = 0; l < old.nest.loops.size() && l < old.dims.size() && static_cast<int>(l) < count;
             l++) {
            n += outside.gone[static_cast<size_t>(old.nest.loops[l].dim)] ? 1 : 0;
        }
        return n;
    }

    static int shared_loops(const Group &g, FuncId f) {
        for (const StageNest &s : g.nests) {
            if (s.func == f) {
                return s.nest.shared;
            }
        }
        return 0;
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
        return f >= static_cast<FuncId>(q_.graph.funcs.size()) || b_.bytes_of(in, f) <= most_on_stack;
    }

    /** Computes it in the block, in a buffer that is allocated once for all the blocks of a task. (A packed
     * copy of what the block computes lives there too; of anything else, it is made once, at Root.) */
    void in_loops_outside(const Inside &in, FuncId writer, const Outside &outside, Computed &c) const {
        c.consumer = writer;
        c.loop = static_cast<int>(outside.loops.size()) - 1;
        if (!q_.with.empty()) {
            c.stays = fits_stack(in, c.func);
            return;
        }
        const bool own_task = outside.loops.back().kind == Loop::Kind::parallel;
        for (int l = 0;
             l < c.loop && !own_task && outside.loops[static_cast<size_t>(l)].kind == Loop::Kind::parallel;
             l++) {
            c.hoisted = l;
        }
    }

    /** Loops in one version, of the Func itself: what Funcs need that share the loops outside. */
    static bool has_one_nest(const Group &from) {
        return from.nests.size() == 1 && from.computed.size() == 1 && from.added.empty() &&
               from.nests.front().nest.whole.empty();
    }

    /** A Func that the root's nest writes too: the loops outside are the root's, those inside a block its
     * own. */
    void put_beside(FuncId f, const Group &from, const Outside &outside, Group &g) const {
        const int missing = b_.missing_dims(f);
        StageNest nest{f, -1, q_.graph.pure_stage(f).dims, {}};
        for (Loop l : outside.loops) {
            l.size /= l.dim == 0 ? b_.run(f) : 1;
            l.dim -= missing;
            nest.nest.loops.push_back(l);
        }
        for (const Loop &l : from.nests.front().nest.loops) {
            if (!outside.gone[static_cast<size_t>(l.dim + missing)]) {
                nest.nest.loops.push_back(l);
            }
        }
        g.nests.push_back(nest);
        g.computed.push_back({f, -1, -1, 0, {}});
        g.computed.back().with = static_cast<int>(outside.loops.size()) - 1;
        NestedStage work = from.work.front();
        work.work.edit().dims = nest.dims;
        work.nest = nest.nest;
        work.block_loops = outside.loops.size();
        g.work.push_back(std::move(work));
    }

    /** Is this nest of the root a pass over the whole output? */
    bool becomes_pass(const Group &from, FuncId f, const Nest &nest) const {
        return nest.shared == 0 && !copies_member(from, f) && f == q_.root;
    }

    /** A nest inside the root's tile: the loops that it shares with the root are the new ones. */
    void reshape(const Inside &in, const Group &from, const Outside &outside, const Nest &root, FuncId f,
                 const std::vector<Dim> &dims, Nest &nest) const {
        if (nest.shared == 0 && !copies_member(from, f)) {
            return;
        }
        const StageNest &old = from.nests.front();
        std::vector<Loop> loops = around(in, algorithm_func(from, f), outside, dims, root);
        for (size_t l = 0; l < nest.loops.size(); l++) {
            const bool copied = static_cast<int>(l) < nest.shared && l < old.dims.size();
            if (!copied || !outside.gone[static_cast<size_t>(old.nest.loops[l].dim)]) {
                loops.push_back(nest.loops[l]);
            }
        }
        nest.shared += static_cast<int>(outside.loops.size()) - replaced(old, outside, nest.shared);
        nest.loops = loops;
    }

    void put_member(const Inside &in, const Group &from, FuncId writer, const Outside &outside,
                    Group &g) const {
        append(g, from);
        const Nest root = g.nests.front().nest;
        const int more = static_cast<int>(outside.loops.size());
        for (Computed c : from.computed) {
            const bool outermost = c.consumer < 0;
            if (!outermost) {
                c.loop += more;
            } else if (!b_.stays_outside(from, c.func)) {
                in_loops_outside(in, writer, outside, c);
            }
            g.computed.push_back(c);
        }
        const auto put_inside = [&](FuncId f, const std::vector<Dim> &dims, Nest &nest) {
            if (nest.shared == 0 && b_.stays_outside(from, f)) {
                return false;
            }
            const std::vector<Loop> loops = around(in, algorithm_func(from, f), outside, dims, root);
            nest.loops.reserve(nest.loops.size() + loops.size());
            nest.loops.insert(nest.loops.begin(), loops.begin(), loops.end());
            nest.shared += more;
            return true;
        };
        for (StageNest s : from.nests) {
            put_inside(s.func, s.dims, s.nest);
            g.nests.push_back(std::move(s));
        }
        for (NestedStage s : from.work) {
            s.block_loops = put_inside(s.work->func, s.work->dims, s.nest) ? outside.loops.size() : 0;
            g.work.push_back(std::move(s));
        }
    }

    /** The sizes from which on every split of the root's loops is whole; none when one of them cannot be
     * tested. */
    static std::vector<Condition> whole(const StageNest &s, const Nest &old, const Outside &outside) {
        const bool cut = outside.loops.back().size > 1;
        if (old.whole.empty() && !cut) {
            return {};
        }
        std::vector<int64_t> needed(s.dims.size(), 1);
        for (size_t l = 0; l < s.nest.loops.size(); l++) {
            const Loop &loop = s.nest.loops[l];
            const bool constant = is_unrolled(loop.kind);
            int64_t &n = needed[static_cast<size_t>(loop.dim)];
            n = std::max({n, loop.size, constant ? trips(s.nest, l, s.dims) * loop.size : 1});
        }
        std::vector<Condition> conditions;
        for (size_t d = 0; d < needed.size(); d++) {
            if (needed[d] > 1) {
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
