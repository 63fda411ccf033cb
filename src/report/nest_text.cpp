#include "report/nest_text.h"

namespace eutectic {

namespace {

const char *word(Loop::Kind kind) {
    const char *const kinds[] = {"for", "parallel", "unroll", "vector", "block", "thread", "lane", "step"};
    return kinds[static_cast<int>(kind)];
}

/** Its variable with the step, "i by 4". */
std::string steps(const Dims &dims, const Loop &loop) {
    if (loop.dim < 0) {
        return "turns";
    }
    return variable(dims, loop.dim) + (loop.size == 1 ? "" : " by " + std::to_string(loop.size));
}

/** "i by 4 of y" */
std::string place(const PlanNames &names, const LoopTree &tree, const LoopRef &at) {
    const StageNest of = tree.nest(at.func, at.update);
    return steps(of.dims, of.nest.loops[first_own_loop(of) + static_cast<size_t>(at.loop)]) + " of " +
           stage_name(names, at.func, at.update);
}

}  // namespace

size_t first_own_loop(const StageNest &stage) {
    return static_cast<size_t>(stage.nest.shared);
}

std::string stage_name(const PlanNames &names, FuncId func, int update) {
    return names[func] + (update < 0 ? "" : ".update(" + std::to_string(update) + ")");
}

std::string loop_text(const StageNest &stage, size_t at) {
    const Loop &loop = stage.nest.loops[at];
    const char *const tails[] = {"", " guarded", " fitted"};
    return std::string(word(loop.kind)) + " " + steps(stage.dims, loop) + " (" +
           format_count(trips(stage.nest, at, stage.dims)) + ")" + tails[static_cast<int>(loop.tail)] +
           (loop.partitioned ? "" : " unpartitioned") + (loop.only_whole ? " in whole tiles" : "");
}

std::string condition_text(const PlanNames &names, const Condition &c) {
    const auto dim = [&](const BufferDim &b) { return names[b.func] + "." + names.dim(b.func, b.dim); };
    const std::string of = dim(c.buffer), points = std::to_string(c.points);
    switch (c.kind) {
    case Condition::Kind::at_least:
        return of + " >= " + points +
               (c.inside ? (c.inside->from_zero ? " inside 0 to the extent of " : " inside ") + dim(*c.inside)
                         : "");
    case Condition::Kind::exactly:
        return of + " == " + points + (c.first == 0 ? "" : " from " + std::to_string(c.first));
    case Condition::Kind::stride: return of + " in steps of " + points + " elements";
    case Condition::Kind::rows: return of + " in steps of a multiple of " + points + " elements";
    case Condition::Kind::aligned: return names[c.buffer.func] + " at a multiple of " + points + " bytes";
    case Condition::Kind::multiple: break;
    }
    return of + " from a multiple of " + points;
}

std::string nest_text(const PlanNames &names, const LoopTree &tree, const StageNest &stage) {
    const TreeFunc &func = tree.at(stage.func);
    std::string text = stage_name(names, stage.func, stage.update);
    if (func.computed) {
        text += " at " + place(names, tree, *func.computed);
    }
    if (func.stored) {
        text += ", kept through " + place(names, tree, *func.stored);
    }
    if (func.joint) {
        text += " with " + place(names, tree, *func.joint);
    }
    StageNest run = stage;
    run.nest = with_loops_as_defined(stage.nest, stage.dims);
    std::string loops;
    for (size_t l = first_own_loop(run); l < run.nest.loops.size(); l++) {
        loops += (loops.empty() ? ": " : ", ") + loop_text(run, l);
    }
    text += loops.empty() ? ": one point" : loops;
    for (size_t c = 0; c < stage.nest.whole.size(); c++) {
        text += (c ? ", " : " | where ") + condition_text(names, stage.nest.whole[c]);
    }
    return text;
}

int nesting(const LoopTree &tree, FuncId func) {
    const TreeFunc &of = tree.at(func);
    return of.computed ? 1 + nesting(tree, of.computed->func) : 0;
}

}  // namespace eutectic
