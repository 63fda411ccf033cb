#pragma once

// Names and types as a contract's header writes them.

#include "autodiff/contract/contract.h"

#include <string>
#include <vector>

namespace eutectic {

/// An argument's name as that of a member; a keyword of C++ gets a _ behind it.
std::string member_name(const std::string &argument);

/// The words with `by` between them.
std::string joined(const std::vector<std::string> &words, const std::string &by);

/// The C++ type of an element; nothing for a type that C++ does not have.
std::string cpp_type(const Halide::Type &t);

/// The element's type as a halide_type_t.
std::string type_code(const Halide::Type &t);

/// That of a scalar. Throws UserError where there is none.
std::string scalar_type(const ContractArgument &a);

}  // namespace eutectic
