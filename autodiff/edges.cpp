#include "autodiff/edges.h"

#include "autodiff/expr_tools.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// Are those of `interval` all points of a buffer? Also where as many are read as it has, from 0 on, say,
// wherever it begins: Halide has checked that all of them are there.
bool has_all_points(const Interval &interval, const Interval &buffer) {
    return same_interval(interval, buffer) ||
           can_prove(interval.max - interval.min == buffer.max - buffer.min);
}

// Does asking for [low, high] in dimension d of the gradient read a buffer that covers just `interval` over
// at least [low, high]?
bool is_checked(const std::map<std::string, SymbolicRegion> &read, const std::map<std::string, Function> &env,
                const Interval &interval, const Expr &low, const Expr &high,
                const std::map<std::string, SymbolicRegion> &ranges) {
    for (const auto &[name, region] : read) {
        const Parameter buffer = input_of(env.at(name));
        const auto range = buffer.defined() ? ranges.find(buffer.name()) : ranges.end();
        for (size_t e = 0; range != ranges.end() && e < region.size(); e++) {
            if (has_all_points(interval, range->second[e]) && region[e].is_bounded() &&
                can_prove(region[e].min <= low) && can_prove(region[e].max >= high)) {
                return true;
            }
        }
    }
    return false;
}

// a <= b for certain? Clamps on either side are looked into: an index that is clamped to a buffer is within
// it.
bool is_at_most(const Expr &a, const Expr &b) {
    if (const Max *op = a.as<Max>()) {
        return is_at_most(op->a, b) && is_at_most(op->b, b);
    }
    if (const Min *op = b.as<Min>()) {
        return is_at_most(a, op->a) && is_at_most(a, op->b);
    }
    if (const Min *op = a.as<Min>()) {
        return is_at_most(op->a, b) || is_at_most(op->b, b);
    }
    if (const Max *op = b.as<Max>()) {
        return is_at_most(a, op->a) || is_at_most(a, op->b);
    }
    if (const Add *op = a.as<Add>(); op && is_const(op->b)) {
        return is_at_most(op->a, b - op->b);
    }
    if (const Add *op = b.as<Add>(); op && is_const(op->b)) {
        return is_at_most(a - op->b, op->a);
    }
    return proved(a <= b, VariableBounds());
}

// Would asking for all of dimension d of the gradient, [low, high], still read every buffer within its range?
bool reads_inside(const std::map<std::string, SymbolicRegion> &read,
                  const std::map<std::string, Function> &env, const Interval &asked,
                  const std::map<std::string, SymbolicRegion> &ranges) {
    const auto depends = [&](const Expr &e) {
        return uses_variable(e, asked.min.as<Variable>()->name) ||
               uses_variable(e, asked.max.as<Variable>()->name);
    };
    for (const auto &[name, region] : read) {
        const Parameter buffer = input_of(env.at(name));
        if (!buffer.defined()) {
            continue;
        }
        const auto range = ranges.find(buffer.name());
        for (size_t e = 0; e < region.size(); e++) {
            if (region[e].is_bounded() && !depends(region[e].min) && !depends(region[e].max)) {
                continue;
            }
            if (range == ranges.end() || !region[e].is_bounded() ||
                !is_at_most(range->second[e].min, region[e].min) ||
                !is_at_most(region[e].max, range->second[e].max)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

void zero_outside(Func gradient, const Parameter &of, const SymbolicRegion &region,
                  const std::map<std::string, SymbolicRegion> &ranges) {
    Function f = gradient.function();
    const std::map<std::string, Function> env = build_environment({f});
    std::vector<Function> order;
    for (const std::string &name : topological_order({f}, env)) {
        order.push_back(env.at(name));
    }
    SymbolicRegion asked;
    for (size_t d = 0; d < region.size(); d++) {
        asked.emplace_back(Variable::make(Int(32), "low." + std::to_string(d)),
                           Variable::make(Int(32), "high." + std::to_string(d)));
    }
    const std::map<std::string, SymbolicRegion> read = needed_regions(order, {{f.name(), asked}});
    const SymbolicRegion whole = whole_buffer(of);

    std::map<std::string, Expr> inside;
    Expr condition = const_true();
    bool guards = false;
    for (size_t d = 0; d < region.size(); d++) {
        if (!region[d].is_bounded() || has_all_points(region[d], whole[d]) ||
            is_checked(read, env, region[d], asked[d].min, asked[d].max, ranges)) {
            continue;
        }
        const Expr v = Var(f.args()[d]);
        condition = condition && v >= region[d].min && v <= region[d].max;
        guards = true;
        if (!reads_inside(read, env, asked[d], ranges)) {
            inside[f.args()[d]] = clamp(v, region[d].min, region[d].max);
        }
    }
    if (guards) {
        Expr &value = f.definition().values()[0];
        const Expr there = replace_variables(substitute_in_all_lets(value), inside);
        value = common_subexpression_elimination(select(condition, likely(there), make_zero(there.type())));
    }
}

}  // namespace eutectic
