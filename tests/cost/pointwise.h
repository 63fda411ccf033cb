#pragma once

#include "cost/cost.h"
#include "tests/support/graphs.h"

namespace eutectic::test {

/** y(j, i) of 64 x 64 from x, read at `indices`. */
inline NestedStage pointwise(const Table<DimId, At> &indices, const ExprSummary &body, const Loops &loops) {
    Sketch s;
    const FuncId x = s.input("x", Extents(indices.size(), 64));
    s.output(s.pointwise("y", {64, 64}, {{x, indices}}, body));
    NestedStage stage;
    stage.work = stage_work(s.graph(), 0, {false, false});
    stage.nest.loops = loops;
    return stage;
}

inline const Loops vectors_of_rows = {{1, 1, Loop::Kind::parallel},
                                      {0, 8, Loop::Kind::serial},
                                      {0, 1, Loop::Kind::vector}},
                   pairs_of_rows = {
                       {1, 1, Loop::Kind::parallel}, {0, 16, Loop::Kind::serial}, {0, 1, Loop::Kind::vector}};

}  // namespace eutectic::test
