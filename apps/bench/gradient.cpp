#include "apps/bench/gradient.h"

#include "base/units.h"
#include "machine/machine.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace eutectic::bench {

namespace {

using nlohmann::json;

/// The preset of a report's target: how long a division takes beside a multiplication.
Machine preset_of(const std::string &target) {
    TargetDescription description;
    const auto has = [&](const char *feature) { return target.find(feature) != std::string::npos; };
    description.vector_bits = has("avx512") ? 512 : (has("avx2") ? 256 : 128);
    description.fused_multiply_add = has("fma");
    return machine_from_target(description, 1);
}

double operations_of(const json &report) {
    const Machine machine = preset_of(report.at("target"));
    double sum = 0;
    for (const json &func : report.at("operations")) {
        const double cycles = func.at("divisions").get<double>() * machine.division_cycles +
                              func.at("transcendentals").get<double>() * machine.exp_cycles;
        sum += func.at("flops").get<double>() + cycles * machine.vector_ops_per_cycle;
    }
    return sum;
}

std::optional<HalfFigures> read_half(const std::string &kernel, const json &measured) {
    std::ifstream report_file(kernel + ".report.json"), seconds_file(kernel + ".seconds"),
        differentiate_file(kernel + ".differentiate");
    const json report = json::parse(report_file, nullptr, false);
    HalfFigures half;
    if (report.is_discarded() || !(seconds_file >> half.compile_seconds) ||
        !(differentiate_file >> half.differentiate_seconds)) {
        return std::nullopt;
    }
    half.operations = operations_of(report);
    half.seconds = measured.at("seconds");
    half.bytes = measured.at("bytes");
    return half;
}

double seconds_of_bytes(const GradientFigures &f) {
    return f.bytes_per_second ? f.backward.bytes / *f.bytes_per_second : 0;
}

double seconds_of_operations(const GradientFigures &f) {
    return f.forward.operations > 0 ? f.backward.operations * f.forward.seconds / f.forward.operations : 0;
}

}  // namespace

double GradientFigures::least_seconds() const {
    return std::max(seconds_of_bytes(*this), seconds_of_operations(*this));
}

const char *GradientFigures::bound_by() const {
    return seconds_of_bytes(*this) > seconds_of_operations(*this) ? "bytes" : "operations";
}

double GradientFigures::to_bound() const {
    return backward.seconds / least_seconds();
}

double GradientFigures::to_forward() const {
    return backward.seconds / forward.seconds;
}

json to_json(const GradientFigures &f) {
    return {{"forward_seconds", f.forward.seconds},
            {"backward_seconds", f.backward.seconds},
            {"backward_to_forward", f.to_forward()},
            {"backward_bytes", f.backward.bytes},
            {"bytes_per_second", f.bytes_per_second ? json(*f.bytes_per_second) : json()},
            {"forward_operations", f.forward.operations},
            {"backward_operations", f.backward.operations},
            {"least_seconds", f.least_seconds()},
            {"bound_by", f.bound_by()},
            {"backward_to_bound", f.to_bound()},
            {"residual_bytes", f.residual_bytes},
            {"differentiate_seconds", f.forward.differentiate_seconds + f.backward.differentiate_seconds},
            {"compile_seconds", f.forward.compile_seconds + f.backward.compile_seconds}};
}

std::string to_text(const GradientFigures &f) {
    char line[300];
    std::snprintf(line, sizeof line,
                  "forward %s, backward %s: %.2f times as long, %.2f of the least by its %s; keeps %s; "
                  "differentiated in %s, compiled in %s",
                  format_seconds(f.forward.seconds).c_str(), format_seconds(f.backward.seconds).c_str(),
                  f.to_forward(), f.to_bound(), f.bound_by(),
                  format_bytes(static_cast<Bytes>(f.residual_bytes)).c_str(),
                  format_seconds(f.forward.differentiate_seconds + f.backward.differentiate_seconds).c_str(),
                  format_seconds(f.forward.compile_seconds + f.backward.compile_seconds).c_str());
    return line;
}

std::optional<GradientFigures> read_figures(const std::string &folder, const json &measured) {
    const auto forward = read_half(folder + "/kernel_0", measured.at(0)),
               backward = read_half(folder + "/kernel_1", measured.at(1));
    if (!forward || !backward) {
        return std::nullopt;
    }
    std::ifstream file(folder + "/kernel_0.report.json");
    GradientFigures figures{*forward, *backward, json::parse(file).value("total_residual_bytes", 0.0),
                            std::nullopt};
    return figures;
}

}  // namespace eutectic::bench
