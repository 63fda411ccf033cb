#include "apps/photo/parameters.h"

#include "base/user_error.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace eutectic::photo {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// The numbers of a tensor of one dim, or a row of one of two.
template<typename Row>
void read_row(const json &list, int count, const std::string &where, const Row &place) {
    if (!list.is_array() || static_cast<int>(list.size()) != count) {
        throw UserError(where + " is a list of " + std::to_string(count) +
                        " numbers; use a file that `photo train` wrote.");
    }
    for (int i = 0; i < count; i++) {
        const json &value = list[static_cast<size_t>(i)];
        const double number = value.is_number() ? value.get<double>() : INFINITY;
        if (!(std::abs(number) <= std::numeric_limits<float>::max())) {
            throw UserError(where + " has " + value.dump(-1, ' ', true, json::error_handler_t::replace) +
                            ", which is no number of 32 bits; use a file that `photo train` wrote.");
        }
        place(i) = static_cast<float>(number);
    }
}

json parse(const std::string &path) {
    std::ifstream file;
    if (std::filesystem::is_regular_file(path)) {
        file.open(path);
    }
    if (!file.is_open()) {
        throw UserError("The parameters '" + path +
                        "' cannot be read; name a file that `photo train` wrote.");
    }
    json made = json::parse(file, nullptr, false);
    if (!made.is_object()) {
        throw UserError("The parameters '" + path +
                        "' are no JSON object; name a file that `photo train` wrote.");
    }
    return made;
}

}  // namespace

Parameters Parameters::identity() {
    Parameters p;
    p.spread.fill(1);
    p.strength.fill(0);
    p.sharpen.fill(0);
    p.coring.fill(1);
    for (int k = 0; k < p.tone.dim(0).extent(); k++) {
        p.tone(k, 0) = static_cast<float>(k) / static_cast<float>(p.tone.dim(0).extent() - 1);
        p.tone(k, 1) = p.tone(k, 2) = 1;
    }
    return p;
}

Parameters Parameters::copied() const {
    return {spread.copy(), strength.copy(), sharpen.copy(), coring.copy(), tone.copy()};
}

ordered_json to_json(const Parameters &parameters) {
    Parameters p = parameters;
    ordered_json made;
    for (const auto &[name, tensor] : p.named()) {
        const auto row = [t = tensor](int from) {
            return std::vector<float>(t->data() + from, t->data() + from + t->dim(0).extent());
        };
        ordered_json list;
        if (tensor->dimensions() == 1) {
            list = row(0);
        } else {
            for (int i = 0; i < tensor->dim(1).extent(); i++) {
                list.push_back(row(i * tensor->dim(1).stride()));
            }
        }
        made[name] = list;
    }
    return made;
}

Parameters read_parameters(const std::string &path) {
    const json made = parse(path);
    Parameters result;
    size_t found = 0;
    for (const auto &[name, tensor] : result.named()) {
        const std::string where = "'" + std::string(name) + "' of the parameters '" + path + "'";
        if (!made.contains(name)) {
            throw UserError(where + " is missing; use a file that `photo train` wrote.");
        }
        found++;
        const json &list = made[name];
        Floats &t = *tensor;
        if (t.dimensions() == 1) {
            read_row(list, t.dim(0).extent(), where, [&t](int i) -> float & { return t(i); });
            continue;
        }
        if (!list.is_array() || static_cast<int>(list.size()) != t.dim(1).extent()) {
            throw UserError(where + " is " + std::to_string(t.dim(1).extent()) +
                            " lists; use a file that `photo train` wrote.");
        }
        for (int row = 0; row < t.dim(1).extent(); row++) {
            read_row(list[static_cast<size_t>(row)], t.dim(0).extent(), "Each of " + where,
                     [&t, row](int i) -> float & { return t(i, row); });
        }
    }
    if (made.size() != found) {
        throw UserError(
            "The parameters '" + path +
            "' have more than photo knows of; use a file that `photo train` of this version wrote.");
    }
    return result;
}

}  // namespace eutectic::photo
