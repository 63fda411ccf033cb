#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Halide.h"

#include "schedules/autoschedule.h"

namespace eutectic::test {

/** A generator with what it is given, its shapes in named sizes: {"x", {"c", "r"}} is c columns of r rows, innermost first. */
struct DeviceCase {
    std::string name, generator;
    std::map<std::string, std::string> parameters;
    std::vector<std::pair<std::string, std::vector<std::string>>> inputs;
    std::vector<std::vector<std::string>> outputs;
    std::vector<std::map<std::string, int>> sizes;
    int kernels = 0;        ///< launches of one run; 0: any number
    bool positive = false;  ///< inputs are from (0, 1], not (-1, 1)
};

/** The generators that have schedules for GPUs, by the policies that they are there for. Small estimates: they run on PoCL. */
const std::vector<DeviceCase> &device_cases();

/** A generator's pipeline, scheduled for a device or, every Func in memory, for the CPU. */
class DeviceProgram {
public:
    /** `target` says which; `gpu` which device is planned for. */
    DeviceProgram(const DeviceCase &c, const Halide::Target &target, const std::string &gpu = "");

    const Scheduled &scheduled() const {
        return scheduled_;
    }
    /** Launches of one run, by the plan. */
    size_t planned_kernels() const;
    /** Kernels in its code: what has a version for whole tiles has two. */
    size_t kernels_in_code() const;

    /** Runs it on inputs drawn from `seed`; all outputs, one after the other. Outputs lie in larger buffers; throws std::logic_error when a kernel writes beside them. */
    std::vector<double> run(const std::map<std::string, int> &sizes, uint64_t seed);

    /** The device's code, as Halide writes it beside the library. */
    std::string device_code(const std::string &path);

private:
    const DeviceCase &case_;
    Halide::Target target_;
    std::unique_ptr<Halide::Internal::AbstractGenerator> generator_;
    Halide::Pipeline pipeline_;
    Scheduled scheduled_;

    void draw(const std::map<std::string, int> &sizes, uint64_t seed);
};

}  // namespace eutectic::test
