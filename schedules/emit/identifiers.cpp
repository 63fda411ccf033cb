#include "schedules/emit/identifiers.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace eutectic {

namespace {

/** The keywords of C++20, the alternative spellings of operators, and the names that a printed schedule is in
 * need of. */
const std::set<std::string> &reserved() {
    static const std::set<std::string> words = [] {
        std::istringstream list("alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
                                "char8_t char16_t char32_t "
                                "class compl concept const consteval constexpr constinit const_cast continue "
                                "co_await co_return co_yield "
                                "decltype default delete do double dynamic_cast else enum explicit export "
                                "extern false float for friend "
                                "goto if inline int long mutable namespace new noexcept not not_eq nullptr "
                                "operator or or_eq private "
                                "protected public register reinterpret_cast requires return short signed "
                                "sizeof static static_assert "
                                "static_cast struct switch template this thread_local throw true try typedef "
                                "typeid typename union "
                                "unsigned using virtual void volatile wchar_t while xor xor_eq "
                                "Halide eutectic std pipeline");
        std::set<std::string> all;
        for (std::string word; list >> word;) {
            all.insert(word);
        }
        return all;
    }();
    return words;
}

bool ends_with(const std::string &text, const std::string &end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/** Variables of loops begin with v_ or r_, stages for whole tiles end in _whole; all capitals are left to
 * macros, and so is what begins with an underscore. */
bool is_taken(const std::string &name) {
    return reserved().count(name) > 0 || name.rfind("v_", 0) == 0 || name.rfind("r_", 0) == 0 ||
           name.front() == '_' || ends_with(name, "_whole") ||
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
