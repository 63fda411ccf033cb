#include "schedules/hlpipe/values.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "base/user_error.h"

namespace eutectic {

using namespace Halide;
using nlohmann::json;

std::string type_name(const Type &type) {
    if (type.is_handle()) {
        return "handle";
    } else if (type.is_bool()) {
        return "bool";
    }
    const char *const kind = type.is_bfloat()  ? "bfloat"
                             : type.is_float() ? "float"
                             : type.is_uint()  ? "uint"
                                               : "int";
    return kind + std::to_string(type.bits());
}

std::optional<Type> type_named(const std::string &name) {
    for (const Type &t : {Float(16), Float(32), Float(64), BFloat(16), Bool(), Handle(), Int(8), Int(16),
                          Int(32), Int(64), UInt(8), UInt(16), UInt(32), UInt(64)}) {
        if (type_name(t) == name) {
            return t;
        }
    }
    return std::nullopt;
}

json constant_json(const Expr &e, const std::string &what) {
    if (!e.defined()) {
        return json();
    }
    const Expr simple = Internal::simplify(e);
    if (const auto i = Internal::as_const_int(simple)) {
        return *i;
    } else if (const auto u = Internal::as_const_uint(simple)) {
        return *u;
    } else if (const auto f = Internal::as_const_float(simple)) {
        return *f;
    }
    std::ostringstream s;
    s << what << " is " << e << ", and only a number can be kept with a pipeline's file: give it a number.";
    throw UserError(s.str());
}

Expr constant_expr(const json &value, const Type &type, const std::string &what) {
    if (value.is_null()) {
        return Expr();
    }
    const bool fits = type.is_float()  ? value.is_number()
                      : type.is_bool() ? value.is_boolean() || value == 0 || value == 1
                      : type.is_uint()
                          ? value.is_number_unsigned() && type.can_represent(value.get<uint64_t>())
                          : value.is_number_integer() && type.can_represent(value.get<int64_t>());
    if (!fits || type.is_handle()) {
        throw UserError(what + " is given as " + value.dump() + ", which a " + type_name(type) +
                        " does not hold: give one that it does.");
    }
    if (type.is_float()) {
        return Internal::make_const(type, value.get<double>());
    } else if (value.is_boolean()) {
        return Internal::make_const(type, value.get<bool>() ? 1 : 0);
    }
    return type.is_uint() ? Internal::make_const(type, value.get<uint64_t>())
                          : Internal::make_const(type, value.get<int64_t>());
}

}  // namespace eutectic
