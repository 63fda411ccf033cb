#include "autodiff/contract/header.h"

#include "autodiff/contract/hash.h"
#include "autodiff/contract/header_parts.h"
#include "autodiff/contract/sizes.h"

#include "base/regex.h"
#include "base/user_error.h"

#include <functional>
#include <set>
#include <sstream>

using namespace Halide;

namespace eutectic {

namespace {

std::string base_of(const std::string &pair) {
    return pair.substr(pair.rfind(':') + 1);
}

std::string shape_text(const std::vector<std::int64_t> &shape) {
    std::vector<std::string> extents;
    for (const std::int64_t extent : shape) {
        extents.push_back(extent < 0 ? "?" : std::to_string(extent));
    }
    return joined(extents, "x");
}

// As people write it.
std::string type_text(const Type &t) {
    std::ostringstream out;
    out << t;
    return out.str();
}

std::string member_type(const ContractResidual &r) {
    const std::string element = cpp_type(r.type);
    return "Halide::Runtime::Buffer<" + (element.empty() ? "void" : element) + ", " +
           std::to_string(r.region.size()) + ">";
}

// Arguments that callers pass in one struct: inputs, outputs, upstream gradients or gradients.
struct ArgumentGroup {
    std::string name;  // of the parameter; that of the struct is PAIR_name
    std::vector<ContractArgument> arguments;
    std::vector<std::string> members;  // of each
};

// In the order in which the backward takes them.
std::vector<ArgumentGroup> groups_of(const Contract &contract) {
    std::vector<ArgumentGroup> groups(4);
    groups[0].name = "inputs", groups[1].name = "outputs";
    groups[2].name = "upstream", groups[3].name = "gradients";
    for (size_t i = 0; i < contract.backward.size() - contract.residuals.size(); i++) {
        const ContractArgument &a = contract.backward[i];
        const bool of_forward = i < contract.forward.size();
        const bool is_output = of_forward ? contract.forward[i].is_output : a.is_output;
        ArgumentGroup &group = groups[(of_forward ? 0 : 2) + (is_output ? 1 : 0)];
        group.arguments.push_back(a);
        group.members.push_back(member_name(of_forward ? contract.forward[i].name : a.name));
    }
    return groups;
}

// struct PAIR_inputs and the others.
std::string argument_structs(const Contract &contract, const std::string &base) {
    std::string text;
    for (const ArgumentGroup &group : groups_of(contract)) {
        text += "struct " + base + "_" + group.name + " {\n";
        for (size_t i = 0; i < group.arguments.size(); i++) {
            const ContractArgument &a = group.arguments[i];
            const bool one = a.dimensions == 1;
            text +=
                a.is_buffer
                    ? "    halide_buffer_t *" + group.members[i] + " = nullptr;  ///< " + type_text(a.type) +
                          ", " + std::to_string(a.dimensions) + (one ? " dimension" : " dimensions") +
                          (a.is_read ? ""
                                     : "; the backward does not read it: it may be null there, and freed") +
                          "\n"
                    : "    " + scalar_type(a) + " " + group.members[i] + " = {};\n";
        }
        text += "};\n\n";
    }
    return text;
}

// A pass, or allocate(): residuals are the struct's own.
class PassCalls {
public:
    // `name`: of the function; `groups`: what callers pass.
    PassCalls(const Contract &contract, const std::string &pair, const std::string &pass)
        : contract_(contract), pair_(pair), name_(pair + "_" + pass), is_forward_(pass == "forward") {
        for (const ContractResidual &r : contract.residuals) {
            residuals_.insert(r.info.name);
        }
        groups_ = groups_of(contract);
        groups_.resize(is_forward_ ? 2 : 4);
        all_ = is_forward_ ? contract.forward : contract.backward;
        for (size_t i = 0; is_forward_ && i < contract.residuals.size(); i++) {
            const ContractResidual &r = contract.residuals[i];
            all_.push_back({r.info.name, r.type, static_cast<int>(r.region.size()), true, true});
        }
    }

    std::string parameters() const {
        std::vector<std::string> words;
        for (const ArgumentGroup &group : groups_) {
            words.push_back("const " + pair_ + "_" + group.name + " &" + group.name);
        }
        return joined(words, ", ");
    }

