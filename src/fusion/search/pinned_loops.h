#pragma once

#include "fusion/rules/rule.h"

namespace eutectic {

/** Gives the nests that `pins` asks other loops for (Pins::loops) those that are best on the machine drawn
 * from that seed around `machine` (drawn_machine.h), at what they cost on `machine`; where Funcs live stays.
 * Throws UserError where the plan has no such nest, and on GPUs. */
void take_pinned_loops(const Graph &graph, const Machine &machine, const Pins &pins, Planned &planned);

/** Are the loops of `root`'s nest pinned? */
bool has_pinned_loops(const Pins &pins, FuncId root);

}  // namespace eutectic
