#pragma once

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic::test {

/** A pipeline and what it is given. Made anew for every schedule, since scheduling changes Funcs. */
struct Program {
    std::vector<Halide::ImageParam> inputs;
    std::vector<Halide::Func> outputs;
    std::map<std::string, Halide::JITExtern> externs;
};

struct Sizes {
    std::vector<std::vector<int>> inputs;   ///< extents of each input
    std::vector<std::vector<int>> outputs;  ///< extents of each output
    std::vector<int> mins = {};             ///< of every output's dimensions; empty: 0
    std::vector<std::vector<int>> own_mins =
        {};  ///< of each output's dimensions, where they differ; empty: `mins`
};

/** The serial program: every Func in memory, loops as they are defined. (Without any schedule it would be
 * recomputed for every point.) */
void compute_all_at_root(const Program &program);

/** A program, compiled once, for the CPU or a device, run at many sizes. */
class Compiled {
public:
    Compiled(const Program &program, const Halide::Target &target);

    Halide::Pipeline &pipeline() {
        return pipeline_;
    }
    /** On inputs that are drawn anew, the same for the same sizes: floats in [-1, 1), integers in [0, 100).
     * Outputs hold other such values before the call, so that what a kernel forgets to write is seen. They
     * lie inside larger buffers: throws std::logic_error when a kernel writes beside them. */
    std::vector<Halide::Buffer<>> run(const Sizes &sizes);

private:
    Program program_;
    Halide::Pipeline pipeline_;
    Halide::Target target_;
};

/** All elements. Throws std::logic_error for types that no test needed yet. */
std::vector<double> values(const Halide::Buffer<> &buffer);

}  // namespace eutectic::test
