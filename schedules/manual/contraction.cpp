#include "schedules/manual/contraction.h"

namespace eutectic::manual {

using namespace Halide;

Nest schedule_contraction(Func out, Func sum, const Tile &tile) {
    const Var j = out.args()[0], i = out.args()[1];
    Var jo("jo"), ji("ji"), io("io"), ii("ii"), task("task");
    const bool by_rows = tile.parallel == Tile::by_rows;
    const Var outer = by_rows ? io : jo, inner = by_rows ? jo : io;
    const auto nest = [&](Stage stage, bool fast) {
        const TailStrategy tail = fast ? TailStrategy::ShiftInwards : TailStrategy::GuardWithIf;
        stage.split(j, jo, ji, tile.columns, tile.narrow ? TailStrategy::Predicate : tail)
            .split(i, io, ii, tile.rows, tail)
            .reorder(ji, ii, inner, outer)
            .vectorize(ji, vector_floats);
        if (fast) {
            stage.unroll(ji).unroll(ii);
        }
        if (tile.over) {
            stage.split(*tile.over, task, *tile.over, tile.over_block, TailStrategy::GuardWithIf)
                .parallel(task);
        } else if (tile.parallel != Tile::serial && !tile.at) {
            stage.parallel(outer);
        }
    };
    if (tile.at) {
        out.compute_at(*tile.at);
    } else {
        out.compute_root();
    }
    nest(out.specialize(tile.fast), true);
    nest(out, false);

    const Var sj = sum.args()[0], si = sum.args()[1];
    const TailStrategy masked = tile.narrow ? TailStrategy::Predicate : TailStrategy::GuardWithIf;
    std::vector<VarOrRVar> order = {sj, si};
    for (const RVar &r : sum.rvars(0)) {
        order.push_back(r);
    }
    sum.compute_at(out, inner);
    sum.update().reorder(order);
    for (Stage stage : {Stage(sum), sum.update()}) {
        // Only of whole tiles is the extent known to the compiler, whatever else it knows where it is not a
        // whole one.
        if (!tile.narrow) {
            stage.specialize(tile.fast).vectorize(sj, vector_floats).unroll(sj).unroll(si);
        }
        stage.vectorize(sj, vector_floats, masked);
        if (tile.narrow) {
            stage.unroll(sj).unroll(si);
        }
    }
    if (tile.narrow) {
        // Rows of a width known to the compiler: only then do the accumulators live in registers.
        sum.bound_storage(sj, tile.columns).bound_storage(si, tile.rows);
    }
    return {outer, inner};
}

namespace {

Expr input_property(const Func &input, const std::string &property, int dimension) {
    const Parameter parameter = input.function().values()[0].as<Internal::Call>()->param;
    return Internal::Variable::make(
        Int(32), parameter.name() + "." + property + "." + std::to_string(dimension), parameter);
}

}  // namespace

Expr input_extent(const Func &input, int dimension) {
    return input_property(input, "extent", dimension);
}

Expr input_stride(const Func &input, int dimension) {
    return input_property(input, "stride", dimension);
}

Expr input_min(const Func &input, int dimension) {
    return input_property(input, "min", dimension);
}

bool reads_transposed(const Func &sum, const Func &operand) {
    class FirstIndex : public Internal::IRVisitor {
    public:
        explicit FirstIndex(std::string name) : name_(std::move(name)) {
        }
        Expr index;

    private:
        using IRVisitor::visit;
        void visit(const Internal::Call *op) override {
            if (op->name == name_) {
                index = op->args[0];
            }
            IRVisitor::visit(op);
        }
        std::string name_;
    };
    FirstIndex first(operand.name());
    sum.function().update().values()[0].accept(&first);
    return first.index.defined() && Internal::expr_uses_var(first.index, sum.rvars(0)[0].name());
}

Func pack(Func operand, const Func &consumer, const std::optional<LoopLevel> &at, bool transposed) {
    Func copy = operand.in(consumer);
    const Var inner = copy.args()[0], outer = copy.args()[1];
    if (at) {
        copy.compute_at(*at);
    } else {
        copy.compute_root();
    }
    if (transposed) {
        copy.reorder_storage(outer, inner);
    }
    copy.vectorize(transposed ? outer : inner, vector_floats, TailStrategy::GuardWithIf);
    return copy;
}

}  // namespace eutectic::manual
