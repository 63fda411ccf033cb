#include "schedules/hlpipe/sidecar.h"

#include <set>

#include <nlohmann/json.hpp>

#include "base/user_error.h"

namespace eutectic {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

ordered_json dimension_json(const DimensionRecord &d) {
    ordered_json j = ordered_json::object();
    if (!d.min_estimate.is_null() || !d.extent_estimate.is_null()) {
        j["estimate"] = {d.min_estimate, d.extent_estimate};
    }
    if (!d.min.is_null()) {
        j["min"] = d.min;
    }
    if (!d.extent.is_null()) {
        j["extent"] = d.extent;
    }
    if (d.stride != "") {  // NOLINT(readability-container-size-empty): JSON
        j["stride"] = d.stride;
    }
    return j;
}

ordered_json argument_json(const ArgumentRecord &a) {
    ordered_json j = {{"name", a.name}};
    if (!a.parameter.empty() && a.parameter != a.name) {
        j["parameter"] = a.parameter;
    }
    j["type"] = a.type;
    if (a.buffer) {
        j["dimensions"] = ordered_json::array();
        for (const DimensionRecord &d : a.dimensions) {
            j["dimensions"].push_back(dimension_json(d));
        }
        if (a.host_alignment > 0) {
            j["host_alignment"] = a.host_alignment;
        }
        return j;
    }
    const std::pair<const char *, const json &> values[] = {
        {"estimate", a.estimate}, {"default", a.default_value}, {"min", a.min}, {"max", a.max}};
    for (const auto &[key, value] : values) {
        if (!value.is_null()) {
            j[key] = value;
        }
    }
    return j;
}

/** Reads with the place at hand, so that every refusal names it. */
class Reader {
public:
    explicit Reader(const std::string &file) : file_(file) {
    }

    Sidecar read(const json &j) const {
        only(j, "", {"format", "function", "ordered", "inputs", "outputs", "residuals"});
        if (j.value("format", json()) != 1) {
            refuse("has no \"format\": 1", "");
        }
        Sidecar s;
        s.function = text(j, "function", "", false);
        const json ordered = j.value("ordered", json(false));
        if (!ordered.is_boolean()) {
            refuse("has an \"ordered\" that is neither true nor false", "");
        }
        s.ordered = ordered.get<bool>();
        s.inputs = arguments(j, "inputs");
        s.outputs = arguments(j, "outputs");
        s.residuals = j.value("residuals", json());
        return s;
    }

    [[noreturn]] void refuse(const std::string &what, const std::string &where) const {
        throw UserError("The arguments file " + file_ + " " + what + (where.empty() ? "" : " in " + where) +
                        ": docs/eutectic.md describes it; the command writes one with --save.");
    }

private:
    const std::string &file_;

    void only(const json &j, const std::string &where, const std::set<std::string> &keys) const {
        if (!j.is_object()) {
            refuse("has something else where an object belongs", where);
        }
        for (const auto &[key, value] : j.items()) {
            if (!keys.count(key)) {
                refuse("has the unknown key \"" + key + "\"", where);
            }
        }
    }

    std::string text(const json &j, const char *key, const std::string &where, bool needed) const {
        const json value = j.value(key, json(""));
        if (!value.is_string() || (needed && value.get_ref<const std::string &>().empty())) {
            refuse(std::string("has no text as \"") + key + "\"", where);
        }
        return value.get<std::string>();
    }

    json number(const json &j, const char *key, const std::string &where) const {
        const json value = j.value(key, json());
        if (!value.is_null() && !value.is_number() && !value.is_boolean()) {
            refuse(std::string("has no number as \"") + key + "\"", where);
        }
        return value;
    }

    /** A whole number, null, or a text of sizes. */
    void term(const json &value, const char *key, const std::string &where) const {
        if (!value.is_null() && !value.is_number_integer() && !value.is_string()) {
            refuse(std::string("has neither a whole number nor a text as \"") + key + "\"", where);
        }
    }

