#pragma once

#include <HalideBuffer.h>

#include "pair/library_arguments.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace eutectic {

/** What struct NAME_residuals of a generated NAME_residuals.h is made of: all that is the same for every pair
 * of a forward and its backward. The generated part has the residuals, and calls what is here with names,
 * types and shapes. Needs HalideBuffer.h and no libHalide; shapes are innermost first, in elements.
 *
 * A call returns 0, or an error code of Halide's (halide_error_code_t) with a sentence in `refusal`; what is
 * refused has touched nothing. Not for several threads at once. */
class CheckedPair {
public:
    /** Why the last call was refused; empty when it was not. */
    std::string refusal;
    /** Of kernels for a target with the feature user_context; others take none. */
    const void *user_context = nullptr;

protected:
    enum class Memory {
        any,       ///< may have none: only its shape is looked at
        given,     ///< the caller's, who has to have some
        allocated  ///< allocate()'s
    };
    struct Argument {
        const char *name;
        const halide_buffer_t *buffer;
        halide_type_t type;
        int dimensions;
        Memory memory;
    };
    /** Of one dimension. */
    struct Range {
        int min, extent;
    };
    /** A buffer of the same shape that asks a kernel what of it is read. */
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

    bool is_allocated = false;  ///< what the forward keeps has memory

    /** Refuses a library whose `function` takes other arguments than the generated part was written for. */
    int agrees(const char *function, const halide_filter_metadata_t *has,
               std::initializer_list<ExpectedArgument> wanted);
    /** Refuses a null pointer, and a buffer of another kind than `function` takes. */
    int check(const char *function, std::initializer_list<Argument> arguments);
    /** Refuses a buffer that is not of the shape `wanted`. */
    int fits(const char *function, const char *name, const halide_buffer_t *buffer,
             const std::vector<Range> &wanted, const char *remedy);
    /** Refuses a buffer that has less than `read` says is read of it. */
    int covers(const char *function, const char *name, const halide_buffer_t *buffer,
               const halide_buffer_t &read);
    /** Memory for one residual: make_buffer(extents), moved to the mins of `shape`. */
    template<typename Buffer, typename Make>
    int make(Buffer &residual, const char *name, const std::vector<Range> &shape, const Make &make_buffer);
    /** Of what `function` returned. */
    int told(const char *function, int code);

    /** 0 for a buffer without memory. */
    template<typename Buffer>
    static size_t bytes_of(const Buffer &b) {
        return b.data() ? b.size_in_bytes() : 0;
    }
    /** Division and remainder as Halide has them: the remainder is never negative, and both are 0 for a
     * divisor of 0. */
    static int remainder(int a, int b) {
        const int r = b == 0 ? 0 : a % b;
        return r < 0 ? r + (b < 0 ? -b : b) : r;
    }
    static int quotient(int a, int b) {
        return b == 0 ? 0 : (a - remainder(a, b)) / b;
    }

private:
    int refuse(int code, const std::string &sentence) {
        refusal = sentence;
        return code;
    }
    static std::string shape_text(const std::vector<Range> &shape);
    static std::vector<Range> shape_of(const halide_buffer_t *b);
    static bool is_empty(const halide_buffer_t *b);
};

inline int CheckedPair::told(const char *function, int code) {
    refusal = code == 0
                  ? ""
                  : std::string(function) + " failed with Halide's error code " + std::to_string(code) + ".";
    return code;
}

inline std::string CheckedPair::shape_text(const std::vector<Range> &shape) {
    std::string extents, mins;
    bool moved = false;
    for (const Range &r : shape) {
        extents += (extents.empty() ? "" : "x") + std::to_string(r.extent);
        mins += (mins.empty() ? "" : ", ") + std::to_string(r.min);
        moved = moved || r.min != 0;
    }
    return (extents.empty() ? "of one element" : extents) + (moved ? " from (" + mins + ")" : "");
}

inline std::vector<CheckedPair::Range> CheckedPair::shape_of(const halide_buffer_t *b) {
    std::vector<Range> shape;
    for (int d = 0; d < b->dimensions; d++) {
        shape.push_back({b->dim[d].min, b->dim[d].extent});
    }
    return shape;
}

inline bool CheckedPair::is_empty(const halide_buffer_t *b) {
    return std::any_of(b->dim, b->dim + b->dimensions,
                       [](const halide_dimension_t &d) { return d.extent == 0; });
}

inline int CheckedPair::agrees(const char *function, const halide_filter_metadata_t *has,
                               std::initializer_list<ExpectedArgument> wanted) {
    const std::string other = other_arguments(function, *has, wanted);
    return other.empty() ? 0 : refuse(halide_error_code_requirement_failed, other);
}

inline int CheckedPair::check(const char *function, std::initializer_list<Argument> arguments) {
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
            return refuse(halide_error_code_bad_type,
                          given + " of type " + library_arguments::type_text(a.buffer->type) +
                              ", and it is " + library_arguments::type_text(a.type) +
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

inline int CheckedPair::fits(const char *function, const char *name, const halide_buffer_t *buffer,
                             const std::vector<Range> &wanted, const char *remedy) {
    const std::vector<Range> shape = shape_of(buffer);
    if (std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end(),
                   [](const Range &a, const Range &b) { return a.min == b.min && a.extent == b.extent; })) {
        return 0;
    }
    return refuse(halide_error_code_constraint_violated,
                  std::string(function) + " was given " + name + " of shape " + shape_text(shape) +
                      ", and its other arguments go with " + shape_text(wanted) + "; " + remedy + ".");
}

inline int CheckedPair::covers(const char *function, const char *name, const halide_buffer_t *buffer,
                               const halide_buffer_t &read) {
    for (int d = 0; d < buffer->dimensions; d++) {
        const halide_dimension_t &has = buffer->dim[d], &needs = read.dim[d];
        if (needs.extent > 0 && (needs.min < has.min || needs.min + needs.extent > has.min + has.extent)) {
            return refuse(halide_error_code_access_out_of_bounds,
                          std::string(function) + " was given " + name + " of shape " +
                              shape_text(shape_of(buffer)) + ", and reads " + shape_text(shape_of(&read)) +
                              " of it; pass all that is read.");
        }
    }
    return 0;
}

template<typename Buffer, typename Make>
int CheckedPair::make(Buffer &residual, const char *name, const std::vector<Range> &shape,
                      const Make &make_buffer) {
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

}  // namespace eutectic
