// m(i) = max over k of x(k, i);  s(i) += f(x(k, i), m(i));  y(j, i) = g(x(j, i), m(i), s(i))   →   one
// kernel, whose warps sum up their parts of a row lane by lane and hand each other partial results: p(u, i)
// by every thread u; q(v, i) by a few lanes v of every warp, of what all its row's warps have; then each lane
// adds up all q for itself.
//
// A row has one warp, whose partial results never leave registers, or several, which leave theirs in shared
// memory. Every warp does the last steps, so that threads wait for each other once for a sum. What a lane
// holds no other sees: a sum that another sum's terms need is added up again by those lanes (compute_again).
// What they keep of a row is their own: thread u of T has the points u, u + T, ... of it. Where the language
// has no loops over lanes, they are threads, and what they hand each other is in shared memory.

#include <algorithm>
#include <numeric>

#include "fusion/policies/gpu/warp_loops.h"

namespace eutectic {

namespace {

using Kind = Loop::Kind;

constexpr int64_t few = 8;  // partial results that every lane adds up, near the root of a warp's 32: both
                            // steps take as long. Chosen, not measured

class Kernel {
public:
    Kernel(const Blocks &blocks, const WarpShape &shape, const std::vector<KeptRow> &kept)
        : b_(blocks),
          q_(blocks.q),
          gpu_(*q_.machine.gpu),
          shape_(shape),
          in_(extents_inside(blocks, 1, shape.rows)),
          kept_(kept),
          loops_(blocks, shape, in_, !kept.empty()) {
        for (const KeptRow &k : kept_) {
            in_.computed[k.made].position = k.position;
            in_registers_.push_back(k.made);
        }
        for (const FuncId f : b_.members) {
            local_.push_back(f);
            if (is_sum(f)) {
                local_.insert(local_.end(), {partial(f), of_warp(f)});
            }
        }
    }

    std::optional<Group> run() {
        g_.root = q_.root;
        g_.policy = kept_.empty() ? "gpu_warps" : "gpu_registers";
        const Nest &nest = loops_.of_writer();
        g_.tree.add_at_root(q_.root);
        g_.tree.add_stage(q_.root, -1, b_.root.dims, nest.loops);
        for (const FuncId f : b_.members) {
            name_partials(f);
        }
        for (const KeptRow &k : kept_) {
            if (k.made != k.func) {
                g_.added.push_back(Added::pack(k.made, k.func, k.read_by));
                add_kept(k);
            }
        }
        for (const FuncId f : b_.members) {
            if ((is_sum(f) && !add_partial(f)) || (is_kept(f) && !add_kept(kept(f)))) {
                return std::nullopt;
            }
        }
        for (const FuncId f : b_.members) {
            if (!is_kept(f)) {
                add_by_lanes(f, f, of_warp(f), {q_.root, -1, static_cast<int>(nest.loops.size()) - 1});
            }
        }
        kernel_.stages.push_back(
            {from_registers(stage_work(q_.graph, q_.graph.funcs[q_.root].stages.front(), q_.inlined)), nest,
             local_, false, false});
        kernel_.stages.back().in_registers = in_registers_;
        const int64_t row = q_.graph.funcs[q_.root].extents[0];
        kernel_.row_values = static_cast<int>(alive_at_once(kernel_.stages, in_registers_) *
                                              ((row + loops_.threads() - 1) / loops_.threads()));
        g_.kernels.push_back(price_kernel(kernel_, q_.machine));
        g_.cost = g_.kernels.back().cost;
        return kernel_.shared_bytes <= gpu_.shared_bytes_per_block ? std::optional(g_) : std::nullopt;
    }

private:
    const Blocks &b_;
    const GroupRequest &q_;
    const Gpu &gpu_;
    WarpShape shape_;
    Inside in_;
    std::vector<KeptRow> kept_;
    WarpLoops loops_;
    std::vector<FuncId> in_registers_;
    std::vector<FuncId> local_;  // what no kernel keeps in memory
    std::map<FuncId, int> copies_;
    Group g_;
    KernelStages kernel_;

