// The generators that have schedules for GPUs, one function for each kind. Small estimates: they run on PoCL.

#include "tests/gpu/device_cases.h"

#include "tests/support/all_cases.h"

namespace eutectic::test {

namespace {

using Dims = std::vector<std::string>;
using Settings = std::map<std::string, std::string>;
using Sizes = std::map<std::string, int>;

const Dims none = {}, vector = {"n"}, matrix = {"c", "r"}, per_column = {"c"}, per_row = {"r"};
const Settings line_estimate = {{"n", "3000"}}, row_estimates = {{"rows", "40"}, {"cols", "250"}};
const std::vector<Sizes> lines = {{{"n", 3000}}, {{"n", 1}}, {{"n", 31}}, {{"n", 1025}}};
const std::vector<Sizes> rows = {{{"c", 250}, {"r", 40}}, {{"c", 1}, {"r", 1}},   {{"c", 5}, {"r", 3}},
                                 {{"c", 1031}, {"r", 2}}, {{"c", 33}, {"r", 67}}, {{"c", 13001}, {"r", 2}}};
const std::vector<Sizes> products = {{{"m", 48}, {"k", 96}, {"n", 80}},
                                     {{"m", 1}, {"k", 1}, {"n", 1}},
                                     {{"m", 3}, {"k", 5}, {"n", 7}},
                                     {{"m", 67}, {"k", 33}, {"n", 130}},
                                     {{"m", 130}, {"k", 9}, {"n", 257}}};
// For products whose blocks share their operands in memory.
const std::vector<Sizes> tiles = {{{"m", 130}, {"k", 70}, {"n", 257}},
                                  {{"m", 128}, {"k", 32}, {"n", 128}},
                                  {{"m", 1}, {"k", 1}, {"n", 1}},
                                  {{"m", 67}, {"k", 33}, {"n", 130}}};
const Dims image = {"i", "xw", "xh", "b"};

std::vector<DeviceCase> element_cases() {
    return {
        {"log1pexp", "log1pexp", line_estimate, {{"x", vector}}, {vector}, lines, 1},
        {"gelu", "gelu", line_estimate, {{"x", vector}}, {vector}, lines, 1},
        {"pointwise_chain", "pointwise_chain", line_estimate, {{"x", vector}}, {vector}, lines, 1},
        {"adam",
         "adam",
         line_estimate,
         {{"p", vector},
          {"m", vector},
          {"v", vector},
          {"g", vector},
          {"lr", none},
          {"beta1", none},
          {"beta2", none},
          {"epsilon", none},
          {"step", none}},
         {vector, vector, vector},
         lines,
         1,
         true},
    };
}

std::vector<DeviceCase> softmax_and_norm_cases() {
    return {
        {"softmax", "softmax", row_estimates, {{"x", matrix}}, {matrix}, rows, 1},
        {"log_softmax", "log_softmax", row_estimates, {{"x", matrix}}, {matrix}, rows, 1},
        {"layernorm",
         "layernorm",
         row_estimates,
         {{"x", matrix}, {"scale", per_column}, {"bias", per_column}},
         {matrix},
         rows,
         1},
        {"rmsnorm", "rmsnorm", row_estimates, {{"x", matrix}, {"scale", per_column}}, {matrix}, rows, 1},
        {"softmax_xent",
         "softmax_xent",
         row_estimates,
         {{"x", matrix}, {"labels", per_row}},
         {none},
         rows,
         2},
    };
}

std::vector<DeviceCase> total_cases() {
    return {
        {"sum_exp", "sum_exp", line_estimate, {{"x", vector}}, {none}, lines, 1},
    };
}

std::vector<DeviceCase> dense_and_matmul_cases() {
    const Settings relu = {{"m", "48"}, {"k", "96"}, {"n", "80"}, {"activation", "relu"}},
                   gelu = {{"m", "48"}, {"k", "96"}, {"n", "80"}, {"activation", "gelu"}},
                   large = {{"m", "256"}, {"k", "64"}, {"n", "256"}, {"epilogue", "none"}};
    return {
        {"dense_relu",
         "dense",
         relu,
         {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}},
         {{"n", "m"}},
         products,
         1},
        {"dense_gelu",
         "dense",
         gelu,
         {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}},
         {{"n", "m"}},
         products,
         1},
        {"matmul", "matmul", large, {{"a", {"k", "m"}}, {"b", {"n", "k"}}}, {{"n", "m"}}, products, 1},
    };
}

