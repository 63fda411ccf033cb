#pragma once

#include "fusion/plan/plan.h"
#include "fusion/search/dice.h"

namespace eutectic {

/** A machine around `machine`, whose rates, caches, registers, vectors and cores are drawn: what is best on
 * it are loops that may be better in truth than those that the price of `machine` is least of. Not `far`:
 * rates within some 1.5 times. Allocation and page costs stay: they are not asked of a group's loops, and the
 * price on the true machine takes them over. */
Machine drawn_machine(const Machine &machine, bool far, Dice &dice);

/** The price of `group`, which was made for `drawn`, on `machine`. */
Cost price_on(const Group &group, const Machine &drawn, const Machine &machine);

/** What `plan`, which was found by other prices, takes by those of `machine`, in the loops that it has.
 * Buffers are as in the loops that are best by these prices; and so are the loops of kernels on a GPU, which
 * no price is asked of alone. */
Seconds priced_anew(const Graph &graph, const FusionPlan &plan, const Machine &machine);

}  // namespace eutectic
