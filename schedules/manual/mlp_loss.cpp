// The training step of a multilayer perceptron of three layers: forward with residuals, and backward.
//
// Every product is one loop nest with its bias, activation or mask applied as the register tile is stored.
// What differs is which operand is copied first, so that the innermost loop reads 16 consecutive floats of
// one and broadcasts the other:
//
//     h(j, i)   += h(r, i) w(j, r)     both as they lie; the panel of w may be copied
//     d_h(j, i) += d_z(r, i) w(r, j)   w is transposed while it is copied
//     d_w(j, k) += d_z(j, i) h(k, i)   both as they lie
//
// The last layer's ten columns are one vector under a mask. Products run on all threads, even the small ones:
// the others wait in their spin loop from the product before, so that starting them costs less than it saves.
// Sums over rows and columns do not.

#include "schedules/manual/contraction.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

namespace {

/// A product's best numbers, found by try_variants.py (124 variants) on two cores of an EPYC with AVX-512. 8
/// × 32 divides the batch of 128, 12 × 32 does not; on one thread they differ by 3 %, and the whole step
/// runs at 0.95 of the peak.
struct Best {
    int rows, columns;
    Tile::Parallel parallel;
    bool stage;
};

class Mlp {
public:
    Mlp(const Funcs &funcs, const Tuning &tuning) : funcs_(funcs), tuning_(tuning) {
    }

    /// `out` with its sum. `width` and `height` are out's extents; `narrow`: width is small and not a
    /// multiple of a vector.
    Nest product(const std::string &out, const std::string &sum, const Expr &width, const Expr &height,
                 bool narrow, const Best &best) const {
        Tile tile;
        tile.rows = tuning_.get("rows_" + out, best.rows);
        tile.columns = tuning_.get("columns_" + out, best.columns);
        tile.parallel = static_cast<Tile::Parallel>(tuning_.get("parallel_" + out, best.parallel));
        tile.narrow = narrow;
        tile.fast = height >= tile.rows;
        if (!narrow) {
            tile.fast = tile.fast && width >= tile.columns;
        }
        return schedule_contraction(funcs_[out], funcs_[sum], tile);
    }

    /// Copies the part of `operand` that `consumer` reads inside a panel of `out`, transposed or as it lies.
    void stage(const std::string &operand, const std::string &consumer, const std::string &out,
               const Nest &nest, bool transposed, bool best) const {
        const int where = tuning_.get("stage_" + out, best);
        if (where == 0) {
            return;
        }
        const std::optional<LoopLevel> panel =
            where == 1 ? std::optional(LoopLevel(funcs_[out], nest.outer)) : std::nullopt;
        pack(funcs_[operand], funcs_[consumer], panel, transposed);
    }

    Func operator[](const std::string &name) const {
        return funcs_[name];
    }

private:
    const Funcs &funcs_;
    const Tuning &tuning_;
};

/// One value a row, vectorized over rows, from a reduction over few columns.
void schedule_row_reduction(Func f) {
    const Var i = f.args()[0];
    f.compute_root().vectorize(i, vector_floats, TailStrategy::GuardWithIf);
    f.update().reorder(i, f.rvars(0)[0]).vectorize(i, vector_floats, TailStrategy::GuardWithIf);
}

/// A column sum: 64 columns at a time stay in registers over all rows.
void schedule_column_sum(Func out, Func sum, bool narrow) {
    const Var j = out.args()[0], s = sum.args()[0];
    Var jo("jo"), ji("ji");
    const TailStrategy tail = narrow ? TailStrategy::Predicate : TailStrategy::GuardWithIf;
    out.compute_root()
        .split(j, jo, ji, narrow ? vector_floats : 4 * vector_floats, tail)
        .vectorize(ji, vector_floats);
    sum.compute_at(out, jo).vectorize(s, vector_floats, tail);
    sum.update().reorder(s, sum.rvars(0)[0]).vectorize(s, vector_floats, tail).unroll(s);
}

}  // namespace

void schedule_mlp_loss_forward(const Funcs &funcs, const Tuning &tuning) {
    const Mlp mlp(funcs, tuning);
    const Expr batch = input_extent(mlp["x_im"], 1);
    const auto layer = [&](const std::string &number, const std::string &out, bool narrow, const Best &best) {
        const std::string w = "w" + number + "_im", sum = "matmul" + number;
        const Nest nest = mlp.product(out, sum, input_extent(mlp[w], 0), batch, narrow, best);
        mlp.stage(w, sum, out, nest, false, best.stage);
    };
    layer("1", "residual_h1", false, {8, 32, Tile::by_columns, false});
    layer("2", "residual_h2", false, {8, 32, Tile::by_columns, false});
    layer("3", "residual_logits", true, {16, 16, Tile::by_rows, false});
    schedule_row_reduction(mlp["row_max"]);
    schedule_row_reduction(mlp["sum_exp"]);
    Func lse = mlp["residual_lse"], row_loss = mlp["row_loss"];
    for (Func f : {lse, row_loss}) {
        f.compute_root().vectorize(f.args()[0], vector_floats, TailStrategy::GuardWithIf);
    }
    mlp["total_loss"].compute_root().update().unscheduled();
    mlp["loss"].compute_root();
}

void schedule_mlp_loss_backward(const Funcs &funcs, const Tuning &tuning) {
    const Mlp mlp(funcs, tuning);
    const Expr batch = input_extent(mlp["labels_im"], 0);
    const Expr width1 = input_extent(mlp["w2_im"], 1), width2 = input_extent(mlp["w3_im"], 1),
               width3 = input_extent(mlp["w3_im"], 0);
    Func d_logits = mlp["d_logits"];
    mlp["d_total_loss"].compute_root();
    d_logits.compute_root().vectorize(d_logits.args()[0], vector_floats, TailStrategy::Predicate);

    const auto through = [&](const std::string &out, const std::string &sum, const std::string &w,
                             const Expr &width, const Best &best) {
        const Nest nest = mlp.product(out, sum, width, batch, false, best);
        mlp.stage(w, sum, out, nest, true, best.stage);
    };
    through("d_z2", "d_h2", "w3_im", width2, {8, 32, Tile::by_columns, true});
    through("d_z1", "d_h1", "w2_im", width1, {8, 32, Tile::by_columns, true});

    mlp.product("d_w1", "d_w1_sum", width1, input_extent(mlp["x_im"], 0), false,
                {8, 32, Tile::by_columns, false});
    mlp.product("d_w2", "d_w2_sum", width2, width1, false, {8, 32, Tile::by_columns, false});
    mlp.product("d_w3", "d_w3_sum", width3, width2, true, {16, 16, Tile::by_rows, false});
    schedule_column_sum(mlp["d_b1"], mlp["d_b1_sum"], false);
    schedule_column_sum(mlp["d_b2"], mlp["d_b2_sum"], false);
    schedule_column_sum(mlp["d_b3"], mlp["d_b3_sum"], true);
}

}  // namespace eutectic::manual
