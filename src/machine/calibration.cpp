#include "machine/calibration.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/user_error.h"

namespace eutectic {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const char *const format_name = "eutectic machine 1";
const char *const again = "write it anew with scripts/calibrate";

std::string short_number(double value) {
    std::ostringstream s;
    s << value;
    return s.str();
}

/** Reads one file; every refusal names it. */
class Reader {
public:
    explicit Reader(std::string file) : file_(std::move(file)) {
    }

    Calibration read(const std::string &text) {
        const json root = json::parse(text, nullptr, false);
        if (root.is_discarded() || !root.is_object()) {
            refuse("is not a JSON object: " + std::string(again));
        }
        if (member(root, "format") != format_name) {
            refuse("has the format " + root.at("format").dump() + ", and \"" + format_name +
                   "\" is read: " + again);
        }
        only_known(
            root, {"format", "name", "target", "processor", "date", "seconds", "values", "libraries", "also"},
            "");
        out_.machine.name = text_of(root, "name");
        out_.target = text_of(root, "target");
        out_.processor = text_of(root, "processor");
        out_.date = text_of(root, "date");
        out_.seconds = number(member(root, "seconds"), "seconds", 0, 1e9, "s");
        read_values(member(root, "values"));
        if (root.contains("libraries")) {
            read_libraries(root.at("libraries"));
        }
        if (root.contains("also")) {
            read_also(root.at("also"));
        }
        return out_;
    }

private:
    std::string file_;
    Calibration out_;

    [[noreturn]] void refuse(const std::string &what) const {
        throw UserError("The machine file " + file_ + " " + what + ".");
    }

    const json &member(const json &object, const std::string &key, const std::string &in = "") const {
        if (!object.contains(key)) {
            refuse("lacks the key \"" + in + key + "\": " + again);
        }
        return object.at(key);
    }

    void only_known(const json &object, const std::vector<std::string> &known, const std::string &in) const {
        for (const auto &[key, value] : object.items()) {
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                refuse("has the unknown key \"" + in + key + "\": remove it, or " + again);
            }
        }
    }

    std::string text_of(const json &object, const std::string &key) const {
        const json &value = member(object, key);
        if (!value.is_string()) {
            refuse("gives \"" + key + "\" as " + value.dump() + ", which is not text: put it in quotes, or " +
                   again);
        }
        return value.get<std::string>();
    }

    double number(const json &value, const std::string &key, double low, double high, const std::string &unit,
                  bool whole = false) const {
        const std::string good = std::string("give a ") + (whole ? "whole " : "") + "number from " +
                                 short_number(low) + " to " + short_number(high) + " (" + unit + ")";
        if (!value.is_number()) {
            refuse("gives \"" + key + "\" as " + value.dump() + ", which is not a number: " + good);
        }
        const double n = value.get<double>();
        if (!(n >= low && n <= high) || (whole && n != std::floor(n))) {
            refuse("gives \"" + key + "\" as " + value.dump() + ", which is out of range: " + good);
        }
        return n;
    }

    void read_values(const json &values) {
        if (!values.is_object()) {
            refuse("gives \"values\" as something else than an object: " + std::string(again));
        }
        std::vector<std::string> known;
        for (const MachineField &f : machine_fields()) {
            known.emplace_back(f.key);
        }
        only_known(values, known, "values.");
        for (const MachineField &f : machine_fields()) {
            const std::string key = std::string("values.") + f.key;
            const json &entry = member(values, f.key, "values.");
            if (!entry.is_object()) {
                refuse("gives \"" + key + "\" as " + entry.dump() +
                       ", and an object with value, unit and origin is read: " + again);
            }
            only_known(entry, {"value", "unit", "origin", "spread"}, key + ".");
            if (member(entry, "unit", key + ".") != f.unit) {
                refuse("gives \"" + key + ".unit\" as " + entry.at("unit").dump() + ", and the unit is \"" +
                       f.unit + "\": convert the value, or " + again);
            }
            f.set(out_.machine,
                  number(member(entry, "value", key + "."), key + ".value", f.low, f.high, f.unit, f.whole));
            out_.origins[f.key] = origin(member(entry, "origin", key + "."), key + ".origin");
            if (entry.contains("spread")) {
                out_.spreads[f.key] = number(entry.at("spread"), key + ".spread", 0, 1e9, "of the value");
            }
        }
    }

    Origin origin(const json &value, const std::string &key) const {
        for (const Origin o :
             {Origin::system, Origin::target, Origin::measured, Origin::fitted, Origin::preset}) {
            if (value == to_string(o)) {
                return o;
            }
        }
        refuse("gives \"" + key + "\" as " + value.dump() +
               ": give \"system\", \"target\", \"measured\", \"fitted\" or \"preset\"");
    }

