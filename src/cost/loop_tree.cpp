#include "cost/loop_tree.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace eutectic {

namespace {

[[noreturn]] void fail(FuncId func, const char *what) {
    throw std::logic_error("loop tree: f" + std::to_string(func) + " " + what);
}

void require(bool holds, FuncId func, const char *what) {
    if (!holds) {
        fail(func, what);
    }
}

/** Are they over dims of the stage? That they are splits, they have checked themselves. */
void check_loops(FuncId func, const Dims &dims, const Loops &loops) {
    for (const Loop &loop : loops) {
        require(loop.dim < 0 || dims.contains(loop.dim), func, "has a loop over a dim that is not its own");
    }
}

bool runs_in_parallel(const TreeStage &stage) {
    return !stage.loops.empty() && stage.loops.front().kind == Loop::Kind::parallel;
}

/** Of its code. The one for no points at all is dropped. */
int versions_of(const TreeStage &stage) {
    return std::any_of(stage.whole.begin(), stage.whole.end(),
                       [](const Condition &c) { return c.points > 1; })
               ? 2
               : 1;
}

const TreeStage *stage_of(const TreeFunc &func, int update) {
    const auto it = std::find_if(func.stages.begin(), func.stages.end(),
                                 [&](const TreeStage &s) { return s.update == update; });
    return it == func.stages.end() ? nullptr : &*it;
}

}  // namespace

void rename(NestedStage &stage, const std::function<FuncId(FuncId)> &name) {
    StageWork &work = stage.work.edit();
    work.func = name(work.func);
    for (Load &load : work.loads) {
        load.producer = name(load.producer);
    }
    for (std::vector<FuncId> *funcs :
         {&stage.local, &stage.in_block, &stage.in_shared, &stage.in_registers}) {
        std::transform(funcs->begin(), funcs->end(), funcs->begin(), name);
    }
}

TreeFunc &LoopTree::add(FuncId func) {
    require(find(func) == nullptr, func, "is in the tree twice");
    funcs_.emplace_back();
    funcs_.back().func = func;
    return funcs_.back();
}

TreeFunc &LoopTree::add_at_root(FuncId func) {
    return add(func);
}

TreeFunc &LoopTree::add_in_loop(FuncId func, const LoopRef &loop, DimMap position, size_t block_loops) {
    add(func);
    move_into(func, loop, std::move(position), block_loops);
    return funcs_.back();
}

void LoopTree::move_into(FuncId func, const LoopRef &loop, DimMap position, size_t block_loops) {
    TreeFunc &moved = at(func);
    const Loops &loops = at(loop.func, loop.update).loops;
    require(!moved.computed && !moved.joint, func, "is in a loop already");
    require(loop.loop >= 0 && loop.loop < static_cast<int>(loops.size()), func,
            "is to be computed in a loop that is not there");
    require(!is_unrolled(loops[loop.loop].kind), func, "is to be computed in a loop that is code or lanes");
    moved.computed = loop;
    moved.position = std::move(position);
    moved.block_loops = block_loops;
    require(!encloses({func, -1, 0}, moved) && loop.func != func, func, "is to be computed in its own loops");
}

void LoopTree::slide_in(FuncId func, const LoopRef &loop, int64_t warm_up) {
    TreeFunc &stored = at(func);
    require(encloses(loop, stored), func, "is to be stored in a loop that is not around it");
    stored.stored = loop;
    stored.warm_up = warm_up;
}

void LoopTree::allocate_in(FuncId func, const LoopRef &loop) {
    TreeFunc &allocated = at(func);
    require(encloses(loop, allocated), func, "is to be allocated in a loop that is not around it");
    allocated.allocated_in = loop;
}

void LoopTree::write_with(FuncId func, const LoopRef &loop) {
    TreeFunc &joined = at(func);
    require(!joined.computed, func, "is in a loop already");
    joined.joint = loop;
}

TreeStage &LoopTree::add_stage(FuncId func, int update, Dims dims, Loops loops, std::vector<Condition> whole,
                               std::optional<NestedStage> priced) {
    TreeFunc &of = at(func);
    require(of.stages.empty() || of.stages.back().update < update, func, "has its stages in another order");
    check_loops(func, dims, loops);
    of.stages.push_back({update, std::move(dims), std::move(loops), std::move(whole), std::move(priced)});
    return of.stages.back();
}

