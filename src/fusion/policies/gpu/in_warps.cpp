// m(i) = max over k of x(k, i);  s(i) += f(x(k, i), m(i));  y(j, i) = g(x(j, i), m(i), s(i))   →   one
// kernel, whose warps sum up their parts of a row lane by lane and hand each other partial results: p(u, i)
// by every thread u; q(v, i) by a few lanes v of every warp, of what all its row's warps have; then each lane
// adds up all q for itself.
//
// A row has one warp, whose partial results never leave registers, or several, which leave theirs in shared
// memory. Every warp does the last steps, so that threads wait for each other once for a sum. What a lane
// holds no other sees: a sum that another sum's terms need is added up again by those lanes (recompute).
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
    Kernel(const Blocks &blocks, const WarpShape &shape, const std::vector<RegisterRow> &register_rows)
        : b_(blocks),
          q_(blocks.q),
          gpu_(*q_.machine.gpu),
          shape_(shape),
          in_(extents_inside(blocks, 1, shape.rows)),
          register_rows_(register_rows),
          loops_(blocks, shape, in_, !register_rows.empty()) {
        for (const RegisterRow &k : register_rows_) {
            in_.computed[k.made].position = k.position;
            in_registers_.push_back(k.made);
        }
    }

    std::optional<Group> run() {
        g_.root = q_.root;
        g_.policy = register_rows_.empty() ? "gpu_warps" : "gpu_registers";
        const Nest &nest = loops_.of_writer();
        g_.tree.add_at_root(q_.root);
        NestedStage write{
            from_registers(stage_work(q_.graph, q_.graph.funcs[q_.root].stages.front(), q_.inlined))};
        write.in_registers = in_registers_;
        g_.tree.add_stage(q_.root, nest.loops, {}, write);
        for (const FuncId f : b_.members) {
            name_partials(f);
        }
        for (const RegisterRow &k : register_rows_) {
            if (k.made != k.func) {
                g_.added.push_back(Added::pack(k.made, k.func, k.read_by));
                add_register_row(k);
            }
        }
        for (const FuncId f : b_.members) {
            if ((is_sum(f) && !add_partial(f)) || (in_registers(f) && !add_register_row(register_row(f)))) {
                return std::nullopt;
            }
        }
        for (const FuncId f : b_.members) {
            if (!in_registers(f)) {
                add_by_lanes(f, f, of_warp(f), {q_.root, -1, static_cast<int>(nest.loops.size()) - 1});
            }
        }
        const int64_t row = q_.graph.funcs[q_.root].extents[0];
        kernel_.row_values = static_cast<int>(alive_at_once(g_.tree.of_kernels(), in_registers_) *
                                              ((row + loops_.threads() - 1) / loops_.threads()));
        g_.kernels.push_back(price_kernel(g_.tree, kernel_, q_.machine));
        g_.cost = g_.kernels.back().cost;
        return kernel_.shared_bytes <= gpu_.shared_bytes_per_block ? std::optional(g_) : std::nullopt;
    }

