#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/autoschedule.h"
#include "tests/gpu/device_cases.h"

namespace eutectic::test {

/** A file, for `gpu=`: a device on which it takes so many seconds until the threads of a block have met that
 * plans keep within warps. */
std::string slow_barriers(double seconds);

/** The same for a device on which launches take so long that plans have as few kernels as there can be. */
std::string slow_launches(double seconds);

/** Is there an OpenCL device? If not, says so in the words that ctest takes for a test that is skipped. */
bool has_opencl();

/** Where the tests leave `name`: in the build folder, wherever they are started. */
std::string device_code_path(const std::string &name);

/** A generator's pipeline, scheduled for a device or, every Func in memory, for the CPU. */
class DeviceProgram {
public:
    /** `target` says which; `gpu` which device is planned for; `feedback`: what is planned is compiled, too.
     */
    DeviceProgram(const DeviceCase &c, const Halide::Target &target, const std::string &gpu = "",
                  bool feedback = false);

    /** The same by the plan that `plan` makes, whatever another would cost. */
    DeviceProgram(const DeviceCase &c, const Halide::Target &target,
                  const std::function<FusionPlan(const Graph &, const Machine &)> &plan);

    const Scheduled &scheduled() const {
        return scheduled_;
    }
    /** Launches of one run, by the plan. */
    size_t planned_kernels() const;
    /** Kernels in its code: what has a version for whole tiles has two. */
    size_t kernels_in_code() const;

    /** Runs it on inputs drawn from `seed`; all outputs, one after the other. Outputs lie in larger buffers;
     * throws std::logic_error when a kernel writes beside them. */
    std::vector<double> run(const std::map<std::string, int> &sizes, uint64_t seed);

    const Halide::Pipeline &pipeline() const {
        return pipeline_;
    }
    Halide::Internal::AbstractGenerator &generator() {
        return *generator_;
    }

    /** Threads of a block of each launch for CUDA, in the order of the lowered code: numbers, or what stands
     * there. */
    std::vector<std::string> launched_threads();

    /** The device's code, as Halide writes it beside the library; it stays at device_code_path(name). */
    std::string device_code(const std::string &name);

private:
    const DeviceCase &case_;
    Halide::Target target_;
    std::unique_ptr<Halide::Internal::AbstractGenerator> generator_;
    Halide::Pipeline pipeline_;
    Scheduled scheduled_;

    void build();
    void draw(const std::map<std::string, int> &sizes, uint64_t seed);
    void draw(const std::string &name, const std::vector<int> &shape, const std::map<std::string, int> &sizes,
              std::mt19937_64 &random, Halide::Parameter &parameter) const;
};

}  // namespace eutectic::test
