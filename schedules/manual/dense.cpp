// relu(x w + b), one parallel panel of columns at a time.
//
// A register tile of 12 rows × 32 columns: 24 accumulators of 16 floats, two vectors of w and one broadcast of x, of 32 registers. The panel
// of w that the tile's columns need is copied once, contiguous, so that rows of w a power of two apart do not meet in L1. Bias and activation
// happen as the tile is stored.

#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

namespace {
constexpr int vector = 16;  // floats in a register of 512 bits
}  // namespace

void schedule_dense(const Funcs &funcs, const Tuning &tuning) {
    const int rows = tuning.get("rows", 12), columns = tuning.get("columns", 32);
    Func y = funcs["y"], sum = funcs["matmul"], w = funcs["w_im"];
    const Var j = y.args()[0], i = y.args()[1];
    Var jo("jo"), ji("ji"), io("io"), ii("ii");

    const auto nest = [&](Stage stage, bool fast) {
        const TailStrategy tail = fast ? TailStrategy::ShiftInwards : TailStrategy::GuardWithIf;
        stage.split(j, jo, ji, columns, tail).split(i, io, ii, rows, tail).reorder(ji, ii, io, jo).vectorize(ji, vector).parallel(jo);
        if (fast) {
            stage.unroll(ji).unroll(ii);
        }
    };
    const OutputImageParam out = y.output_buffer();
    nest(y.specialize(out.width() >= columns && out.height() >= rows), true);
    nest(y, false);

    const RVar r = sum.rvars(0)[0];
    sum.compute_at(y, io).vectorize(j, vector).unroll(j).unroll(i);
    sum.update().reorder(j, i, r).vectorize(j, vector).unroll(j).unroll(i);

    Func panel = w.in();
    panel.compute_at(y, jo).vectorize(panel.args()[0], vector);
}

}  // namespace eutectic::manual