std::vector<DeviceCase> shared_operand_cases() {
    const Settings shared = {{"m", "2048"}, {"k", "2048"}, {"n", "2048"}, {"epilogue", "bias_relu"}},
                   turned = {{"m", "2048"},        {"k", "2048"},           {"n", "2048"},
                             {"epilogue", "none"}, {"transpose_a", "true"}, {"transpose_b", "true"}};
    return {
        {"matmul_shared",
         "matmul",
         shared,
         {{"a", {"k", "m"}}, {"b", {"n", "k"}}, {"bias", {"n"}}},
         {{"n", "m"}},
         tiles,
         1},
        {"matmul_turned", "matmul", turned, {{"a", {"m", "k"}}, {"b", {"k", "n"}}}, {{"n", "m"}}, tiles, 1},
        {"batched_shared",
         "batched_matmul",
         {{"batch", "16"}, {"m", "512"}, {"k", "512"}, {"n", "512"}},
         {{"a", {"k", "m", "s"}}, {"b", {"n", "k", "s"}}},
         {{"n", "m", "s"}},
         {{{"s", 2}, {"m", 130}, {"k", 40}, {"n", 129}},
          {{"s", 1}, {"m", 1}, {"k", 1}, {"n", 1}},
          {{"s", 3}, {"m", 67}, {"k", 33}, {"n", 130}}},
         1},
    };
}

std::vector<DeviceCase> split_sum_cases() {
    const std::vector<Sizes> long_sums = {{{"m", 64}, {"k", 2048}, {"n", 64}},
                                          {{"m", 1}, {"k", 1}, {"n", 1}},
                                          {{"m", 3}, {"k", 2100}, {"n", 5}},
                                          {{"m", 67}, {"k", 1031}, {"n", 130}}};
    return {
        {"matmul_split",
         "matmul",
         {{"m", "64"}, {"k", "8192"}, {"n", "64"}, {"epilogue", "none"}},
         {{"a", {"k", "m"}}, {"b", {"n", "k"}}},
         {{"n", "m"}},
         long_sums,
         2},
        {"dense_split",
         "dense",
         {{"m", "64"}, {"k", "8192"}, {"n", "64"}, {"activation", "relu"}},
         {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}},
         {{"n", "m"}},
         long_sums,
         2},
        {"dense_backward_split",
         "dense_backward",
         {{"m", "16384"}, {"k", "48"}, {"n", "80"}, {"activation", "none"}},
         {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"d_y", {"n", "m"}}},
         {{"k", "m"}, {"n", "k"}, {"n"}},
         {{{"m", 3000}, {"k", 48}, {"n", 80}},
          {{"m", 1}, {"k", 1}, {"n", 1}},
          {{"m", 2049}, {"k", 5}, {"n", 37}}},
         0},
    };
}

std::vector<DeviceCase> attention_cases() {
    const std::vector<Sizes> heads = {{{"m", 64}, {"n", 80}, {"d", 32}},
                                      {{"m", 1}, {"n", 1}, {"d", 1}},
                                      {{"m", 5}, {"n", 37}, {"d", 7}},
                                      {{"m", 67}, {"n", 130}, {"d", 65}}};
    return {
        {"attention",
         "attention",
         {{"queries", "64"}, {"keys", "80"}, {"d", "32"}},
         {{"q", {"d", "m"}}, {"k", {"d", "n"}}, {"v", {"d", "n"}}},
         {{"d", "m"}},
         heads,
         0},
        {"attention_causal",
         "attention",
         {{"queries", "512"}, {"keys", "512"}, {"d", "64"}, {"causal", "true"}},
         {{"q", {"d", "m"}}, {"k", {"d", "n"}}, {"v", {"d", "n"}}},
         {{"d", "m"}},
         heads,
         2},
    };
}

std::vector<DeviceCase> several_output_cases() {
    const Settings linear = {{"m", "48"}, {"k", "96"}, {"n", "80"}, {"activation", "none"}};
    return {
        {"dense_backward",
         "dense_backward",
         linear,
         {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"d_y", {"n", "m"}}},
         {{"k", "m"}, {"n", "k"}, {"n"}},
         products,
         0},
        // Several outputs, each with sizes of its own, over which the tiles of one kernel go.
        {"dense_gradient_shared",
         "dense_gradient",
         {{"m", "2048"}, {"k", "2048"}, {"n", "2048"}, {"activation", "relu"}},
         {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}, {"d_y", {"n", "m"}}},
         {{"n", "m"}, {"k", "m"}, {"n", "k"}, {"n"}},
         tiles,
         0},
        {"bottleneck_shared",
         "bottleneck",
         {},
         {{"x", image},
          {"w1", {"h", "i"}},
          {"b1", {"h"}},
          {"w2", {"h", "h", "ku", "kv"}},
          {"b2", {"h"}},
          {"w3", {"i", "h"}},
          {"b3", {"i"}}},
         {image},
         {{{"i", 70}, {"xw", 9}, {"xh", 6}, {"b", 2}, {"h", 33}, {"ku", 3}, {"kv", 3}},
          {{"i", 1}, {"xw", 1}, {"xh", 1}, {"b", 1}, {"h", 1}, {"ku", 3}, {"kv", 3}}},
         0},
    };
}

std::vector<DeviceCase> row_gradient_cases() {
    return {
        {"softmax_backward",
         "softmax_backward",
         row_estimates,
         {{"y", matrix}, {"d_y", matrix}},
         {matrix},
         rows,
         1},
        {"softmax_xent_backward",
         "softmax_xent_backward",
         row_estimates,
         {{"x", matrix}, {"labels", per_row}, {"residual_lse", per_row}, {"d_loss", none}},
         {matrix},
         rows,
         1},
        {"layernorm_backward",
         "layernorm_backward",
         row_estimates,
         {{"x", matrix},
          {"scale", per_column},
          {"residual_mean", per_row},
          {"residual_variance", per_row},
          {"residual_inverse_deviation", per_row},
          {"d_y", matrix}},
         {matrix, per_column, per_column},
         rows,
         0,
         true},
    };
}

