#include "tests/images/subjects.h"

#include <cmath>

namespace eutectic::test {

namespace {

std::function<Extents(const Size &)> fixed(const Extents &extents) {
    return [extents](const Size &) { return extents; };
}
std::function<Extents(const Size &)> channels_first(int channels) {
    return [channels](const Size &s) { return Extents{channels, s.width, s.height}; };
}
std::function<Extents(const Size &)> planes(int channels) {
    return [channels](const Size &s) { return Extents{s.width, s.height, channels}; };
}

}  // namespace

const std::map<std::string, Subject> subjects = {
    {"bilateral_grid", {{}, {{"range", 0.1}}, {0, 0.5, 1}, {0, 0.5, 1}}},
    {"blur", {{}, {}, {0, 7, 255}, {0, 7, 255}}},
    {"box_blur", {{{"radius", "3"}}, {}, {0, 7, 255}, {0, 7, 255}}},
    {"burst_merge",
     {{{"frames", "2"}, {"levels", "2"}}, {}, {0, 7, 40000}, {0, 7, 40000}, 1023, 1e-5, {{"in", planes(2)}}}},
    {"camera",
     {{},
      {{"gamma", 2.2}, {"contrast", 50}},
      {},
      {},
      1023,
      1e-5,
      {{"raw", [](const Size &s) { return Extents{s.width + 32, s.height + 32}; }},
       {"matrix", fixed({4, 3})}},
      {{"matrix", {-100, 300}}}}},
    {"color_matrix",
     {{},
      {},
      {},
      {},
      0,
      0,
      {{"in", channels_first(3)}, {"out", channels_first(3)}, {"matrix", fixed({4, 3})}},
      {{"matrix", {-100, 300}}}}},
    {"composite",
     {{{"layers", "3"}},
      {},
      {0, 7, 255},
      {0, 7, 255},
      0,
      0,
      {{"in", [](const Size &s) { return Extents{s.width, s.height, 4, 3}; }}, {"shown", fixed({3})}}}},
    {"demosaic", {{}, {}, {0, 7, 60000}, {0, 7, 60000}, 65535}},
    {"dilate", {{{"radius", "3"}}, {}, {0, 7, 255}, {0, 7, 255}}},
    {"equalize", {{}, {}, {0, 7, 255}, {255, 255, 255}}},
    {"harris", {{}, {}, {0, 0.5}, {0, 0}}},
    {"interpolate", {{{"levels", "3"}}, {}, {0, 1}, {0, 1}, 1, 1e-5, {{"in", planes(4)}}}},
    {"median", {{}, {}, {0, 7, 255}, {0, 7, 255}}},
    {"nl_means", {{{"patch", "3"}, {"search", "3"}}, {{"sigma", 0.2}}, {0, 0.5, 1}, {0, 0.5, 1}}},
    {"pyramid_blend", {{{"levels", "3"}}, {}, {0, 0.5, 1}, {0, 0.5, 1}}},
    // A bias alone is scaled by a quarter where everything else is zero.
    {"quantized_conv",
     {{{"channels_in", "8"}, {"channels_out", "8"}},
      {{"zero", 7}, {"multiplier", 16384}},
      {7},
      {32},
      0,
      0,
      {{"in", channels_first(8)},
       {"filter", fixed({8, 3, 3, 8})},
       {"bias", fixed({8})},
       {"out", channels_first(8)}},
      {{"filter", {-128, 127}}, {"bias", {100, 100}}}}},
    {"recursive_blur", {{}, {{"pole", 0.8}}, {0, 0.5, 1}, {0, 0.5, 1}}},
    {"resize",
     {{{"scale", "0.5"}},
      {},
      {0, 0.5, 1},
      {0, 0.5, 1},
      1,
      1e-5,
      {{"out", [](const Size &s) { return Extents{(s.width + 1) / 2, (s.height + 1) / 2, 3}; }}}}},
    // (1 + 2 + 3)^2 a stage, modulo 2^16.
    {"stencil_chain", {{{"stages", "3"}, {"size", "3"}}, {}, {0, 1, 100}, {0, 46656, 12544}}},
    // What is compressed is the logarithm, here of 0.25 + 1/1024, to the power of 0.5.
    {"tone_mapping",
     {{{"levels", "3"}},
      {{"compression", 0.5}},
      {0, 0.25},
      {0, 0.25 / std::sqrt(0.25 + 1.0 / 1024)},
      1,
      1e-3}},
    {"unsharp", {{}, {}, {0, 7, 255}, {0, 7, 255}}},
    // Places among hundreds of pixels, of which a float keeps 2^-15: the neighbours' difference times that.
    {"warp", {{}, {{"distortion", -0.1}}, {0, 0.5, 1}, {0, 0.5, 1}, 1, 1e-4}},
};

Extents extents_of(const Subject &subject, const std::string &argument, int dimensions, const Size &size) {
    const auto own = subject.extents.find(argument);
    Extents all = own == subject.extents.end() ? Extents{size.width, size.height, 3} : own->second(size);
    all.resize(static_cast<size_t>(dimensions));
    return all;
}

std::pair<double, double> range_of(const Subject &subject, const std::string &input, bool is_float) {
    const auto own = subject.ranges.find(input);
    return own != subject.ranges.end() ? own->second
                                       : std::pair(0.0, subject.largest > 0 ? subject.largest
                                                        : is_float          ? 1
                                                                            : 255);
}

}  // namespace eutectic::test