private:
    const Blocks &b_;
    const GroupRequest &q_;
    const Gpu &gpu_;
    WarpShape shape_;
    Inside in_;
    std::vector<RegisterRow> register_rows_;
    WarpLoops loops_;
    std::vector<FuncId> in_registers_;
    std::map<FuncId, int> copies_;
    Group g_;
    KernelStages kernel_;

    bool in_registers(FuncId f) const {
        return std::count(in_registers_.begin(), in_registers_.end(), f) > 0;
    }
    const RegisterRow &register_row(FuncId f) const {
        return *std::find_if(register_rows_.begin(), register_rows_.end(),
                             [&](const RegisterRow &k) { return k.func == f; });
    }
    /** `work`, of copies where there are some. */
    StageWork from_registers(StageWork work) const {
        for (Load &load : work.loads) {
            const auto k = std::find_if(register_rows_.begin(), register_rows_.end(),
                                        [&](const RegisterRow &row) { return row.func == load.producer; });
            load.producer = k == register_rows_.end() ? load.producer : k->made;
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
    FuncId recomputed(FuncId f, int copy) const {
        return q_.made("recomputed", f, copy);
    }
    /** What the lanes of a warp have of the sum `f` for that. */
    FuncId of_warp(FuncId f, int copy) const {
        return shared_by_sites() ? of_warp(f) : q_.made("recomputed_by_lanes", f, copy);
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
    static std::vector<DimId> innermost(DimId d) {
        std::vector<DimId> storage(d + 1, d);
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
        DimMap position = in_.computed.at(f).position;
        if (loop.func != q_.root) {
            const DimMap of_root = position;
            const DimMap &outer = g_.tree.at(loop.func).position;
            position.assign(position.size(), -1);
            for (const DimId d : outer.ids()) {
                if (outer[d] >= 0) {
                    position[outer[d]] = of_root[d];
                }
            }
        }
        return g_.tree.add_in_loop(made, loop, std::move(position), loops_.over_blocks());
    }

    /** `work`, of what threads keep in registers; `shared`: its values are for other threads, too. */
    NestedStage priced(StageWork work, bool shared) const {
        NestedStage stage = accumulating(std::move(work));
        stage.in_registers = in_registers_;
        if (shared) {
            stage.in_shared.push_back(stage.work->func);
        }
        return stage;
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
    bool add_register_row(const RegisterRow &k) {
        const FuncInfo &info = q_.graph.funcs[k.func];
        StageWork work = k.made == k.func
                             ? work_of(k.func)
                             : copy_work(k.made, {k.func, {}, info.bytes_per_point, info.extents});
        for (const DimId d : work.dims.ids()) {
            work.dims[k.position[d]].extent = in_.graph.funcs[q_.root].extents[d];
        }
        const DimId row = k.position[0];
        work.dims[row].constant = true;
        Loops own;
        own.unroll(row, loops_.threads());
        if (shape_.warps > 1) {
            own.gpu_threads(row, loops_.lanes());
        }
        own.split(row, 1, loops_.lane());
        TreeFunc &placed = add_in_loop(k.made, k.made, together());
        if (!loops_.within_warps()) {
            for (const Dim &d : work.dims) {
                placed.allocated.push_back(d.extent);
            }
            placed.by_threads = true;
            if (shape_.warps == 1) {
                own.around(loops_.over_rows(k.made));
            }
        }
        g_.tree.add_stage(k.made, own, {}, priced(work, false));
        return k.made != k.func || copy_members(k.func, {k.made, -1, static_cast<int>(own.size()) - 1});
    }

    /** p(u, i), and what its terms need, lane by lane. */
    bool add_partial(FuncId f) {
        const DimId u = pure(f);
        const StageWork work = split_reduction(work_of(f), u, u, loops_.threads(), false);
        Loops own;
        if (shape_.warps > 1) {
            own.gpu_threads(u, loops_.lanes());
        } else if (!loops_.within_warps()) {
            own.nest(loops_.over_rows(f));
        }
        own.split(u, 1, loops_.lane());
        TreeFunc &placed = add_in_loop(partial(f), f, together());
        placed.storage = innermost(u);
        if (!loops_.within_warps()) {
            placed.allocated = in_.graph.funcs[f].extents;
            placed.allocated.push_back(loops_.threads());
            placed.shared = shared_elements(in_.graph.funcs[f]);
            kernel_.shared_bytes += in_.graph.funcs[f].bytes() * loops_.threads();
        }
        g_.tree.add_stage(partial(f), -1, Dims(work.dims.begin(), work.dims.begin() + u + 1), own);
        Loops update = own;
        update.split(u + 1, 1, loops_.over_points());
        g_.tree.add_stage(partial(f), update, {}, priced(work, !loops_.within_warps()));
        const bool copied = copy_members(f, {partial(f), 0, static_cast<int>(own.size()) - 1});
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
                    load.producer != of && b_.is_member(load.producer) && !in_registers(load.producer);
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
            const FuncId made = recomputed(member, copy);
            add_recomputed(made, member, reader.at(member));
            if (is_sum(member) && !shared_by_sites()) {
                add_recomputed(of_warp(member, copy), of_warp(member), made);
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
            add_by_lanes(member, recomputed(member, copy), of_warp(member, copy), lane);
        }
        return one_each;
    }

    /** `of`, called `made`, for `reader` alone, which is not in memory. */
    void add_recomputed(FuncId made, FuncId of, FuncId reader) {
        g_.added.push_back(Added::rewrite("recomputed", made, of, {reader}, Grade::exact));
    }

    /** `f`, called `made`, for each lane that `lane` goes over; a sum, of what the lanes of its warp have:
     * `of_lanes`. */
    void add_by_lanes(FuncId f, FuncId made, FuncId of_lanes, const LoopRef &lane) {
        Dims dims = in_.graph.pure_stage(f).dims;
        if (is_sum(f) && !shared_by_sites()) {
            add_of_warp(f, of_lanes, {lane.func, lane.update, lane.loop - 1});  // over the warps of a row
        }
        add_in_loop(made, f, lane);
        if (!is_sum(f)) {
            g_.tree.add_stage(made, {}, {}, priced(work_of(f), false));
            return;
        }
        g_.tree.add_stage(made, -1, dims, {});
        dims.push_back({"v", few, true, std::nullopt, true});
        g_.tree.add_stage(made, {{pure(f), 1, Kind::unroll}}, {},
                          priced(sum_of_partials(in_.graph.funcs[f], made, of_lanes, dims), false));
    }

    /** q(v, i), in each turn of `loop`: for a warp, or a block where it is in shared memory. */
    void add_of_warp(FuncId f, FuncId made, const LoopRef &loop) {
        Dims dims = in_.graph.pure_stage(f).dims;
        const DimId v = pure(f);
        dims.push_back({"v", few, false, std::nullopt, true});
        Loops own;
        if (shape_.warps == 1 && !loops_.shuffles()) {
            own.nest(loops_.over_rows(f));
        }
        own.split(v, 1, loops_.lane());
        TreeFunc &placed = add_in_loop(made, f, loop);
        placed.storage = innermost(v);
        if (!loops_.shuffles()) {
            placed.allocated = in_.graph.funcs[f].extents;
            placed.allocated.push_back(few);
            placed.shared = shared_elements(in_.graph.funcs[f]);
            kernel_.shared_bytes += in_.graph.funcs[f].bytes() * few;
        }
        g_.tree.add_stage(made, -1, dims, own);
        dims.push_back({"w", loops_.threads() / few, true, std::nullopt, true});
        own.split(v + 1, 1, shape_.warps == 1 ? Kind::unroll : Kind::serial);
        g_.tree.add_stage(
            made, own, {},
            priced(sum_of_partials(in_.graph.funcs[f], made, partial(f), dims), !loops_.shuffles()));
    }
};

}  // namespace

std::optional<Group> warps_kernel(const Blocks &blocks, const WarpShape &shape,
                                  const std::vector<RegisterRow> &register_rows) {
    return Kernel(blocks, shape, register_rows).run();
}

}  // namespace eutectic
