#pragma once

#include <string>
#include <vector>

#include "cost/stage_json.h"
#include "machine/calibration.h"

namespace eutectic {

/** A plan whose time is known. */
struct Measurement {
    std::string generator;
    std::string plan;
    std::vector<PricedNest> nests;
    Seconds seconds = 0;
};

/** What the cost model says of it. */
Seconds predict(const Measurement &measurement, const Machine &machine);

struct Fitted {
    Machine machine;               ///< with the constants that fit best
    double before = 0, after = 0;  ///< root mean square of what is minimized, see below
};

/** Fits the `fields` of `machine` to the measurements: least squares of log(predicted / measured), less its
 * median over the plans of a generator (whose arithmetic may be counted wrongly as a whole, which says
 * nothing of these constants), each generator counting the same, what is off by more than a factor of 1.6
 * counting linearly (P. Huber, "Robust estimation of a location parameter", 1964). By Gauss and Newton's
 * method, damped (K. Levenberg, "A method for the solution of certain non-linear problems in least squares",
 * 1944), in the logarithms of the constants, from several starts, since caches make prices jump. A constant
 * stays within its field's range, fractions at 0.01 or more. Needs at least as many measurements as fields.
 */
Fitted fit_constants(const std::vector<Measurement> &measurements, const Machine &machine,
                     const std::vector<MachineField> &fields);

}  // namespace eutectic