    // The members of the structs under the names that size_text() gives them.
    std::string unpack() const {
        std::string text;
        size_t at = 0;
        for (const ArgumentGroup &group : groups_) {
            for (size_t i = 0; i < group.arguments.size(); i++, at++) {
                const ContractArgument &a = is_forward_ ? contract_.forward[at] : group.arguments[i];
                text +=
                    "        [[maybe_unused]] " +
                    (a.is_buffer ? std::string("halide_buffer_t *const ") : "const " + scalar_type(a) + " ") +
                    identifier(a) + " = " + group.name + "." + group.members[i] + ";\n";
            }
        }
        for (const ArgumentGroup &group : groups_) {
            text += group.arguments.empty() ? "        (void)" + group.name + ";\n" : "";
        }
        return text;
    }

    // A call of agrees(): is the library that is linked the one that this was written with?
    std::string agrees() const {
        std::vector<std::string> rows;
        if (contract_.user_context) {
            rows.push_back(R"({"__user_context", halide_type_t(halide_type_handle, 64), -1})");
        }
        for (const ContractArgument &a : all_) {
            rows.push_back("{\"" + a.name + "\", " + type_code(a.type) + ", " +
                           std::to_string(a.is_buffer ? a.dimensions : -1) + "}");
        }
        return "        if (const int code = agrees(\"" + name_ + "\", " + base_of(name_) + "_metadata(), {" +
               joined(rows, ",\n" + std::string(20, ' ')) + "})) {\n            return code;\n        }\n";
    }

    // A call of check(), which names what is null or of another type.
    std::string check(const std::string &function, bool allocates) const {
        std::vector<std::string> rows;
        for (const ContractArgument &a : all_) {
            if (!a.is_buffer || !a.is_read || (allocates && is_residual(a))) {
                continue;
            }
            const char *memory = allocates        ? "Memory::any"
                                 : is_residual(a) ? "Memory::allocated"
                                                  : "Memory::given";
            rows.push_back("{\"" + a.name + "\", " + raw(a) + ", " + type_code(a.type) + ", " +
                           std::to_string(a.dimensions) + ", " + memory + "}");
        }
        return "        if (const int code = check(\"" + function + "\", {" +
               joined(rows, ",\n" + std::string(20, ' ')) + "})) {\n            return code;\n        }\n";
    }

    // Every residual has the shape that the other arguments say, as far as they say it.
    std::string fits() const {
        std::string text;
        for (const ContractResidual &r : contract_.residuals) {
            const SymbolicRegion &region = is_forward_ ? r.in_forward : r.region;
            if (!is_forward_ && !said_by_arguments(region)) {
                continue;
            }
            text +=
                "        if (const int code = fits(\"" + name_ + "\", \"" + r.info.name + "\", " +
                argument_identifier(r.info.name, true) + "(), " + ranges(r, region) + ", \"" +
                (is_forward_ ? "allocate() for these" : "pass what the forward kept for the same inputs") +
                "\")) {\n            return code;\n        }\n";
        }
        return text;
    }

    // A bounds query: what is read of each input.
    std::string covers() const {
        std::string queries, checks;
        for (const ContractArgument &a : all_) {
            if (is_queried(a)) {
                queries += "        Query " + query(a) + "(" + raw(a) + ");\n";
                checks += "        if (const int code = covers(\"" + name_ + "\", \"" + a.name + "\", " +
                          raw(a) + ", " + query(a) + ".buffer)) {\n            return code;\n        }\n";
            }
        }
        return queries.empty() ? ""
                               : queries + "        if (const int code = told(\"" + name_ + "\", " +
                                     call(true) + ")) {\n            return code;\n        }\n" + checks;
    }

    std::string call(bool is_query) const {
        std::vector<std::string> words;
        if (contract_.user_context) {
            words.push_back("user_context");
        }
        for (const ContractArgument &a : all_) {
            words.push_back(!a.is_buffer                ? identifier(a)
                            : is_query && is_queried(a) ? "&" + query(a) + ".buffer"
                                                        : raw(a));
        }
        return base_of(name_) + "(" + joined(words, ", ") + ")";
    }

