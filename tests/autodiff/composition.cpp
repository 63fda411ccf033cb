#include "composition.h"

#include "composer.h"

#include <set>

using namespace Halide;

namespace eutectic::test {

namespace {

// Keeps values small, and every second one a Func that is not cheap to write out again.
Value squashed(Composer &c, const Value &v) {
    return c.make("squashed", v.w, v.h, sin(v.f(j, i)) + v.f(j, i) * Expr(0.125));
}

}  // namespace

Composition Composer::run() {
    Composition result;
    result.text = "x";
    const int count = below(4) + 3;
    for (int n = 0; n < count; n++) {
        const Operation &operation = operations()[below(static_cast<int>(operations().size()))];
        Value v = operation.apply(*this);
        result.text += " " + operation.name;
        if (below(2) == 0) {
            v = squashed(*this, v);
            result.text += " squashed";
        }
        values_.push_back(v);
    }
    const Value last = values_.back();
    Func y("y");
    y(j, i) = last.f(j, i) + x_(0, 0);
    std::vector<NamedOutput> outputs{{"y", y}};
    shapes_["y"] = {{0, last.w}, {0, last.h}};
    const Value &other = values_[values_.size() / 2];
    if (below(3) == 0) {
        Func u("u");
        u(j, i) = other.f(j, i) * Expr(0.5);
        outputs.push_back({"u", u});
        shapes_["u"] = {{0, other.w}, {0, other.h}};
        result.text += " (and number " + std::to_string(values_.size() / 2) + ")";
    }
    std::vector<ImageParam> all = inputs_;
    if (uses_labels_) {
        all.push_back(labels_);
    }
    result.subject = by_hand(all, outputs);
    result.subject.kinks = kinks_;
    result.subject.problem.wrt = {"x"};
    std::set<std::string> used;
    for (const auto &[name, f] : Internal::build_environment({y.function()})) {
        used.insert(name);
    }
    for (size_t p = 1; p < inputs_.size(); p++) {
        if (used.count(Func(inputs_[p]).name())) {
            result.subject.problem.wrt.push_back(inputs_[p].name());
        }
    }
    result.shapes = shapes_;
    return result;
}

Composition random_composition(unsigned seed) {
    return Composer(seed).run();
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    for (const Operation &operation : operations()) {
        names.push_back(operation.name);
    }
    return names;
}

}  // namespace eutectic::test
