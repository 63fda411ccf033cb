#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace eutectic::test {

/** A generator with what it is given, its shapes in named sizes: {"x", {"c", "r"}} is c columns of r rows,
 * innermost first. */
struct DeviceCase {
    std::string name, generator;
    std::map<std::string, std::string> parameters;
    std::vector<std::pair<std::string, std::vector<std::string>>> inputs;
    std::vector<std::vector<std::string>> outputs;
    std::vector<std::map<std::string, int>> sizes;
    int kernels = 0;                                              ///< launches of one run; 0: any number
    bool positive = false;                                        ///< inputs are from (0, 1], not (-1, 1)
    std::map<std::string, std::pair<double, double>> draws = {};  ///< inputs that are from another range
    std::map<std::string, std::string> indices_into =
        {};  ///< integer inputs, and the size that they are less than; "c" for others
    std::map<std::string, double> scalars = {};  ///< 0.125 or 3 for others
    std::vector<std::string> disable = {};       ///< rules that are left out
};

/** The generators that have schedules for GPUs, by the policies that they are there for. Small estimates:
 * they run on PoCL. */
const std::vector<DeviceCase> &device_cases();

/** All of device_cases() if all_cases(), else of each kind every `every`-th, from number `first` on (counted
 * around where there are fewer): with three tests of three firsts, each case of a kind is in one of them. */
std::vector<DeviceCase> some_device_cases(size_t first, size_t every);

/** Those of them that are made of rows, with rows for one warp and for several. Planned for the device of
 * slow_barriers(), each is a kernel whose warps sum up lane by lane: without sum_online, as warps have no
 * pairs. */
std::vector<DeviceCase> row_cases();

/** Those of device_cases() whose rows have a maximum and a sum that it scales, with rows so long that plans
 * read them once for both. */
std::vector<DeviceCase> long_row_cases();

/** Generators of rows of a fixed length, `columns`, of which `rows` are planned for. */
std::vector<DeviceCase> fixed_row_cases(int columns, int rows);

}  // namespace eutectic::test
