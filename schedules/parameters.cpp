#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/user_error.h"
#include "schedules/autoschedule.h"

namespace eutectic {

namespace {

const std::vector<std::string> known = {"parallelism", "report", "machine", "unfused", "residuals"};
const std::vector<std::string> later = {"effort", "numerics", "pin", "expect_hash", "disable", "feedback"};

std::string list(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &n : names) {
        text += (text.empty() ? "" : ", ") + n;
    }
    return text;
}

int parse_parallelism(const std::string &value) {
    size_t used = 0;
    int n = 0;
    try {
        n = std::stoi(value, &used);
    } catch (const std::exception &) {
        used = 0;  // not a number: refused below with everything else that is none
    }
    if (used == 0 || used != value.size() || n < 1 || n > 4096) {
        throw UserError("The scheduler parameter parallelism was given as \"" + value + "\", which is not a whole number from 1 to 4096: give the number of threads.");
    }
    return n;
}

}  // namespace

Parameters parse_parameters(const std::map<std::string, std::string> &extra) {
    Parameters p;
    for (const auto &[name, value] : extra) {
        if (name == "parallelism") {
            p.parallelism = parse_parallelism(value);
        } else if (name == "report") {
            p.report = value;
        } else if (name == "residuals") {
            p.residuals = value;
            if (!nlohmann::json::accept(value)) {
                throw UserError("The scheduler parameter residuals is not JSON: leave it out; generators of gradients set it themselves.");
            }
        } else if (name == "machine") {
            if (value.empty()) {
                throw UserError("The scheduler parameter machine is empty: give host, or the path of a file that scripts/calibrate wrote, or leave it out for the machine that follows from the target.");
            }
            p.machine_host = value == "host";
            p.machine_file = p.machine_host ? "" : value;
        } else if (name == "unfused") {
            if (value != "0" && value != "1") {
                throw UserError("The scheduler parameter unfused was given as \"" + value + "\", which is neither 0 nor 1: give 1 to keep every Func in memory.");
            }
            p.unfused = value == "1";
        } else if (std::find(later.begin(), later.end(), name) != later.end()) {
            throw UserError("The scheduler parameter " + name + " is not built yet: leave it out; known parameters are " + list(known) + ".");
        } else {
            throw UserError("The scheduler parameter " + name + " is unknown: known parameters are " + list(known) + ".");
        }
    }
    return p;
}

}  // namespace eutectic
