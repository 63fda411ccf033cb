// What was read of emitted code, as text and as JSON.

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>

#include "apps/eutectic/inspected.h"
#include "base/units.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

constexpr double least_share = 0.01;  // of a nest's cycles: regions below are told together

std::string figures(double x, int digits = 3) {
    std::ostringstream s;
    s << std::setprecision(digits) << x;
    return s.str();
}

/** "1.25 M" */
std::string count_of(double x) {
    const std::pair<double, const char *> units[] = {{1e9, " G"}, {1e6, " M"}, {1e4, " k"}};
    for (const auto &[unit, name] : units) {
        if (x >= unit) {
            return figures(x / (unit == 1e4 ? 1e3 : unit)) + name;
        }
    }
    return format_count(std::llround(x));
}

std::string gigahertz(double hertz) {
    return figures(hertz / 1e9) + " GHz";
}

double per_multiply_add(const CodeRegion &r, int count) {
    return static_cast<double>(count) / r.multiply_adds;
}

/** Instructions of a run by kind, in hundredths, the most first. */
std::vector<std::pair<std::string, double>> shares_of(const NestCode &n) {
    std::map<std::string, double> sums;
    double all = 0;
    for (const EmittedRegion &r : n.regions) {
        for (const auto &[kind, count] : r.code.mix) {
            sums[kind] += r.turns * count;
            all += r.turns * count;
        }
    }
    std::vector<std::pair<std::string, double>> shares;
    for (const auto &[kind, sum] : sums) {
        shares.emplace_back(kind, sum / all);
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
    return shares;
}

/** What a region is called: its loop, or the function that is left outside of loops. */
std::string title(const CodeRegion &r) {
    return !r.name.empty() ? "for " + r.name : r.label.empty() ? "outside of loops" : "a loop of LLVM's own";
}

std::string one_line(const EmittedRegion &region, double nest_cycles) {
    const CodeRegion &r = region.code;
    std::ostringstream out;
    out << title(r) << ": ";
    if (r.cycles >= 0) {
        out << count_of(region.turns) << (region.turns == 1 ? " turn of " : " turns of ") << figures(r.cycles)
            << (r.cycles == 1 ? " cycle" : " cycles");
        if (nest_cycles > 0) {
            out << " (" << std::lround(100 * model_cycles(region) / nest_cycles) << " %)";
        }
    } else {
        out << count_of(region.turns) << " turns, no cycles: " << r.no_cycles;
    }
    out << ", " << r.instructions << " instructions";
    if (r.vector_bits > 0) {
        out << ", vectors of " << r.vector_bits << " bits";
    }
    if (r.multiply_adds > 0) {
        out << ", " << r.multiply_adds << " multiply-adds with " << figures(per_multiply_add(r, r.loads))
            << " loads and " << figures(per_multiply_add(r, r.stores)) << " stores each";
    } else {
        out << ", " << r.loads << " loads, " << r.stores << " stores";
    }
    if (r.spill_stores + r.spill_loads > 0) {
        out << ", spills: " << r.spill_stores << " stores and " << r.spill_loads << " loads";
    }
    if (r.scalar_arithmetic > 0) {
        out << ", " << r.scalar_arithmetic << " operations of single lanes";
    }
    if (r.lane_moves > 0) {
        out << ", " << r.lane_moves << " elements put into vectors or taken out";
    }
    return out.str();
}

void add_cycles(std::ostringstream &out, const NestCode &n) {
    if (!n.kernels.empty()) {
        out << "    predicted " << format_seconds(n.times.predicted_seconds) << "\n";
        return;
    }
    out << "    cycles: "
        << (n.model_cycles >= 0
                ? count_of(n.model_cycles) + " by llvm-mca's model"
                : "none by llvm-mca's model" + (n.no_cycles.empty() ? "" : " (" + n.no_cycles + ")"))
        << ", " << count_of(n.price_cycles) << " by the price (" << format_seconds(n.times.predicted_seconds)
        << ")";
    if (n.measured_cycles) {
        out << ", " << count_of(*n.measured_cycles) << " measured (" << format_seconds(n.times.seconds)
            << ")";
    }
    out << "\n";
}

void add_nest(std::ostringstream &out, const NestCode &n) {
    out << n.times.root << ":";
    for (const std::string &m : n.times.members) {
        out << " " << m;
    }
    out << "\n    " << n.policy << "\n";
    add_cycles(out, n);
    for (const KernelCode &k : n.kernels) {
        out << to_text(k);
    }
    if (n.regions.empty()) {
        return;
    }
    out << "    instructions:";
    const char *comma = " ";
    for (const auto &[kind, share] : shares_of(n)) {
        if (share >= 0.005) {
            out << comma << std::lround(100 * share) << " % " << kind_in_words(kind);
            comma = ", ";
        }
    }
    out << "\n";
    double all = 0;
    for (const EmittedRegion &r : n.regions) {
        all += std::max(0.0, model_cycles(r));
    }
    size_t small = 0;
    for (const EmittedRegion &r : n.regions) {
        if (model_cycles(r) >= 0 && model_cycles(r) < least_share * all) {
            small++;
        } else {
            out << "    " << one_line(r, all) << "\n";
        }
    }
    if (small + n.others + n.unknown > 0) {
        out << "    and " << small << " of less than 1 % of these cycles, " << n.others
            << " that only other sizes and cases run, " << n.unknown
            << " of which nobody knows how often they run\n";
    }
    if (const EmittedRegion *const inner = n.inner_loop()) {
        out << "    the inner loop, for " << inner->code.name;
        if (inner->code.cycles >= 0) {
            out << ", " << figures(inner->code.cycles) << (inner->code.cycles == 1 ? " cycle" : " cycles")
                << " a turn, " << figures(inner->code.throughput_cycles) << " if nothing waited for a result";
        }
        out << ":\n";
        for (const std::string &line : inner->code.text) {
            out << "        " << line << "\n";
        }
    }
}

ordered_json to_json(const EmittedRegion &region) {
    const CodeRegion &r = region.code;
    ordered_json mix = ordered_json::object();
    for (const auto &[kind, count] : r.mix) {
        mix[kind] = count;
    }
    const auto number = [](double x) { return x < 0 ? ordered_json() : ordered_json(x); };
    return {{"loop", r.name},
            {"function", r.function},
            {"label", r.label},
            {"innermost", r.innermost},
            {"turns", region.turns},
            {"cycles", number(r.cycles)},
            {"throughput_cycles", number(r.throughput_cycles)},
            {"no_cycles", r.no_cycles},
            {"instructions", r.instructions},
            {"mix", mix},
            {"vector_bits", r.vector_bits},
            {"loads", r.loads},
            {"stores", r.stores},
            {"multiply_adds", r.multiply_adds},
            {"products", r.products},
            {"loads_per_multiply_add",
             r.multiply_adds > 0 ? ordered_json(per_multiply_add(r, r.loads)) : ordered_json()},
            {"stores_per_multiply_add",
             r.multiply_adds > 0 ? ordered_json(per_multiply_add(r, r.stores)) : ordered_json()},
            {"scalar_arithmetic", r.scalar_arithmetic},
            {"lane_moves", r.lane_moves},
            {"spill_stores", r.spill_stores},
            {"spill_loads", r.spill_loads},
            {"spill_bytes", r.spill_bytes},
            {"assembly", r.text}};
}

}  // namespace

