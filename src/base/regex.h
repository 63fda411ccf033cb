#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace eutectic {

/** What a pattern found: all of it, then what each pair of parentheses has, "" where it has nothing. */
using Groups = std::vector<std::string>;

/** A regular expression of ECMAScript's syntax, which throws std::regex_error where it is none. It is
 * std::regex, which each file that includes <regex> compiles for ten seconds (measured with GCC 12, -O2). */
class Regex {
public:
    explicit Regex(const std::string &expression);

    /** Whether all of `text` is so. */
    bool matches(const std::string &text, Groups *groups = nullptr) const;

    /** Whether a part of `text` is so; the first one is found. Where none is, no groups are left. */
    bool found_in(const std::string &text, Groups *groups = nullptr) const;

    /** All parts that are so, in their order; they do not overlap. */
    std::vector<Groups> all_in(const std::string &text) const;

    /** `text` with another one in place of each part that is so. */
    std::string replace_in(const std::string &text,
                           const std::function<std::string(const Groups &)> &other) const;
    std::string replace_in(const std::string &text, const std::string &other) const;

private:
    struct Compiled;
    std::shared_ptr<const Compiled> compiled_;
};

}  // namespace eutectic