    static std::string ranges(const ContractResidual &r, const SymbolicRegion &region) {
        std::vector<std::string> words;
        for (const Range &dimension : as_min_extent(region)) {
            const auto min = size_text(dimension.min, code()), extent = size_text(dimension.extent, code());
            if (!min || !extent) {
                throw UserError(
                    "The residual \"" + r.info.name +
                    "\" has a size that depends on more than sizes of arguments and scalars, so that no "
                    "caller could allocate it before the forward runs; "
                    "keep data out of the bounds of loops, or leave the input out of gradient_wrt.");
            }
            words.push_back("{" + *min + ", " + *extent + "}");
        }
        return "{" + joined(words, ", ") + "}";
    }

private:
    bool is_residual(const ContractArgument &a) const {
        return residuals_.count(a.name) != 0;
    }
    std::string identifier(const ContractArgument &a) const {
        return argument_identifier(a.name, a.is_buffer);
    }
    std::string raw(const ContractArgument &a) const {
        return identifier(a) + (is_residual(a) ? "()" : "");
    }
    static std::string query(const ContractArgument &a) {
        return "read_of" + argument_identifier(a.name, false);
    }
    static bool is_queried(const ContractArgument &a) {
        return a.is_buffer && !a.is_output && a.is_read;
    }
    // Does the backward read, and so surely get, all that its region mentions?
    bool said_by_arguments(const SymbolicRegion &region) const {
        std::set<std::string> known;
        for (const ContractArgument &a : all_) {
            if (a.is_read || !a.is_buffer) {
                known.insert(a.name);
            }
        }
        bool said = true;
        SizeStyle look = people();
        look.variable = [&](const std::string &argument, const std::string &, int) {
            said = said && known.count(argument) != 0;
            return argument;
        };
        for (const Range &dimension : as_min_extent(region)) {
            said = size_text(dimension.min, look) && size_text(dimension.extent, look) && said;
        }
        return said;
    }

