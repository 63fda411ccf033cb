#pragma once

#include <vector>

#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"

namespace eutectic {

/** Where every planner starts: unfused(), but with what the completer's pins say, and with the Funcs between
 * a pinned one and the Func in whose loops it is, which follow it: inlined, or else in those loops, too. Each
 * is a step in `taken`, of the rule "pin" or "follow_pin". Throws UserError, naming the pin and why, for what
 * is not legal or what no policy has loops for. */
Placements pinned_start(const Graph &graph, Completer &completer, std::vector<Step> &taken);

}  // namespace eutectic
