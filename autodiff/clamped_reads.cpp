#include "autodiff/clamped_reads.h"

#include "autodiff/bounds.h"
#include "autodiff/expr_tools.h"

#include <algorithm>
#include <optional>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// How many points of a loop a clamp may change: each is one more way from a value to its adjoint.
constexpr int64_t most_points = 4;

/// max(v + shift, end) or min(v + shift, end) of a loop's variable v, which differ from v + shift at `points`
/// of the loop: at `first`, and at those after it, or before it for a min.
struct Clamp {
    Expr v, inside, end, first;
    bool is_max = true;
    int64_t points = 0;
};

std::optional<Clamp> clamp_of(const Expr &inside, const Expr &end, bool is_max,
                              const std::vector<ReductionVariable> &rvars) {
    for (const ReductionVariable &r : rvars) {
        const Expr v = Variable::make(Int(32), r.var);
        const Expr shift = simplify_index(inside - v);
        if (uses_variable(shift, r.var) || uses_variable(end, r.var)) {
            continue;
        }
        const Expr first = is_max ? r.min : simplify_index(r.min + r.extent - 1);
        const Expr beyond = is_max ? end - (first + shift) : first + shift - end;
        const auto points = as_const_int(simplify_index(beyond));
        if (points && *points <= most_points) {
            return Clamp{v, inside, end, first, is_max, std::max<int64_t>(*points, 0)};
        }
    }
    return std::nullopt;
}

std::optional<Clamp> as_clamp(const Expr &e, const std::vector<ReductionVariable> &rvars) {
    const auto either = [&](const auto *op, bool is_max) {
        const auto clamp = clamp_of(op->a, op->b, is_max, rvars);
        return clamp ? clamp : clamp_of(op->b, op->a, is_max, rvars);
    };
    const Max *max = e.as<Max>();
    const Min *min = e.as<Min>();
    return max ? either(max, true) : min ? either(min, false) : std::nullopt;
}

// The read with its argument d unclamped, and what it reads at the loop's ends instead.
Expr unclamped(const Function &f, const Call *call, size_t d, const Clamp &clamp) {
    const auto read = [&](const Expr &at) {
        std::vector<Expr> args = call->args;
        args[d] = at;
        return Call::make(f, args, call->value_index);
    };
    Expr result = read(clamp.inside);
    for (int64_t p = 0; p < clamp.points; p++) {
        const Expr point = clamp.first + (clamp.is_max ? Expr(int(p)) : Expr(int(-p)));
        result = select(clamp.v == point, read(simplify_index(clamp.v + (clamp.end - point))), result);
    }
    return result;
}

}  // namespace

Expr with_unclamped_reads(const Expr &e, const Function &f, const std::vector<ReductionVariable> &rvars) {
    return map_calls(e, [&](const Call *call) -> Expr {
        for (size_t d = 0; call->name == f.name() && d < call->args.size(); d++) {
            if (const auto clamp = as_clamp(call->args[d], rvars)) {
                return with_unclamped_reads(unclamped(f, call, d, *clamp), f, rvars);
            }
        }
        return Expr();
    });
}

}  // namespace eutectic
