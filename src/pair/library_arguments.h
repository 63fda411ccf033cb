#pragma once

#include <HalideRuntime.h>

#include <cstring>
#include <initializer_list>
#include <string>

namespace eutectic {

/** An argument of a compiled function as a caller was told of it: by a header or a report, which may be those
 * of another library than the one that was linked. */
struct ExpectedArgument {
    static constexpr int is_number = -1;

    const char *name;
    halide_type_t type;
    int dimensions;  ///< of a buffer, or is_number
};

namespace library_arguments {

inline std::string type_text(halide_type_t t) {
    const char *codes[] = {"int", "uint", "float", "handle", "bfloat"};
    return (t.code <= halide_type_bfloat ? codes[t.code] : "type ") + std::to_string(t.bits);
}

inline std::string text(const ExpectedArgument &a) {
    return std::string(a.name) + " (" + type_text(a.type) + ", " +
           (a.dimensions == ExpectedArgument::is_number
                ? "a number"
                : std::to_string(a.dimensions) + (a.dimensions == 1 ? " dimension" : " dimensions")) +
           ")";
}

inline ExpectedArgument taken(const halide_filter_argument_t &a) {
    return {a.name, a.type,
            a.kind == halide_argument_kind_input_scalar ? ExpectedArgument::is_number : a.dimensions};
}

inline bool same(const ExpectedArgument &a, const ExpectedArgument &b) {
    return std::strcmp(a.name, b.name) == 0 && a.type == b.type && a.dimensions == b.dimensions;
}

}  // namespace library_arguments

/** Empty where the function takes what `wanted`, a list, says, in this order; otherwise a sentence on the
 * first argument that differs. `has`: what the function says of itself, NAME_metadata(). */
template<typename List>
std::string other_arguments(const char *function, const halide_filter_metadata_t &has, const List &wanted) {
    using namespace library_arguments;
    const int count = static_cast<int>(wanted.size());
    for (int i = 0; i < count || i < has.num_arguments; i++) {
        const bool is_there = i < has.num_arguments, is_wanted = i < count;
        if (is_there && is_wanted && same(taken(has.arguments[i]), wanted.begin()[i])) {
            continue;
        }
        return std::string(function) + ", as it was linked, takes " +
               (is_there ? text(taken(has.arguments[i])) : "nothing") + " as argument " +
               std::to_string(i + 1) + ", and its caller was compiled for " +
               (is_wanted ? text(wanted.begin()[i]) : "nothing") +
               " there; compile the caller with what was written together with the library.";
    }
    return "";
}

}  // namespace eutectic
