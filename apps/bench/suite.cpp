#include "apps/bench/suite.h"

#include "base/user_error.h"
#include "bench_suites.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace eutectic::bench {

namespace {

using nlohmann::json;

std::string listed(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

Row read_row(const json &row) {
    Row result{row.at("name"), {}, {}};
    for (const json &kernel : row.at("kernels")) {
        result.generators.push_back(kernel.at("generator"));
    }
    const json ranges = row.value("ranges", json::object());
    for (const auto &[input, range] : ranges.items()) {
        result.ranges[input] = {range.at(0), range.at(1)};
    }
    return result;
}

}  // namespace

const std::vector<std::string> &contender_names() {
    static const std::vector<std::string> names = json::parse(bench_contenders).get<std::vector<std::string>>();
    return names;
}

Suite find_suite(const std::string &name) {
    const std::map<std::string, const char *> suites = EUTECTIC_BENCH_SUITES;
    const auto found = suites.find(name);
    if (found == suites.end()) {
        std::vector<std::string> known;
        for (const auto &[known_name, text] : suites) {
            known.push_back(known_name);
        }
        throw UserError("There is no suite '" + name + "'; known are " + listed(known) + ".");
    }
    Suite suite{name, {}};
    const json text = json::parse(found->second);
    for (const json &row : text.at("rows")) {
        suite.rows.push_back(read_row(row));
    }
    return suite;
}

std::vector<std::string> choose(const std::string &what, const std::vector<std::string> &all, const std::vector<std::string> &wanted) {
    for (const std::string &name : wanted) {
        if (std::find(all.begin(), all.end(), name) == all.end()) {
            throw UserError("There is no " + what + " '" + name + "'; known are " + listed(all) + ".");
        }
    }
    std::vector<std::string> chosen;
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), [&](const std::string &name) {
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    });
    return chosen;
}

}  // namespace eutectic::bench