TreeStage &LoopTree::add_stage(FuncId func, Loops loops, std::vector<Condition> whole, NestedStage priced) {
    const int update = priced.work->update;
    Dims dims = priced.work->dims;
    return add_stage(func, update, std::move(dims), std::move(loops), std::move(whole), std::move(priced));
}

void LoopTree::append(const LoopTree &other) {
    for (const TreeFunc &f : other.funcs_) {
        require(find(f.func) == nullptr, f.func, "is in the tree twice");
    }
    funcs_.insert(funcs_.end(), other.funcs_.begin(), other.funcs_.end());
}

void LoopTree::put_around(FuncId func, const Loops &outer, const DimFlags &gone) {
    TreeFunc &root = at(func);
    require(!root.computed && !root.stages.empty() && root.stages.front().update < 0, func,
            "has no loops to put others around");
    TreeStage &stage = root.stages.front();
    Loops loops = outer;
    std::vector<int> moved;  // where each of the old loops is, or the one that it is now a turn of
    for (const Loop &l : stage.loops) {
        if (l.dim < 0 || !gone[l.dim]) {
            loops.nest(l);
        }
        moved.push_back(static_cast<int>(loops.size()) - 1);
    }
    check_loops(func, stage.dims, loops);
    stage.loops = std::move(loops);
    const auto renumber = [&](std::optional<LoopRef> &loop) {
        if (loop && loop->func == func && loop->update == stage.update) {
            loop->loop = moved.at(loop->loop);
        }
    };
    for (TreeFunc &f : funcs_) {
        renumber(f.computed);
        renumber(f.stored);
        renumber(f.allocated_in);
        renumber(f.joint);
    }
}

void LoopTree::rename(const std::function<FuncId(FuncId)> &name) {
    for (TreeFunc &f : funcs_) {
        f.func = name(f.func);
        for (std::optional<LoopRef> *loop : {&f.computed, &f.stored, &f.allocated_in, &f.joint}) {
            if (*loop) {
                (*loop)->func = name((*loop)->func);
            }
        }
        for (TreeStage &s : f.stages) {
            if (s.priced) {
                eutectic::rename(*s.priced, name);
            }
        }
    }
}

const TreeFunc *LoopTree::find(FuncId func) const {
    const auto it =
        std::find_if(funcs_.begin(), funcs_.end(), [&](const TreeFunc &f) { return f.func == func; });
    return it == funcs_.end() ? nullptr : &*it;
}

const TreeStage *LoopTree::find(FuncId func, int update) const {
    const TreeFunc *const of = find(func);
    return of ? stage_of(*of, update) : nullptr;
}

const TreeFunc &LoopTree::at(FuncId func) const {
    const TreeFunc *const found = find(func);
    require(found != nullptr, func, "is not in the tree");
    return *found;
}

TreeFunc &LoopTree::at(FuncId func) {
    return const_cast<TreeFunc &>(std::as_const(*this).at(func));
}

const TreeStage &LoopTree::at(FuncId func, int update) const {
    const TreeStage *const found = stage_of(at(func), update);
    require(found != nullptr, func, "has no such stage in the tree");
    return *found;
}

bool LoopTree::encloses(const LoopRef &loop, const TreeFunc &func) const {
    const TreeFunc *inner = &func;
    for (size_t steps = 0; inner->computed && steps <= funcs_.size(); steps++) {
        const LoopRef &at_loop = *inner->computed;
        if (at_loop.func == loop.func && at_loop.update == loop.update) {
            return loop.loop <= at_loop.loop;
        }
        inner = &at(at_loop.func);
    }
    return false;
}

std::vector<Loop> LoopTree::around(const TreeFunc &func, const Dims &dims) const {
    std::vector<Loop> result;
    if (!func.computed) {
        return result;
    }
    const TreeFunc &of = at(func.computed->func);
    const TreeStage &in = *stage_of(of, func.computed->update);
    const Nest nest = full(of, in);
    const size_t count = nest.shared + func.computed->loop + 1;
    result.reserve(count);
    for (size_t l = 0; l < count; l++) {
        const Loop &outer = nest.loops[l];
        const bool known = func.position.contains(outer.dim);
        const DimId dim = known ? func.position[outer.dim] : DimId(-1);
        const int64_t turns = trips(nest, l, in.dims) + (l + 1 == count ? func.warm_up : 0);
        if (dim < 0) {
            result.push_back({-1, turns, outer.kind, turns});
        } else if (l < func.block_loops || outer.count > 0) {
            result.push_back({dim, dims[dim].extent, outer.kind, turns});
        } else {
            result.push_back({dim, outer.size, outer.kind});
        }
    }
    return result;
}

