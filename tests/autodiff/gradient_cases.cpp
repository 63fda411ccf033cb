#include "gradient_cases.h"

#include <set>

#include "tests/support/all_cases.h"

namespace eutectic::test {

namespace {

// Odd sizes that no vector and no byte of a mask divides, and mins that are not zero.
const Extent m{4, 5}, k{-2, 7}, n{3, 11};
const Shapes dense_shapes{{"x", {k, m}}, {"w", {n, k}}, {"b", {n}}, {"y", {n, m}}};
const Shapes mlp_shapes{
    {"x", {{1, 6}, {2, 5}}},
    {"w1", {{0, 9}, {1, 6}}},
    {"b1", {{0, 9}}},
    {"w2", {{5, 4}, {0, 9}}},
    {"b2", {{5, 4}}},
    {"w3", {{-1, 3}, {5, 4}}},
    {"b3", {{-1, 3}}},
    {"labels", {{2, 5}}},
    {"loss", {}},
    {"logits", {{-1, 3}, {2, 5}}},
};
const Shapes row_shapes{
    {"x", {{2, 7}, {-3, 5}}}, {"y", {{2, 7}, {-3, 5}}}, {"labels", {{-3, 5}}}, {"loss", {}}};

const Shapes norm_shapes{{"x", {n, m}}, {"scale", {n}}, {"bias", {n}}, {"y", {n, m}}};
const Shapes line_shapes{{"x", {n}}, {"y", {n}}, {"total", {}}};
const Shapes adam_shapes{{"p", {n}},   {"m", {n}},      {"v", {n}},      {"g", {n}},
                         {"out", {n}}, {"p_next", {n}}, {"m_next", {n}}, {"v_next", {n}}};
const Shapes attention_shapes{
    {"q", {{0, 3}, {2, 4}}}, {"k", {{0, 3}, {1, 5}}}, {"v", {{-1, 2}, {1, 5}}}, {"y", {{-1, 2}, {2, 4}}}};
const Extent two{1, 2};
const std::vector<Extent> image{two, {0, 5}, {0, 4}, {1, 2}};
Shapes conv_shapes(int columns, int lines) {
    return {{"x", image},
            {"w", {{0, 3}, two, {0, 3}, {0, 3}}},
            {"b", {{0, 3}}},
            {"y", {{0, 3}, {0, columns}, {0, lines}, {1, 2}}}};
}

std::vector<GradientCase> dense_cases() {
    const std::string widths = "6,9,4,3";
    return {
        {"dense, relu", "dense", {}, dense_shapes},
        {"dense, none", "dense", {{"activation", "none"}}, dense_shapes},
        {"dense, gelu", "dense", {{"activation", "gelu"}}, dense_shapes},
        {"dense, tanh", "dense", {{"activation", "tanh"}}, dense_shapes},
        {"dense_dropout", "dense_dropout", {{"rate", "0.3"}}, dense_shapes},
        {"mlp", "mlp", {{"widths", widths}}, mlp_shapes},
        {"mlp_loss", "mlp_loss", {{"widths", widths}}, mlp_shapes, -1, 3},
    };
}

std::vector<GradientCase> row_cases() {
    return {
        {"softmax", "softmax", {}, row_shapes},
        {"softmax_xent", "softmax_xent", {}, row_shapes, 2, 7},
        {"log_softmax", "log_softmax", {}, row_shapes},
        {"layernorm", "layernorm", {}, norm_shapes},
        {"rmsnorm", "rmsnorm", {}, norm_shapes},
    };
}

std::vector<GradientCase> element_cases() {
    return {
        {"log1pexp", "log1pexp", {}, line_shapes},
        {"gelu", "gelu", {}, line_shapes},
        {"pointwise_chain", "pointwise_chain", {{"length", "13"}}, line_shapes},
        {"sum_exp", "sum_exp", {}, line_shapes},
        {"adam", "adam", {}, adam_shapes, 3},
        {"adam, separate", "adam", {{"separate", "true"}}, adam_shapes, 3},
        {"dropout", "dropout", {{"rate", "0.4"}}, row_shapes},
    };
}

std::vector<GradientCase> product_cases() {
    return {
        {"matmul", "matmul", {}, {{"a", {k, m}}, {"b", {n, k}}, {"bias", {n}}, {"c", {n, m}}}},
        {"matmul, both transposed",
         "matmul",
         {{"epilogue", "bias"}, {"transpose_a", "true"}, {"transpose_b", "true"}},
         {{"a", {m, k}}, {"b", {k, n}}, {"bias", {n}}, {"c", {n, m}}}},
        {"batched_matmul",
         "batched_matmul",
         {},
         {{"a", {k, m, two}}, {"b", {n, k, two}}, {"c", {n, m, two}}}},
        {"batched_matmul, one a",
         "batched_matmul",
         {{"broadcast", "a"}},
         {{"a", {k, m}}, {"b", {n, k, two}}, {"c", {n, m, two}}}},
        {"batched_matmul, one b",
         "batched_matmul",
         {{"broadcast", "b"}},
         {{"a", {k, m, two}}, {"b", {n, k}}, {"c", {n, m, two}}}},
        {"attention", "attention", {}, attention_shapes},
        {"attention, causal", "attention", {{"causal", "true"}}, attention_shapes},
    };
}

std::vector<GradientCase> image_cases() {
    return {
        {"conv2d", "conv2d", {}, conv_shapes(5, 4)},
        {"conv2d, every other", "conv2d", {{"stride", "2"}}, conv_shapes(3, 2)},
        {"conv2d, not padded", "conv2d", {{"padding", "0"}}, conv_shapes(3, 2)},
        {"depthwise_separable",
         "depthwise_separable",
         {},
         {{"x", image},
          {"w1", {two, {0, 3}, {0, 3}}},
          {"w2", {{1, 3}, two}},
          {"b", {{1, 3}}},
          {"y", {{1, 3}, {0, 5}, {0, 4}, {1, 2}}}}},
        {"max_pool", "max_pool", {}, {{"x", image}, {"y", {two, {0, 3}, {0, 2}, {1, 2}}}}},
        {"max_pool, not padded",
         "max_pool",
         {{"padding", "0"}, {"kernel", "2"}},
         {{"x", image}, {"y", {two, {0, 2}, {0, 2}, {1, 2}}}}},
        {"avg_pool", "avg_pool", {}, {{"x", image}, {"y", {two, {0, 2}, {0, 2}, {1, 2}}}}},
        {"avg_pool, padded",
         "avg_pool",
         {{"padding", "1"}, {"kernel", "3"}},
         {{"x", image}, {"y", {two, {0, 3}, {0, 2}, {1, 2}}}}},
        {"bottleneck",
         "bottleneck",
         {},
         {{"x", image},
          {"w1", {{0, 3}, two}},
          {"b1", {{0, 3}}},
          {"w2", {{0, 3}, {0, 3}, {0, 3}, {0, 3}}},
          {"b2", {{0, 3}}},
          {"w3", {two, {0, 3}}},
          {"b3", {two}},
          {"y", image}}},
    };
}

std::vector<GradientCase> table_and_view_cases() {
    return {
        {"embedding", "embedding", {}, {{"table", {n, {0, 4}}}, {"indices", {m}}, {"y", {n, m}}}, -1, 6},
        {"scatter_add",
         "scatter_add",
         {},
         {{"table", {n, {0, 4}}}, {"indices", {m}}, {"rows", {n, m}}, {"y", {n, {0, 4}}}},
         -1,
         6},
        {"views, flatten", "views", {{"view", "flatten"}}, {{"x", {k, m}}, {"b", {k}}, {"y", {{0, 35}}}}},
        {"views, concatenate",
         "views",
         {{"view", "concatenate"}},
         {{"a", {k, m}}, {"b", {n, m}}, {"y", {{-2, 18}, m}}}},
        {"views, slice", "views", {{"view", "slice"}}, {{"x", {{0, 20}, m}}, {"y", {n, m}}}},
        {"views, assign", "views", {{"view", "assign"}}, {{"x", {n, k}}, {"v", {n, {-1, 3}}}, {"y", {n, k}}}},
        {"views, transpose", "views", {{"view", "transpose"}}, {{"x", {m, k}}, {"w", {n, k}}, {"y", {n, m}}}},
    };
}

}  // namespace

std::vector<GradientCase> gradient_cases() {
    std::vector<GradientCase> all;
    for (const std::vector<GradientCase> &kind : {dense_cases(), row_cases(), element_cases(),
                                                  product_cases(), image_cases(), table_and_view_cases()}) {
        all.insert(all.end(), kind.begin(), kind.end());
    }
    return all;
}

std::vector<GradientCase> cases_of_each() {
    std::vector<GradientCase> some;
    std::set<std::string> seen;
    for (const GradientCase &c : gradient_cases()) {
        if (seen.insert(c.generator).second || c.generator == "views" || all_cases()) {
            some.push_back(c);
        }
    }
    return some;
}

Subject subject_of(const GradientCase &c, const std::string &type) {
    auto parameters = c.parameters;
    parameters["type"] = type;
    Subject subject = from_generator(c.generator, parameters);
    if (c.generator == "adam") {
        subject.ranges = {{"v", {0.1, 1}},
                          {"lr", {0.1, 1}},
                          {"beta1", {0.5, 0.9}},
                          {"beta2", {0.5, 0.9}},
                          {"epsilon", {0.1, 0.5}}};
        subject.problem.wrt = {"p", "m", "v", "g", "lr", "beta1", "beta2", "epsilon"};
    }
    return subject;
}

}  // namespace eutectic::test
