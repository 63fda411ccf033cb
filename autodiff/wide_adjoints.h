#pragma once

// Gradients of values of 16 bits are summed up and handed on in 32: a value of 16 bits has few digits, of
// which a sum of a thousand terms in as many would lose most. They are rounded once, where the pipeline's own
// types ask for it. (Micikevicius et al., "Mixed precision training", 2018, section 3.3.)

#include <Halide.h>

#include <map>
#include <set>
#include <string>

namespace eutectic {

/// A floating-point number of 16 bits.
bool is_narrow(const Halide::Type &type);

class WideAdjoints {
public:
    /// e in 32 bits, if it is a floating-point number of 16; without roundings to 16 bits on the way, as far
    /// as what is rounded depends on adjoints. Other types stay.
    Halide::Expr widened(const Halide::Expr &e) const;

    /// An adjoint of type `type`, which the Func `wide` is: itself, or it rounded. What reads the result gets
    /// `wide` back from widened().
    Halide::Func narrowed(const Halide::Func &wide, const Halide::Type &type);

    /// The Func of this name is an adjoint, too.
    void add(const std::string &name) {
        adjoints_.insert(name);
    }

private:
    std::set<std::string> adjoints_;
    std::map<std::string, Halide::Func> wide_;  // by the rounded Func's name
};

}  // namespace eutectic
