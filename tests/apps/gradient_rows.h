#pragma once

// The rows and sizes that suite grad promises.

#include <map>
#include <string>

namespace eutectic::test {

/// Parameters of a row's gradient, by the row's name.
using Promised = std::map<std::string, std::map<std::string, std::string>>;

inline const Promised promised_operations = {
    {"dense_relu",
     {{"m", "128"}, {"k", "784"}, {"n", "256"}, {"activation", "relu"}, {"gradient_wrt", "x,w,b"}}},
    {"softmax", {{"rows", "128"}, {"cols", "1000"}, {"gradient_wrt", "x"}}},
    {"softmax_xent", {{"rows", "128"}, {"cols", "1000"}, {"gradient_wrt", "x"}}},
    {"layernorm", {{"rows", "512"}, {"cols", "1024"}, {"gradient_wrt", "x,scale,bias"}}},
    {"gelu", {{"n", "1048576"}, {"gradient_wrt", "x"}}},
    {"mlp_784", {{"batch", "128"}, {"widths", "784,256,128,10"}, {"gradient_wrt", "w1,b1,w2,b2,w3,b3"}}},
    {"conv3x3",
     {{"batch", "8"},
      {"width", "32"},
      {"height", "32"},
      {"channels_in", "32"},
      {"channels_out", "32"},
      {"gradient_wrt", "x,w,b"}}},
    {"attention", {{"queries", "256"}, {"keys", "256"}, {"d", "64"}, {"gradient_wrt", "q,k,v"}}},
    {"sum_exp", {{"n", "1048576"}, {"gradient_wrt", "x"}}},
};
inline const Promised promised_models = {
    {"swiglu", {{"rows", "128"}, {"width", "256"}, {"hidden", "688"}, {"gradient_wrt", "x,gate,up,down"}}},
    {"group_norm",
     {{"batch", "8"},
      {"width", "32"},
      {"height", "32"},
      {"channels", "64"},
      {"group", "8"},
      {"gradient_wrt", "x,scale,bias"}}},
    {"embedding_bag",
     {{"width", "64"}, {"vocabulary", "20000"}, {"bags", "1024"}, {"each", "16"}, {"gradient_wrt", "table"}}},
    {"depthwise_separable",
     {{"batch", "4"},
      {"width", "28"},
      {"height", "28"},
      {"channels_in", "64"},
      {"channels_out", "64"},
      {"gradient_wrt", "x,w1,w2,b"}}},
    {"lstm",
     {{"steps", "8"}, {"batch", "32"}, {"width", "128"}, {"hidden", "128"}, {"gradient_wrt", "x,w,v,b"}}},
    {"selective_scan",
     {{"batch", "4"},
      {"steps", "64"},
      {"channels", "128"},
      {"states", "16"},
      {"gradient_wrt", "x,delta,a,b,c,d"}}},
    {"rotary_attention", {{"positions", "256"}, {"heads", "4"}, {"d", "64"}, {"gradient_wrt", "q,k,v"}}},
    {"graph_attention",
     {{"nodes", "4096"},
      {"neighbours", "8"},
      {"width", "64"},
      {"features", "64"},
      {"gradient_wrt", "x,w,receiver,sender"}}},
    {"bilateral_filter", {{"width", "256"}, {"height", "256"}, {"radius", "2"}, {"gradient_wrt", "x"}}},
    {"soft_dtw",
     {{"batch", "32"}, {"length_a", "64"}, {"length_b", "64"}, {"width", "8"}, {"gradient_wrt", "a,b"}}},
    {"gpt_block",
     {{"positions", "128"},
      {"width", "128"},
      {"heads", "4"},
      {"hidden", "512"},
      {"gradient_wrt",
       "x,scale1,bias1,w_q,w_k,w_v,b_q,b_v,w_out,b_out,scale2,bias2,w_up,b_up,w_down,b_down"}}},
    {"unet_level",
     {{"batch", "1"},
      {"width", "64"},
      {"height", "64"},
      {"channels", "16"},
      {"gradient_wrt", "x,w1,w2,w3,w4,b1,b2,b3,b4"}}},
};

}  // namespace eutectic::test
