#include "schedules/manual/contraction.h"

namespace eutectic::manual {

using namespace Halide;

Nest schedule_contraction(Func out, Func sum, const Tile &tile) {
    const Var j = out.args()[0], i = out.args()[1];
    Var jo("jo"), ji("ji"), io("io"), ii("ii");
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
        if (tile.parallel != Tile::serial) {
            stage.parallel(outer);
        }
    };
    out.compute_root();
    nest(out.specialize(tile.fast), true);
    nest(out, false);

    const Var sj = sum.args()[0], si = sum.args()[1];
    const TailStrategy masked = tile.narrow ? TailStrategy::Predicate : TailStrategy::GuardWithIf;
    sum.compute_at(out, inner).vectorize(sj, vector_floats, masked).unroll(sj).unroll(si);
    sum.update().reorder(sj, si, sum.rvars(0)[0]).vectorize(sj, vector_floats, masked).unroll(sj).unroll(si);
    if (tile.narrow) {
        // Rows of a width known to the compiler: only then do the accumulators live in registers.
        sum.bound_storage(sj, tile.columns).bound_storage(si, tile.rows);
    }
    return {outer, inner};
}

}  // namespace eutectic::manual
