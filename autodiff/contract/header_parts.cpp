#include "autodiff/contract/header_parts.h"

#include "base/cpp_keywords.h"
#include "base/user_error.h"

#include <cctype>

using namespace Halide;

namespace eutectic {

namespace {

// What an argument is, a query of bounds, and whether there is memory.
std::string types_and_state() {
    return R"code(
    enum class Memory { any, given, allocated };
    struct Argument {
        const char *name;
        const halide_buffer_t *buffer;
        halide_type_t type;
        int dimensions;
        Memory memory;
    };
    struct Range {
        int min, extent;
    };
    /// A buffer of the same shape that asks what of it is read.
    struct Query {
        halide_buffer_t buffer;
        std::vector<halide_dimension_t> dim;
        explicit Query(const halide_buffer_t *of) : buffer(*of), dim(of->dim, of->dim + of->dimensions) {
            buffer.dim = dim.data();
            buffer.host = nullptr;
            buffer.device = 0;
            buffer.device_interface = nullptr;
        }
    };

    bool is_allocated = false;

    template<typename Buffer>
    static size_t bytes_of(const Buffer &b) {
        return b.data() ? b.size_in_bytes() : 0;
    }
)code";
}

// Sentences for what is refused.
std::string refusals() {
    return R"code(
    int refuse(int code, const std::string &sentence) {
        refusal = sentence;
        return code;
    }
    int told(const char *function, int code) {
        refusal = code == 0 ? ""
                            : std::string(function) + " failed with Halide's error code " +
                                  std::to_string(code) + ".";
        return code;
    }
)code";
}

// Shapes as text and as ranges, and the arithmetic of sizes.
std::string shape_helpers() {
    return R"code(
    static std::string type_text(halide_type_t t) {
        const char *codes[] = {"int", "uint", "float", "handle", "bfloat"};
        return (t.code <= halide_type_bfloat ? codes[t.code] : "type ") + std::to_string(t.bits);
    }
    static std::string shape_text(const std::vector<Range> &shape) {
        std::string extents, mins;
        bool moved = false;
        for (const Range &r : shape) {
            extents += (extents.empty() ? "" : "x") + std::to_string(r.extent);
            mins += (mins.empty() ? "" : ", ") + std::to_string(r.min);
            moved = moved || r.min != 0;
        }
        return (extents.empty() ? "of one element" : extents) + (moved ? " from (" + mins + ")" : "");
    }
    static std::vector<Range> shape_of(const halide_buffer_t *b) {
        std::vector<Range> shape;
        for (int d = 0; d < b->dimensions; d++) {
            shape.push_back({b->dim[d].min, b->dim[d].extent});
        }
        return shape;
    }
    static bool is_empty(const halide_buffer_t *b) {
        return std::any_of(b->dim, b->dim + b->dimensions,
                           [](const halide_dimension_t &d) { return d.extent == 0; });
    }
    /// Division and remainder as Halide has them: the remainder is never negative, and both are 0 for a
    /// divisor of 0.
    static int remainder(int a, int b) {
        const int r = b == 0 ? 0 : a % b;
        return r < 0 ? r + (b < 0 ? -b : b) : r;
    }
    static int quotient(int a, int b) {
        return b == 0 ? 0 : (a - remainder(a, b)) / b;
    }
)code";
}

// Null pointers, and buffers of another kind than the pass takes.
std::string argument_check() {
    return R"code(
    int check(const char *function, std::initializer_list<Argument> arguments) {
        for (const Argument &a : arguments) {
            const std::string given = std::string(function) + " was given " + a.name;
            if (!a.buffer) {
                return refuse(halide_error_code_buffer_argument_is_null,
                              given + " as a null pointer; pass a buffer.");
            }
            if (a.buffer->dimensions != a.dimensions) {
                return refuse(halide_error_code_bad_dimensions,
                              given + " with " + std::to_string(a.buffer->dimensions) +
                                  " dimensions, and it has " + std::to_string(a.dimensions) +
                                  "; pass one that has.");
            }
            if (a.buffer->type != a.type) {
                return refuse(halide_error_code_bad_type, given + " of type " + type_text(a.buffer->type) +
                                                              ", and it is " + type_text(a.type) +
                                                              "; pass one of that type.");
            }
            const bool may_be_empty = is_empty(a.buffer) && (a.memory != Memory::allocated || is_allocated);
            if (a.memory != Memory::any && !a.buffer->host && !a.buffer->device && !may_be_empty) {
                return refuse(halide_error_code_host_is_null,
                              given + " without memory; " +
                                  (a.memory == Memory::allocated ? "call allocate() first."
                                                                 : "pass one that has its elements."));
            }
        }
        return 0;
    }
)code";
}

// Buffers of another shape than the others say, or smaller than what is read.
std::string region_checks() {
    return R"code(
    int fits(const char *function, const char *name, const halide_buffer_t *buffer,
             const std::vector<Range> &wanted, const char *remedy) {
        const std::vector<Range> shape = shape_of(buffer);
        if (std::equal(
                shape.begin(), shape.end(), wanted.begin(), wanted.end(),
                [](const Range &a, const Range &b) { return a.min == b.min && a.extent == b.extent; })) {
            return 0;
        }
        return refuse(halide_error_code_constraint_violated,
                      std::string(function) + " was given " + name + " of shape " + shape_text(shape) +
                          ", and its other arguments go with " + shape_text(wanted) + "; " + remedy + ".");
    }
    int covers(const char *function, const char *name, const halide_buffer_t *buffer,
               const halide_buffer_t &read) {
        for (int d = 0; d < buffer->dimensions; d++) {
            const halide_dimension_t &has = buffer->dim[d], &needs = read.dim[d];
            if (needs.extent > 0 &&
                (needs.min < has.min || needs.min + needs.extent > has.min + has.extent)) {
                return refuse(halide_error_code_access_out_of_bounds,
                              std::string(function) + " was given " + name + " of shape " +
                                  shape_text(shape_of(buffer)) + ", and reads " +
                                  shape_text(shape_of(&read)) + " of it; pass all that is read.");
            }
        }
        return 0;
    }
)code";
}

// Memory for one residual.
std::string allocation() {
    return R"code(
    template<typename Buffer, typename Make>
    int make(Buffer &residual, const char *name, const std::vector<Range> &shape, const Make &make_buffer) {
        std::vector<int> mins, extents;
        for (const Range &r : shape) {
            if (r.extent < 0) {
                return refuse(halide_error_code_constraint_violated,
                              std::string(name) + " has no shape for these arguments (" + shape_text(shape) +
                                  "); pass outputs and inputs that belong together.");
            }
            mins.push_back(r.min);
            extents.push_back(r.extent);
        }
        residual = make_buffer(extents);
        residual.set_min(mins);
        return 0;
    }
)code";
}

}  // namespace

std::string header_includes() {
    return "#include <HalideBuffer.h>\n\n#include <algorithm>\n#include <cstdint>\n#include "
           "<initializer_list>\n#include <string>\n#include <vector>\n\n";
}

std::string header_helpers() {
    return types_and_state() + refusals() + shape_helpers() + argument_check() + region_checks() +
           allocation();
}

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
