#include "apps/eutectic/graph_file.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "base/user_error.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

class GraphFileReader {
public:
    explicit GraphFileReader(const std::string &path) : path_(path) {
    }

    GraphFile read() const {
        std::ifstream file(path_);
        if (!file) {
            throw UserError("The graph " + path_ + " cannot be read: give a file of JSON.");
        }
        const ordered_json told = ordered_json::parse(file, nullptr, false);
        if (told.is_discarded() || !told.is_object()) {
            refuse("is no JSON object", "write {\"nodes\": {…}, \"bind\": {…}}");
        }
        check_keys(told, "it", {"nodes", "bind", "inputs", "outputs"});
        GraphFile graph;
        const ordered_json nodes = object(told, "nodes"), bind = object(told, "bind");
        for (const auto &[name, node] : nodes.items()) {
            graph.nodes.push_back(read_node(name, node));
        }
        if (graph.nodes.empty()) {
            refuse("has no nodes", "name a generator in \"nodes\"");
        }
        for (const auto &[input, source] : bind.items()) {
            if (!source.is_string() && !source.is_number()) {
                refuse("binds " + input + " to " + source.dump(),
                       "give an output or input such as \"loss.d_w1\", or a number");
            }
            graph.bindings.push_back(
                {input, source.is_string() ? source.get<std::string>() : "",
                 source.is_number() ? std::optional(source.get<double>()) : std::nullopt});
        }
        graph.inputs = names(told, "inputs", "it");
        graph.outputs = names(told, "outputs", "it");
        return graph;
    }

private:
    [[noreturn]] void refuse(const std::string &what, const std::string &remedy) const {
        throw UserError("The graph " + path_ + " " + what + ": " + remedy + ".");
    }

    void check_keys(const ordered_json &of, const std::string &what,
                    const std::vector<std::string> &known) const {
        for (const auto &[key, value] : of.items()) {
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                refuse("says \"" + key + "\" of " + what + ", which is not known",
                       nearest_or(key, known, "leave it out"));
            }
        }
    }

    ordered_json object(const ordered_json &of, const char *key) const {
        const ordered_json value = of.value(key, ordered_json::object());
        if (!value.is_object()) {
            refuse(std::string("has \"") + key + "\" that is no object", "write {\"NAME\": …}");
        }
        return value;
    }

    std::vector<std::string> names(const ordered_json &of, const char *key, const std::string &what) const {
        const ordered_json value = of.value(key, ordered_json::array());
        const bool is_list = value.is_array() && std::all_of(value.begin(), value.end(),
                                                             [](const auto &v) { return v.is_string(); });
        if (!is_list) {
            refuse(std::string("has \"") + key + "\" of " + what + " that is no list of names",
                   "write [\"NAME\", …]");
        }
        return value.get<std::vector<std::string>>();
    }

    GraphNode read_node(const std::string &name, const ordered_json &node) const {
        if (!node.is_object() || !node.contains("generator") || !node["generator"].is_string()) {
            refuse("has a node " + name + " without a generator",
                   "write {\"generator\": \"NAME\", \"params\": {…}}");
        }
        // It begins names of arguments and of Funcs, to which points and $ have a meaning.
        const auto is_of_words = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
        if (name.empty() || !std::all_of(name.begin(), name.end(), is_of_words)) {
            refuse("has a node called \"" + name + "\"", "give it a name of letters, digits and _");
        }
        check_keys(node, "the node " + name, {"generator", "params", "gradient"});
        GraphNode read{name, node["generator"], {}, names(node, "gradient", "the node " + name)};
        const ordered_json params = object(node, "params");
        for (const auto &[key, value] : params.items()) {
            read.parameters.push_back(key + "=" +
                                      (value.is_string() ? value.get<std::string>() : value.dump()));
        }
        if (node.contains("gradient") && read.gradient.empty()) {
            refuse("has a node " + name + " with a gradient by nothing", "name inputs, or leave it out");
        }
        return read;
    }

    const std::string path_;
};

}  // namespace

GraphFile read_graph_file(const std::string &path) {
    return GraphFileReader(path).read();
}

}  // namespace eutectic
