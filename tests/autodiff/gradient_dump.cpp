// gradient_dump: every gradient case in float32, as JSON on standard output: what it was given and the
// gradients that came out. Tensors have their shape outermost first, as numpy does, and integers count from
// the first element of what they index.

#include "gradient_cases.h"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace eutectic::test;
using nlohmann::json;

namespace {

template<typename T>
json dense(const Halide::Buffer<T> &buffer) {
    json result{{"shape", json::array()}, {"values", json::array()}};
    for (int d = buffer.dimensions() - 1; d >= 0; d--) {
        result["shape"].push_back(buffer.dim(d).extent());
    }
    buffer.for_each_element([&](const int *at) { result["values"].push_back(buffer(at)); });
    return result;
}

json dense_all(const Tensors<float> &tensors) {
    json result = json::object();
    for (const auto &[name, buffer] : tensors) {
        result[name] = dense(buffer);
    }
    return result;
}

json dump(const GradientCase &c) {
    Check<float> check(subject_of(c, "float32"), c.shapes);
    check.draw(3, c.low_label, c.labels);
    json result{{"name", c.name}, {"generator", c.generator}, {"parameters", c.parameters}};
    const Tensors<float> gradients = check.gradients();
    result["inputs"] = dense_all(check.inputs);
    result["upstream"] = dense_all(check.upstream);
    result["gradients"] = dense_all(gradients);
    for (const auto &[name, buffer] : check.integers) {
        result["inputs"][name] = dense(buffer);
    }
    for (const auto &[name, shape] : c.shapes) {
        for (const Extent &e : shape) {
            result["mins"][name].push_back(e.min);
        }
    }
    return result;
}

}  // namespace

int main() {
    json all = json::array();
    for (const GradientCase &c : gradient_cases()) {
        all.push_back(dump(c));
    }
    std::cout << all << "\n";
    return 0;
}