    bool is_kept(FuncId f) const {
        return std::count(in_registers_.begin(), in_registers_.end(), f) > 0;
    }
    const KeptRow &kept(FuncId f) const {
        return *std::find_if(kept_.begin(), kept_.end(), [&](const KeptRow &k) { return k.func == f; });
    }
    /** `work`, of copies where there are some. */
    StageWork from_registers(StageWork work) const {
        for (Load &load : work.loads) {
            const auto k = std::find_if(kept_.begin(), kept_.end(),
                                        [&](const KeptRow &kept) { return kept.func == load.producer; });
            load.producer = k == kept_.end() ? load.producer : k->made;
        }
        return work;
    }
    bool is_sum(FuncId f) const {
        return in_.graph.funcs[f].stages.size() > 1;
    }
    FuncId partial(FuncId f) const {
        return q_.made("lanes", f);
    }
    /** What the lanes of a warp have. */
    FuncId of_warp(FuncId f) const {
        return q_.made("tree", f);
    }
    /** What some lanes compute of `f` for themselves. */
    FuncId again(FuncId f, int copy) const {
        return q_.made("again", f, copy);
    }
    /** What the lanes of a warp have of the sum `f` for that. */
    FuncId of_warp(FuncId f, int copy) const {
        return shared_by_sites() ? of_warp(f) : q_.made("again_by_lanes", f, copy);
    }
    /** Do all sites read the same q: that of their only warp, or one in shared memory? */
    bool shared_by_sites() const {
        return shape_.warps == 1 || !loops_.shuffles();
    }
    int pure(FuncId f) const {
        return static_cast<int>(in_.graph.funcs[f].extents.size());
    }
    StageWork work_of(FuncId f) const {
        return from_registers(stage_work(in_.graph, in_.graph.funcs[f].stages.back(), q_.inlined));
    }

    /** Storage of dims 0 to `d`, with that innermost. */
    static std::vector<int> innermost(int d) {
        std::vector<int> storage(d + 1, d);
        std::iota(storage.begin() + 1, storage.end(), 0);
        return storage;
    }

    /** The root's loop in which a block's threads compute together: a block's, or that over rows, each of
     * which has one warp. */
    LoopRef together() const {
        return {q_.root, -1, loops_.over_blocks() - (loops_.within_warps() ? 0 : 1)};
    }

    /** Computes `made`, of the Func `f` of the block, in `loop`: the root's, or of what is computed there. */
    TreeFunc &add_in_loop(FuncId made, FuncId f, const LoopRef &loop) {
        std::vector<int> position = in_.computed.at(f).position;
        if (loop.func != q_.root) {
            const std::vector<int> of_root = position;
            const std::vector<int> &outer = g_.tree.at(loop.func).position;
            position.assign(position.size(), -1);
            for (size_t d = 0; d < outer.size(); d++) {
                if (outer[d] >= 0) {
                    position[outer[d]] = of_root[d];
                }
            }
        }
        return g_.tree.add_in_loop(made, loop, std::move(position), loops_.over_blocks());
    }

    /** The loop over rows as one of a stage's own: a count would say that its extents are one turn's. */
    Loop own_rows(FuncId f) const {
        Loop rows = loops_.over_rows(f);
        rows.count = rows.dim < 0 ? rows.count : 0;
        return rows;
    }

    /** The loops over blocks around `made`: prices have their own inside, with what several threads do. */
    Nest blocks_around(FuncId made, const std::vector<Dim> &dims) const {
        Nest nest{g_.tree.around(made, dims), loops_.over_blocks(), {}};
        nest.loops.resize(nest.shared);
        return nest;
    }

    /** Prices `work` of `made`, which is in the tree, with the loops `own` in those over blocks; in all of
     * these threads, `times` of which do the same. `f`: of the block. */
    void add_price(FuncId f, FuncId made, StageWork work, std::vector<Loop> own, int64_t times) {
        Nest nest = blocks_around(made, work.dims);
        if (times > 1) {
            const int each = static_cast<int>(work.dims.size());
            add_redundant(work, times);
            own.insert(own.begin(), {each, 1, loops_.lane()});
            if (shape_.warps > 1) {
                own.insert(own.begin(), {each, loops_.lanes(), Kind::gpu_thread});
            }
        }
        if (shape_.warps == 1) {
            own.insert(own.begin(), loops_.over_rows(f));
        }
        nest.loops.insert(nest.loops.end(), own.begin(), own.end());
        kernel_.stages.push_back({work, nest, local_, true, true});
        kernel_.stages.back().in_registers = in_registers_;
    }

