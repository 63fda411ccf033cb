#include "tests/numerics/subject.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>

namespace eutectic::numerics {

namespace {

bool is_prime(int n) {
    for (int d = 2; d * d <= n; d++) {
        if (n % d == 0) {
            return false;
        }
    }
    return n >= 2;
}

/// The largest prime up to three quarters of an estimate: no multiple of a vector or a tile, and no remainder
/// of another case's.
int prime_for(int estimate) {
    int n = std::max(2, estimate * 3 / 4);
    while (!is_prime(n)) {
        n--;
    }
    return n;
}

std::string describe(const Sizes &sizes) {
    std::string text;
    for (const auto &[name, range] : sizes) {
        text += (text.empty() ? "" : " ") + name + "=" + std::to_string(range.extent) + " from " +
                std::to_string(range.min);
    }
    return text;
}

/// Mins of both signs; none is a multiple of 8, the bits of a packed mask's byte.
void set_mins(const Shapes &shapes, Sizes &sizes) {
    const int mins[] = {5, -7, 11, -19, 3, -2};
    size_t i = 0;
    for (auto &[name, range] : sizes) {
        range.min = shapes.fixed.count(name) ? 0 : mins[i++ % std::size(mins)];
    }
}

int within_limit(const Shapes &shapes, const std::string &name, int extent) {
    const auto limit = shapes.largest.find(name);
    const auto least = shapes.smallest.find(name);
    extent = least == shapes.smallest.end() ? extent : std::max(extent, least->second);
    return limit == shapes.largest.end() ? extent : std::min(extent, limit->second);
}

}  // namespace

Range range_of(const std::string &dim, const Sizes &sizes) {
    const size_t first = std::min(dim.find_first_of("*+-/"), dim.size());
    Range range = sizes.at(dim.substr(0, first));
    for (size_t at = first; at < dim.size();) {
        const size_t next = std::min(dim.find_first_of("*+-/", at + 1), dim.size());
        const std::string operand = dim.substr(at + 1, next - at - 1);
        const bool is_number = operand.find_first_not_of("0123456789") == std::string::npos;
        const int value = is_number ? std::stoi(operand) : sizes.at(operand).extent;
        switch (dim[at]) {
        case '*': range = {is_number ? range.min * value : 0, range.extent * value}; break;
        case '+': range.extent += value; break;
        case '-': range.extent -= value; break;
        default: range.extent = std::max(1, range.extent / value); break;
        }
        at = next;
    }
    return range;
}

Sizes estimates(const Subject &subject) {
    Sizes sizes;
    for (const Argument &argument : subject.kernels.front().arguments()) {
        const auto dims = subject.shapes().dims_of(argument.name);
        for (size_t d = 0; dims && d < dims->size(); d++) {
            if (is_name((*dims)[d])) {
                sizes[(*dims)[d]] = {0, argument.extents.at(d)};
            }
        }
    }
    for (const std::string &name : subject.shapes().free_dims()) {
        if (!sizes.count(name)) {
            throw std::logic_error("no argument of '" + subject.shapes_line + "' says how large " + name +
                                   " is");
        }
    }
    return sizes;
}

Plan plan_of(const Subject &subject) {
    std::set<int> tiles;
    Plan plan;
    for (const std::string &path : subject.reports) {
        std::ifstream file(path);
        const nlohmann::json report = nlohmann::json::parse(file);
        for (const nlohmann::json &group : report.at("groups")) {
            plan.policies.insert(group.at("policy").get<std::string>());
            for (const int extent : group.at("tile")) {
                tiles.insert(extent);
            }
            for (const nlohmann::json &stage : group.at("loops")) {
                for (const nlohmann::json &loop : stage.at("loops")) {
                    tiles.insert(loop.at("step").get<int>());
                }
            }
        }
    }
    tiles.erase(1);
    plan.tiles.assign(tiles.begin(), tiles.end());
    return plan;
}

std::vector<Case> cases(const Subject &subject) {
    const Sizes planned = estimates(subject);
    const Shapes &shapes = subject.shapes();
    std::vector<std::pair<std::string, std::function<int(int)>>> kinds = {
        {"1", [](int) { return 1; }},
        {"2", [](int) { return 2; }},
        {"3", [](int) { return 3; }},
        {"a prime", prime_for},
        {"one less", [](int estimate) { return std::max(1, estimate - 1); }},
        {"one more", [](int estimate) { return estimate + 1; }},
        {"half", [](int estimate) { return std::max(1, estimate / 2); }},
        {"triple", [](int estimate) { return 3 * estimate; }},
    };
    for (const int extent : plan_of(subject).tiles) {
        kinds.emplace_back("tile " + std::to_string(extent) + " - 1", [extent](int) { return extent - 1; });
    }
    std::vector<Case> all;
    std::set<std::string> seen;
    const auto add = [&](const std::string &name, Sizes sizes) {
        set_mins(shapes, sizes);
        const std::string text = describe(sizes);
        if (seen.insert(text).second) {
            all.push_back({name + ": " + text, sizes});
        }
    };
    add("estimates", planned);
    for (const auto &[kind, extent] : kinds) {
        Sizes together = planned;
        for (auto &[name, range] : together) {
            if (shapes.fixed.count(name)) {
                continue;
            }
            Sizes alone = planned;
            alone[name].extent = range.extent = within_limit(shapes, name, extent(range.extent));
            add(name + " " + kind, alone);
        }
        add("all " + kind, together);
    }
    return all;
}

std::vector<Case> few_cases(const Subject &subject) {
    const Shapes &shapes = subject.shapes();
    const bool one_dim = shapes.free_dims().size() == shapes.fixed.size() + 1;  // "n 3" is "all 3" then
    std::vector<Case> some;
    for (const Case &c : cases(subject)) {
        const size_t space = c.name.find(' ');
        const bool all = one_dim || c.name.rfind("all ", 0) == 0;
        bool wanted = c.name.rfind("estimates:", 0) == 0;
        for (const char *kind : {" 1:", " 3:", " a prime:", " one less:", " half:"}) {
            wanted = wanted || (all && c.name.compare(space, std::strlen(kind), kind) == 0);
        }
        if (wanted) {
            some.push_back(c);
        }
    }
    return some;
}

}  // namespace eutectic::numerics
