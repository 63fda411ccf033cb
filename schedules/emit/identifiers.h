#pragma once

#include <set>
#include <string>

namespace eutectic {

/** Letters, digits and underscores of `name`. */
std::string identifier(const std::string &name);

/** C++ identifiers of the Funcs of a printed schedule, each given once: like the names that they are made of,
 * but for words of the language and for names that the printer uses. */
class Identifiers {
public:
    std::string give(const std::string &name);

private:
    std::set<std::string> given_;
};

}  // namespace eutectic
