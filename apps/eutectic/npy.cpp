#include "apps/eutectic/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "base/user_error.h"

namespace eutectic {

using namespace Halide;

namespace {

/** The header of an array file. */
struct Header {
    std::string type;
    bool fortran_order = false;
    std::vector<int> shape;  ///< as numpy has it: the last axis is the innermost
};

[[noreturn]] void refuse(const std::string &path) {
    throw UserError("The file " + path + " is no array of numpy's: write it with numpy.save().");
}

/** What stands behind `'key':` and spaces; nothing where that is not there. (No regular expression: those of
 * the standard library recurse for each character, and a header may have a million.) */
std::string_view value_of(std::string_view text, const std::string &key) {
    const std::string named = "'" + key + "':";
    const size_t at = text.find(named);
    if (at == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = text.substr(at + named.size());
    return rest.substr(std::min(rest.size(), rest.find_first_not_of(' ')));
}

/** What is between `open`, with which `text` has to begin, and the next `close`; nothing otherwise. */
std::optional<std::string_view> between(std::string_view text, char open, char close) {
    const size_t end = text.find(close, 1);
    return text.empty() || text.front() != open || end == std::string_view::npos
               ? std::nullopt
               : std::make_optional(text.substr(1, end - 1));
}

int parse_extent(const std::string &digits, const std::string &path) {
    int64_t extent = 0;  // digits alone: only one that is too large is not read
    if (std::from_chars(digits.data(), digits.data() + digits.size(), extent).ec != std::errc() ||
        extent > std::numeric_limits<int>::max()) {
        throw UserError("The array in " + path + " has an axis of " + digits +
                        " points, and a buffer of Halide's has at most 2147483647: give a smaller array.");
    }
    return static_cast<int>(extent);
}

Header parse_header(const std::string &text, const std::string &path) {
    const auto type = between(value_of(text, "descr"), '\'', '\'');
    const auto shape = between(value_of(text, "shape"), '(', ')');
    if (!type || type->empty() || !shape || shape->find_first_not_of("0123456789, ") != shape->npos) {
        refuse(path);
    }
    Header header;
    header.type = *type;
    header.fortran_order = value_of(text, "fortran_order").substr(0, 4) == "True";
    const char *const digits = "0123456789";
    for (size_t at = shape->find_first_of(digits); at != shape->npos;) {
        const size_t end = std::min(shape->size(), shape->find_first_not_of(digits, at));
        header.shape.push_back(parse_extent(std::string(shape->substr(at, end - at)), path));
        at = shape->find_first_of(digits, end);
    }
    return header;
}

/** The header's text, from a file that has just been opened. */
std::string header_text(std::ifstream &file, const std::string &path) {
    char start[10] = {};
    if (!file.read(start, 10) || std::memcmp(start, "\x93NUMPY", 6) != 0) {
        refuse(path);
    }
    uint32_t length = static_cast<unsigned char>(start[8]) + 256u * static_cast<unsigned char>(start[9]);
    if (start[6] > 1) {
        char more[2] = {};
        file.read(more, 2);
        length += (static_cast<unsigned char>(more[0]) << 16) +
                  (static_cast<uint32_t>(static_cast<unsigned char>(more[1])) << 24);
    }
    std::string text(std::min<uint32_t>(length, 1 << 20), ' ');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
}

/** Does `needed` lie within an array of these extents? */
void check_covered(const Buffer<> &needed, const std::vector<int> &extents, const std::string &path,
                   const std::string &input) {
    for (int d = 0; d < needed.dimensions(); d++) {
        const auto dim = needed.dim(d);
        if (dim.min() < 0 || dim.max() >= extents[d]) {
            throw UserError("The array in " + path + " has " + std::to_string(extents[d]) +
                            " points along dimension " + std::to_string(d) + " of the input " + input +
                            ", which is read from " + std::to_string(dim.min()) + " to " +
                            std::to_string(dim.max()) + ": give a larger array, or plan for smaller sizes.");
        }
    }
}

/** Refuses a file that has fewer elements than its header says, before there is memory for them. */
void check_length(std::ifstream &file, const Type &type, const std::vector<int> &extents,
                  const std::string &path) {
    double bytes = type.bytes();
    for (const int extent : extents) {
        bytes *= extent;
    }
    const std::streampos begin = file.tellg();
    file.seekg(0, std::ios::end);
    if (!file || static_cast<double>(file.tellg() - begin) < bytes) {
        throw UserError("The file " + path + " ends before its array does: write it again.");
    }
    file.seekg(begin);
}

/** numpy's word for a type, in the bytes of this machine. */
std::string numpy_type(const Type &type) {
    const std::string bytes = std::to_string(type.bytes());
    return type == Bool() ? "|b1"
                          : (type.bytes() == 1 ? "|" : "<") +
                                std::string(type.is_float() ? "f"
                                            : type.is_int() ? "i"
                                                            : "u") +
                                bytes;
}

}  // namespace

Buffer<> read_npy(const std::string &path, const std::string &input, const Buffer<> &needed) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw UserError("The file " + path +
                        " cannot be read: give the path of an array that numpy.save() wrote.");
    }
    const Header header = parse_header(header_text(file, path), path);
    if (header.type != numpy_type(needed.type()) ||
        header.shape.size() != static_cast<size_t>(needed.dimensions())) {
        throw UserError("The array in " + path + " has " + std::to_string(header.shape.size()) + " axes of " +
                        header.type + ", but the input " + input + " has " +
                        std::to_string(needed.dimensions()) + " dimensions of " + numpy_type(needed.type()) +
                        ": give an array of that kind.");
    }
    const std::vector<int> extents(header.shape.rbegin(), header.shape.rend());
    if (header.fortran_order && extents.size() > 1) {
        throw UserError(
            "The array in " + path +
            " has its first axis innermost: write it with numpy.save(FILE, numpy.ascontiguousarray(ARRAY)).");
    }
    check_covered(needed, extents, path, input);
    check_length(file, needed.type(), extents, path);
    Buffer<> buffer(needed.type(), extents);
    file.read(static_cast<char *>(buffer.data()), static_cast<std::streamsize>(buffer.size_in_bytes()));
    if (!file) {
        throw UserError("The file " + path + " ends before its array does: write it again.");
    }
    buffer.set_host_dirty();
    return buffer;
}

std::string npy(const Buffer<> &values, const std::string &func) {
    if (values.type().is_bfloat()) {
        throw UserError("The values of " + func +
                        " are of type bfloat16, which numpy does not have: give the generator another type.");
    }
    std::string shape;
    for (int d = values.dimensions() - 1; d >= 0; d--) {
        shape += std::to_string(values.dim(d).extent()) + (d > 0 && values.dimensions() > 1 ? ", "
                                                           : values.dimensions() == 1       ? ","
                                                                                            : "");
    }
    std::string header =
        "{'descr': '" + numpy_type(values.type()) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');  // the data begin at a multiple of 64
    header += '\n';
    const auto length = static_cast<uint16_t>(header.size());
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length & 255) +
           static_cast<char>(length >> 8) + header +
           std::string(static_cast<const char *>(values.data()), values.size_in_bytes());
}

}  // namespace eutectic
