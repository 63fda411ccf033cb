#include "autodiff/contract/reordered.h"

#include "autodiff/contract/header.h"
#include "autodiff/contract/header_parts.h"
#include "autodiff/contract/sizes.h"

namespace eutectic {

namespace {

// As callers pass them, with types or without.
std::vector<std::string> parameters(const Contract &contract, bool typed) {
    std::vector<std::string> words;
    if (contract.user_context) {
        words.push_back(typed ? "void const *__user_context" : "__user_context");
    }
    for (const ContractArgument &a : contract.backward) {
        const std::string type = a.is_buffer ? "struct halide_buffer_t *" : scalar_type(a) + " ";
        words.push_back((typed ? type : "") + argument_identifier(a.name, a.is_buffer));
    }
    return words;
}

// Of all that the kernel takes, which of those that callers pass it is.
std::vector<size_t> order(const Contract &contract) {
    const size_t context = contract.user_context ? 1 : 0;
    std::vector<size_t> order(context, 0);
    for (const size_t i : pipeline_arguments(contract)) {
        order.push_back(i + context);
    }
    return order;
}

std::string declared(const Contract &contract, const std::string &name) {
    return "int " + name + "(" + joined(parameters(contract, true), ", ") + ")";
}

}  // namespace

std::string kernel_name(const std::string &function) {
    return function + "_kernel";
}

std::string reordered_header(const Contract &contract, const std::string &pair) {
    const std::string name = pair + "_backward", guard = "EUTECTIC_" + name + "_h";
    return contract_comment(contract, pair) + "#ifndef " + guard + "\n#define " + guard +
           "\n\n#include <stdint.h>\n\nstruct halide_buffer_t;\nstruct halide_filter_metadata_t;\n\n"
           "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" +
           declared(contract, name) + ";\n\nint " + name + "_argv(void **args);\n\n" +
           "const struct halide_filter_metadata_t *" + name +
           "_metadata();\n\n#ifdef __cplusplus\n}  // extern \"C\"\n#endif\n\n#endif\n";
}

std::string reordered_source(const Contract &contract, const std::string &pair) {
    const std::string name = pair + "_backward", kernel = kernel_name(name);
    const std::vector<std::string> passed = parameters(contract, false);
    std::vector<std::string> words, numbers;
    for (const size_t at : order(contract)) {
        words.push_back(passed[at]);
        numbers.push_back(std::to_string(at));
    }
    const std::string count = std::to_string(words.size()), own = std::to_string(passed.size());
    return "// " + name + ", which has what is kept last. Written by Eutectic with the pair.\n" +
           "#include \"" + name + ".h\"\n\n#include <HalideRuntime.h>\n\n#include \"" + kernel +
           ".h\"\n\nnamespace {\n\n"
           "/// Of each argument of the kernel, which one of this function it is.\nconstexpr int order[] = "
           "{" +
           joined(numbers, ", ") + "};\n\nstruct Metadata {\n    halide_filter_argument_t arguments[" + own +
           "];\n    halide_filter_metadata_t filter;\n\n    Metadata() : filter(*" + kernel +
           "_metadata()) {\n        for (int i = 0; i < " + count +
           "; i++) {\n            arguments[order[i]] = filter.arguments[i];\n        }\n"
           "        filter.arguments = arguments;\n        filter.num_arguments = " +
           own + ";\n        filter.name = \"" + name +
           "\";\n    }\n};\n\n}  // namespace\n\nextern \"C\" {\n\n" + declared(contract, name) +
           " {\n    return " + kernel + "(" + joined(words, ", ") + ");\n}\n\nint " + name +
           "_argv(void **args) {\n    void *ordered[" + count + "];\n    for (int i = 0; i < " + count +
           "; i++) {\n        ordered[i] = args[order[i]];\n    }\n    return " + kernel +
           "_argv(ordered);\n}\n\nconst struct halide_filter_metadata_t *" + name +
           "_metadata() {\n    static const Metadata metadata;\n    return &metadata.filter;\n}\n}\n";
}

}  // namespace eutectic
