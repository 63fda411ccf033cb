#pragma once

#include "apps/bench/photograph.h"
#include "apps/bench/suite.h"
#include "apps/support/kernel.h"

#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace eutectic::bench {

/// A contender's kernels of a row, loaded, with their inputs drawn and their outputs allocated.
class Workload {
public:
    /// Loads kernel_0, kernel_1, … from a shared library, as many as it has. `photograph` is the file of
    /// what some rows' inputs are filled with. Throws std::runtime_error, saying why, if that fails.
    Workload(const Row &row, const std::string &library, const std::string &photograph = "");
    Workload(const Workload &) = delete;
    Workload &operator=(const Workload &) = delete;

    /// Runs every kernel once, in order, and waits for the device, if it is on one.
    void run();

    /// The kernels, and one of them alone: those before it must have run.
    size_t kernels() const {
        return kernels_.size();
    }
    void run(size_t kernel);
    /// The most bytes that a run holds at once of what it allocates; 0 where nobody counts (on a device).
    size_t most_held_bytes();
    /// Elements of the outputs that no later kernel reads.
    size_t points() const;
    /// Of all tensors that a kernel is given, read or written: what it moves at least.
    size_t bytes(size_t kernel) const;

    /// Writes the inputs that were drawn, and the outputs that no later kernel reads, for others to compare
    /// with: FOLDER/NAME.bin holds a tensor's elements, innermost dimension first, and FOLDER/tensors.json
    ///     {"inputs": [{"name", "type": "float32", "extents": [innermost, …], "pitch"}], "outputs": the
    ///     same, "scalars": {name: value}}.
    void write(const std::string &folder);

    /// The largest difference from the outputs that write() left in `folder`; infinite if one of them is not
    /// among this workload's.
    double difference(const std::string &folder);

private:
    void bind(const Row &row, const Kernel &kernel);
    double difference(const std::string &folder, const std::string &output);
    Tensor on_host(const std::string &name);
    void wait();
    Tensor draw(const Row &row, const Argument &input) const;
    nlohmann::json describe(const std::string &name) const;

    struct Bound {
        Kernel kernel;
        std::vector<void *> arguments;
    };
    bool rounds_ = false;  // Row::rounds
    void *library_ = nullptr;
    std::unique_ptr<Photograph> photograph_;
    std::vector<Bound> kernels_;
    std::map<std::string, Tensor> tensors_;  // by argument name
    std::map<std::string, halide_scalar_value_t> scalars_;
    std::map<std::string, nlohmann::json> scalar_values_;
    std::map<std::string, int> pitches_;
    std::set<std::string> inputs_;   // names drawn
    std::set<std::string> outputs_;  // names not read by a later kernel
};

/// The largest |result − reference|, relative to the reference's largest magnitude; infinite for NaN. Both
/// hold `count` elements.
template<typename T>
double largest_difference(const T *results, const T *reference, size_t count);

}  // namespace eutectic::bench