    const Contract &contract_;
    const std::string pair_, name_;
    const bool is_forward_;
    std::vector<ArgumentGroup> groups_;
    std::vector<ContractArgument> all_;  // of the function, in its order
    std::set<std::string> residuals_;
};

std::string members(const Contract &contract) {
    std::string text;
    for (const ContractResidual &r : contract.residuals) {
        text += "    " + member_type(r) + " " + member_name(r.info.name) + ";  ///< " + r.info.kind + ", " +
                joined(r.info.extents, " x ") + "\n";
    }
    return text + (contract.residuals.empty() ? "" : "\n");
}

// For each residual what `line` says.
std::string for_each_residual(const Contract &contract,
                              const std::function<std::string(const ContractResidual &)> &line) {
    std::string text;
    for (const ContractResidual &r : contract.residuals) {
        text += line(r);
    }
    return text;
}

std::string allocate_body(const Contract &contract) {
    return for_each_residual(contract, [](const ContractResidual &r) {
        const bool is_typed = !cpp_type(r.type).empty();
        return "        if (const int code = make(" + member_name(r.info.name) + ", \"" + r.info.name +
               "\", " + PassCalls::ranges(r, r.in_forward) +
               ", [](const std::vector<int> &extents) { return " + member_type(r) + "(" +
               (is_typed ? "" : type_code(r.type) + ", ") +
               "extents); })) {\n            return code;\n        }\n";
    });
}

}  // namespace

std::string pair_of_path(const std::string &path, const std::string &end) {
    const std::string file = path.substr(path.rfind('/') + 1);
    const std::string pair = file.size() > end.size() ? file.substr(0, file.size() - end.size()) : "";
    if (pair + end != file || !Regex("[A-Za-z_][A-Za-z0-9_]*").matches(pair)) {
        throw UserError("The contract of a pair was to be written to \"" + path +
                        "\", and its file is called after the pair; give a path that ends in NAME" + end +
                        ".");
    }
    return pair;
}

std::string contract_comment(const Contract &contract, const std::string &pair) {
    const std::string base = base_of(pair);
    std::ostringstream out;
    out << "// " << base << "_forward keeps for " << base << "_backward";
    if (contract.residuals.empty()) {
        out << " nothing beside inputs and outputs.\n";
    } else {
        out << ", shapes innermost first:\n//\n";
        for (const ContractResidual &r : contract.residuals) {
            out << "//     " << r.info.name << ": " << r.info.type << ", "
                << (r.info.extents.empty() ? "scalar" : joined(r.info.extents, " x ")) << "; " << r.info.kind
                << "; " << r.type.bytes() << (r.type.bytes() == 1 ? " byte" : " bytes") << " an element, "
                << r.info.bytes << " bytes";
            out << (r.info.shape.empty() ? "" : " at " + shape_text(r.info.shape)) << "\n";
        }
        out << "//     " << total_bytes(residual_rows(contract)) << " bytes in all\n";
    }
    out << "//\n// Contract " << contract_hash(contract)
        << ": what both take of callers, whatever the budget, effort and target.\n";
    out << "//\n// struct " << base << "_residuals in " << base
        << "_residuals.h allocates and frees them and checks every call.\n\n";
    return out.str();
}

std::string contract_header(const Contract &contract, const std::string &pair) {
    const std::string base = base_of(pair), type = base + "_residuals";
    const std::string spaces = pair.size() > base.size() ? pair.substr(0, pair.size() - base.size() - 2) : "";
    const PassCalls forward(contract, base, "forward"), backward(contract, base, "backward");
    const auto pass = [&](const char *name, const PassCalls &p, const char *what) {
        return std::string("    /// ") + what + "\n    int " + name + "(" + p.parameters() + ") {\n" +
               p.unpack() + p.agrees() + p.check(base + "_" + name, false) + p.fits() + p.covers() +
               "        return told(\"" + base + "_" + name + "\", " + p.call(false) + ");\n    }\n\n";
    };
    std::string text = contract_comment(contract, pair);
    text += "#ifndef EUTECTIC_" + type + "_h\n#define EUTECTIC_" + type +
            "_h\n\n#include <pair/checked_pair.h>\n\n#include <cstdint>\n#include <vector>\n\n#include \"" +
            base + "_backward.h\"\n#include \"" + base + "_forward.h\"\n\n";
    text += spaces.empty() ? "" : "namespace " + spaces + " {\n\n";
    text += "// What both passes take: these, and the methods below, are the same for every budget, effort "
            "and target.\n\n" +
            argument_structs(contract, base);
    text += "/// Each call returns 0, or an error code of Halide's and a sentence in `refusal`; what is "
            "refused has touched nothing.\nstruct " +
            type + " : eutectic::CheckedPair {\n" + members(contract);
    text += "    /// Memory for what the forward keeps of arguments of these shapes. What was kept before is "
            "freed, as it is with this object.\n    int allocate(" +
            forward.parameters() + ") {\n" + forward.unpack() + forward.check(type + "::allocate", true) +
            allocate_body(contract) + "        is_allocated = true;\n        return told(\"" + type +
            "::allocate\", 0);\n    }\n\n";
    text += "    void release() {\n" +
            for_each_residual(contract,
                              [](const ContractResidual &r) {
                                  return "        " + member_name(r.info.name) + " = {};\n";
                              }) +
            "        is_allocated = false;\n    }\n\n";
    text += "    size_t bytes() const {\n        return 0" +
            for_each_residual(
                contract,
                [](const ContractResidual &r) { return " + bytes_of(" + member_name(r.info.name) + ")"; }) +
            ";\n    }\n\n";
    text += pass("forward", forward, "The forward, once all is found to fit.") +
            pass("backward", backward,
                 contract.accumulates
                     ? "The backward of what the forward kept: adds to the gradients what is in them."
                     : "The backward of what the forward kept.");
    text += "private:\n" +
            for_each_residual(contract,
                              [](const ContractResidual &r) {
                                  return "    halide_buffer_t *" + argument_identifier(r.info.name, true) +
                                         "() {\n        return " + member_name(r.info.name) +
                                         ".raw_buffer();\n    }\n";
                              }) +
            "};\n" + (spaces.empty() ? "" : "\n}  // namespace " + spaces + "\n") + "\n#endif\n";
    return text;
}

}  // namespace eutectic
