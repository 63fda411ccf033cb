#pragma once

// Inputs that callers hand over in panels, packed by a function of their own that runs once: columns of a
// register tile side by side, all that a column of tiles reads of them, then those of the next tile.

#include <cstdint>
#include <vector>

#include "base/verdict.h"
#include "fusion/plan/pins.h"

namespace eutectic {

/** How an input lies in panels: of w(j, k), {order {0, 1}, columns 16} is w(16 p + j, k) at (j, k, p). */
struct Panels {
    FuncId input = -1;
    std::vector<DimId> order;  ///< the input's dims: the one that is cut into panels, then the others as they
                               ///< lie in a panel, innermost first
    int64_t columns = 1;       ///< of the former, in a panel
    int64_t at_once = 1;  ///< a block reads so many, those of an edge too: their number is a multiple of it
};

/** May a plan read `input` in panels? A refusal says who reads it in another way. */
Verdict may_read_panels(const Graph &graph, FuncId input);

/** The one Func that reads an input of which that holds. */
FuncId reader_of_panels(const Graph &graph, FuncId input);

/** Does `group`, as far as it computes the readers of what `pins` want in panels, read those so? No pins:
 * yes. */
bool reads_pinned_panels(const Pins *pins, const Group &group);

/** Does it read any panels? */
bool reads_panels(const Group &group);

/** Those of `plan`, in the order of its groups. */
std::vector<Panels> panels_of(const FusionPlan &plan);

/** A dim of a Func of the plan that has `points` at every size: tiles at an edge are whole, too, since panels
 * are. */
struct WholeColumns {
    FuncId func = -1;
    DimId dim = 0;
    int64_t points = 1;
};

/** Of `panels`, which `group` adds: who reads them, and what that is computed in, from the inside out. */
std::vector<WholeColumns> whole_columns(const Group &group, const Added &panels);

}  // namespace eutectic
