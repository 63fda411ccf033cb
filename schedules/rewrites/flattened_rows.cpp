// y(j) = ... x(j % width, j / width) ...   →   y's points written row by row, in loops that divide nothing;
// y copies that.
//
// The output is a line of rows, of a width known at run time only: it, and the Funcs inlined into it, divide
// its innermost coordinate by one extent of a buffer, to say which row and which column. Then vectors read
// what lies in different rows. Exact.

#include "graph/read/quotients.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"
#include "schedules/rewrites/patterns.h"
#include "schedules/rewrites/root_only.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Adds the Funcs that are inlined into `func`, readers first. */
void add_inlined(const Graph &graph, const Table<FuncId, bool> &inlined, FuncId func,
                 Table<FuncId, bool> &found) {
    for (const EdgeId e : graph.pure_stage(func).edges) {
        const FuncId producer = graph.edges[e].producer;
        if (inlined[producer] && !found[producer]) {
            found[producer] = true;
            add_inlined(graph, inlined, producer, found);
        }
    }
}

/** The Funcs inlined into `root`, readers first; nothing if it is no such line. */
std::optional<std::vector<FuncId>> line_of_rows(const Graph &graph, const Table<FuncId, bool> &inlined,
                                                FuncId root) {
    const FuncInfo &output = graph.funcs[root];
    if (!output.output || output.extents.empty() || output.stages.size() != 1 || output.tuple_size != 1) {
        return std::nullopt;
    }
    Table<FuncId, bool> found(graph.funcs.size(), false);
    add_inlined(graph, inlined, root, found);
    found[root] = true;
    std::optional<BufferDim> width;
    std::vector<FuncId> funcs;
    for (const FuncId f : graph.funcs.reversed_ids()) {  // readers come after what they read
        if (!found[f]) {
            continue;
        }
        const Stage &stage = graph.pure_stage(f);
        if (stage.is_simplified_by(run_time_quotients_rewrite)) {
            const auto *pattern = pattern_of<LineOfRows>(stage);
            if (!pattern || (width && !(*width == pattern->width)) || !only_in(graph, inlined, f, root)) {
                return std::nullopt;
            }
            width = pattern->width;
        }
        if (f != root) {
            funcs.push_back(f);
        }
    }
    return width ? std::optional<std::vector<FuncId>>(funcs) : std::nullopt;
}

class FlattenedRows : public MadeRewrite {
public:
    const char *name() const override {
        return "flattened_rows";
    }

    std::shared_ptr<const Pattern> find(const DefinitionContext &d) const override {
        const std::optional<Expr> width =
            d.stage.update < 0 ? line_width(d.f.args(), d.f.definition().values()) : std::nullopt;
        const std::optional<BufferDim> of = width ? d.bodies.buffer_dim(*width) : std::nullopt;
        return of ? std::make_shared<LineOfRows>(*of) : nullptr;
    }

    std::optional<PassRewrite> of_pass(const Graph &graph, const Table<FuncId, bool> &inlined,
                                       FuncId root) const override {
        const std::optional<std::vector<FuncId>> funcs = line_of_rows(graph, inlined, root);
        return funcs ? std::optional<PassRewrite>({this, root, *funcs, false}) : std::nullopt;
    }

    Takes takes() const override {
        return Takes::as_written;
    }
    bool makes_needless(const std::string &simplified) const override {
        return simplified == run_time_quotients_rewrite;
    }
    const char *function() const override {
        return "write_flattened_by_rows";
    }
    Others others() const override {
        return Others::list;
    }
    bool takes_size() const override {
        return true;
    }
    Func make(const RewriteArguments &a) const override {
        return write_flattened_by_rows(a.func, a.others, a.size);
    }
};

}  // namespace

const MadeRewrite &flattened_rows() {
    static const FlattenedRows rewrite;
    return rewrite;
}

const Rewrite &line_rewrite() {
    return flattened_rows();
}

}  // namespace eutectic
