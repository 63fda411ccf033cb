// Arrays of numpy's: what is read, what is refused, and why not by Halide's own halide_image_io.h.

#define HALIDE_NO_PNG
#define HALIDE_NO_JPEG
#include <halide_image_io.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "apps/eutectic/npy.h"
#include "base/user_error.h"

using namespace Halide;
using namespace eutectic;

namespace {

namespace fs = std::filesystem;

const std::string file = "test_npy.npy";

/** As numpy writes it. `alignment` of the header: 64 in numpy since 1.14, 16 before. */
void write(const std::string &type, const std::string &shape, const std::string &bytes, size_t alignment = 64,
           const std::string &order = "False") {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
    header.resize((header.size() + 11 + alignment - 1) / alignment * alignment - 11, ' ');
    header += "\n";
    std::ofstream(file, std::ios::binary)
        << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() & 255)
        << static_cast<char>(header.size() >> 8) << header << bytes;
}

std::string refusal(const Buffer<> &needed) {
    try {
        read_npy(file, "x", needed);
    } catch (const UserError &e) {
        return e.what();
    }
    return "";
}

bool halide_reads(Runtime::Buffer<> &into) {
    return Tools::Internal::load_npy(file, &into);
}

const std::string six("\0\1\2\3\4\5", 6);  // [[0, 1, 2], [3, 4, 5]]

}  // namespace

TEST_CASE("an array's last axis is the innermost dimension, written and read") {
    write("|u1", "2, 3", six);
    const Buffer<uint8_t> array(read_npy(file, "x", Buffer<uint8_t>(3, 2)));
    CHECK(array(2, 0) == 2);
    CHECK(array(0, 1) == 3);
    std::ifstream in(file, std::ios::binary);
    CHECK(npy(array, "f") == std::string(std::istreambuf_iterator<char>(in), {}));
    // Smaller ones are read of it; headers of any alignment, and truth values.
    CHECK(Buffer<uint8_t>(read_npy(file, "x", Buffer<uint8_t>(1, 2))).dim(0).extent() == 3);
    write("|b1", "2, 3", six, 16);
    CHECK(Buffer<bool>(read_npy(file, "x", Buffer<bool>(3, 2))).dim(1).extent() == 2);
}

TEST_CASE("damaged and foreign files") {
    const Buffer<uint8_t> needed(3, 2);
    write("|u1", "2, 3", six.substr(0, 5));
    CHECK(refusal(needed) == "The file test_npy.npy ends before its array does: write it again.");
    // Of 100 GB, of which there are 6 bytes: refused before there is memory for them.
    write("|u1", "100000, 1000000", six);
    CHECK(refusal(needed) == "The file test_npy.npy ends before its array does: write it again.");
    for (const std::string &extent : {std::string("2147483648"), std::string(30, '9')}) {
        write("|u1", "2, " + extent, six);
        CHECK(refusal(needed) ==
              "The array in test_npy.npy has an axis of " + extent +
                  " points, and a buffer of Halide's has at most 2147483647: give a smaller "
                  "array.");
    }
    write("|u1", "2, -3", six);
    CHECK(refusal(needed) == "The file test_npy.npy is no array of numpy's: write it with numpy.save().");
    write("|u1", "2, 3", six, 64, "True");
    CHECK(refusal(needed) == "The array in test_npy.npy has its first axis innermost: write it with "
                             "numpy.save(FILE, numpy.ascontiguousarray(ARRAY)).");
    write(">u2", "2, 3", six + six);
    CHECK(
        refusal(Buffer<uint16_t>(3, 2)) ==
        "The array in test_npy.npy has 2 axes of >u2, but the input x has 2 dimensions of <u2: give an array "
        "of that kind.");
    std::ofstream(file) << "\x93NUMPY";
    CHECK(refusal(needed) == "The file test_npy.npy is no array of numpy's: write it with numpy.save().");
}

// Each a reason why the command has a reader of its own: when one fails, Halide's may do instead.
TEST_CASE("Halide's reader takes the first axis for the innermost dimension") {
    write("|u1", "2, 3", six);
    Runtime::Buffer<> array;
    REQUIRE(halide_reads(array));
    CHECK(array.dim(0).extent() == 2);
    CHECK(array.as<uint8_t>()(1, 0) == 1);  // numpy's [1, 0] is 3
}

TEST_CASE("Halide's reader has no truth values, and no headers of numpy before 1.14") {
    Runtime::Buffer<> array;
    write("|b1", "2, 3", six);
    CHECK(!halide_reads(array));
    write("|u1", "2, 3", six, 16);
    REQUIRE(fs::file_size(file) == 80 + six.size());
    CHECK(!halide_reads(array));
}

TEST_CASE("Halide's reader takes what an int cannot hold for another size") {
    Runtime::Buffer<> array;
    write("|u1", "4294967298", six);
    REQUIRE(halide_reads(array));
    CHECK(array.dim(0).extent() == 2);
}
