#pragma once

// What rewrites find in definitions, written down for pipelines that are (graphs.h). Tests of it need Halide,
// as rewrites do.

#include <cstdint>
#include <string>
#include <vector>

#include "fusion/rules/rule.h"
#include "schedules/rewrites/patterns.h"
#include "tests/support/graphs.h"

namespace eutectic::test {

/** Says that the pure `quotient` divides by what changes only along `dims`. */
void row_division(Sketch &s, FuncId quotient, const DimFlags &dims);

/** Says that the terms of `sum` are divided, in `quotient` (read once) or in the update (-1), by `divisor`,
 * read over the dims of `sum`; without that the two definitions read `numerator` and `undivided`. */
LateDivision &late_division(Sketch &s, FuncId sum, FuncId quotient, const std::vector<Read> &numerator,
                            const std::vector<Read> &undivided, const Read &divisor);

/** Says that the terms of `sum` are exponentials of what `maximum` is the maximum of, which is made of
 * `values`, less that maximum. */
OnlineUpdate &online(Sketch &s, FuncId sum, FuncId maximum, const std::vector<Read> &values);

/** Says that the integers that `func`, a line of rows, divides its innermost coordinate by are `columns`. */
void line_of_rows(Sketch &s, FuncId func, const BufferDim &columns);

/** The late division of `sum` in `graph` alone, to be changed: copies of a graph share their patterns. An
 * empty one where there is none. */
LateDivision &own_late_division(Graph &graph, FuncId sum);

/** softmax(), whose sum can be had in one pass with the maximum. */
Graph long_softmax(int64_t columns, int64_t rows);

/** The rule of that name, of any rewrite. */
Rule rewrite_rule_named(const std::string &name);

}  // namespace eutectic::test
