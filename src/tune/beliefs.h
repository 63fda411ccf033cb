#pragma once

#include <cstdint>
#include <vector>

#include "cost/stage_json.h"
#include "machine/machine.h"

namespace eutectic {

/** Standard deviation of the logarithm of what a price says of one plan against another, on the machine that
 * it is for. (Chosen: of plans with predicted times 10 % apart the model tells the faster one rather well, of
 * closer ones hardly; docs/accuracy.) */
constexpr double log_error = 0.1;

/** Machines that may be the true one, the model's own and others drawn around it (search/drawn_machine.h),
 * and how likely each is after what was measured. */
class Beliefs {
public:
    /** `count`: machines, the model's own one of them; the same seed draws the same ones. */
    Beliefs(const Machine &machine, size_t count, uint64_t seed);

    /** What a plan takes on each that was priced by `nests` on the model's machine. */
    std::vector<Seconds> on_each(const std::vector<PricedNest> &nests) const;

    /** A plan took `ratio` times as long as another one: each machine's likelihood (Gaussian in the
     * logarithm, log_error) is multiplied in. */
    void learn(const std::vector<Seconds> &plan, const std::vector<Seconds> &other, double ratio);

    /** The share of the other one's time that the plan is expected to save, machines where it is slower
     * counted as saving nothing (expected improvement: Mockus, Tiesis and Zilinskas 1978). */
    double expected_gain(const std::vector<Seconds> &plan, const std::vector<Seconds> &other) const;

    /** Expected time over the other one's. */
    double expected_ratio(const std::vector<Seconds> &plan, const std::vector<Seconds> &other) const;

    const std::vector<double> &weights() const {
        return weights_;
    }

private:
    std::vector<Machine> machines_;
    std::vector<double> logs_, weights_;  // the latter sum to 1
};

}  // namespace eutectic
