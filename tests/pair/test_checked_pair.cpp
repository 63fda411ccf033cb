// What a generated NAME_residuals.h is made of, with buffers and shapes of our own: each refusal, word for
// word, and the arithmetic of sizes.

#include "pair/checked_pair.h"

#include <doctest/doctest.h>

using Tensor = Halide::Runtime::Buffer<float>;

namespace {

constexpr auto float32 = halide_type_t(halide_type_float, 32);

/** A pair that keeps one tensor. */
struct Pair : eutectic::CheckedPair {
    Halide::Runtime::Buffer<float, 2> kept;

    // What the generated part calls, for the tests.
    using CheckedPair::bytes_of;
    using CheckedPair::quotient;
    using CheckedPair::remainder;

    int allocate(const std::vector<Range> &shape) {
        if (const int code = make(kept, "kept", shape,
                                  [](const std::vector<int> &extents) { return decltype(kept)(extents); })) {
            return code;
        }
        is_allocated = true;
        return told("allocate", 0);
    }
    int check_kept() {
        return check("pass", {{"kept", kept.raw_buffer(), float32, 2, Memory::allocated}});
    }
    int check_input(const halide_buffer_t *x) {
        return check("pass", {{"x", x, float32, 2, Memory::given}});
    }
    int check_shape(const halide_buffer_t *x) {
        return check("pass", {{"x", x, float32, 2, Memory::any}});
    }
    int fits_kept(const std::vector<Range> &shape) {
        return fits("pass", "kept", kept.raw_buffer(), shape, "allocate() for these");
    }
    int covers_input(const Tensor &x, int min, int extent) {
        Query query(x.raw_buffer());
        query.dim[1] = {min, extent, 0};
        return covers("pass", "x", x.raw_buffer(), query.buffer);
    }
    int linked(const std::vector<halide_filter_argument_t> &arguments) {
        const halide_filter_metadata_t metadata = {halide_filter_metadata_t::VERSION,
                                                   static_cast<int32_t>(arguments.size()), arguments.data(),
                                                   "host", "pass"};
        return agrees("pass", &metadata, {{"x", float32, 2}, {"n", halide_type_t(halide_type_int, 32), -1}});
    }
    int failed(int code) {
        return told("pass", code);
    }
};

}  // namespace

TEST_CASE("arguments that no pass takes are refused by name") {
    Pair pair;
    CHECK(pair.check_input(nullptr) == halide_error_code_buffer_argument_is_null);
    CHECK(pair.refusal == "pass was given x as a null pointer; pass a buffer.");
    const Tensor row(3);
    CHECK(pair.check_input(row.raw_buffer()) == halide_error_code_bad_dimensions);
    CHECK(pair.refusal == "pass was given x with 1 dimensions, and it has 2; pass one that has.");
    const Halide::Runtime::Buffer<uint16_t> words(3, 2);
    CHECK(pair.check_input(words.raw_buffer()) == halide_error_code_bad_type);
    CHECK(pair.refusal == "pass was given x of type uint16, and it is float32; pass one of that type.");
    const Tensor bare(nullptr, {3, 2});
    CHECK(pair.check_input(bare.raw_buffer()) == halide_error_code_host_is_null);
    CHECK(pair.refusal == "pass was given x without memory; pass one that has its elements.");
    CHECK(pair.check_shape(bare.raw_buffer()) == 0);
    CHECK(pair.check_input(Tensor(nullptr, {3, 0}).raw_buffer()) == 0);  // there is nothing to have
    CHECK(pair.check_input(Tensor(3, 2).raw_buffer()) == 0);
}

TEST_CASE("what is kept has to be allocated, in the shape of the arguments") {
    Pair pair;
    CHECK(pair.check_kept() == halide_error_code_host_is_null);
    CHECK(pair.refusal == "pass was given kept without memory; call allocate() first.");
    CHECK(pair.allocate({{0, 4}, {0, -1}}) == halide_error_code_constraint_violated);
    CHECK(pair.refusal ==
          "kept has no shape for these arguments (4x-1); pass outputs and inputs that belong together.");
    REQUIRE(pair.allocate({{0, 4}, {-2, 3}}) == 0);
    CHECK(pair.refusal.empty());
    CHECK(pair.check_kept() == 0);
    CHECK(pair.kept.dim(1).min() == -2);
    CHECK(Pair::bytes_of(pair.kept) == 4 * 3 * sizeof(float));
    CHECK(Pair::bytes_of(Tensor(nullptr, {3, 2})) == 0);
    CHECK(pair.fits_kept({{0, 4}, {-2, 3}}) == 0);
    CHECK(pair.fits_kept({{0, 4}, {0, 3}}) == halide_error_code_constraint_violated);
    CHECK(pair.refusal ==
          "pass was given kept of shape 4x3 from (0, -2), and its other arguments go with 4x3; "
          "allocate() for these.");
}

