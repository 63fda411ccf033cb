#pragma once

#include "apps/bench/suite.h"
#include "apps/support/kernel.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace eutectic::bench {

/// A contender's kernels of a row, loaded, with their inputs drawn and their outputs allocated.
class Workload {
public:
    /// Loads kernel_0, kernel_1, … from a shared library. Throws std::runtime_error, saying why, if that fails.
    Workload(const Row &row, const std::string &library);
    Workload(const Workload &) = delete;
    Workload &operator=(const Workload &) = delete;

    /// Runs every kernel once, in order.
    void run();

    /// The outputs that no later kernel reads, one after the other, as doubles; the order depends on the row alone.
    std::vector<std::vector<double>> results() const;

private:
    void bind(const Row &row, const Kernel &kernel);
    Tensor draw(const Row &row, const Argument &input) const;

    struct Bound {
        Kernel kernel;
        std::vector<void *> arguments;
    };
    std::vector<Bound> kernels_;
    std::map<std::string, Tensor> tensors_;  // by argument name
    std::map<std::string, halide_scalar_value_t> scalars_;
    std::set<std::string> outputs_;  // names not read by a later kernel
};

/// The largest |result − reference| over all tensors, each relative to the reference's largest magnitude in it; infinite for NaN and for
/// other shapes.
double largest_difference(const std::vector<std::vector<double>> &results, const std::vector<std::vector<double>> &reference);

}  // namespace eutectic::bench
