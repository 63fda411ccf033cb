// The plans for CUDA, compiled and assembled: as many kernels as the plan says, none of which spills.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>

#include "tests/gpu/device_program.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

namespace {

std::string run(const std::string &command, const std::string &log) {
    REQUIRE(std::system((command + " >'" + log + "' 2>&1").c_str()) == 0);
    std::ifstream file(log);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/** The numbers that stand before `what` in `text`. */
std::vector<int> numbers(const std::string &text, const std::string &what) {
    std::vector<int> found;
    const std::regex pattern("([0-9]+) " + what);
    for (auto m = std::sregex_iterator(text.begin(), text.end(), pattern); m != std::sregex_iterator(); ++m) {
        found.push_back(std::stoi((*m)[1]));
    }
    return found;
}

}  // namespace

TEST_CASE("no plan spills") {
    const Target cuda("x86-64-linux-cuda-cuda_capability_80");
    for (const DeviceCase &c : device_cases()) {
        INFO(c.name);
        DeviceProgram program(c, cuda);
        if (c.kernels > 0) {
            CHECK(program.planned_kernels() == static_cast<size_t>(c.kernels));
        }
        program.device_code(c.name + ".ptx");
        for (const char *arch : {"sm_80", "sm_90"}) {
            const std::string said = run(std::string(EUTECTIC_PTXAS) + " -v -arch=" + arch + " '" + device_code_path(c.name + ".ptx") + "' -o /dev/null", device_code_path(c.name + "." + arch + ".log"));
            INFO(said);
            CHECK(numbers(said, "registers").size() == program.kernels_in_code());
            for (const int bytes : numbers(said, "bytes spill stores")) {
                CHECK(bytes == 0);
            }
        }
    }
}