TEST_CASE("inputs have all that is read") {
    Pair pair;
    const Tensor x(5, 4);
    for (const auto &[min, extent] : {std::pair(0, 4), std::pair(1, 3), std::pair(2, 0), std::pair(9, 0)}) {
        CHECK(pair.covers_input(x, min, extent) == 0);
    }
    for (const auto &[min, extent] : {std::pair(-1, 2), std::pair(0, 5), std::pair(3, 2)}) {
        CHECK(pair.covers_input(x, min, extent) == halide_error_code_access_out_of_bounds);
    }
    CHECK(pair.refusal ==
          "pass was given x of shape 5x4, and reads 5x2 from (0, 3) of it; pass all that is read.");
}

TEST_CASE("a library that takes other arguments than the caller was compiled for is refused") {
    constexpr auto int32 = halide_type_t(halide_type_int, 32);
    const auto argument = [](const char *name, halide_argument_kind_t kind, halide_type_t type, int dims) {
        return halide_filter_argument_t{name, kind, dims, type, nullptr, nullptr, nullptr, nullptr, nullptr};
    };
    const auto x = argument("x", halide_argument_kind_input_buffer, float32, 2),
               n = argument("n", halide_argument_kind_input_scalar, int32, 0),
               other_name = argument("m", halide_argument_kind_input_scalar, int32, 0),
               buffer = argument("n", halide_argument_kind_output_buffer, int32, 0),
               halves =
                   argument("x", halide_argument_kind_input_buffer, halide_type_t(halide_type_float, 16), 2),
               row = argument("x", halide_argument_kind_input_buffer, float32, 1);
    Pair pair;
    CHECK(pair.linked({x, n}) == 0);
    const auto said = [&](const std::vector<halide_filter_argument_t> &arguments) {
        CHECK(pair.linked(arguments) == halide_error_code_requirement_failed);
        const std::string end = "; compile the caller with what was written together with the library.";
        REQUIRE(pair.refusal.size() > end.size());
        CHECK(pair.refusal.substr(pair.refusal.size() - end.size()) == end);
        return pair.refusal.substr(0, pair.refusal.size() - end.size());
    };
    CHECK(said({n, x}) ==
          "pass, as it was linked, takes n (int32, a number) as argument 1, and its caller was compiled for "
          "x (float32, 2 dimensions) there");
    CHECK(said({halves, n}).find("takes x (float16, 2 dimensions) as argument 1") != std::string::npos);
    CHECK(said({row, n}).find("takes x (float32, 1 dimension) as argument 1") != std::string::npos);
    CHECK(said({x, other_name}).find("takes m (int32, a number) as argument 2") != std::string::npos);
    CHECK(said({x, buffer}).find("takes n (int32, 0 dimensions) as argument 2") != std::string::npos);
    CHECK(
        said({x}).find("takes nothing as argument 2, and its caller was compiled for n (int32, a number)") !=
        std::string::npos);
    CHECK(said({x, n, row}).find("as argument 3, and its caller was compiled for nothing there") !=
          std::string::npos);
}

TEST_CASE("a kernel's error has a sentence") {
    Pair pair;
    CHECK(pair.failed(halide_error_code_out_of_memory) == halide_error_code_out_of_memory);
    CHECK(pair.refusal ==
          "pass failed with Halide's error code " + std::to_string(halide_error_code_out_of_memory) + ".");
    CHECK(pair.failed(0) == 0);
    CHECK(pair.refusal.empty());
}

TEST_CASE("sizes divide as Halide divides") {
    for (const int a : {-7, -6, -1, 0, 1, 6, 7}) {
        for (const int b : {-3, -1, 1, 2, 3}) {
            const int q = Pair::quotient(a, b), r = Pair::remainder(a, b);
            CHECK(q * b + r == a);
            CHECK(r >= 0);
            CHECK(r < std::abs(b));
        }
        CHECK(Pair::quotient(a, 0) == 0);
        CHECK(Pair::remainder(a, 0) == 0);
    }
}