std::vector<DeviceCase> network_gradient_cases() {
    const std::vector<Sizes> network = {{{"m", 24}, {"i", 12}, {"h", 33}, {"k", 20}, {"c", 10}},
                                        {{"m", 7}, {"i", 12}, {"h", 33}, {"k", 20}, {"c", 10}}};
    return {
        {"mlp_loss_backward",
         "mlp_loss_backward",
         {{"batch", "24"}, {"widths", "12,33,20,10"}},
         {{"x", {"i", "m"}},
          {"w1", {"h", "i"}},
          {"w2", {"k", "h"}},
          {"w3", {"c", "k"}},
          {"labels", {"m"}},
          {"residual_h1", {"h", "m"}},
          {"residual_h2", {"k", "m"}},
          {"residual_logits", {"c", "m"}},
          {"residual_lse", {"m"}},
          {"d_loss", none}},
         {{"i", "m"}, {"h", "i"}, {"h"}, {"k", "h"}, {"k"}, {"c", "k"}, {"c"}},
         network,
         9},
    };
}

// Convolutions with more than three dims of blocks; of a stride too, whose gradient by x is of six.
std::vector<DeviceCase> convolution_gradient_cases() {
    const Settings conv = {
        {"batch", "2"}, {"width", "9"}, {"height", "6"}, {"channels_in", "32"}, {"channels_out", "32"}};
    Settings stride = conv;
    stride["stride"] = "2";
    const Dims filter = {"o", "i", "ku", "kv"}, result = {"o", "w", "h", "b"};
    const Sizes wide = {{"i", 5}, {"xw", 9}, {"xh", 6}, {"w", 9}, {"h", 6},
                        {"b", 2}, {"o", 16}, {"ku", 3}, {"kv", 3}};
    const Sizes one_point = {{"i", 1}, {"xw", 1}, {"xh", 1}, {"w", 1}, {"h", 1},
                             {"b", 1}, {"o", 1},  {"ku", 3}, {"kv", 3}};
    const Sizes tall = {{"i", 7}, {"xw", 4}, {"xh", 11}, {"w", 4}, {"h", 11},
                        {"b", 3}, {"o", 9},  {"ku", 3},  {"kv", 3}};
    const Sizes every_other_of_wide = {{"i", 5}, {"xw", 9}, {"xh", 6}, {"w", 5}, {"h", 3},
                                       {"b", 2}, {"o", 16}, {"ku", 3}, {"kv", 3}};
    const Sizes every_other_of_small = {{"i", 3}, {"xw", 7}, {"xh", 4}, {"w", 4}, {"h", 2},
                                        {"b", 1}, {"o", 9},  {"ku", 3}, {"kv", 3}};
    return {
        {"conv2d_backward",
         "conv2d_backward",
         conv,
         {{"x", image}, {"w", filter}, {"d_y", result}, {"y", result}},
         {image, filter, {"o"}},
         {wide, one_point, tall},
         0},
        {"conv2d_stride_backward",
         "conv2d_backward",
         stride,
         {{"x", image}, {"w", filter}, {"d_y", result}, {"y", result}},
         {image, filter, {"o"}},
         {every_other_of_wide, every_other_of_small},
         0},
    };
}

std::vector<DeviceCase> chunked_sum_cases() {
    return {
        {"sum_exp_chunks",
         "sum_exp",
         {{"n", "3000000"}},
         {{"x", vector}},
         {none},
         {{{"n", 100003}}, {{"n", 1}}, {{"n", 1031}}},
         2},
    };
}

std::vector<std::vector<DeviceCase>> kinds_of_cases() {
    return {element_cases(),          softmax_and_norm_cases(),     total_cases(),
            dense_and_matmul_cases(), shared_operand_cases(),       split_sum_cases(),
            attention_cases(),        several_output_cases(),       row_gradient_cases(),
            network_gradient_cases(), convolution_gradient_cases(), chunked_sum_cases()};
}

}  // namespace

const std::vector<DeviceCase> &device_cases() {
    static const std::vector<DeviceCase> cases = [] {
        std::vector<DeviceCase> all;
        for (const std::vector<DeviceCase> &kind : kinds_of_cases()) {
            all.insert(all.end(), kind.begin(), kind.end());
        }
        return all;
    }();
    return cases;
}

std::vector<DeviceCase> some_device_cases(size_t first, size_t every) {
    if (all_cases()) {
        return device_cases();
    }
    std::vector<DeviceCase> some;
    for (const std::vector<DeviceCase> &kind : kinds_of_cases()) {
        for (size_t i = first % kind.size(); i < kind.size(); i += every) {
            some.push_back(kind[i]);
        }
    }
    return some;
}

}  // namespace eutectic::test
