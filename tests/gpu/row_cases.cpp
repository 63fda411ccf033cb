// Device cases of rows at other lengths: for one warp and several, too long for shared memory, fixed.

#include "tests/gpu/device_cases.h"

namespace eutectic::test {

std::vector<DeviceCase> row_cases() {
    std::vector<DeviceCase> cases;
    for (const DeviceCase &c : device_cases()) {
        const bool rows = c.parameters.count("cols") > 0 &&
                          c.outputs == std::vector<std::vector<std::string>>{{"c", "r"}} &&
                          c.name != "softmax_xent_backward";
        for (const auto &[columns, lines] : {std::pair("30", "40"), {"4000", "40"}}) {
            if (rows) {
                cases.push_back(c);
                cases.back().name += std::string("_of_") + columns;
                cases.back().parameters["cols"] = columns;
                cases.back().parameters["rows"] = lines;
                cases.back().disable = {"sum_online"};
            }
        }
    }
    return cases;
}

std::vector<DeviceCase> long_row_cases() {
    std::vector<DeviceCase> cases;
    for (const DeviceCase &c : device_cases()) {
        if (c.name == "softmax" || c.name == "log_softmax" || c.name == "softmax_xent") {
            cases.push_back(c);
            cases.back().name += "_of_long_rows";
            cases.back().parameters["cols"] = "65536";
            cases.back().parameters["rows"] = "1024";
            cases.back().kernels = 2;
        }
    }
    return cases;
}

std::vector<DeviceCase> fixed_row_cases(int columns, int rows) {
    std::vector<DeviceCase> cases;
    for (const DeviceCase &c : device_cases()) {
        if (c.name == "softmax" || c.name == "log_softmax" || c.name == "layernorm" || c.name == "rmsnorm" ||
            c.name == "softmax_backward") {
            cases.push_back(c);
            cases.back().name += "_of_fixed_" + std::to_string(columns);
            cases.back().parameters = {
                {"cols", std::to_string(columns)}, {"fixed_cols", "true"}, {"rows", std::to_string(rows)}};
            cases.back().sizes = {
                {{"c", columns}, {"r", 40}}, {{"c", columns}, {"r", 1}}, {{"c", columns}, {"r", 67}}};
        }
    }
    return cases;
}

}  // namespace eutectic::test
