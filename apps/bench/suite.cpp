#include "apps/bench/suite.h"

#include "apps/bench/isa.h"
#include "base/user_error.h"
#include "bench_suites.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace eutectic::bench {

namespace {

using nlohmann::json;

KernelSpec read_kernel(const json &kernel) {
    return {kernel.at("generator"), kernel.value("params", std::map<std::string, std::string>())};
}

Row read_row(const json &row) {
    Row result;
    result.name = row.at("name");
    for (const json &kernel : row.value("kernels", json::array())) {
        result.kernels.push_back(read_kernel(kernel));
    }
    result.gradient = row.contains("gradient");
    for (const char *half : {"_forward", "_backward"}) {
        if (result.gradient) {
            const KernelSpec of = read_kernel(row.at("gradient"));
            result.kernels.push_back({of.generator + half, of.params});
        }
    }
    const json ranges = row.value("ranges", json::object());
    for (const auto &[input, range] : ranges.items()) {
        result.ranges[input] = {range.at(0), range.at(1)};
    }
    const json photographs = row.value("photographs", json::object());
    for (const auto &[input, exposure] : photographs.items()) {
        result.photographs[input] = {exposure.at("axes"), exposure.value("mosaic", false),
                                     exposure.value("low", 0.0), exposure.value("high", 1.0)};
    }
    result.extents = row.value("extents", result.extents);
    result.like = row.value("like", result.like);
    result.rounds = row.value("rounds", result.rounds);
    result.pitches = row.value("pitches", result.pitches);
    result.contenders = row.value("contenders", result.contenders);
    if (row.contains("yardstick")) {
        const json &yardstick = row.at("yardstick");
        result.yardstick =
            Yardstick{yardstick.at("name"), read_kernel(yardstick), yardstick.value("work", 1.0)};
    }
    result.reference = row.value("reference", result.reference);
    result.work = row.value("work", result.work);
    result.transcendentals = row.value("transcendentals", result.transcendentals);
    result.counts = row.value("counts", result.counts);
    result.by_hand = row.value("by_hand", result.by_hand);
    result.variants = row.value("variants", result.variants);
    return result;
}

ContenderKind read_kind(const std::string &kind) {
    static const std::map<std::string, ContenderKind> kinds = {
        {"eutectic", ContenderKind::eutectic}, {"before", ContenderKind::before},
        {"joint", ContenderKind::joint},       {"unfused", ContenderKind::unfused},
        {"manual", ContenderKind::manual},     {"halide", ContenderKind::halide},
        {"library", ContenderKind::library},   {"call", ContenderKind::call},
        {"peer", ContenderKind::peer}};
    return kinds.at(kind);
}

/// None of what is no contender: a reference, a yardstick.
std::optional<ContenderKind> find_kind(const std::string &contender) {
    for (const Contender &known : all_contenders()) {
        if (known.name == contender) {
            return known.kind;
        }
    }
    return std::nullopt;
}

}  // namespace

bool Row::admits(const std::string &contender) const {
    const std::optional<ContenderKind> kind = find_kind(contender);
    const std::string as = kind == ContenderKind::before ? "eutectic" : contender;
    const bool by_library = kind == ContenderKind::library || kind == ContenderKind::call;
    const bool named = contenders.empty()
                           ? !by_library
                           : std::find(contenders.begin(), contenders.end(), as) != contenders.end();
    // What contenders.cmake makes of a library by itself.
    const std::string generator = kernels.size() == 1 ? kernels[0].generator : "";
    const bool has_call = generator == "matmul" || generator == "batched_matmul" ||
                          (generator == "integer_matmul" && contender == "onednn");
    return named && (gradient || kind != ContenderKind::joint) && (has_call || kind != ContenderKind::call);
}

std::string Row::generator_of(const std::string &contender, size_t kernel) const {
    const std::string &own = kernels[kernel].generator;
    if (gradient && find_kind(contender) == ContenderKind::halide) {
        return "plain_gradient";
    }
    return gradient && find_kind(contender) == ContenderKind::joint
               ? own.substr(0, own.rfind('_')) + "_gradient"
               : own;
}

Row Row::yardstick_row() const {
    Row row;
    row.name = name;
    row.kernels = {yardstick->kernel};
    return row;
}

const std::vector<Contender> &all_contenders() {
    static const std::vector<Contender> contenders = [] {
        std::vector<Contender> read;
        for (const json &contender : json::parse(bench_contenders)) {
            read.push_back({contender.at("name"), read_kind(contender.at("kind"))});
        }
        return read;
    }();
    return contenders;
}

std::vector<std::string> contender_names() {
    std::vector<std::string> names;
    for (const Contender &contender : all_contenders()) {
        if (contender.kind != ContenderKind::before) {
            names.push_back(contender.name);
        }
    }
    return names;
}

ContenderKind kind_of(const std::string &contender) {
    if (const std::optional<ContenderKind> kind = find_kind(contender)) {
        return *kind;
    }
    throw UserError("There is no contender '" + contender + "'; known are " + listed(contender_names()) +
                    ".");
}

namespace {

/// Those that can be restricted to an instruction set.
std::vector<std::string> restricted_suites() {
    const std::map<std::string, const char *> suites = EUTECTIC_BENCH_SUITES;
    std::vector<std::string> names;
    for (const auto &[name, text] : suites) {
        if (json::parse(text).contains("isas")) {
            names.push_back(name);
        }
    }
    return names;
}

}  // namespace

Suite find_suite(const std::string &name, const std::string &isa) {
    const std::map<std::string, const char *> suites = EUTECTIC_BENCH_SUITES;
    const auto found = suites.find(name);
    if (found == suites.end()) {
        std::vector<std::string> known;
        for (const auto &[known_name, text] : suites) {
            known.push_back(known_name);
        }
        throw UserError("There is no suite '" + name + "'; known are " + listed(known) + ".");
    }
    const json text = json::parse(found->second);
    const std::string target = text.value("target", EUTECTIC_BENCH_HOST);
    const auto has = [&](const char *feature) { return target.find(feature) != std::string::npos; };
    Suite suite{name, {}, has("-cuda") ? "cuda" : has("-opencl") ? "opencl" : "cpu", isa, target};
    if (!isa.empty()) {
        suite.target = isa_named(isa).target;
        if (const auto isas = text.value("isas", std::vector<std::string>());
            std::find(isas.begin(), isas.end(), isa) == isas.end()) {
            throw UserError("Suite " + name + " cannot be restricted by --isa " + isa +
                            ", as it has no kernels for that; run it without --isa, or one of " +
                            listed(restricted_suites()) + ".");
        }
    }
    for (const json &row : text.at("rows")) {
        suite.rows.push_back(read_row(row));
        if (suite.rows.back().contenders.empty()) {
            suite.rows.back().contenders = text.value("contenders", std::vector<std::string>());
        }
    }
    return suite;
}

std::string listed(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

std::vector<std::string> choose_contenders(const std::vector<std::string> &wanted, bool with_before) {
    if (!with_before) {
        if (std::find(wanted.begin(), wanted.end(), "before") != wanted.end()) {
            throw UserError("The contender 'before' is another build's plugin; name it with --before PATH.");
        }
        return choose("contender", contender_names(), wanted);
    }
    std::vector<std::string> names, taken = wanted;
    for (const Contender &contender : all_contenders()) {
        names.push_back(contender.name);
    }
    if (!wanted.empty()) {
        taken.insert(taken.end(), {"eutectic", "before"});
    }
    return choose("contender", names, taken);
}

std::vector<std::string> choose(const std::string &what, const std::vector<std::string> &all,
                                const std::vector<std::string> &wanted) {
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