    DimensionRecord dimension(const json &j, const std::string &where) const {
        only(j, where, {"estimate", "min", "extent", "stride"});
        DimensionRecord d;
        const json estimate = j.value("estimate", json({json(), json()}));
        if (!estimate.is_array() || estimate.size() != 2) {
            refuse("has an \"estimate\" that is not [min, extent]", where);
        }
        for (const json &e : estimate) {
            if (!e.is_null() && !e.is_number_integer()) {
                refuse("has an \"estimate\" that is not of whole numbers", where);
            }
        }
        d.min_estimate = estimate[0];
        d.extent_estimate = estimate[1];
        d.min = j.value("min", json());
        d.extent = j.value("extent", json());
        d.stride = j.value("stride", json(""));
        term(d.min, "min", where);
        term(d.extent, "extent", where);
        term(d.stride, "stride", where);
        return d;
    }

    ArgumentRecord argument(const json &j, const std::string &where) const {
        only(j, where,
             {"name", "parameter", "type", "dimensions", "host_alignment", "estimate", "default", "min",
              "max"});
        ArgumentRecord a;
        a.name = text(j, "name", where, true);
        const std::string here = where + " (" + a.name + ")";
        a.parameter = text(j, "parameter", here, false);
        a.type = text(j, "type", here, true);
        a.buffer = j.contains("dimensions");
        if (a.buffer && !j["dimensions"].is_array()) {
            refuse("has \"dimensions\" that are no list", here);
        }
        for (size_t d = 0; a.buffer && d < j["dimensions"].size(); d++) {
            a.dimensions.push_back(dimension(j["dimensions"][d], here + ", dimension " + std::to_string(d)));
        }
        const json alignment = number(j, "host_alignment", here);
        a.host_alignment = alignment.is_number_integer() ? alignment.get<int>() : 0;
        a.estimate = number(j, "estimate", here);
        a.default_value = number(j, "default", here);
        a.min = number(j, "min", here);
        a.max = number(j, "max", here);
        return a;
    }

    std::vector<ArgumentRecord> arguments(const json &j, const char *key) const {
        const json list = j.value(key, json::array());
        if (!list.is_array()) {
            refuse(std::string("has \"") + key + "\" that are no list", "");
        }
        std::vector<ArgumentRecord> result;
        for (size_t i = 0; i < list.size(); i++) {
            result.push_back(argument(list[i], std::string(key) + "[" + std::to_string(i) + "]"));
        }
        return result;
    }
};

}  // namespace

std::string to_json(const Sidecar &s) {
    const auto list = [](const std::vector<ArgumentRecord> &arguments) {
        std::string text;
        for (const ArgumentRecord &a : arguments) {
            text += (text.empty() ? "\n    " : ",\n    ") + argument_json(a).dump();
        }
        return "[" + text + (text.empty() ? "]" : "\n  ]");
    };
    return "{\n  \"format\": 1,\n  \"function\": " + json(s.function).dump() +
           ",\n  \"ordered\": " + (s.ordered ? "true" : "false") + ",\n  \"inputs\": " + list(s.inputs) +
           ",\n  \"outputs\": " + list(s.outputs) +
           (s.residuals.is_null() ? "" : ",\n  \"residuals\": " + s.residuals.dump()) + "\n}\n";
}

Sidecar parse_sidecar(const std::string &text, const std::string &file) {
    const Reader reader(file);
    const json j = json::parse(text, nullptr, false);
    if (j.is_discarded()) {
        reader.refuse("is not JSON", "");
    }
    return reader.read(j);
}

std::string sidecar_path(const std::string &pipeline_file) {
    const std::string extension = ".hlpipe";
    const size_t stem = pipeline_file.size() - std::min(pipeline_file.size(), extension.size());
    const bool named_so = pipeline_file.compare(stem, std::string::npos, extension) == 0;
    return (named_so ? pipeline_file.substr(0, stem) : pipeline_file) + ".args.json";
}

}  // namespace eutectic
