// y(j, i) = ... select(j < end, a(j, i), b(j - end, i)) ...   →   each row of the choice put together by a
// loop for each side; y reads that row.
//
// The choice is made by the output at its own points, itself or in a Func inlined into it that nothing else
// reads: a concatenation. A loop over the row asks at every point which side it is on, and loads from both;
// where each row is put together first, neither asks. Exact.

#include "graph/read/two_sides.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"
#include "schedules/rewrites/patterns.h"
#include "schedules/rewrites/root_only.h"

namespace eutectic {

using namespace Halide;

namespace {

/** `func`, or what is inlined into it and nothing else. */
FuncId choice_in(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId func, FuncId root) {
    const Stage &stage = graph.pure_stage(func);
    if (pattern_of<TwoSidesOfRows>(stage)) {
        return func;
    }
    for (const EdgeId e : stage.edges) {
        const FuncId producer = graph.edges[e].producer;
        if (inlined[producer] && only_in(graph, inlined, producer, root)) {
            const FuncId found = choice_in(graph, inlined, producer, root);
            if (found >= 0) {
                return found;
            }
        }
    }
    return -1;
}

class RowChoice : public MadeRewrite {
public:
    const char *name() const override {
        return "row";
    }

    std::shared_ptr<const Pattern> find(const DefinitionContext &d) const override {
        const bool chooses = d.stage.update < 0 && !d.info.user_scheduled && two_sides(d.f);
        return chooses ? std::make_shared<TwoSidesOfRows>() : nullptr;
    }

    std::optional<PassRewrite> of_pass(const Graph &graph, const Table<FuncId, bool> &inlined,
                                       FuncId root) const override {
        const FuncInfo &output = graph.funcs[root];
        const FuncId choice = output.output && output.extents.size() > 1 && output.stages.size() == 1
                                  ? choice_in(graph, inlined, root, root)
                                  : no_func;
        return choice < 0 ? std::nullopt : std::optional<PassRewrite>({this, choice, {root}, true});
    }

    Takes takes() const override {
        return Takes::changed;
    }
    const char *function() const override {
        return "put_rows_together";
    }
    bool takes_size() const override {
        return true;
    }
    Func make(const RewriteArguments &a) const override {
        return put_rows_together(a.func, a.others.at(0), a.size);
    }
};

}  // namespace

const MadeRewrite &row_choice() {
    static const RowChoice rewrite;
    return rewrite;
}

const Rewrite &row_choice_rewrite() {
    return row_choice();
}

}  // namespace eutectic
