#pragma once

// What operations of a random composition draw from and add to.

#include "composition.h"
#include "gradient_check.h"

#include <Halide.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace eutectic::test {

const Halide::Type f64 = Halide::Float(64);
const Halide::Var i("i"), j("j");
const Halide::Expr zero = Halide::cast(f64, 0), one = Halide::cast(f64, 1);

// f(j, i) for 0 <= j < w, 0 <= i < h.
struct Value {
    Halide::Func f;
    int w = 0, h = 0;
};

/// Draws operations from a seed and applies each to what earlier ones gave.
class Composer {
public:
    explicit Composer(unsigned seed) : engine_(seed), x_(f64, 2, "x"), labels_(Halide::Int(32), 1, "labels") {
        const int w = below(4) + 2, h = below(3) + 2;
        values_.push_back({x_, w, h});
        shapes_ = {{"x", {{0, w}, {0, h}}}, {"labels", {{0, 8}}}};
        inputs_ = {x_};
    }

    Composition run();

    int below(int n) {
        return std::uniform_int_distribution<int>(0, n - 1)(engine_);
    }
    // A value to work on: mostly the last one.
    Value any() {
        return below(3) > 0 ? values_.back() : values_[below(static_cast<int>(values_.size()))];
    }
    // Another value brought to v's size, repeated where it is smaller.
    Value like(const Value &v) {
        const Value other = any();
        return make("like", v.w, v.h, other.f(j % other.w, i % other.h));
    }
    // A further input.
    Halide::ImageParam input(const std::vector<Extent> &shape) {
        const std::string name = "w" + std::to_string(inputs_.size());
        const Halide::ImageParam p(f64, static_cast<int>(shape.size()), name);
        shapes_[name] = shape;
        inputs_.push_back(p);
        return p;
    }
    Halide::Expr label(const Halide::Expr &at, int count) {
        uses_labels_ = true;
        return Halide::clamp(labels_(at % 8), 0, count - 1);
    }
    Value make(const std::string &name, int w, int h, const Halide::Expr &e) {
        Halide::Func f(name);
        f(j, i) = e;
        return {f, w, h};
    }
    // `e`, over w and h, changes at a kink.
    void kink(int w, int h, const Halide::Expr &e) {
        const std::string name = "kink" + std::to_string(kinks_.size());
        Halide::Func f(name);
        f(j, i) = e;
        kinks_.push_back({name, f});
        shapes_[name] = {{0, w}, {0, h}};
    }

private:
    std::mt19937 engine_;
    const Halide::ImageParam x_, labels_;
    bool uses_labels_ = false;
    std::vector<Halide::ImageParam> inputs_;
    std::vector<Value> values_;
    std::vector<NamedOutput> kinks_;
    Shapes shapes_;
};

struct Operation {
    std::string name;
    std::function<Value(Composer &)> apply;
};

/// All that a composition is drawn from. The order is part of what a seed means.
const std::vector<Operation> &operations();

}  // namespace eutectic::test