    void name_partials(FuncId f) {
        if (!is_sum(f)) {
            return;
        }
        const Grade grade = in_.graph.last_stage(f).order_free ? Grade::exact : Grade::reassociating;
        g_.added.push_back(Added::partial("lanes", partial(f), f, pure(f), loops_.threads(), grade));
        g_.added.push_back(Added::partial("tree", of_warp(f), f, pure(f), few, grade));
    }

    /** Values of rows, by the threads that read them. False when copy_members() says so. */
    bool add_kept(const KeptRow &k) {
        const FuncInfo &info = q_.graph.funcs[k.func];
        StageWork work = k.made == k.func
                             ? work_of(k.func)
                             : copy_work(k.made, {k.func, {}, info.bytes_per_point, info.extents});
        for (size_t d = 0; d < work.dims.size(); d++) {
            work.dims[k.position[d]].extent = in_.graph.funcs[q_.root].extents[d];
        }
        const int row = k.position[0];
        work.dims[row].constant = true;
        std::vector<Loop> points = {{row, loops_.threads(), Kind::unroll}};
        if (shape_.warps > 1) {
            points.push_back({row, loops_.lanes(), Kind::gpu_thread});
        }
        points.push_back({row, 1, loops_.lane()});
        std::vector<Loop> own = points;
        TreeFunc &placed = add_in_loop(k.made, k.made, together());
        if (!loops_.within_warps()) {
            for (const Dim &d : work.dims) {
                placed.allocated.push_back(d.extent);
            }
            placed.by_threads = true;
            if (shape_.warps == 1) {
                own.insert(own.begin(), own_rows(k.made));
            }
        }
        g_.tree.add_stage(k.made, -1, work.dims, own);
        const bool copied =
            k.made != k.func || copy_members(k.func, {k.made, -1, static_cast<int>(own.size()) - 1});
        add_price(k.made, k.made, work, points, 1);
        return copied;
    }

    /** p(u, i), and what its terms need, lane by lane. */
    bool add_partial(FuncId f) {
        const int u = pure(f);
        const StageWork work = split_reduction(work_of(f), u, u, loops_.threads(), false);
        std::vector<Loop> own;
        if (shape_.warps > 1) {
            own.push_back({u, loops_.lanes(), Kind::gpu_thread});
        } else if (!loops_.within_warps()) {
            own.push_back(own_rows(f));
        }
        own.push_back({u, 1, loops_.lane()});
        TreeFunc &placed = add_in_loop(partial(f), f, together());
        placed.storage = innermost(u);
        if (!loops_.within_warps()) {
            placed.allocated = in_.graph.funcs[f].extents;
            placed.allocated.push_back(loops_.threads());
            kernel_.shared_bytes += in_.graph.funcs[f].bytes() * loops_.threads();
        }
        g_.tree.add_stage(partial(f), -1, {work.dims.begin(), work.dims.begin() + u + 1}, own);
        std::vector<Loop> update = own;
        update.push_back({u + 1, 1, loops_.over_points()});
        g_.tree.add_stage(partial(f), 0, work.dims, update);
        const bool copied = copy_members(f, {partial(f), 0, static_cast<int>(own.size()) - 1});
        if (shape_.warps == 1) {
            own.erase(own.begin(), own.end() - 1);  // over rows: add_price() has that loop
        }
        own.push_back({u + 1, 1, loops_.over_points()});
        add_price(f, partial(f), work, own, 1);
        note_shared(!loops_.within_warps());
        if (shared_by_sites()) {
            add_of_warp(f, of_warp(f), together());
        }
        return copied;
    }

    /** The members that the terms of `f` need, for the lanes that `lane` goes over. False when one has
     * several readers there. */
    bool copy_members(FuncId f, const LoopRef &lane) {
        std::map<FuncId, FuncId> reader;
        bool one_each = true;
        const auto need = [&](FuncId of, FuncId made) {
            for (const Load &load : work_of(of).loads) {
                const bool member =
                    load.producer != of && b_.is_member(load.producer) && !is_kept(load.producer);
                one_each = one_each && (!member || reader.emplace(load.producer, made).first->second == made);
            }
        };
        need(f, lane.func);
        std::vector<std::pair<FuncId, int>> copies;
        for (size_t m = b_.members.size(); m-- > 0;) {  // readers first
            const FuncId member = b_.members[m];
            if (reader.count(member) == 0) {
                continue;
            }
            const int copy = copies_[member]++;
            const FuncId made = again(member, copy);
            add_again(made, member, reader.at(member));
            if (is_sum(member) && !shared_by_sites()) {
                add_again(of_warp(member, copy), of_warp(member), made);
                g_.added.back().reduction_dim = pure(member);
                g_.added.back().factor = few;
            }
            copies.emplace_back(member, copy);
            if (!is_sum(member)) {
                need(member, made);
            }
        }
        for (auto c = copies.rbegin(); one_each && c != copies.rend(); ++c) {
            const auto [member, copy] = *c;
            add_by_lanes(member, again(member, copy), of_warp(member, copy), lane);
        }
        return one_each;
    }

