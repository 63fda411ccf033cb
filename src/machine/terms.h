#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace eutectic {

/** A term of the price of a nest of loops that can be left out: what it stands for then takes no time. */
struct PriceTerm {
    const char *name;  ///< "price.memory", in `disable=` and `eutectic ablate`
    const char *what;  ///< for a person: "moving bytes from memory"
    void (*leave_out)(Machine &);
};

/** Those of CPUs, or of devices. One more is a line. */
const std::vector<PriceTerm> &price_terms(bool gpu);

/** `machine` with prices that lack the terms of these names, which are known; terms of the other kind of
 * device change nothing. */
Machine without_terms(Machine machine, const std::vector<std::string> &names);

}  // namespace eutectic
