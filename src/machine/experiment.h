#pragma once

#include <memory>
#include <string>
#include <vector>

namespace eutectic {

struct Pricer;  // cost/pricer.h

/** What an experiment changes in how plans for a machine are found, which goes wherever the machine goes.
 * Nobody else's plans have any of it, and hashes have all of it. */
struct Experiment {
    std::shared_ptr<const Pricer> pricer;  ///< what prices nests of loops; null: this project's own models
    std::string priced_by;                 ///< what that is called; empty: null
    std::vector<std::string> policies;     ///< left out (fusion/policies/policy.h)
    std::vector<std::string> terms;        ///< left out of the prices (machine/terms.h)
    bool evenly_spread = false;            ///< a term that is no rate: cores never wait for the busiest one

    bool leaves_out(const std::string &policy) const;
};

/** ", priced by roofline, without block"; empty where nothing is changed. */
std::string to_string(const Experiment &experiment);

}  // namespace eutectic
