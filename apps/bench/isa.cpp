#include "apps/bench/isa.h"

#include "apps/bench/suite.h"
#include "base/user_error.h"
#include "bench_suites.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace eutectic::bench {

namespace {

using Words = std::vector<std::string>;

/// Those of `wanted` that are not in `present`.
Words missing(const Words &wanted, const Words &present) {
    Words absent;
    std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(absent), [&](const std::string &word) {
        return std::find(present.begin(), present.end(), word) == present.end();
    });
    return absent;
}

Words split(const std::string &text, char by) {
    std::istringstream stream(text);
    Words words;
    for (std::string word; std::getline(stream, word, by);) {
        words.push_back(word);
    }
    return words;
}

}  // namespace

const std::vector<Isa> &all_isas() {
    static const std::vector<Isa> isas = [] {
        std::vector<Isa> read;
        const auto table = nlohmann::json::parse(bench_isas);
        for (const auto &[name, entry] : table.items()) {
            read.push_back({name, entry.at("target"), entry.at("flags"), entry.at("environment")});
        }
        std::sort(read.begin(), read.end(),
                  [](const Isa &a, const Isa &b) { return a.flags.size() < b.flags.size(); });
        return read;
    }();
    return isas;
}

const Isa &isa_named(const std::string &name) {
    const std::vector<Isa> &isas = all_isas();
    const auto found =
        std::find_if(isas.begin(), isas.end(), [&](const Isa &isa) { return isa.name == name; });
    if (found == isas.end()) {
        Words known;
        std::transform(isas.begin(), isas.end(), std::back_inserter(known),
                       [](const Isa &isa) { return isa.name; });
        throw UserError("There is no instruction set '" + name + "'; known are " + listed(known) + ".");
    }
    return *found;
}

std::vector<std::string> processor_flags() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("flags", 0) == 0) {
            return split(line.substr(line.find(':') + 1), ' ');
        }
    }
    return {};
}

void require_isa(const Isa &isa, const std::vector<std::string> &flags) {
    if (const Words absent = missing(isa.flags, flags); !absent.empty()) {
        throw UserError("--isa " + isa.name + " needs a processor with " + listed(isa.flags) +
                        ", and this one lacks " + listed(absent) +
                        "; without --isa the run has what the processor has.");
    }
}

void restrict_libraries(const Isa &isa) {
    for (const auto &[name, value] : isa.environment) {
        setenv(name.c_str(), value.c_str(), 1);
    }
}

std::string widest_isa(const std::string &target, const std::vector<std::string> &flags) {
    const Words features = split(target, '-');
    const bool host = std::find(features.begin(), features.end(), "host") != features.end();
    std::string widest = "unknown";
    for (const Isa &isa : all_isas()) {
        if (host ? missing(isa.flags, flags).empty() : missing(split(isa.target, '-'), features).empty()) {
            widest = isa.name;
        }
    }
    return widest;
}

}  // namespace eutectic::bench
