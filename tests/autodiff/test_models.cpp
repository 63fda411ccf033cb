// The layers and models of generators/models against central differences in double, at sizes that are odd
// wherever they may be.

#include "gradient_cases.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace eutectic;
using namespace eutectic::test;

namespace {

const Extent one{0, 1}, two{0, 2}, three{0, 3}, four{0, 4}, five{0, 5}, six{0, 6};

std::vector<GradientCase> layers() {
    return {
        {"swiglu",
         "swiglu",
         {},
         {{"x", {{1, 5}, {-2, 3}}},
          {"gate", {{2, 7}, {1, 5}}},
          {"up", {{2, 7}, {1, 5}}},
          {"down", {{3, 4}, {2, 7}}},
          {"y", {{3, 4}, {-2, 3}}}}},
        {"group_norm",
         "group_norm",
         {{"group", "3"}},
         {{"x", {{3, 6}, {1, 3}, {-1, 4}, two}},
          {"scale", {{3, 6}}},
          {"bias", {{3, 6}}},
          {"y", {{3, 6}, {1, 3}, {-1, 4}, two}}}},
        {"embedding_bag",
         "embedding_bag",
         {},
         {{"table", {five, four}}, {"indices", {three, {1, 6}}}, {"y", {five, {1, 6}}}},
         -1,
         6},
        {"lstm",
         "lstm",
         {{"steps", "3"}},
         {{"x", {five, three, {2, 3}}},
          {"w", {{1, 3}, four, five}},
          {"v", {{1, 3}, four, {1, 3}}},
          {"b", {{1, 3}, four}},
          {"y", {{1, 3}, three}}}},
        {"selective_scan",
         "selective_scan",
         {},
         {{"x", {three, {1, 5}, two}},
          {"delta", {three, {1, 5}, two}},
          {"a", {{2, 3}, three}},
          {"b", {{2, 3}, {1, 5}, two}},
          {"c", {{2, 3}, {1, 5}, two}},
          {"d", {three}},
          {"y", {three, {1, 5}, two}}}},
        {"graph_attention",
         "graph_attention",
         {},
         {{"x", {four, {1, 7}}},
          {"edges", {three, {1, 7}}},
          {"w", {five, four}},
          {"receiver", {five}},
          {"sender", {five}},
          {"y", {five, {1, 7}}}},
         0,
         9},
        {"bilateral_filter", "bilateral_filter", {}, {{"x", {six, five}}, {"y", {six, five}}}},
        {"soft_dtw",
         "soft_dtw",
         {},
         {{"a", {two, five, three}}, {"b", {two, four, three}}, {"distance", {three}}}},
    };
}

std::vector<GradientCase> blocks() {
    const std::vector<Extent> heads{four, five, two}, vector{four}, matrix{four, four},
        image{two, six, four, two};
    return {
        {"rotary_attention",
         "rotary_attention",
         {{"d", "4"}},
         {{"q", heads},
          {"k", heads},
          {"v", heads},
          {"cosine", {four, five}},
          {"sine", {four, five}},
          {"y", heads}}},
        {"gpt_block",
         "gpt_block",
         {{"width", "4"}, {"heads", "2"}},
         {{"x", {four, five}},
          {"scale1", vector},
          {"bias1", vector},
          {"w_q", matrix},
          {"w_k", matrix},
          {"w_v", matrix},
          {"b_q", vector},
          {"b_v", vector},
          {"w_out", matrix},
          {"b_out", vector},
          {"scale2", vector},
          {"bias2", vector},
          {"w_up", {six, four}},
          {"b_up", {six}},
          {"w_down", {four, six}},
          {"b_down", vector},
          {"y", {four, five}}}},
        {"unet_level",
         "unet_level",
         {},
         {{"x", image},
          {"w1", {two, two, three, three}},
          {"w2", {four, two, three, three}},
          {"w3", {two, four, three, three}},
          {"w4", {two, four, three, three}},
          {"b1", {two}},
          {"b2", {four}},
          {"b3", {two}},
          {"b4", {two}},
          {"y", image}}},
    };
}

std::vector<GradientCase> model_cases() {
    std::vector<GradientCase> all = layers();
    for (const GradientCase &block : blocks()) {
        all.push_back(block);
    }
    return all;
}

}  // namespace

TEST_CASE("the gradients of every model are those of central differences") {
    for (const GradientCase &c : model_cases()) {
        CAPTURE(c.name);
        CHECK(gradient_error(subject_of(c, "float64"), c.shapes, 1, c.low_label, c.labels) <=
              gradient_tolerance);
    }
}

TEST_CASE("every model has a case") {
    const std::vector<GradientCase> cases = model_cases();
    for (const std::string &name : Halide::Internal::GeneratorRegistry::enumerate()) {
        const std::string of = name.substr(0, name.rfind('_'));
        CAPTURE(name);
        CHECK(std::any_of(cases.begin(), cases.end(),
                          [&](const GradientCase &c) { return c.generator == name || c.generator == of; }));
    }
}
