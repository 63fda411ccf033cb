#include "autodiff/residuals/choice/options.h"

#include "base/user_error.h"

#include <cmath>
#include <sstream>

namespace eutectic {

namespace {

// The number at the beginning of `text`, and what follows it; nothing when there is none.
std::optional<std::pair<double, std::string>> number_of(const std::string &text) {
    try {
        size_t end = 0;
        const double value = std::stod(text, &end);
        return std::pair(value, text.substr(end));
    } catch (const std::exception &) {
        return std::nullopt;
    }
}

}  // namespace

Machine residual_machine() {
    return machine_from_target({"x86", 256, true}, 2);
}

ResidualPolicy parse_residual_policy(const std::string &text) {
    if (text == "cost") {
        return ResidualPolicy::cost;
    }
    if (text == "save-all" || text == "recompute-all") {
        return text == "save-all" ? ResidualPolicy::save_all : ResidualPolicy::recompute_all;
    }
    throw UserError("residuals_policy=" + text + " is not known; give cost, save-all or recompute-all.");
}

Bytes parse_budget(const std::string &text, const std::string &option) {
    const auto number = number_of(text);
    static const std::map<std::string, int> units{{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    const auto unit = number ? units.find(number->second) : units.end();
    if (unit == units.end() || !(number->first >= 0) || number->first > 1e15) {
        throw UserError(option + text +
                        " is not a number of bytes; write it as 65536, 64KiB, 1.5MiB or 2GiB.");
    }
    return static_cast<Bytes>(std::floor(std::ldexp(number->first, unit->second)));
}

std::map<std::string, ValueRange> parse_ranges(const std::string &text) {
    std::map<std::string, ValueRange> ranges;
    std::istringstream stream(text);
    for (std::string field; std::getline(stream, field, ',');) {
        const size_t first = field.find(':'),
                     second = first == std::string::npos ? first : field.find(':', first + 1);
        const auto low = second == std::string::npos ? std::nullopt
                                                     : number_of(field.substr(first + 1, second - first - 1));
        const auto high = second == std::string::npos ? std::nullopt : number_of(field.substr(second + 1));
        if (!low || !high || !low->second.empty() || !high->second.empty() || !(low->first <= high->first) ||
            first == 0) {
            throw UserError(
                "value_ranges has the entry \"" + field +
                "\", which is not an input's name and its least and largest value; write it as x:0.1:10.");
        }
        ranges[field.substr(0, first)] = {low->first, high->first};
    }
    return ranges;
}

}  // namespace eutectic
