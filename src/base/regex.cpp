#include "base/regex.h"

#include <regex>

namespace eutectic {
namespace {

void put(const std::smatch &match, Groups *groups) {
    if (groups) {
        groups->clear();
        for (const auto &group : match) {
            groups->push_back(group.str());
        }
    }
}

}  // namespace

struct Regex::Compiled {
    std::regex regex;
};

Regex::Regex(const std::string &expression)
    : compiled_(std::make_shared<Compiled>(Compiled{std::regex(expression)})) {
}

bool Regex::matches(const std::string &text, Groups *groups) const {
    std::smatch match;
    const bool is = std::regex_match(text, match, compiled_->regex);
    put(match, groups);
    return is;
}

bool Regex::found_in(const std::string &text, Groups *groups) const {
    std::smatch match;
    const bool is = std::regex_search(text, match, compiled_->regex);
    put(match, groups);
    return is;
}

std::vector<Groups> Regex::all_in(const std::string &text) const {
    std::vector<Groups> all;
    for (std::sregex_iterator m(text.begin(), text.end(), compiled_->regex), end; m != end; ++m) {
        put(*m, &all.emplace_back());
    }
    return all;
}

std::string Regex::replace_in(const std::string &text,
                              const std::function<std::string(const Groups &)> &other) const {
    std::string result;
    auto rest = text.begin();
    Groups groups;
    for (std::sregex_iterator m(text.begin(), text.end(), compiled_->regex), end; m != end; ++m) {
        put(*m, &groups);
        result.append(rest, (*m)[0].first).append(other(groups));
        rest = (*m)[0].second;
    }
    return result.append(rest, text.end());
}

std::string Regex::replace_in(const std::string &text, const std::string &other) const {
    return std::regex_replace(text, compiled_->regex, other);
}

}  // namespace eutectic
