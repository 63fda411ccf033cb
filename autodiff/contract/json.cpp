#include "autodiff/contract/json.h"

#include "autodiff/contract/hash.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace eutectic {

using nlohmann::ordered_json;

namespace {

std::vector<std::string> names_of(const std::vector<ContractArgument> &arguments) {
    std::vector<std::string> names;
    for (const ContractArgument &a : arguments) {
        names.push_back(a.name);
    }
    return names;
}

std::string type_text(const Halide::Type &type) {
    std::ostringstream out;
    out << type;
    return type.is_bool() ? "bool" : out.str();
}

ordered_json argument_json(const std::string &name, const Halide::Type &type, bool is_buffer,
                           int dimensions) {
    ordered_json json = {{"name", name}, {"type", type_text(type)}};
    if (is_buffer) {
        json["dimensions"] = dimensions;
    }
    return json;
}

/** The arguments of both functions, each once: the forward's, what is kept, then what only the backward has.
 */
ordered_json arguments_json(const Contract &contract) {
    ordered_json arguments = ordered_json::array();
    std::set<std::string> known;
    const auto add = [&](const ContractArgument &a) {
        if (known.insert(a.name).second) {
            arguments.push_back(argument_json(a.name, a.type, a.is_buffer, a.dimensions));
        }
    };
    std::for_each(contract.forward.begin(), contract.forward.end(), add);
    for (const ContractResidual &r : contract.residuals) {
        add({r.info.name, r.type, static_cast<int>(r.region.size()), true, true});
    }
    std::for_each(contract.backward.begin(), contract.backward.end(), add);
    return arguments;
}

/** Arguments of the backward that may be null. */
std::vector<std::string> unread(const Contract &contract) {
    std::vector<std::string> names;
    for (const ContractArgument &a : contract.backward) {
        if (!a.is_read) {
            names.push_back(a.name);
        }
    }
    return names;
}

ordered_json outputs_json(const Contract &contract) {
    ordered_json outputs = ordered_json::array();
    for (const ContractOutput &o : contract.outputs) {
        outputs.push_back({{"name", o.name}, {"extents", o.extents}, {"differentiated", o.differentiated}});
    }
    return outputs;
}

}  // namespace

std::string contract_json(const Contract &contract, const ResidualReport &residuals, const std::string &pair,
                          const std::vector<std::string> &files) {
    ordered_json json = {{"version", 1},
                         {"pair", pair},
                         {"contract", contract_hash(contract)},
                         {"files", files},
                         {"forward", names_of(contract.forward)},
                         {"backward", names_of(contract.backward)},
                         {"unread", unread(contract)},
                         {"accumulates", contract.accumulates},
                         {"arguments", arguments_json(contract)},
                         {"inputs", ordered_json::array()},
                         {"outputs", outputs_json(contract)},
                         {"gradients", ordered_json::array()}};
    for (const ContractResidual &r : contract.residuals) {
        json["forward"].push_back(r.info.name);
    }
    for (const ContractArgument &a : contract.forward) {
        if (!a.is_output) {
            json["inputs"].push_back(a.name);
        }
    }
    for (const ContractArgument &a : contract.backward) {
        if (a.is_output) {
            json["gradients"].push_back(a.name.substr(std::string("d_").size()));
        }
    }
    json.update(ordered_json::parse(residual_json(residuals)));
    for (size_t i = 0; i < contract.residuals.size(); i++) {
        json["residuals"][i]["mins"] = mins_of(contract.residuals[i].in_inputs);
    }
    return json.dump(2) + "\n";
}

}  // namespace eutectic
