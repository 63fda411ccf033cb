#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace eutectic::bench {

/// One thing to time: kernels that run one after the other. An output of one is the input of the same name of a later one; every other
/// input is drawn at random, as large as the generator's estimates.
struct Row {
    std::string name;
    std::vector<std::string> generators;  ///< one a kernel
    /// The lowest and highest value of an input, by name. Needed for integer inputs; floats are drawn from −0.5 … 0.5 without.
    std::map<std::string, std::pair<double, double>> ranges;
};

struct Suite {
    std::string name;
    std::vector<Row> rows;
};

/// Who is timed, in the order of the table. "reference" is not among them: it only says what is right.
const std::vector<std::string> &contender_names();

/// Reads suites/NAME.json as it was when the program was built. Throws UserError, with the known names, if there is none.
Suite find_suite(const std::string &name);

/// `all` without those that `wanted` does not name; everything if `wanted` is empty. Throws UserError, with the known names, on a wanted
/// one that is not there; `what` is "row" or "contender".
std::vector<std::string> choose(const std::string &what, const std::vector<std::string> &all, const std::vector<std::string> &wanted);

}  // namespace eutectic::bench
