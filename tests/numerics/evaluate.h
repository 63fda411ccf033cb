#pragma once

#include "tests/numerics/subject.h"

#include <map>
#include <string>
#include <vector>

namespace eutectic::numerics {

/// Inputs whose sums and products are exact in float32, in any order; or ones that round at every step, so
/// that another order of a sum shows in the bits.
enum class Numbers { exact, rounding };

/// Of the iterations of a parallel loop. Where two of them write the same element, which of the two lasts is
/// seen in the bits of the last to first order at once, and of threads once in many runs.
enum class Order { threads, last_to_first };

/// How buffers lie in memory, how many threads run, and on what.
struct Setting {
    GuardedTensor::Place place = GuardedTensor::Place::middle;
    int padding = 0;
    int threads = 1;
    Numbers numbers = Numbers::exact;
    Order order = Order::threads;
};

/// One output of one kernel.
struct Result {
    std::string kernel, output;
    GuardedTensor tensor;
};

/// Messages of everything that went wrong; empty when all is well.
using Failures = std::vector<std::string>;

/// What a call needs of every residual, by name, in these sizes: the reference's backward says it in a bounds
/// query.
std::map<std::string, std::vector<Range>> residual_ranges(const Subject &subject, const Sizes &sizes);

/// Runs `kernels` one after the other, each on inputs drawn by name (the same values whatever the kernel,
/// type or layout) and on what the ones before it wrote. Outputs hold NaN before each call. After it: the
/// pattern around every buffer is whole, inputs are unchanged. A kernel that returns an error ends the run.
/// Failures name the kernel and the argument.
std::vector<Result> evaluate(const Subject &subject, const std::vector<Kernel> &kernels, const Sizes &sizes,
                             const std::map<std::string, std::vector<Range>> &residuals,
                             const Setting &setting, Failures &failures);

/// Compares each of `results` with the reference's output of that name: integers exactly, floats within so
/// many roundings of the largest value of that output (at least 1/1024), in the type that the kernel computes
/// in; types of 16 bits compute in float32 and may be rounded once more, to what they are stored as.
void compare(const std::vector<Result> &results, const std::vector<Result> &reference, double roundings,
             Failures &failures);

/// How many roundings results of these sizes may be off: rounding errors of sums grow with about the root of
/// their length; 4 an element are for exp and its kin.
double roundings_of(const Sizes &sizes);

/// Demands the same bits.
void compare_bits(const std::vector<Result> &results, const std::vector<Result> &first,
                  const std::string &what, Failures &failures);

/// Everything that is wrong with the kernels at these sizes: against the reference, and with other bits in
/// another layout, on another number of threads or in another order of them.
Failures failures_at(const Subject &subject, const Sizes &sizes);

/// Calls the kernel on pointers in its own order. Returns what Halide's error handler was told, or an empty
/// text if it returned 0.
std::string call(const Kernel &kernel, std::vector<void *> &arguments);

/// The value of a scalar argument in its type. Throws std::logic_error, naming it, if the table has none.
halide_scalar_value_t scalar_value(const Subject &subject, const Argument &argument);

/// The ranges of a buffer argument.
std::vector<Range> ranges_of(const Subject &subject, const std::string &name, const Sizes &sizes,
                             const std::map<std::string, std::vector<Range>> &residuals);

/// Draws the elements of an input.
void draw(const Subject &subject, const std::string &name, const Sizes &sizes, Numbers numbers,
          GuardedTensor &tensor);

}  // namespace eutectic::numerics
