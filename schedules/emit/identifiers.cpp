#include "schedules/emit/identifiers.h"

#include <algorithm>
#include <cctype>

#include "base/cpp_keywords.h"

namespace eutectic {

namespace {

bool ends_with(const std::string &text, const std::string &end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/** What a printed schedule itself is in need of. */
bool is_reserved(const std::string &name) {
    return is_cpp_keyword(name) || name == "Halide" || name == "eutectic" || name == "std" ||
           name == "pipeline";
}

/** Variables of loops begin with v_ or r_, stages for whole tiles end in _whole; all capitals are left to
 * macros, and so is what begins with an underscore. */
bool is_taken(const std::string &name) {
    return is_reserved(name) || name.rfind("v_", 0) == 0 || name.rfind("r_", 0) == 0 || name.front() == '_' ||
           ends_with(name, "_whole") ||
           (name.size() > 1 &&
            std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); }));
}

}  // namespace

std::string identifier(const std::string &name) {
    std::string result;
    for (const char c : name) {
        result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) ? "v" + result : result;
}

std::string Identifiers::give(const std::string &name) {
    const std::string wanted = is_taken(identifier(name)) ? "func_" + identifier(name) : identifier(name);
    std::string found = wanted;
    for (int n = 2; is_taken(found) || !given_.insert(found).second; n++) {
        found = wanted + "_" + std::to_string(n);
    }
    return found;
}

}  // namespace eutectic
