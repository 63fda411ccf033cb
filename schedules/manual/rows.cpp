// Operations on rows: softmax, normalizations, cross entropy.
//
// One parallel loop over blocks of rows; all that a row needs is computed there, its exponentials in a buffer
// that stays in the cache. A sum has several vectors of partial sums, since one would wait for the last
// addition; they meet once a row. Nothing is divided per element.

#include "schedules/manual/rows.h"

#include "schedules/manual/contraction.h"

namespace eutectic::manual {

using namespace Halide;

namespace {

/// Replaces the first division by a Func of the loop's outer variables.
class HoistDivision : public Internal::IRMutator {
public:
    explicit HoistDivision(std::string innermost) : innermost_(std::move(innermost)) {
    }

    Func reciprocal;

private:
    using IRMutator::visit;

    Expr visit(const Internal::Div *op) override {
        const auto *divisor = op->b.as<Internal::Call>();
        if (reciprocal.defined() || !divisor || divisor->call_type != Internal::Call::Halide ||
            Internal::expr_uses_var(op->b, innermost_)) {
            return IRMutator::visit(op);
        }
        std::vector<Var> vars;
        for (const Expr &arg : divisor->args) {
            vars.emplace_back(arg.as<Internal::Variable>()->name);
        }
        reciprocal = Func(Internal::unique_name("reciprocal"));
        reciprocal(vars) = Internal::make_one(op->type) / op->b;
        return mutate(op->a) * reciprocal(divisor->args);
    }

    std::string innermost_;
};

}  // namespace

Func hoist_division(Func y) {
    HoistDivision hoist(y.args()[0].name());
    Expr &value = y.function().definition().values()[0];
    value = hoist.mutate(value);
    if (!hoist.reciprocal.defined()) {
        throw CompileError("Func '" + y.name() + "' divides by nothing that a row shares.");
    }
    return hoist.reciprocal;
}

Func divide_late(Func y, Func sum, Func weights) {
    const auto *product = weights.function().definition().values()[0].as<Internal::Div>();
    const auto *numerator = product ? product->a.as<Internal::Call>() : nullptr;
    const auto *divisor = product ? product->b.as<Internal::Call>() : nullptr;
    if (!numerator || !divisor) {
        throw CompileError("Func '" + weights.name() + "' is not a quotient of two Funcs.");
    }
    std::vector<Var> rows = y.args();
    rows.erase(rows.begin());
    Func reciprocal(Internal::unique_name("reciprocal"));
    reciprocal(rows) = Internal::make_one(product->type) / Func(Internal::Function(divisor->func))(rows);
    sum.function().substitute_calls(weights.function(), Internal::Function(numerator->func));
    Expr &value = y.function().definition().values()[0];
    value = value * reciprocal(rows);
    return reciprocal;
}

Func schedule_row_reduction(Func f, const LoopLevel &at, int vectors) {
    const RVar r = f.rvars(0)[0];
    const Expr extent = f.function().update().schedule().rvars()[0].extent;
    RVar block("block"), lane("lane");
    Var l("l");
    f.compute_at(at);
    f.update().split(r, block, lane, vectors * vector_floats, TailStrategy::GuardWithIf);
    Func partial = f.update().rfactor(lane, l);
    partial.compute_at(f, f.args()[0]).vectorize(l, vector_floats).unroll(l);
    partial.update().reorder(l, partial.rvars(0)[0]).vectorize(l, vector_floats).unroll(l);
    partial.bound_extent(l, vectors * vector_floats);
    // The vectors are added to one, then its lanes: only of a row that fills them is their number known.
    f.update()
        .specialize(extent >= vectors * vector_floats)
        .atomic()
        .vectorize(f.rvars(0)[0], vectors * vector_floats);
    return partial;
}

RowNest schedule_rows(Func y, int rows, int unroll) {
    const RowNest nest{Var("task"), Var("row")};
    const Var j = y.args()[0], i = y.args()[1];
    Var ji("ji");
    y.compute_root().split(i, nest.task, nest.row, rows, TailStrategy::GuardWithIf).parallel(nest.task);
    y.split(j, j, ji, unroll * vector_floats, TailStrategy::GuardWithIf)
        .vectorize(ji, vector_floats)
        .unroll(ji);
    return nest;
}

void schedule_softmax(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"], exps = funcs["exps"], reciprocal = hoist_division(y);
    const RowNest nest = schedule_rows(y, tuning.get("rows", 4), tuning.get("unroll", 1));
    const LoopLevel row(y, nest.row);
    reciprocal.compute_at(row);
    // One buffer a task: a row of 32000 is as large as what malloc takes from the system and gives back each
    // time.
    exps.hoist_storage(y, nest.task)
        .compute_at(row)
        .vectorize(exps.args()[0], vector_floats * tuning.get("exps", 2), TailStrategy::GuardWithIf);
    schedule_row_reduction(funcs["row_max"], row, tuning.get("vectors", 4));
    schedule_row_reduction(funcs["sum_exp"], row, tuning.get("vectors", 4));
}

void schedule_layernorm(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"];
    const RowNest nest = schedule_rows(y, tuning.get("rows", 4), tuning.get("unroll", 1));
    const LoopLevel row(y, nest.row);
    for (const char *scalar : {"mean", "variance", "inverse_deviation"}) {
        funcs[scalar].compute_at(row);
    }
    schedule_row_reduction(funcs["mean_sum"], row, tuning.get("vectors", 4));
    schedule_row_reduction(funcs["variance_sum"], row, tuning.get("vectors", 4));
}

void schedule_softmax_xent(const Funcs &funcs, const Tuning &tuning) {
    Func total = funcs["total_loss"];
    RVar block("block"), inside("inside");
    Var task("task");
    total.compute_root().update().split(total.rvars(0)[0], block, inside, tuning.get("rows", 16),
                                        TailStrategy::GuardWithIf);
    Func partial = total.update().rfactor(block, task);
    partial.compute_root().parallel(task);
    partial.update().parallel(task);
    const LoopLevel row(partial, partial.rvars(0)[0]);
    funcs["row_loss"].compute_at(row);
    schedule_row_reduction(funcs["row_max"], row, tuning.get("vectors", 4));
    schedule_row_reduction(funcs["sum_exp"], row, tuning.get("vectors", 4));
    funcs["loss"].compute_root();
}

void schedule_log_softmax(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"];
    const RowNest nest = schedule_rows(y, tuning.get("rows", 16), tuning.get("unroll", 1));
    const LoopLevel row(y, nest.row);
    funcs["log_sum_exp"].compute_at(row);
    schedule_row_reduction(funcs["row_max"], row, tuning.get("vectors", 4));
    schedule_row_reduction(funcs["sum_exp"], row, tuning.get("vectors_exp", 4));
}

void schedule_rmsnorm(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"];
    const RowNest nest = schedule_rows(y, tuning.get("rows", 32), tuning.get("unroll", 1));
    const LoopLevel row(y, nest.row);
    funcs["mean_square"].compute_at(row);
    funcs["inverse_rms"].compute_at(row);
    schedule_row_reduction(funcs["mean_square_sum"], row, tuning.get("vectors", 4));
}

}  // namespace eutectic::manual
