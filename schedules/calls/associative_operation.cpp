#include "schedules/calls/associative_operation.h"

#include <utility>

namespace eutectic {

using namespace Halide;

namespace {

template<class T>
std::optional<AssociativeOperation> binary(const Expr &e, const Expr &neutral) {
    const T *op = e.as<T>();
    const auto make = [](Expr a, Expr b) { return T::make(std::move(a), std::move(b)); };
    return op ? std::optional(AssociativeOperation{op->a, op->b, make, neutral}) : std::nullopt;
}

}  // namespace

std::optional<AssociativeOperation> associative_operation(const Expr &e) {
    const Type type = e.type();
    const Expr zero = Internal::make_zero(type);
    for (const auto &found :
         {binary<Internal::Add>(e, zero), binary<Internal::Mul>(e, Internal::make_one(type)),
          binary<Internal::Min>(e, type.max()), binary<Internal::Max>(e, type.min())}) {
        if (found) {
            return found;
        }
    }
    if (!type.is_int_or_uint()) {
        return std::nullopt;  // bits
    }
    const auto *call = e.as<Internal::Call>();
    for (const auto &[op, neutral] : {std::pair{Internal::Call::bitwise_and, ~zero},
                                      {Internal::Call::bitwise_or, zero},
                                      {Internal::Call::bitwise_xor, zero}}) {
        if (call && call->is_intrinsic(op)) {
            const auto make = [type, name = call->name, kind = call->call_type](Expr a, Expr b) {
                return Internal::Call::make(type, name, {std::move(a), std::move(b)}, kind);
            };
            return AssociativeOperation{call->args[0], call->args[1], make, neutral};
        }
    }
    return std::nullopt;
}

}  // namespace eutectic
