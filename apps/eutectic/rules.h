#pragma once

#include <string>

#include "autodiff/rules/rule.h"

namespace eutectic {

/** The default rules, and those that the shared library `path` adds by its function
 *
 *      extern "C" void eutectic_rules(eutectic::RuleList &rules);
 *
 * The library stays loaded. Throws UserError where it cannot be loaded, or has no such function. */
RuleList load_rules(const std::string &path);

}  // namespace eutectic