std::vector<Loop> LoopTree::around(FuncId func, const Dims &dims) const {
    return around(at(func), dims);
}

Nest LoopTree::full(const TreeFunc &func, const TreeStage &stage) const {
    Nest nest;
    std::vector<Loop> enclosing = around(func, stage.dims);
    nest.shared = static_cast<int>(enclosing.size());
    enclosing.reserve(enclosing.size() + stage.loops.size());
    nest.loops = Loops::inside(std::move(enclosing), stage.loops);
    nest.whole = stage.whole;
    if (!stage.otherwise.empty()) {
        nest.otherwise = Loops::inside(around(func, stage.dims), stage.otherwise);
    }
    nest.versions = versions_of(stage);
    for (const TreeFunc *f = &func; f->computed; f = &at(f->computed->func)) {
        nest.versions *= versions_of(at(f->computed->func, f->computed->update));
    }
    return nest;
}

StageNest LoopTree::nest(FuncId func, int update) const {
    const TreeStage &stage = at(func, update);
    return {func, update, stage.dims, full(at(func), stage)};
}

std::vector<StageNest> LoopTree::nests() const {
    std::vector<StageNest> result;
    for (const TreeFunc &f : funcs_) {
        for (const TreeStage &s : f.stages) {
            result.push_back({f.func, s.update, s.dims, full(f, s)});
        }
    }
    return result;
}

std::vector<NestedStage> LoopTree::priced() const {
    std::vector<NestedStage> result;
    result.reserve(2 * funcs_.size());
    size_t first = 0;
    FuncId of_first = -1;
    bool parallel = false;
    for (const TreeFunc &f : funcs_) {
        for (const TreeStage &s : f.stages) {
            if (!s.priced) {
                continue;
            }
            of_first = result.empty() ? f.func : of_first;
            if (!parallel && f.func == of_first && runs_in_parallel(s)) {
                first = result.size();
                parallel = true;
            }
            result.push_back(*s.priced);
            Nest &nest = result.back().nest;
            nest = full(f, s);
            // A library's call has loops of its own, which go over what it reads once.
            if (!s.priced->work->library) {
                nest = with_loops_as_defined(std::move(nest), s.dims);
            }
        }
    }
    const auto parallel_one = result.begin() + static_cast<std::ptrdiff_t>(first);
    std::rotate(result.begin(), parallel_one, result.empty() ? parallel_one : parallel_one + 1);
    return result;
}

void LoopTree::add_in_order(const TreeFunc &func, std::vector<NestedStage> &stages) const {
    for (const TreeStage &s : func.stages) {
        for (const TreeFunc &inner : funcs_) {
            if (inner.computed && inner.computed->func == func.func && inner.computed->update == s.update) {
                add_in_order(inner, stages);
            }
        }
        if (s.priced) {
            stages.push_back(*s.priced);
            stages.back().nest = full(func, s);
            stages.back().stores_locally = func.computed.has_value();
        }
    }
}

std::vector<NestedStage> LoopTree::of_kernels() const {
    std::vector<NestedStage> result;
    std::vector<FuncId> inside;
    for (const TreeFunc &f : funcs_) {
        if (f.computed) {
            inside.push_back(f.func);
        } else {
            add_in_order(f, result);
        }
    }
    for (NestedStage &s : result) {
        s.local.insert(s.local.end(), inside.begin(), inside.end());
    }
    return result;
}

Cost price(const LoopTree &tree, const Machine &machine, Seconds limit) {
    if (!tree.runs_in_turn()) {
        return price(tree.priced(), machine, limit);
    }
    Cost cost;
    for (const NestedStage &stage : tree.priced()) {
        cost += price({stage}, machine, limit - cost.total());
    }
    return cost;
}

LoopRef LoopTree::loop_of(FuncId func, int update, int loop) const {
    const TreeFunc &of = at(func);
    const int shared = of.computed ? depth(*of.computed) + 1 : 0;
    return loop < shared ? loop_of(of.computed->func, of.computed->update, loop)
                         : LoopRef{func, update, loop - shared};
}

int LoopTree::depth(const LoopRef &loop) const {
    const TreeFunc &of = at(loop.func);
    return (of.computed ? depth(*of.computed) + 1 : 0) + loop.loop;
}

}  // namespace eutectic
