// Every image generator: what it is planned to is what it is without a schedule, at the estimates, at odd
// sizes and at the smallest; and on images of one value it gives what can be told in advance.

#include <Halide.h>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedules/autoschedule.h"
#include "tests/schedules/jit_run.h"

using namespace Halide;

namespace eutectic::test {

namespace {

using Settings = std::map<std::string, std::string>;

/// An image of `width` x `height` as a generator's argument.
struct Size {
    int width, height;
};

using Extents = std::vector<int>;

struct Subject {
    Settings settings;                      ///< besides width and height: small ones
    std::map<std::string, double> scalars;  ///< its scalar inputs
    std::vector<double> levels;             ///< images of one value that it is given, …
    std::vector<double> of_levels;          ///< … and what is in the output then
    double largest = 0;                     ///< of what is drawn; 0: 255 for integers and 1 for floats
    double tolerance = 1e-5;                ///< of floats, relative to the largest value
    /// Arguments that are not (columns, rows, 3 colours), or as much of that as they have dimensions.
    std::map<std::string, std::function<Extents(const Size &)>> extents = {};
    /// Arguments that are drawn from other ranges, whatever the level of the image.
    std::map<std::string, std::pair<double, double>> ranges = {};
};

std::function<Extents(const Size &)> fixed(const Extents &extents) {
    return [extents](const Size &) { return extents; };
}
std::function<Extents(const Size &)> channels_first(int channels) {
    return [channels](const Size &s) { return Extents{channels, s.width, s.height}; };
}
std::function<Extents(const Size &)> planes(int channels) {
    return [channels](const Size &s) { return Extents{s.width, s.height, channels}; };
}

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

class Made {
public:
    Made(const std::string &name, const Settings &settings, bool planned, bool strict) {
        Target target = get_jit_target_from_environment();
        target.set_feature(Target::StrictFloat, strict);
        generator_ = Internal::GeneratorRegistry::create(name, GeneratorContext(target));
        for (const auto &[key, value] : settings) {
            generator_->set_generatorparam_value(key, value);
        }
        for (const auto &info : generator_->arginfos()) {
            (info.dir == Internal::ArgInfoDirection::Input ? inputs_ : outputs_).push_back(info);
        }
        pipeline_ = generator_->build_pipeline();
        target_ = target;
        if (planned) {
            autoschedule(pipeline_, target, {});
        } else {
            compute_all_at_root({{}, pipeline_.outputs(), {}});
        }
    }

    /// Inputs are drawn from `seed`, or have one value where that is given.
    Buffer<> run(const Size &size, const Subject &subject, int seed, const double *level = nullptr) {
        std::mt19937 engine(static_cast<unsigned>(seed));
        for (const auto &info : inputs_) {
            Parameter parameter = generator_->input_parameter(info.name)[0];
            const Type type = info.types.at(0);
            if (info.dimensions == 0) {
                set_scalar(parameter, type, subject.scalars.at(info.name));
                continue;
            }
            Buffer<> image(type, extents(info, size, subject));
            const auto range = subject.ranges.find(info.name);
            const bool own_range = range != subject.ranges.end();
            const double most = subject.largest > 0 ? subject.largest : type.is_float() ? 1 : 255;
            std::uniform_real_distribution<double> drawn(own_range ? range->second.first : 0,
                                                         own_range ? range->second.second : most);
            const auto draw = [&] { return level && !own_range ? *level : drawn(engine); };
            fill(image, draw);
            parameter.set_buffer(image);
        }
        Buffer<> out(outputs_.at(0).types.at(0), extents(outputs_.at(0), size, subject));
        pipeline_.realize(out, target_);
        return out;
    }

private:
    static Extents extents(const Internal::AbstractGenerator::ArgInfo &argument, const Size &size,
                           const Subject &subject) {
        const auto own = subject.extents.find(argument.name);
        Extents all = own == subject.extents.end() ? Extents{size.width, size.height, 3} : own->second(size);
        all.resize(static_cast<size_t>(argument.dimensions));
        return all;
    }

    static void set_scalar(Parameter &parameter, const Type &type, double value) {
        if (type == Float(32)) {
            parameter.set_scalar<float>(static_cast<float>(value));
        } else if (type == UInt(8)) {
            parameter.set_scalar<uint8_t>(static_cast<uint8_t>(value));
        } else {
            REQUIRE(type == Int(32));
            parameter.set_scalar<int>(static_cast<int>(value));
        }
    }

    template<typename Draw>
    static void fill(Buffer<> &image, const Draw &draw) {
        const auto as = [&](auto zero) {
            using T = decltype(zero);
            Buffer<T>(image).for_each_value([&](T &v) { v = static_cast<T>(draw()); });
        };
        const Type type = image.type();
        if (type == Float(32)) {
            as(float());
        } else if (type == UInt(16)) {
            as(uint16_t());
        } else if (type == Int(16)) {
            as(int16_t());
        } else if (type == Int(8)) {
            as(int8_t());
        } else if (type == Int(32)) {
            as(int32_t());
        } else {
            REQUIRE(type == UInt(8));
            as(uint8_t());
        }
    }

    Internal::AbstractGeneratorPtr generator_;
    Pipeline pipeline_;
    Target target_;
    std::vector<Internal::AbstractGenerator::ArgInfo> inputs_, outputs_;
};

/// Integers have to be equal, floats to `tolerance` of the largest.
void compare(const Buffer<> &out, const Buffer<> &expected, double tolerance) {
    const std::vector<double> a = values(out), b = values(expected);
    REQUIRE(a.size() == b.size());
    double worst = 0, largest = 0;
    for (size_t i = 0; i < a.size(); i++) {
        worst = a[i] == b[i] ? worst : std::max(worst, std::isnan(a[i]) ? INFINITY : std::abs(a[i] - b[i]));
        largest = std::max(largest, std::abs(b[i]));
    }
    CHECK(worst <= (out.type().is_float() ? tolerance * largest : 0));
}

}  // namespace

TEST_CASE("every image generator has a case here") {
    std::set<std::string> names, cases;
    for (const std::string &name : Internal::GeneratorRegistry::enumerate()) {
        names.insert(name);
    }
    for (const auto &[name, subject] : subjects) {
        cases.insert(name);
    }
    CHECK(names == cases);
}

TEST_CASE("planned image pipelines compute what the unfused ones do, bit by bit where numerics are strict") {
    for (const auto &[name, subject] : subjects) {
        for (const bool strict : {false, true}) {
            CAPTURE(name);
            CAPTURE(strict);
            Settings settings = subject.settings;
            settings["width"] = "200";
            settings["height"] = "120";
            Made planned(name, settings, true, strict), plain(name, settings, false, strict);
            for (const Size &size : {Size{200, 120}, Size{67, 35}, Size{300, 9}, Size{5, 131}, Size{1, 1}}) {
                CAPTURE(size.width);
                CAPTURE(size.height);
                compare(planned.run(size, subject, 1), plain.run(size, subject, 1),
                        strict ? 0 : subject.tolerance);
            }
            for (size_t l = 0; l < subject.levels.size(); l++) {
                CAPTURE(subject.levels[l]);
                const double wanted = subject.of_levels[l];
                for (const double v : values(planned.run({67, 35}, subject, 1, &subject.levels[l]))) {
                    REQUIRE(std::abs(v - wanted) <= subject.tolerance * std::max(1.0, std::abs(wanted)));
                }
            }
        }
    }
}

}  // namespace eutectic::test
