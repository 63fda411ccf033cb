#include "autodiff/contract/header_parts.h"

#include "base/cpp_keywords.h"
#include "base/user_error.h"

#include <cctype>

using namespace Halide;

namespace eutectic {

std::string member_name(const std::string &argument) {
    std::string text = argument;
    for (char &c : text) {
        c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return is_cpp_keyword(text) ? text + "_" : text;
}

std::string joined(const std::vector<std::string> &words, const std::string &by) {
    std::string text;
    for (size_t i = 0; i < words.size(); i++) {
        text += (i == 0 ? "" : by) + words[i];
    }
    return text;
}

std::string cpp_type(const Type &t) {
    if (t.is_bool()) {
        return "bool";
    } else if (t.is_int_or_uint()) {
        return (t.is_uint() ? "uint" : "int") + std::to_string(t.bits()) + "_t";
    }
    return t == Float(32) ? "float" : t == Float(64) ? "double" : "";
}

std::string type_code(const Type &t) {
    const char *codes[] = {"halide_type_int", "halide_type_uint", "halide_type_float", "halide_type_handle",
                           "halide_type_bfloat"};
    return std::string("halide_type_t(") + codes[t.code()] + ", " + std::to_string(t.bits()) + ")";
}

std::string scalar_type(const ContractArgument &a) {
    const std::string type = cpp_type(a.type);
    if (type.empty()) {
        throw UserError(
            "The scalar \"" + a.name +
            "\" is of a type that C++ does not have, so that no header can declare it; make it a float.");
    }
    return type;
}

}  // namespace eutectic
