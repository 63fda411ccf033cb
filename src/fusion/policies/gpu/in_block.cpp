// What a block of threads computes for its rows: a pure Func by a thread for each point, a reduction as
// in_block_sums.cpp has it. All threads of the block wait for each other between two of these.

#include <algorithm>

#include "fusion/policies/gpu/gpu.h"
#include "fusion/rewrite.h"

namespace eutectic {

FuncInfo stored(const GroupRequest &q, FuncId f) {
    FuncInfo info = q.graph.funcs[f];
    if (q.graph.last_stage(f).pair) {
        info.bytes_per_point *= 2;
        info.tuple_size = 2;
    }
    return info;
}

SharedElements shared_elements(const FuncInfo &stored) {
    const bool alike = stored.bytes_per_point == stored.element_bytes * stored.tuple_size;
    return {alike ? stored.element_bytes : 1, stored.element_bytes};
}

FuncId add_pair(const GroupRequest &q, FuncId f, Group &g) {
    const std::optional<RunningPair> &pair = q.graph.last_stage(f).pair;
    if (!pair) {
        return f;
    }
    const char *const name = pair->by->name();
    const FuncId made = q.made(name, f);
    g.added.push_back(Added::rewrite(name, made, f, {pair->other}, Grade::reassociating));
    return made;
}

NestedStage accumulating(StageWork work) {
    NestedStage stage{std::move(work)};
    stage.accumulates_in_registers = true;
    return stage;
}

InBlock::InBlock(const Blocks &blocks, const Inside &inside, const BlockShape &shape, DimId cut,
                 const LoopRef &block, std::vector<RegisterRow> register_rows)
    : blocks_(blocks),
      inside_(inside),
      shape_(shape),
      block_(block),
      register_rows_(std::move(register_rows)) {
    // What a block holds at the estimates is what it holds at most, unless it has more rows than there are
    // then.
    const Extents &extents = blocks.q.graph.funcs[blocks.q.root].extents;
    whole_ = (extents.empty() || extents[cut] >= shape.rows * shape.each) && over_blocks() <= exact_blocks;
    find_bounded(cut);
}

void InBlock::find_bounded(DimId cut) {
    const Graph &graph = inside_.graph;
    std::vector<FuncId> funcs = blocks_.members;
    funcs.push_back(blocks_.q.root);
    for (const DimId d : blocks_.root.dims.ids()) {
        if (!blocks_.root.dims[d].reduction) {
            bounded_[blocks_.q.root].push_back(d >= cut || blocks_.root.dims[d].constant);
        }
    }
    for (size_t f = funcs.size(); f-- > 0;) {  // readers first
        for (const StageId s : graph.funcs[funcs[f]].stages) {
            const StageWork work = stage_work(graph, s, blocks_.q.inlined);
            const DimFlags &of_reader = bounded_[funcs[f]];
            for (const Load &load : work.loads) {
                if (!blocks_.is_member(load.producer) || load.producer == funcs[f]) {
                    continue;
                }
                DimFlags &of =
                    bounded_.emplace(load.producer, DimFlags(load.access.indices.size(), true)).first->second;
                for (const DimId i : of.ids()) {
                    of[i] = of[i] && !chosen(work, load.producer) && load.access.indices[i].affine;
                    for (const DimId d : work.dims.ids()) {
                        const bool known = work.dims[d].reduction ? work.dims[d].constant : of_reader[d];
                        of[i] = of[i] && (known || !load.access.indices[i].depends_on(d));
                    }
                }
            }
        }
    }
}

/** The writer's loops over blocks: all that are around what a block computes. */
size_t InBlock::over_blocks() const {
    return block_.loop + 1;
}

/** A thread for each point of the pure dims, or for several of them. A block has `threads` of them along its
 * first axis and `rows` along its second, or else `rows` along the only one: each stage keeps to that, since
 * an axis is as long as the longest of its stages' loops. */
Loops InBlock::threads_over(FuncId f, const Dims &dims) const {
    return over_axes(f, dims,
                     shape_.threads > 1 ? std::vector<int64_t>{shape_.threads, shape_.rows}
                                        : std::vector<int64_t>{shape_.rows});
}

Loops InBlock::over_axes(FuncId f, const Dims &dims, const std::vector<int64_t> &axes) const {
    const DimId pure = inside_.graph.funcs[f].extents.next_id();
    Loops loops;
    size_t axis = 0;
    for (DimId d = 0; d < pure && axis < axes.size(); d++) {
        const int64_t extent = dims[d].extent;
        if (extent == 1 && d > 0) {
            continue;
        }
        const bool last = std::none_of(dims.begin() + d + 1, dims.begin() + pure,
                                       [](const Dim &further) { return further.extent > 1; });
        int64_t covered = 1;
        do {
            const int64_t threads = std::min((extent + covered - 1) / covered, axes[axis]);
            if (threads > 1 || loops.empty()) {
                loops.around({d, covered, Loop::Kind::gpu_thread});
            }
            covered *= threads;
            axis++;
        } while (last && covered < extent && axis < axes.size());
        if (covered < extent) {
            loops.around({d, covered, Loop::Kind::serial});
        }
    }
    return loops;
}

/** In shared memory: `made`, which has the dims of `f` and, where `storage` says how it lies, one more, that
 * of the lanes. */
void InBlock::place(FuncId made, FuncId f, int64_t lanes, std::vector<DimId> storage, Group &g,
                    KernelStages &kernel) const {
    const FuncInfo like = stored(f);
    TreeFunc &placed = g.tree.add_in_loop(made, block_, inside_.computed.at(f).position, over_blocks());
    if (whole_) {
        placed.allocated = like.extents;
        if (!storage.empty()) {
            placed.allocated.push_back(lanes);
        }
    }
    placed.storage = std::move(storage);
    placed.shared = shared_elements(like);
    kernel.shared_bytes += like.bytes() * lanes;
}

/** `shared`: in shared memory, not by each thread for itself. */
void InBlock::add_stage(FuncId made, const StageWork &work, const Loops &own, bool shared, Group &g) const {
    NestedStage stage = accumulating(work);
    stage.local = blocks_.members;  // by these names, too, where the group has another Func for them
    if (shared) {
        stage.in_shared.push_back(work.func);
    }
    for (const RegisterRow &k : register_rows_) {
        stage.in_registers.push_back(k.made);
    }
    g.tree.add_stage(made, own, {}, stage);
}

/** A thread copies the points of its row that it has of the terms of sums: u, u + T, ... of T threads. */
void InBlock::add_copies(Group &g) const {
    for (const RegisterRow &k : register_rows_) {
        const FuncInfo &info = inside_.graph.funcs[k.func];
        const Extents &block = inside_.graph.funcs[blocks_.q.root].extents;
        StageWork work = copy_work(k.made, {k.func, {}, info.bytes_per_point, info.extents});
        work.dims[0].constant = true;
        for (const DimId d : block.ids()) {
            work.dims[k.position[d]].extent = block[d];
        }
        Loops own = threads_over(k.func, work.dims);
        for (size_t l = 0; l < own.size(); l++) {
            own.run_as(l, own[l].kind == Loop::Kind::serial ? Loop::Kind::unroll : own[l].kind);
        }
        TreeFunc &copy = g.tree.add_in_loop(k.made, block_, k.position, over_blocks());
        copy.by_threads = true;
        for (const Dim &d : work.dims) {
            copy.allocated.push_back(d.extent);
        }
        add_stage(k.made, work, own, false, g);
    }
}

/** `work` of `reader`, of the copies that it reads. */
StageWork InBlock::from_copies(StageWork work, FuncId reader) const {
    for (const RegisterRow &k : register_rows_) {
        for (Load &load : work.loads) {
            const bool reads =
                k.read_by.empty() || std::count(k.read_by.begin(), k.read_by.end(), reader) > 0;
            load.producer = load.producer == k.func && reads ? k.made : load.producer;
        }
    }
    return work;
}

FuncId InBlock::online_sum_of(FuncId f) const {
    const auto is_sum = [&](FuncId s) {
        return inside_.graph.last_stage(s).pair && inside_.graph.last_stage(s).pair->other == f;
    };
    const auto sum = std::find_if(blocks_.members.begin(), blocks_.members.end(), is_sum);
    return sum == blocks_.members.end() ? no_func : *sum;
}

FuncInfo InBlock::stored(FuncId f) const {
    FuncInfo info = eutectic::stored(blocks_.q, f);
    info.extents = inside_.graph.funcs[f].extents;
    return info;
}

int InBlock::widest_of_members() const {
    int widest = 0;
    for (const FuncId f : blocks_.members) {
        widest = std::max(widest, shared_elements(stored(f)).widest);
    }
    return widest;
}

Verdict InBlock::add(FuncId f, FuncId made, Group &g, KernelStages &kernel) const {
    if (online_sum_of(f) >= 0) {
        return Verdict::allow();  // one of the pair
    }
    const FuncInfo info = stored(f);
    made = made == f ? add_pair(blocks_.q, f, g) : made;  // of a root that has a writer, it is there
    const auto bounded = bounded_.find(f);
    const bool fits = bounded != bounded_.end() &&
                      std::all_of(bounded->second.begin(), bounded->second.end(), [](bool b) { return b; });
    if (!fits) {
        return Verdict::forbid("would keep " + format_bytes(info.bytes()) + " of " + info.name +
                               " in a block's shared memory, as many as the caller's buffers make them: "
                               "shared memory has a size that holds at every call");
    }
    if (info.extents.empty() && shared_elements(info).narrowest < widest_of_members()) {
        return Verdict::forbid("would keep the one number of " + info.name +
                               " in a block's shared memory beside wider ones: Halide (21) makes room for "
                               "several types only in rows that can be padded");
    }
    if (info.stages.size() > 2) {
        return Verdict::forbid("adds up in one update: " + info.name + " has " +
                               std::to_string(info.stages.size() - 1));
    }
    if (info.stages.size() == 1) {
        const StageWork work = stage_work(inside_.graph, info.stages[0], blocks_.q.inlined);
        place(made, f, 1, {}, g, kernel);
        add_stage(made, work, threads_over(f, work.dims), true, g);
    } else {
        add_reduction(f, made, g, kernel);
    }
    const Bytes most = blocks_.q.machine.gpu->shared_bytes_per_block;
    return kernel.shared_bytes <= most
               ? Verdict::allow()
               : Verdict::forbid("would keep " + format_bytes(kernel.shared_bytes) +
                                 " or more in shared memory, of which a block has " + format_bytes(most));
}

}  // namespace eutectic
