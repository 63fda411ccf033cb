#include "autodiff/residuals/residual.h"

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

std::string residual_table(const std::vector<Residual> &residuals) {
    std::ostringstream out;
    for (const Residual &r : residuals) {
        out << std::left << std::setw(28) << r.name << std::setw(9) << r.type << std::setw(14) << shape_text(r.shape) << std::right
            << std::setw(12) << r.bytes << " bytes  " << r.kind << "\n";
    }
    out << std::left << std::setw(51) << "total" << std::right << std::setw(12) << total_bytes(residuals) << " bytes\n";
    return out.str();
}

std::string residual_json(const std::vector<Residual> &residuals) {
    nlohmann::ordered_json json;
    json["residuals"] = nlohmann::ordered_json::array();
    for (const Residual &r : residuals) {
        nlohmann::ordered_json entry;
        entry["name"] = r.name;
        entry["type"] = r.type;
        entry["shape"] = r.shape;
        if (!r.extents.empty()) {
            entry["extents"] = r.extents;
        }
        entry["bytes"] = r.bytes;
        entry["kind"] = r.kind;
        json["residuals"].push_back(entry);
    }
    json["total_bytes"] = total_bytes(residuals);
    return json.dump(2) + "\n";
}

}  // namespace eutectic
