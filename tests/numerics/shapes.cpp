#include "tests/numerics/shapes.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace eutectic::numerics {

namespace {

using Buffers = std::map<std::string, std::vector<std::string>>;

const Buffers layers = {{"x", {"d0", "batch"}}, {"w1", {"d1", "d0"}}, {"b1", {"d1"}}, {"w2", {"d2", "d1"}},
                        {"b2", {"d2"}},         {"w3", {"d3", "d2"}}, {"b3", {"d3"}}};

Buffers with_layers(Buffers buffers) {
    buffers.insert(layers.begin(), layers.end());
    return buffers;
}

// Small weights: the logits stay near 1, where softmax is not a step.
const Draw weight{-0.0625, 0.0625, 0.015625};
const std::map<std::string, Draw> weights = {{"w1", weight}, {"w2", weight}, {"w3", weight}};

std::map<std::string, Draw> with_loss(std::map<std::string, Draw> draws) {
    draws["d_loss"] = {96, 96, 1};  // about the rows that the mean divides by: gradients near 1
    return draws;
}

/// Values whose row is no step of softmax, even if it has two columns: none of the results is a small
/// difference of large numbers.
const Draw logit{-1, 1, 0.125};
/// Distinct enough that no short row is constant, where a normalization would divide rounding errors by
/// almost nothing.
const Draw spread{-4, 4, 0.015625};

Shapes matmul(const std::string &a0, const std::string &a1, const std::string &b0, const std::string &b1) {
    return {{{"a", {a0, a1}}, {"b", {b0, b1}}, {"bias", {"n"}}, {"c", {"n", "m"}}}, {}, {}, {}, {}, {}};
}

Shapes integers(const std::string &b0, const std::string &b1, const Draw &a, const Draw &b) {
    return {{{"a", {"k", "m"}}, {"b", {b0, b1}}, {"c", {"n", "m"}}}, {{"a", a}, {"b", b}}, {}, {}, {}, {}};
}

/// A batch of images: few, small.
Shapes images(Buffers buffers, std::set<std::string> fixed = {}, std::map<std::string, Draw> draws = {}) {
    return {std::move(buffers),
            std::move(draws),
            {},
            {},
            std::move(fixed),
            {{"batch", 3}, {"width", 36}, {"height", 36}}};
}

/// Sums of products of multiples of 1/8 and one of these are no zeros, which Winograd's algorithm with its
/// thirds would round to either side of relu's kink.
const std::map<std::string, Draw> off_the_kink = {{"b", {-0.4921875, 0.3828125, 0.125}}};

const Buffers filters = {
    {"w", {"out", "in", "ku", "kv"}}, {"b", {"out"}}, {"y", {"out", "width", "height", "batch"}}};

Buffers with_filters(Buffers buffers) {
    buffers.insert(filters.begin(), filters.end());
    return buffers;
}

const std::map<std::string, Shapes> table = {
    {"adam",
     {{{"p", {"n"}},
       {"m", {"n"}},
       {"v", {"n"}},
       {"g", {"n"}},
       {"out.0", {"n"}},
       {"out.1", {"n"}},
       {"out.2", {"n"}}},
      {{"v", {0, 1, 0.125}}},
      {},
      {{"lr", 0.125}, {"beta1", 0.875}, {"beta2", 0.984375}, {"epsilon", 0.0078125}, {"step", 3}},
      {},
      {}}},
    {"adam_separate",
     {{{"p", {"n"}},
       {"m", {"n"}},
       {"v", {"n"}},
       {"g", {"n"}},
       {"p_next", {"n"}},
       {"m_next", {"n"}},
       {"v_next", {"n"}}},
      {{"v", {0, 1, 0.125}}},
      {},
      {{"lr", 0.125}, {"beta1", 0.875}, {"beta2", 0.984375}, {"epsilon", 0.0078125}, {"step", 3}},
      {},
      {}}},
    {"adam_rows",
     {{{"p", {"n", "rows"}},
       {"m", {"n", "rows"}},
       {"v", {"n", "rows"}},
       {"g", {"n", "rows"}},
       {"p_next", {"n", "rows"}},
       {"m_next", {"n", "rows"}},
       {"v_next", {"n", "rows"}}},
      {{"v", {0, 1, 0.125}}},
      {},
      {{"lr", 0.125}, {"beta1", 0.875}, {"beta2", 0.984375}, {"epsilon", 0.0078125}, {"step", 3}},
      {},
      {}}},
    {"attention",
     {{{"q", {"d", "queries"}}, {"k", {"d", "keys"}}, {"v", {"d", "keys"}}, {"y", {"d", "queries"}}},
      {{"q", {-2, 2, 0.125}}},
      {},
      {},
      {},
      {}}},
    {"avg_pool", images({{"x", {"channels", "width*2", "height*2", "batch"}},
                         {"y", {"channels", "width", "height", "batch"}}})},
    {"batched_matmul",
     {{{"a", {"k", "m", "batch"}}, {"b", {"n", "k", "batch"}}, {"c", {"n", "m", "batch"}}},
      {},
      {},
      {},
      {},
      {}}},
    {"batched_matmul_a",
     {{{"a", {"k", "m"}}, {"b", {"n", "k", "batch"}}, {"c", {"n", "m", "batch"}}}, {}, {}, {}, {}, {}}},
    {"batched_matmul_b",
     {{{"a", {"k", "m", "batch"}}, {"b", {"n", "k"}}, {"c", {"n", "m", "batch"}}}, {}, {}, {}, {}, {}}},
    {"bottleneck", images({{"x", {"channels", "width", "height", "batch"}},
                           {"w1", {"inner", "channels"}},
                           {"b1", {"inner"}},
                           {"w2", {"inner2", "inner", "ku", "kv"}},
                           {"b2", {"inner2"}},
                           {"w3", {"channels", "inner2"}},
                           {"b3", {"channels"}},
                           {"y", {"channels", "width", "height", "batch"}}},
                          {"ku", "kv"})},
    {"conv2d", images(with_filters({{"x", {"in", "width", "height", "batch"}}}), {"ku", "kv"}, off_the_kink)},
    {"conv2d_valid",
     images(with_filters({{"x", {"in", "width+2", "height+2", "batch"}}}), {"ku", "kv"}, off_the_kink)},
    {"conv2d_stride",
     images(with_filters({{"x", {"in", "width*2-1", "height*2", "batch"}}}), {"ku", "kv"}, off_the_kink)},
    {"dense", {{{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}, {"y", {"n", "m"}}}, {}, {}, {}, {}, {}}},
    {"dense_dropout",
     {{{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}, {"y", {"n", "m"}}},
      {},
      {},
      {{"seed", 7}},
      {},
      {}}},
    {"depthwise_separable", images({{"x", {"in", "width", "height", "batch"}},
                                    {"w1", {"in", "ku", "kv"}},
                                    {"w2", {"out", "in"}},
                                    {"b", {"out"}},
                                    {"y", {"out", "width", "height", "batch"}}},
                                   {"ku", "kv"})},
    {"dropout", {{{"x", {"cols", "rows"}}, {"y", {"cols", "rows"}}}, {}, {}, {{"seed", 7}}, {}, {}}},
    // Some of the indices lie outside of the table.
    {"embedding",
     {{{"table", {"width", "vocabulary"}}, {"indices", {"count"}}, {"y", {"width", "count"}}},
      {{"indices", {-30, 200, 1}}},
      {},
      {},
      {},
      {}}},
    // Away from -0.75, where the slope is 0 and a gradient is nothing but what roundings leave of it.
    {"gelu", {{{"x", {"n"}}, {"y", {"n"}}}, {{"x", {-0.5, 1, 0.125}}}, {}, {}, {}, {}}},
    // Sums of 240 products fit into 32 bits.
    {"integer_matmul", integers("n", "k", {-128, 127, 1}, {-128, 127, 1})},
    {"integer_matmul_unsigned", integers("n", "k", {0, 255, 1}, {-128, 127, 1})},
    {"integer_matmul_tb", integers("k", "n", {-128, 127, 1}, {-128, 127, 1})},
    {"integer_matmul_16", integers("n", "k", {-2500, 2500, 1}, {-2500, 2500, 1})},
    {"layernorm",
     {{{"x", {"cols", "rows"}}, {"scale", {"cols"}}, {"bias", {"cols"}}, {"y", {"cols", "rows"}}},
      {{"x", spread}},
      {},
      {},
      {},
      {}}},
    // The gradient of a row of a few values is a difference of almost equal ones.
    {"layernorm_gradient",
     {{{"x", {"cols", "rows"}}, {"scale", {"cols"}}, {"bias", {"cols"}}, {"y", {"cols", "rows"}}},
      {{"x", spread}},
      {},
      {},
      {},
      {},
      {{"cols", 7}}}},
    {"log1pexp", {{{"x", {"n"}}, {"y", {"n"}}}, {{"x", logit}}, {}, {}, {}, {}}},
    {"log_softmax", {{{"x", {"cols", "rows"}}, {"y", {"cols", "rows"}}}, {{"x", logit}}, {}, {}, {}, {}}},
    {"matmul", matmul("k", "m", "n", "k")},
    {"matmul_ta", matmul("m", "k", "n", "k")},
    {"matmul_tb", matmul("k", "m", "k", "n")},
    {"matmul_ta_tb", matmul("m", "k", "k", "n")},
    // Odd columns, even rows; every window holds some of them.
    {"max_pool", images({{"x", {"channels", "width*2-1", "height*2", "batch"}},
                         {"y", {"channels", "width", "height", "batch"}}})},
    {"mlp", {with_layers({{"logits", {"d3", "batch"}}}), weights, {}, {}, {}, {}}},
    {"mlp_loss",
     {with_layers({{"labels", {"batch"}}, {"loss", {}}}),
      with_loss(weights),
      {{"labels", "d3"}},
      {},
      {},
      {}}},
    {"pointwise_chain", {{{"x", {"n"}}, {"y", {"n"}}}, {}, {}, {}, {}, {}}},
    {"rmsnorm",
     {{{"x", {"cols", "rows"}}, {"scale", {"cols"}}, {"y", {"cols", "rows"}}},
      {{"x", spread}},
      {},
      {},
      {},
      {}}},
    {"rmsnorm_gradient",
     {{{"x", {"cols", "rows"}}, {"scale", {"cols"}}, {"y", {"cols", "rows"}}},
      {{"x", spread}},
      {},
      {},
      {},
      {},
      {{"cols", 7}}}},
    {"scatter_add",
     {{{"table", {"width", "vocabulary"}},
       {"indices", {"count"}},
       {"rows", {"width", "count"}},
       {"y", {"width", "vocabulary"}}},
      {{"indices", {-30, 200, 1}}},
      {},
      {},
      {},
      {}}},
    {"softmax", {{{"x", {"cols", "rows"}}, {"y", {"cols", "rows"}}}, {{"x", logit}}, {}, {}, {}, {}}},
    {"softmax_xent",
     {{{"x", {"cols", "rows"}}, {"labels", {"rows"}}, {"loss", {}}},
      with_loss({{"x", logit}}),
      {{"labels", "cols"}},
      {},
      {},
      {}}},
    {"sum_exp", {{{"x", {"n"}}, {"total", {}}}, {{"x", logit}}, {}, {}, {}, {}}},
    {"views_assign",
     {{{"x", {"cols", "rows"}}, {"v", {"cols", "rows/2"}}, {"y", {"cols", "rows"}}}, {}, {}, {}, {}, {}}},
    {"views_concatenate",
     {{{"a", {"ca", "rows"}}, {"b", {"cb", "rows"}}, {"y", {"ca+cb", "rows"}}}, {}, {}, {}, {}, {}}},
    {"views_flatten", {{{"x", {"cols", "rows"}}, {"b", {"cols"}}, {"y", {"cols*rows"}}}, {}, {}, {}, {}, {}}},
    {"views_slice", {{{"x", {"cols+3", "rows"}}, {"y", {"cols", "rows"}}}, {}, {}, {}, {}, {}}},
    {"views_transpose",
     {{{"x", {"rows", "k"}}, {"w", {"cols", "k"}}, {"y", {"cols", "rows"}}}, {}, {}, {}, {}, {}}},
};

}  // namespace

std::optional<std::vector<std::string>> Shapes::dims_of(const std::string &buffer) const {
    auto found = buffers.find(buffer);
    // d_x, t_x and t_d_x are as x.
    for (std::string rest = buffer;
         found == buffers.end() && (rest.rfind("d_", 0) == 0 || rest.rfind("t_", 0) == 0);) {
        rest = rest.substr(2);
        found = buffers.find(rest);
    }
    return found == buffers.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Shapes::free_dims() const {
    std::set<std::string> names;
    for (const auto &[buffer, dims] : buffers) {
        std::copy_if(dims.begin(), dims.end(), std::inserter(names, names.end()), is_name);
    }
    return {names.begin(), names.end()};
}

const Shapes &shapes_of(const std::string &line) {
    const auto found = table.find(line);
    if (found == table.end()) {
        throw std::logic_error("tests/numerics/shapes.cpp has no line '" + line + "'");
    }
    return found->second;
}

bool is_name(const std::string &dim) {
    return dim.find_first_of("*+-/") == std::string::npos;
}

}  // namespace eutectic::numerics
