// softsign(x) = x / (1 + |x|) has the derivative (1 - |softsign(x)|)^2.

#include "autodiff/rules/rule.h"

#include <Halide.h>

extern "C" void eutectic_rules(eutectic::RuleList &rules) {
    rules.push_back({"softsign", nullptr, [](const std::vector<Halide::Expr> &, const Halide::Expr &value) {
                         const Halide::Expr rest = 1 - Halide::abs(value);
                         return std::vector<Halide::Expr>{rest * rest};
                     }});
}