    void read_libraries(const json &all) {
        if (!all.is_object()) {
            refuse("gives \"libraries\" as something else than an object: remove it, or " +
                   std::string(again));
        }
        std::vector<std::string> names;
        for (const Library library : eutectic::libraries()) {
            names.emplace_back(to_string(library));
        }
        only_known(all, names, "libraries.");
        for (const auto &item : all.items()) {
            const std::string &name = item.key();
            const json &entry = item.value();
            const std::string in = "libraries." + name + ".";
            if (!entry.is_object()) {
                refuse(
                    "gives \"libraries." + name + "\" as " + entry.dump() +
                    ", and an object with peak_share, bytes_per_second and call_seconds is read: " + again);
            }
            only_known(entry, {"peak_share", "bytes_per_second", "call_seconds"}, in);
            const auto rate = [&](const char *key, double low, double high, const char *unit) {
                return number(member(entry, key, in), in + key, low, high, unit);
            };
            out_.libraries.push_back(
                {library_named(name), rate("peak_share", 1e-3, 2, "of the multiply-adds"),
                 rate("bytes_per_second", 1e6, 1e15, "B/s"), rate("call_seconds", 0, 1, "s")});
        }
    }

    void read_also(const json &also) {
        if (!also.is_object()) {
            refuse("gives \"also\" as something else than an object: remove it, or " + std::string(again));
        }
        for (const auto &[key, entry] : also.items()) {
            const std::string in = "also." + key;
            if (!entry.is_object() || !entry.contains("unit") || !entry.at("unit").is_string()) {
                refuse("gives \"" + in + "\" as " + entry.dump() +
                       ", and an object with value and unit is read: remove it, or " + again);
            }
            out_.also.push_back({key, entry.at("unit").get<std::string>(),
                                 number(member(entry, "value", in + "."), in + ".value", -1e300, 1e300,
                                        entry.at("unit").get<std::string>())});
        }
    }
};

/** What is said of the times of probes needs no more digits than this. */
double rounded(double value) {
    std::ostringstream s;
    s.precision(4);
    s << value;
    return std::stod(s.str());
}

}  // namespace

std::string to_json(const Calibration &c) {
    ordered_json values = ordered_json::object(), also = ordered_json::object();
    for (const MachineField &f : machine_fields()) {
        const double value = f.get(c.machine);
        ordered_json entry = {
            {"value", f.whole ? ordered_json(static_cast<int64_t>(value)) : ordered_json(rounded(value))},
            {"unit", f.unit}};
        const auto origin = c.origins.find(f.key);
        entry["origin"] = to_string(origin == c.origins.end() ? Origin::preset : origin->second);
        if (const auto spread = c.spreads.find(f.key); spread != c.spreads.end()) {
            entry["spread"] = rounded(std::max(0.0, spread->second));
        }
        values[f.key] = entry;
    }
    for (const Rate &r : c.also) {
        also[r.key] = {{"value", rounded(r.value)}, {"unit", r.unit}};
    }
    ordered_json root = {{"format", format_name}, {"name", c.machine.name},
                         {"target", c.target},    {"processor", c.processor},
                         {"date", c.date},        {"seconds", rounded(c.seconds)},
                         {"values", values}};
    for (const LibraryRates &l : c.libraries) {
        root["libraries"][to_string(l.library)] = {{"peak_share", rounded(l.peak_share)},
                                                   {"bytes_per_second", rounded(l.bytes_per_second)},
                                                   {"call_seconds", rounded(l.call_seconds)}};
    }
    root["also"] = also;
    return root.dump(2) + "\n";
}

Calibration parse_calibration(const std::string &text, const std::string &file) {
    return Reader(file).read(text);
}

Calibration read_calibration(const std::string &file) {
    std::ifstream stream(file);
    std::ostringstream text;
    if (!(text << stream.rdbuf())) {
        throw UserError("The machine file " + file +
                        " cannot be read: give the path of a file that scripts/calibrate wrote.");
    }
    return parse_calibration(text.str(), file);
}

LibraryRates library_rates(const std::string &file, Library library) {
    for (const LibraryRates &rates : read_calibration(file).libraries) {
        if (rates.library == library) {
            return rates;
        }
    }
    return preset_rates(library);
}

Machine machine_from_file(const std::string &file, const TargetDescription &target, int parallelism) {
    Machine m = read_calibration(file).machine;
    if (m.vector_bits != target.vector_bits) {
        throw UserError("The machine file " + file + " was measured with vectors of " +
                        std::to_string(m.vector_bits) + " bits, and those of the target have " +
                        std::to_string(target.vector_bits) +
                        ": give scripts/calibrate the target, or use another file.");
    }
    m.dots = target.dots;
    if (parallelism > 0 && parallelism < m.cores) {
        const double lone = m.lone_core_share * m.memory_bytes_per_second;
        m.l3.bytes = static_cast<Bytes>(static_cast<double>(m.l3.bytes) * m.cores /
                                        parallelism);  // those who do not run leave their share
        m.cores = parallelism;
        m.memory_bytes_per_second = std::min(m.memory_bytes_per_second, lone * parallelism);
        m.lone_core_share = lone / m.memory_bytes_per_second;
    }
    return m;
}

}  // namespace eutectic
