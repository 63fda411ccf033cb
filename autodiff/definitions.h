#pragma once

// Rewriting Funcs of a forward in place.

#include <Halide.h>

#include <functional>
#include <vector>

namespace eutectic {

/// A value of one definition of a Func: the pure one (stage 0) or an update.
struct DefinedValue {
    Halide::Internal::Function func;
    size_t stage;
    int element;
    Halide::Expr value;  // as it was
};

/// Sets every value of f's definitions to what `map` makes of it, with lets substituted; an undefined Expr
/// leaves it. Returns those that changed, for put_back().
std::vector<DefinedValue> map_values(Halide::Internal::Function f,
                                     const std::function<Halide::Expr(const Halide::Expr &)> &map);
void put_back(const std::vector<DefinedValue> &values);

}  // namespace eutectic
