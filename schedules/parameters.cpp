#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "base/user_error.h"
#include "cost/pricer.h"
#include "fusion/rules/rule.h"
#include "machine/processors.h"
#include "schedules/autoschedule.h"
#include "schedules/mechanisms.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

namespace {

int parse_whole(const std::string &name, const std::string &value, int low, int high,
                const std::string &what) {
    size_t used = 0;
    int n = 0;
    try {
        n = std::stoi(value, &used);
    } catch (const std::exception &) {
        used = 0;  // not a number: refused below with everything else that is none
    }
    if (used == 0 || used != value.size() || n < low || n > high) {
        throw UserError("The scheduler parameter " + name + " was given as \"" + value +
                        "\", which is not a whole number from " + std::to_string(low) + " to " +
                        std::to_string(high) + ": give " + what + ".");
    }
    return n;
}

bool parse_flag(const std::string &name, const std::string &value, const std::string &what) {
    if (value != "0" && value != "1") {
        throw UserError("The scheduler parameter " + name + " was given as \"" + value +
                        "\", which is neither 0 nor 1: give 1 to " + what + ".");
    }
    return value == "1";
}

Seconds parse_seconds(const std::string &name, const std::string &value) {
    size_t used = 0;
    double seconds = 0;
    try {
        seconds = std::stod(value, &used);
    } catch (const std::exception &) {
        used = 0;  // not a number: refused below
    }
    if (used == 0 || used != value.size() || !(seconds > 0) || !std::isfinite(seconds)) {
        throw UserError("The scheduler parameter " + name + " was given as \"" + value +
                        "\", which is not a number of seconds above 0: give one, as 10 or 0.5, or leave it "
                        "out.");
    }
    return seconds;
}

Numerics parse_numerics(const std::string &value) {
    static const std::map<std::string, Numerics> values = {
        {"fast", Numerics::fast}, {"nan_safe", Numerics::nan_safe}, {"strict", Numerics::strict}};
    if (const auto found = values.find(value); found != values.end()) {
        return found->second;
    }
    throw UserError(
        "The scheduler parameter numerics was given as \"" + value +
        "\", which is neither fast nor nan_safe nor strict: give strict for the bits of the unfused "
        "program, nan_safe for its NaN and infinities, else leave it out.");
}

std::vector<std::string> parse_mechanisms(const std::string &value) {
    std::vector<std::string> names, asked;
    for (const Mechanism &m : all_mechanisms()) {
        names.push_back(m.name);
    }
    std::istringstream parts(value + ",");
    for (std::string part; std::getline(parts, part, ',');) {
        if (std::find(names.begin(), names.end(), part) == names.end()) {
            throw UserError("The scheduler parameter disable names \"" + part +
                            "\", which is nothing that can be left out: " +
                            nearest_and_all(part, names, "there are") + ".");
        }
        asked.push_back(part);
    }
    return asked;
}

void set_pin(Parameters &p, const std::string &value) {
    p.pin = value;
    if (value.empty()) {
        throw UserError(
            "The scheduler parameter pin is empty: give the path of a JSON file, or leave it out.");
    }
}

void set_residuals(Parameters &p, const std::string &value) {
    p.residuals = value;
    if (!nlohmann::json::accept(value)) {
        throw UserError("The scheduler parameter residuals is not JSON: leave it out; generators of "
                        "gradients set it themselves.");
    }
}

void set_machine(Parameters &p, const std::string &value) {
    if (value.empty()) {
        throw UserError(
            "The scheduler parameter machine is empty: give host, a processor such as zen3, or the path of a "
            "file that scripts/calibrate wrote, or leave it out for what the target runs on.");
    }
    p.machine_host = value == "host";
    p.processor = processors().count(value) > 0 ? value : "";
    p.machine_file = p.machine_host || !p.processor.empty() ? "" : value;
    if (!p.machine_file.empty() && value.find_first_of("./\\") == std::string::npos &&
        !std::ifstream(value)) {
        std::vector<std::string> names;
        for (const auto &[name, processor] : processors()) {
            names.push_back(name);
        }
        throw UserError("The machine " + value + " was asked for, which is no processor that is known, and " +
                        "no file: " + nearest_and_all(value, names, "processors are") +
                        "; or give host, or a file of scripts/calibrate.");
    }
}

void set_gpu(Parameters &p, const std::string &value) {
    p.gpu = value;
    if (value.empty()) {
        throw UserError("The scheduler parameter gpu is empty: give a100, h100, h200, rtx4090 or the "
                        "path of a file, or leave it out for " +
                        std::string(default_gpu) + ".");
    }
}

void set_effort(Parameters &p, const std::string &value) {
    if (value != "fast" && value != "best") {
        throw UserError("The scheduler parameter effort was given as \"" + value +
                        "\", which is neither fast nor best: give best for a search of some seconds, "
                        "else leave it out.");
    }
    p.effort = value == "best" ? Effort::best : Effort::fast;
}

void set_search(Parameters &p, const std::string &value) {
    static const std::map<std::string, Effort> searches = {
        {"greedy", Effort::fast}, {"beam", Effort::best}, {"exhaustive", Effort::exhaustive}};
    const auto found = searches.find(value);
    if (found == searches.end()) {
        throw UserError("The scheduler parameter search was given as \"" + value +
                        "\", which is neither greedy nor beam nor exhaustive: give one of them, or leave it "
                        "out for greedy.");
    }
    p.effort = found->second;
}

void set_cost_model(Parameters &p, const std::string &value) {
    pricer_named(value);  // refuses what is none
    p.cost_model = value;
}

void set_library(Parameters &p, const std::string &value) {
    p.library = value == "none" ? std::nullopt : std::make_optional(library_named(value));
}

void set_packed(Parameters &p, const std::string &value) {
    std::istringstream parts(value + ",");
    for (std::string part; std::getline(parts, part, ',');) {
        if (part.empty() || std::find(p.packed.begin(), p.packed.end(), part) != p.packed.end()) {
            throw UserError("The scheduler parameter packed was given as \"" + value + "\", which names " +
                            (part.empty() ? "no input" : part + " twice") +
                            ": give names of inputs, separated by commas, or leave it out.");
        }
        p.packed.push_back(part);
    }
}

bool leaves_out_rules(const Parameters &p) {
    const std::vector<Mechanism> all = all_mechanisms();
    return std::any_of(all.begin(), all.end(), [&](const Mechanism &m) {
        return (m.kind == "rule" || m.kind == "rewrite") && p.disables(m.name);
    });
}

/** Of parameters that were given and rule each other out. */
void check_together(const Parameters &p) {
    const auto contradict = [](const char *a, const char *b, const char *why) {
        throw UserError(std::string("The scheduler parameters ") + a + " and " + b +
                        " contradict each other: " + why + "; leave one of them out.");
    };
    const char *const other = p.unfused ? "unfused" : "sample";
    if (!p.pin.empty() && (p.unfused || p.sample)) {
        contradict("pin", other, "a pinned plan is neither unfused nor drawn at random");
    }
    if (!p.packed.empty() && (p.unfused || p.sample)) {
        contradict("packed", other, "panels are as wide as the tiles of the best plan");
    }
    if (p.effort == Effort::exhaustive && (p.unfused || p.sample)) {
        contradict("search", other, "there is nothing to search for");
    }
    if (p.effort == Effort::exhaustive && leaves_out_rules(p)) {
        contradict("search", "disable",
                   "search=exhaustive goes over all legal places, whatever rule or rewrite leads there");
    }
    if (!p.packed.empty() && p.library) {
        contradict("packed", "library", "a library takes its operands as they are");
    }
}

void set_sample(Parameters &p, const std::string &value) {
    p.sample = static_cast<uint64_t>(parse_whole(
        "sample", value, 0, 1000000000, "the seed of a plan drawn at random, or leave it out for the best"));
}

/** A parameter by its name, and what a value of it means. */
struct KnownParameter {
    const char *name;
    void (*set)(Parameters &, const std::string &value);
};

/** In the order in which they are named to whoever gives another. */
const KnownParameter known_parameters[] = {
    {"parallelism",
     [](Parameters &p, const std::string &value) {
         p.parallelism = parse_whole("parallelism", value, 1, 4096, "the number of threads");
     }},
    {"report", [](Parameters &p, const std::string &value) { p.report = value; }},
    {"machine", set_machine},
    {"effort", set_effort},
    {"search", set_search},
    {"cost_model", set_cost_model},
    {"numerics", [](Parameters &p, const std::string &value) { p.numerics = parse_numerics(value); }},
    {"disable", [](Parameters &p, const std::string &value) { p.disable = parse_mechanisms(value); }},
    {"unfused",
     [](Parameters &p, const std::string &value) {
         p.unfused = parse_flag("unfused", value, "keep every Func in memory");
     }},
    {"residuals", set_residuals},
    {"sample", set_sample},
    {"priced", [](Parameters &p, const std::string &value) { p.priced = value; }},
    {"save", [](Parameters &p, const std::string &value) { p.save = value; }},
    {"expect_hash", [](Parameters &p, const std::string &value) { p.expect_hash = value; }},
    {"pin", set_pin},
    {"compile_seconds",
     [](Parameters &p, const std::string &value) {
         p.compile_seconds = parse_seconds("compile_seconds", value);
     }},
    {"gpu", set_gpu},
    {"feedback",
     [](Parameters &p, const std::string &value) {
         p.feedback =
             parse_flag("feedback", value, "have the plan's code read back and what spills planned again");
     }},
    {"library", set_library},
    {"packed", set_packed},
    {"arena",
     [](Parameters &p, const std::string &value) {
         p.arena = parse_flag("arena", value, "plan for temporaries out of an arena");
     }},
    {"loaded",
     [](Parameters &p, const std::string &value) {
         p.loaded = parse_flag("loaded", value, "keep new names apart from those of a file");
     }},
};

void set_parameter(Parameters &p, const std::string &name, const std::string &value) {
    std::vector<std::string> names;
    for (const KnownParameter &known : known_parameters) {
        if (name == known.name) {
            known.set(p, value);
            return;
        }
        names.emplace_back(known.name);
    }
    throw UserError("The scheduler parameter " + name +
                    " is unknown: " + nearest_and_all(name, names, "known parameters are") + ".");
}

}  // namespace

Parameters parse_parameters(const std::map<std::string, std::string> &extra) {
    Parameters p;
    for (const auto &[name, value] : extra) {
        set_parameter(p, name, value);
    }
    if (extra.count("search") > 0 && extra.count("effort") > 0) {
        throw UserError("The scheduler parameters search and effort contradict each other: effort=fast is a "
                        "greedy search, and effort=best one with a beam; leave one of them out.");
    }
    check_together(p);
    return p;
}

bool Parameters::disables(const std::string &rule) const {
    return std::find(disable.begin(), disable.end(), rule) != disable.end();
}

std::vector<Rule> Parameters::rules(const Machine &machine) const {
    std::vector<Rule> rules = machine.gpu ? gpu_rules(gpu_rewrite_rules()) : cpu_rules(cpu_rewrite_rules());
    const auto disabled = [&](const Rule &rule) { return disables(rule.name); };
    rules.erase(std::remove_if(rules.begin(), rules.end(), disabled), rules.end());
    return rules;
}

}  // namespace eutectic