ordered_json to_json(const Inspected &i) {
    ordered_json nests = ordered_json::array();
    for (const NestCode &n : i.nests) {
        ordered_json regions = ordered_json::array(), kernels = ordered_json::array(),
                     mix = ordered_json::object();
        for (const KernelCode &k : n.kernels) {
            kernels.push_back(to_json(k));
        }
        for (const EmittedRegion &r : n.regions) {
            regions.push_back(to_json(r));
        }
        for (const auto &[kind, share] : shares_of(n)) {
            mix[kind] = share;
        }
        nests.push_back(
            {{"root", n.times.root},
             {"members", n.times.members},
             {"policy", n.policy},
             {"model_cycles", n.model_cycles >= 0 ? ordered_json(n.model_cycles) : ordered_json()},
             {"no_cycles", n.no_cycles},
             {"price_cycles", n.price_cycles},
             {"predicted_seconds", n.times.predicted_seconds},
             {"measured_cycles", n.measured_cycles ? ordered_json(*n.measured_cycles) : ordered_json()},
             {"seconds", n.measured_cycles ? ordered_json(n.times.seconds) : ordered_json()},
             {"mix", mix},
             {"regions", regions},
             {"kernels", kernels},
             {"other_regions", n.others},
             {"unknown_regions", n.unknown}});
    }
    return {{"name", i.name},
            {"target", i.target},
            {"machine", i.machine},
            {"threads", i.threads},
            {"llvm", i.read.llvm},
            {"cpu", i.read.cpu},
            {"cpu_known", i.read.known},
            {"model", i.read.model},
            {"model_of", i.read.shared},
            {"model_note", of_another_model(i.read)},
            {"architecture", i.architecture},
            {"no_machine_code", i.no_sass},
            {"price_hertz", i.price_hertz},
            {"measured_hertz", i.measured_hertz > 0 ? ordered_json(i.measured_hertz) : ordered_json()},
            {"not_measured", i.not_measured},
            {"nests", nests}};
}

namespace {

void add_head(std::ostringstream &out, const Inspected &i) {
    out << "Code of " << i.name << " for " << i.target;
    if (!i.architecture.empty()) {
        out << ", assembled for " << i.architecture << "\n";
    } else {
        out << ", read by LLVM " << i.read.llvm << "\ncycles by the model of " << i.read.model;
        for (size_t s = 0; s < i.read.shared.size(); s++) {
            out << (s == 0 ? ", which LLVM has for " : ", ") << i.read.shared[s]
                << (s + 1 == i.read.shared.size() ? ", too" : "");
        }
        out << "; the price's at " << gigahertz(i.price_hertz);
        if (i.measured_hertz > 0) {
            out << ", measured ones at " << gigahertz(i.measured_hertz);
        }
        out << "; " << i.threads << (i.threads == 1 ? " thread" : " threads") << "\n";
    }
    for (const std::string &note : {of_another_model(i.read), i.no_sass, i.not_measured}) {
        out << (note.empty() ? "" : note + "\n");
    }
}

}  // namespace

std::string kind_in_words(std::string kind) {
    std::replace(kind.begin(), kind.end(), '_', '-');
    return kind;
}

std::string to_text(const Inspected &i) {
    std::ostringstream out;
    add_head(out, i);
    for (const NestCode &n : i.nests) {
        out << "\n";
        add_nest(out, n);
    }
    return out.str();
}

}  // namespace eutectic
