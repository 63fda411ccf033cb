#include "schedules/elementary/approximate.h"

namespace eutectic::approximate {

using namespace Halide;

namespace {

constexpr float log2_e = 1.44269504f, log_2 = 0.693147181f;

// Below it tanh is its polynomial: above it the exponential's form has lost two bits to cancellation.
constexpr float small = 0.25f;

Expr call(const char *name, const std::vector<Expr> &arguments) {
    return Internal::Call::make(Float(32), name, arguments, Internal::Call::PureExtern);
}

/** x - x^3 / 3 + 2 x^5 / 15 - 17 x^7 / 315: Taylor's, off by less than 2^-20 of itself where |x| < `small`.
 */
Expr tanh_of_small(const Expr &x) {
    const Expr square = x * x;
    return x * (1.0f + square * (-1.0f / 3 + square * (2.0f / 15 + square * (-17.0f / 315))));
}

}  // namespace

const Instructions &of_cuda() {
    static const Instructions cuda = {
        [](const Expr &x) { return call("llvm.nvvm.ex2.approx.ftz.f", {x}); },
        [](const Expr &x) { return call("llvm.nvvm.lg2.approx.ftz.f", {x}); },
        [](const Expr &x) { return call("llvm.nvvm.rcp.approx.ftz.f", {x}); },
        [](const Expr &a, const Expr &b) { return call("llvm.nvvm.div.full.ftz", {a, b}); },
    };
    return cuda;
}

Expr exp(const Expr &x, const Instructions &by) {
    return by.ex2(x * log2_e);
}

Expr log(const Expr &x, const Instructions &by) {
    return by.lg2(x) * log_2;
}

Expr tanh(const Expr &x, const Instructions &by) {
    const Expr large = 1.0f - 2.0f * by.rcp(by.ex2(x * (2 * log2_e)) + 1.0f);
    return select(abs(x) < small, tanh_of_small(x), large);
}

}  // namespace eutectic::approximate
