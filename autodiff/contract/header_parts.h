#pragma once

// The parts of a contract's header that are the same for every pair.

#include <string>

namespace eutectic {

/// What every contract includes.
std::string header_includes();

/// Private members: check(), fits(), covers(), make(), told() and what they need.
std::string header_helpers();

/// A residual's name as that of a member.
std::string member_name(const std::string &residual);

}  // namespace eutectic
