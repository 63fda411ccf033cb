#include "graph/read/vector_functions.h"

#include <map>

namespace eutectic {

double vector_function_work(const std::string &call) {
    static const std::map<std::string, double> work = {
        {"tanh_f32", 2.8}, {"sin_f32", 6.8},  {"cos_f32", 7.2}, {"expm1f", 1.7},
        {"log1pf", 1.9},   {"erff", 4},       {"pow_f32", 6.7}, {"exp_f64", 2.5},
        {"log_f64", 2.3},  {"tanh_f64", 3.2}, {"expm1", 2.5},   {"log1p", 2.8},
    };
    const auto found = work.find(call);
    return found == work.end() ? 0 : found->second;
}

}  // namespace eutectic
