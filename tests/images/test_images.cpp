// Every image generator: what it is planned to is what it is without a schedule, at the estimates, at odd
// sizes and at the smallest; and on images of one value it gives what can be told in advance. By default
// every other one with strict numerics; all of them both ways with EUTECTIC_ALL_CASES set.

#include <Halide.h>

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "schedules/autoschedule.h"
#include "tests/images/subjects.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/all_cases.h"

using namespace Halide;

namespace eutectic::test {

namespace {

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
            target_.set_feature(Target::NoAsserts);  // they are much of what is compiled
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
            Buffer<> image(type, extents_of(subject, info.name, info.dimensions, size));
            const bool own_range = subject.ranges.count(info.name) > 0;
            const auto [least, most] = range_of(subject, info.name, type.is_float());
            std::uniform_real_distribution<double> drawn(least, most);
            const auto draw = [&] { return level && !own_range ? *level : drawn(engine); };
            fill(image, draw);
            parameter.set_buffer(image);
        }
        const auto &output = outputs_.at(0);
        Buffer<> out(output.types.at(0), extents_of(subject, output.name, output.dimensions, size));
        pipeline_.realize(out, target_);
        return out;
    }

private:
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
    bool turn = false;
    for (const auto &[name, subject] : subjects) {
        turn = !turn;
        for (const bool strict : {false, true}) {
            if (strict != turn && !all_cases()) {
                continue;
            }
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