    /** `of`, called `made`, for `reader` alone, which is not in memory. */
    void add_again(FuncId made, FuncId of, FuncId reader) {
        g_.added.push_back(Added::rewrite("again", made, of, {reader}, Grade::exact));
        local_.push_back(made);
    }

    /** `f`, called `made`, for each lane that `lane` goes over; a sum, of what the lanes of its warp have:
     * `of_lanes`. */
    void add_by_lanes(FuncId f, FuncId made, FuncId of_lanes, const LoopRef &lane) {
        const int64_t times = shape_.warps == 1 ? loops_.lanes() : loops_.threads();
        std::vector<Dim> dims = in_.graph.pure_stage(f).dims;
        if (is_sum(f) && !shared_by_sites()) {
            add_of_warp(f, of_lanes, {lane.func, lane.update, lane.loop - 1});  // over the warps of a row
        }
        add_in_loop(made, f, lane);
        g_.tree.add_stage(made, -1, dims, {});
        if (!is_sum(f)) {
            return add_price(f, made, work_of(f), {}, times);
        }
        dims.push_back({"v", few, true, std::nullopt, true});
        const std::vector<Loop> own = {{pure(f), 1, Kind::unroll}};
        g_.tree.add_stage(made, 0, dims, own);
        add_price(f, made, sum_of_partials(in_.graph.funcs[f], made, of_lanes, dims), own, times);
    }

    /** q(v, i), in each turn of `loop`: for a warp, or a block where it is in shared memory. */
    void add_of_warp(FuncId f, FuncId made, const LoopRef &loop) {
        std::vector<Dim> dims = in_.graph.pure_stage(f).dims;
        const int v = pure(f);
        dims.push_back({"v", few, false, std::nullopt, true});
        std::vector<Loop> own;
        if (shape_.warps == 1 && !loops_.shuffles()) {
            own.push_back(own_rows(f));
        }
        own.push_back({v, 1, loops_.lane()});
        TreeFunc &placed = add_in_loop(made, f, loop);
        placed.storage = innermost(v);
        if (!loops_.shuffles()) {
            placed.allocated = in_.graph.funcs[f].extents;
            placed.allocated.push_back(few);
            kernel_.shared_bytes += in_.graph.funcs[f].bytes() * few;
        }
        g_.tree.add_stage(made, -1, dims, own);
        Nest nest = blocks_around(made, dims);
        dims.push_back({"w", loops_.threads() / few, true, std::nullopt, true});
        const Loop terms{v + 1, 1, shape_.warps == 1 ? Kind::unroll : Kind::serial};
        own.push_back(terms);
        g_.tree.add_stage(made, 0, dims, own);
        StageWork work = sum_of_partials(in_.graph.funcs[f], made, partial(f), dims);
        if (shape_.warps == 1) {
            nest.loops.push_back(loops_.over_rows(f));
        } else if (loops_.shuffles()) {  // every warp does this
            add_redundant(work, shape_.warps);
            nest.loops.push_back({v + 2, 1, Kind::gpu_thread});
        }
        nest.loops.push_back({v, 1, loops_.lane()});
        nest.loops.push_back(terms);
        kernel_.stages.push_back({work, nest, local_, true, true});
        note_shared(!loops_.shuffles());
    }

    /** What the last stage stores is for other threads. */
    void note_shared(bool shared) {
        if (shared) {
            kernel_.stages.back().in_shared.push_back(kernel_.stages.back().work->func);
        }
    }
};

}  // namespace

std::optional<Group> warps_kernel(const Blocks &blocks, const WarpShape &shape,
                                  const std::vector<KeptRow> &kept) {
    return Kernel(blocks, shape, kept).run();
}

}  // namespace eutectic
