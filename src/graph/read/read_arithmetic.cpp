// Which operations meet when a producer's expression is put into its reader's. Tried on Halide 21 with
// LLVM 21.1 (tests/schedules/test_grades.cpp holds it to that): sums, products and quotients are rearranged
// with one another; log ends in a sum, exp begins and ends with a product; a square root may meet its square;
// min, max, abs, comparisons and everything that calls libm keep their operands as they are, and so does
// strict_float().

#include "graph/read/read_arithmetic.h"

#include <functional>
#include <set>
#include <vector>

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

const Arithmetic sum{true, false, false}, product{false, true, false}, quotient{false, false, true};

bool starts_with(const std::string &name, const char *prefix) {
    return name.rfind(prefix, 0) == 0;
}

bool passes_on(const Call *op) {
    return op->is_intrinsic(
        {Call::likely, Call::likely_if_innermost, Call::return_second, Call::if_then_else});
}

bool is_load(const Call *op) {
    return op->call_type == Call::Halide || op->call_type == Call::Image;
}

/** A function's own last and first operations, where the compiler sees them. */
Arithmetic ends_in(const std::string &name) {
    if (starts_with(name, "log_")) {
        return sum;
    }
    if (starts_with(name, "exp_")) {
        return product;
    }
    if (starts_with(name, "sqrt_") || starts_with(name, "fast_inverse")) {
        return quotient;
    }
    return {};
}

Arithmetic begins_with(const std::string &name) {
    return starts_with(name, "exp_") || starts_with(name, "sqrt_") || starts_with(name, "fast_inverse")
               ? product
               : Arithmetic();
}

/** Walks down from the value, carrying what the value at hand goes into. Shared nodes are visited once for
 * each way to use them. */
class Uses {
public:
    explicit Uses(std::function<void(const Call *, const LoadUse &)> visit) : visit_(std::move(visit)) {
    }

    void walk(const Expr &e, LoadUse use) {
        if (!e.type().is_float() || !seen_.insert({e.get(), code(use)}).second) {
            return;
        }
        binary<Add>(e, sum);
        binary<Sub>(e, sum);
        binary<Mul>(e, product);
        binary<Div>(e, quotient);
        binary<Min>(e, {});
        binary<Max>(e, {});
        if (const Select *select = e.as<Select>()) {
            walk(select->true_value, use);
            walk(select->false_value, use);
        }
        if (const Cast *conversion = e.as<Cast>()) {
            walk(conversion->value, use);
        }
        if (const Call *op = e.as<Call>()) {
            call(op, use);
        }
    }

private:
    const std::function<void(const Call *, const LoadUse &)> visit_;
    std::set<std::pair<const IRNode *, int>> seen_;

    static int code(const LoadUse &use) {
        return (use.into.sums ? 1 : 0) + (use.into.products ? 2 : 0) + (use.into.quotients ? 4 : 0) +
               (use.forwarded ? 8 : 0);
    }

    template<typename T>
    void binary(const Expr &e, const Arithmetic &into) {
        if (const T *op = e.as<T>()) {
            walk(op->a, {into, false});
            walk(op->b, {into, false});
        }
    }

    void call(const Call *op, const LoadUse &use) {
        if (is_load(op)) {
            visit_(op, use);
            return;
        }
        for (const Expr &a : op->args) {
            walk(a, passes_on(op) ? use : LoadUse{begins_with(op->name), false});
        }
    }
};

}  // namespace

Arithmetic result_of(const Expr &e) {
    Arithmetic result;
    std::set<const IRNode *> met;
    for (std::vector<Expr> open{e}; !open.empty();) {
        const Expr at = open.back();
        open.pop_back();
        if (!at.type().is_float() || !met.insert(at.get()).second) {
            continue;
        }
        const Call *call = at.as<Call>();
        if (at.as<Add>() || at.as<Sub>()) {
            result |= sum;
        } else if (at.as<Mul>()) {
            result |= product;
        } else if (at.as<Div>()) {
            result |= quotient;
        } else if (const Select *select = at.as<Select>()) {
            // A constant that is chosen may be multiplied away: 0 * x.
            result |= is_const(select->true_value) || is_const(select->false_value) ? quotient : Arithmetic();
            open.push_back(select->true_value);
            open.push_back(select->false_value);
        } else if (const Cast *conversion = at.as<Cast>()) {
            open.push_back(conversion->value);
        } else if (call && !is_load(call) && passes_on(call)) {
            open.push_back(call->args.back());
        } else if (call && !is_load(call)) {
            result |= ends_in(call->name);
        }
    }
    return result;
}

std::map<std::string, LoadUse> uses_of(const Expr &e) {
    std::map<std::string, LoadUse> uses;
    Uses([&](const Call *load, const LoadUse &use) {
        if (load->call_type == Call::Halide) {
            LoadUse &all = uses[load->name];
            all.into |= use.into;
            all.forwarded = all.forwarded || use.forwarded;
        }
    }).walk(e, {{}, true});
    return uses;
}

}  // namespace eutectic
