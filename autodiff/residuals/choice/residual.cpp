#include "autodiff/residuals/choice/residual.h"

#include "base/units.h"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <sstream>

namespace eutectic {

namespace {

std::string shape_text(const std::vector<std::int64_t> &shape) {
    std::string text;
    for (const std::int64_t extent : shape) {
        text += (text.empty() ? "" : "x") + std::to_string(extent);
    }
    return text.empty() ? "scalar" : text;
}

}  // namespace

std::int64_t total_bytes(const std::vector<Residual> &residuals) {
    std::int64_t total = 0;
    for (const Residual &r : residuals) {
        total += r.bytes;
    }
    return total;
}

std::string residual_table(const ResidualReport &report) {
    std::ostringstream out;
    const auto reasons = [&](const Residual &r) {
        out << std::left << std::setw(11) << r.kind << std::right << std::setw(9) << format_seconds(r.seconds)
            << "  " << r.reason << "\n";
        for (const std::string &sentence : r.refused) {
            out << "    not: " << sentence << "\n";
        }
    };
    for (const Residual &r : report.kept) {
        out << std::left << std::setw(28) << r.name << std::setw(9) << r.type << std::setw(14)
            << shape_text(r.shape) << std::right << std::setw(12) << r.bytes << " bytes  ";
        reasons(r);
    }
    for (const Residual &r : report.others) {
        out << std::left << std::setw(51) << r.name << std::right << std::setw(12) << 0 << " bytes  ";
        reasons(r);
    }
    out << std::left << std::setw(51) << "total" << std::right << std::setw(12) << total_bytes(report.kept)
        << " bytes\n";
    return out.str();
}

std::string residual_json(const ResidualReport &report) {
    nlohmann::ordered_json json;
    json["residuals"] = nlohmann::ordered_json::array();
    for (const Residual &r : report.kept) {
        nlohmann::ordered_json entry;
        entry["name"] = r.name;
        entry["type"] = r.type;
        entry["shape"] = r.shape;
        if (!r.extents.empty()) {
            entry["extents"] = r.extents;
        }
        entry["bytes"] = r.bytes;
        entry["kind"] = r.kind;
        entry["seconds"] = r.seconds;
        entry["reason"] = r.reason;
        entry["refused"] = r.refused;
        json["residuals"].push_back(entry);
    }
    json["total_bytes"] = total_bytes(report.kept);
    json["without_residual"] = nlohmann::ordered_json::array();
    for (const Residual &r : report.others) {
        json["without_residual"].push_back({{"name", r.name},
                                            {"kind", r.kind},
                                            {"seconds", r.seconds},
                                            {"reason", r.reason},
                                            {"refused", r.refused}});
    }
    json["temporary_bytes"] = report.scratch;
    return json.dump(2) + "\n";
}

}  // namespace eutectic
