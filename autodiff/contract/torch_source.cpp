#include "autodiff/contract/torch_source.h"

#include "base/regex.h"
#include "base/user_error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace eutectic {

using nlohmann::json;

namespace {

const std::map<std::string, std::string> scalar_types = {
    {"bool", "Bool"},     {"uint8", "Byte"},   {"uint16", "UInt16"},     {"uint32", "UInt32"},
    {"uint64", "UInt64"}, {"int8", "Char"},    {"int16", "Short"},       {"int32", "Int"},
    {"int64", "Long"},    {"float16", "Half"}, {"bfloat16", "BFloat16"}, {"float32", "Float"},
    {"float64", "Double"}};

class Writer {
public:
    Writer(const json &report, const std::string &path, const std::string &name)
        : report_(report), path_(path), name_(name) {
    }

    TorchSource source() {
        const std::string pair = report_.at("pair");
        if (report_.at("version") != 1) {
            refuse("has a report of version " + report_.at("version").dump() +
                   ", and this Eutectic reads 1: build both with one version");
        }
        if (report_.at("accumulates")) {
            refuse("adds gradients to what their buffers hold, which PyTorch does itself: compile it without "
                   "ACCUMULATE");
        }
        if (pair.find("::") != std::string::npos) {
            refuse("is in a namespace of C++, " + pair +
                   ", whose functions cannot be looked up by name: compile it without one");
        }
        const std::string arguments = this->arguments();
        for (const json &name : report_.at("inputs")) {
            known_.insert(name);
        }
        const std::string outputs = made("outputs"), residuals = made("residuals");
        TorchSource source{pair, "", {"eutectic::" + (name_.empty() ? pair : name_)}};
        source.operations.push_back(source.operations.front() + "_forward");
        source.operations.push_back(source.operations.front() + "_backward");
        source.text = "// The pair " + pair +
                      " as operations of PyTorch. Written by eutectic torch, of its report.\n"
                      "#include \"pytorch/operation.h\"\n\nextern \"C\" {\nint " +
                      pair + "_forward_argv(void **arguments);\nint " + pair +
                      "_backward_argv(void **arguments);\nconst halide_filter_metadata_t *" + pair +
                      "_forward_metadata();\nconst halide_filter_metadata_t *" + pair +
                      "_backward_metadata();\n}\n\nnamespace {\n\n"
                      "using namespace eutectic::pytorch;\n\nPair pair() {\n    return {\n        \"" +
                      (name_.empty() ? pair : name_) + "\",\n        " + pair + "_forward_argv,\n        " +
                      pair + "_backward_argv,\n        " + pair + "_forward_metadata,\n        " + pair +
                      "_backward_metadata,\n        {\n" + arguments + "        },\n        " +
                      names("forward") + ",\n        " + names("backward") + ",\n        " + names("unread") +
                      ",\n        " + names("inputs") + ",\n        {\n" + outputs +
                      "        },\n        {\n" + residuals + "        },\n        " + names("gradients") +
                      ",\n    };\n}\n\n}  // namespace\n\n"
                      "TORCH_LIBRARY_FRAGMENT(eutectic, library) {\n    register_pair(library, pair());\n}\n";
        return source;
    }

private:
    [[noreturn]] void refuse(const std::string &what) const {
        throw UserError("The pair of " + path_ + " " + what + ".");
    }

    bool among(const char *key, const std::string &name) const {
        const json &names = report_.at(key);
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    std::string names(const char *key) const {
        std::string text;
        for (const json &name : report_.at(key)) {
            text += (text.empty() ? "" : ", ") + name.dump();
        }
        return "{" + text + "}";
    }

    std::string arguments() const {
        std::string text;
        bool has_tensor = false;
        for (const json &a : report_.at("arguments")) {
            const std::string name = a.at("name"), type = a.at("type");
            const bool is_number = !a.contains("dimensions");
            const auto scalar = scalar_types.find(type);
            // No kernel takes a number of half the width.
            if (scalar == scalar_types.end() || (is_number && type.find("float16") != std::string::npos)) {
                refuse("takes " + name + " as " + type +
                       ", which PyTorch does not have: compute with another type");
            }
            has_tensor = has_tensor || (among("inputs", name) && (!is_number || among("gradients", name)));
            text += "            {\"" + name + "\", c10::ScalarType::" + scalar->second + ", " +
                    (is_number ? "is_number" : a.at("dimensions").dump()) + "},\n";
        }
        if (!has_tensor) {
            refuse("takes no tensor, so that there is nothing to dispatch an operation by: give it an input "
                   "that is a buffer");
        }
        return text;
    }

    std::string made(const char *key) {
        std::string text;
        for (const json &of : report_.at(key)) {
            const std::string name = of.at("name");
            const std::string extents = sizes(name, of.value("extents", json::array()));
            known_.insert(name);  // what is kept may have the sizes of an output
            const std::string mins = of.contains("mins") ? sizes(name, of.at("mins")) : "nullptr";
            text += "            {\"" + name + "\",\n             " + extents + ",\n             " + mins +
                    ",\n             " + (of.value("differentiated", false) ? "true" : "false") + "},\n";
        }
        return text;
    }

    /** Texts such as "(w.extent(0) - 1) / 8 + 1" as a function of what is known. */
    std::string sizes(const std::string &of, const json &texts) const {
        static const Regex token(R"(([\w$.]+)\.(extent|min)\((\d+)\)|([A-Za-z_][\w$]*)|[-+*/%(), 0-9]+|.)");
        std::string sizes;
        for (const std::string text : texts) {
            std::string size;
            for (const Groups &t : token.all_in(text)) {
                const std::string &word = t[0], &buffer = t[1], &number = t[4];
                const bool is_function = number == "min" || number == "max";
                const bool is_named = !buffer.empty() || (!number.empty() && !is_function);
                const bool is_known =
                    is_named
                        ? known_.count(buffer + number) > 0
                        : is_function || word.find_first_not_of("-+*/%(), 0123456789") == std::string::npos;
                if (!is_known) {
                    refuse("gives " + of +
                           ", whose sizes do not follow from its inputs: make it an operation in Python, by "
                           "eutectic.torch.operation(..., shapes=...)");
                }
                size += !buffer.empty() ? "known." + t[2] + "(\"" + buffer + "\", " + t[3] + ")"
                        : is_named      ? "known.number(\"" + number + "\")"
                                        : word;
            }
            sizes += (sizes.empty() ? "Size(" : ", Size(") + size + ")";
        }
        return "[]([[maybe_unused]] const Known &known) { return std::vector<Size>{" + sizes + "}; }";
    }

    const json &report_;
    const std::string path_, name_;
    std::set<std::string> known_;
};

}  // namespace

TorchSource torch_source(const std::string &report, const std::string &path, const std::string &name) {
    try {
        const json told = json::parse(report);
        return Writer(told, path, name).source();
    } catch (const json::exception &) {
        throw UserError(path + " is no report of a pair: name the NAME.report.json that stands beside "
                               "NAME_forward.report.json.");
    }
}

}  // namespace eutectic
