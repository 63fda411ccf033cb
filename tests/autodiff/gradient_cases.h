#pragma once

// Every differentiable generator, in its variants, at odd sizes and mins that are not zero.

#include "gradient_check.h"

#include <map>
#include <string>
#include <vector>

namespace eutectic::test {

struct GradientCase {
    std::string name, generator;
    std::map<std::string, std::string> parameters;
    Shapes shapes;
    int low_label = 0, labels = 1;  // integers are drawn from [low_label, low_label + labels)
};

std::vector<GradientCase> gradient_cases();

/// The first case of each generator and all views, whose rules differ; or all, where this run goes over all.
std::vector<GradientCase> cases_of_each();

/// The case's pipeline with elements of `type`, and where to draw its inputs from.
Subject subject_of(const GradientCase &c, const std::string &type);

}  // namespace eutectic::test
