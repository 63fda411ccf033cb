// name_residuals.h: what the forward keeps is allocated through it, both passes run through it, and what does
// not fit is refused by name.

#include "contract_dense_gelu_reference_residuals.h"
#include "contract_dense_gelu_residuals.h"
#include "contract_dense_relu_reference_residuals.h"
#include "contract_dense_relu_residuals.h"
#include "contract_dropout_residuals.h"
#include "contract_log_softmax_reference_residuals.h"
#include "contract_log_softmax_residuals.h"
#include "contract_max_pool_reference_residuals.h"
#include "contract_max_pool_residuals.h"
#include "contract_softmax_xent_reference_residuals.h"
#include "contract_softmax_xent_residuals.h"

#include "tests/numerics/contract_tensors.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace eutectic::test;

namespace {

std::string told;  // by Halide's runtime

void hear(void *, const char *message) {
    told = message;
}

template<typename T, typename Kept>
Tensors<T> log_softmax(Kept &&kept, int rows, int cols, int row) {
    Tensor<T> x = drawn<T>({cols, rows}, {0, row}, 5), d_y = drawn<T>({cols, rows}, {0, row}, 6), y = like(x),
              d_x = like(x);
    REQUIRE(kept.allocate({x}, {y}) == 0);
    REQUIRE(kept.forward({x}, {y}) == 0);
    REQUIRE(kept.backward({x}, {y}, {d_y}, {d_x}) == 0);
    return {y, d_x};
}

template<typename T, typename Kept>
Tensors<T> softmax_xent(Kept &&kept, int rows, int cols) {
    Tensor<T> x = drawn<T>({cols, rows}, {0, 0}, 7), loss = Tensor<T>::make_scalar(),
              d_loss = Tensor<T>::make_scalar(), d_x = like(x);
    Tensor<int32_t> labels(rows);
    labels.for_each_element([&](int i) { labels(i) = i * 7 % cols; });
    d_loss() = static_cast<T>(1.5);
    REQUIRE(kept.allocate({x, labels}, {loss}) == 0);
    REQUIRE(kept.forward({x, labels}, {loss}) == 0);
    REQUIRE(kept.backward({x, labels}, {loss}, {d_loss}, {d_x}) == 0);
    return {loss, d_x};
}

template<typename T, typename Kept>
Tensors<T> max_pool(Kept &&kept, int channels, int columns, int lines, int batch) {
    Tensor<T> x = drawn<T>({channels, 2 * columns, 2 * lines, batch}, {0, 0, 0, 0}, 8),
              d_y = drawn<T>({channels, columns, lines, batch}, {0, 0, 0, 0}, 9), y = like(d_y),
              d_x = like(x);
    REQUIRE(kept.allocate({x}, {y}) == 0);
    REQUIRE(kept.forward({x}, {y}) == 0);
    REQUIRE(kept.backward({x}, {y}, {d_y}, {d_x}) == 0);
    return {y, d_x};
}

std::string contents(const std::string &path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

template<int D, typename T>
std::vector<int> extents_of(const Halide::Runtime::Buffer<T, D> &b) {
    std::vector<int> extents;
    for (int d = 0; d < b.dimensions(); d++) {
        extents.push_back(b.dim(d).extent());
    }
    return extents;
}

}  // namespace

TEST_CASE("a mask of one bit an element") {
    for (const auto &[m, k, n] :
         {std::tuple<int, int, int>{64, 96, 128}, {13, 7, 5}, {1, 8, 3}, {31, 33, 63}}) {
        CAPTURE(n);
        contract_dense_relu_residuals kept;
        check_close(dense<float>(kept, m, k, n, 0, 0),
                    dense<double>(contract_dense_relu_reference_residuals(), m, k, n, 0, 0));
        CHECK(extents_of(kept.residual_mask) == std::vector<int>{(n + 7) / 8, m});
        CHECK(kept.bytes() == static_cast<size_t>((n + 7) / 8 * m));
        check_close(dense<float>(kept, m, k, n, -3, 5),
                    dense<double>(contract_dense_relu_reference_residuals(), m, k, n, -3, 5));
        kept.release();
        CHECK(kept.bytes() == 0);
    }
}

TEST_CASE("a saved tensor") {
    for (const auto &[m, k, n] : {std::tuple<int, int, int>{64, 96, 128}, {13, 7, 5}, {1, 2, 3}}) {
        contract_dense_gelu_residuals kept;
        check_close(dense<float>(kept, m, k, n, 4, -7),
                    dense<double>(contract_dense_gelu_reference_residuals(), m, k, n, 4, -7));
        CHECK(kept.bytes() == static_cast<size_t>(4 * m * n));
    }
}

TEST_CASE("a log-sum-exp of each row") {
    for (const auto &[rows, cols] : {std::pair<int, int>{192, 250}, {7, 13}, {1, 2}, {33, 3}}) {
        contract_softmax_xent_residuals kept;
        check_close(softmax_xent<float>(kept, rows, cols),
                    softmax_xent<double>(contract_softmax_xent_reference_residuals(), rows, cols));
        CHECK(kept.bytes() == static_cast<size_t>(4 * rows));
    }
}

TEST_CASE("where the largest of a window is") {
    for (const auto &[columns, lines] : {std::pair<int, int>{14, 12}, {5, 3}, {1, 1}}) {
        contract_max_pool_residuals kept;
        check_close(max_pool<float>(kept, 32, columns, lines, 2),
                    max_pool<double>(contract_max_pool_reference_residuals(), 32, columns, lines, 2));
        check_close(max_pool<float>(kept, 3, columns, lines, 1),
                    max_pool<double>(contract_max_pool_reference_residuals(), 3, columns, lines, 1));
    }
}

TEST_CASE("nothing beside the output") {
    contract_log_softmax_residuals kept;
    check_close(log_softmax<float>(kept, 7, 13, 2),
                log_softmax<double>(contract_log_softmax_reference_residuals(), 7, 13, 2));
    CHECK(kept.bytes() == 0);
}

TEST_CASE("a scalar argument") {
    Tensor<float> x = drawn<float>({33, 5}, {0, 0}, 1), y = like(x), d_y = drawn<float>({33, 5}, {0, 0}, 2),
                  d_x = like(x);
    contract_dropout_residuals kept;
    REQUIRE(kept.allocate({x, 7}, {y}) == 0);
    REQUIRE(kept.forward({x, 7}, {y}) == 0);
    REQUIRE(kept.backward({nullptr, 7}, {nullptr}, {d_y}, {d_x}) == 0);
    y.for_each_element(
        [&](int j, int i) { CHECK(std::abs(y(j, i) * d_y(j, i) - d_x(j, i) * x(j, i)) <= 1e-6f); });
}

namespace {

// A dense layer whose calls are refused: outputs that must stay as they are, and errors that the runtime
// tells.
struct RefusedDense {
    static constexpr int m = 13, k = 7, n = 20;
    const std::string to_forward = "contract_dense_relu_forward was given ",
                      to_backward = "contract_dense_relu_backward was given ";
    Tensor<float> x = drawn<float>({k, m}, {0, 0}, 1), w = drawn<float>({n, k}, {0, 0}, 2),
                  b = drawn<float>({n}, {0}, 3), d_y = drawn<float>({n, m}, {0, 0}, 4);
    Tensor<float> y = like(d_y), d_x = like(x), d_w = like(w), d_b = like(b);
    contract_dense_relu_residuals kept;

    RefusedDense() {
        halide_set_error_handler(hear);
    }
    ~RefusedDense() {
        halide_set_error_handler(nullptr);
    }
    void forward(int code, const std::string &sentence) {
        y.fill(5);
        CHECK(kept.forward({x, w, b}, {y}) == code);
        CHECK(kept.refusal == sentence);
        y.for_each_value([](float value) { CHECK(value == 5); });
    }
    void backward(int code, const std::string &sentence) {
        d_x.fill(6), d_w.fill(6), d_b.fill(6);
        CHECK(kept.backward({x, w, b}, {y}, {d_y}, {d_x, d_w, d_b}) == code);
        CHECK(kept.refusal == sentence);
        for (Tensor<float> *d : {&d_x, &d_w, &d_b}) {
            d->for_each_value([](float value) { CHECK(value == 6); });
        }
    }
};

}  // namespace

TEST_CASE_FIXTURE(RefusedDense, "what does not fit is refused by name, and nothing is touched") {
    SUBCASE("no memory") {
        forward(halide_error_code_host_is_null,
                to_forward + "residual_mask without memory; call allocate() first.");
        backward(halide_error_code_host_is_null,
                 to_backward + "residual_mask without memory; call allocate() first.");
    }
    SUBCASE("another type") {
        REQUIRE(kept.allocate({x, w, b}, {y}) == 0);
        kept.residual_mask.raw_buffer()->type = halide_type_of<float>();
        forward(halide_error_code_bad_type,
                to_forward + "residual_mask of type float32, and it is uint8; pass one of that type.");
        backward(halide_error_code_bad_type,
                 to_backward + "residual_mask of type float32, and it is uint8; pass one of that type.");
        kept.residual_mask.raw_buffer()->type = halide_type_of<uint8_t>();
    }
    SUBCASE("another shape") {
        Tensor<float> smaller = x.cropped(1, 0, 6), for_smaller(n, 6);
        REQUIRE(kept.allocate({smaller, w, b}, {for_smaller}) == 0);
        forward(
            halide_error_code_constraint_violated,
            to_forward +
                "residual_mask of shape 3x6, and its other arguments go with 3x13; allocate() for these.");
        backward(halide_error_code_constraint_violated,
                 to_backward +
                     "residual_mask of shape 3x6, and its other arguments go with 3x13; pass what the "
                     "forward kept for the same inputs.");
        y.set_min(8, 1);
        REQUIRE(kept.allocate({x, w, b}, {y}) == 0);
        y.set_min(0, 0);
        forward(halide_error_code_constraint_violated,
                to_forward + "residual_mask of shape 3x13 from (0, 1), and its other arguments go with 3x13; "
                             "allocate() for these.");
    }
    SUBCASE("another number of dimensions") {
        REQUIRE(kept.allocate({x, w, b}, {y}) == 0);
        b = drawn<float>({n, 1}, {0, 0}, 3);
        forward(halide_error_code_bad_dimensions,
                to_forward + "b with 2 dimensions, and it has 1; pass one that has.");
    }
    SUBCASE("an input that is smaller than what is read") {
        REQUIRE(kept.allocate({x, w, b}, {y}) == 0);
        w = drawn<float>({n - 1, k}, {0, 0}, 2);
        d_w = like(w);
        forward(halide_error_code_access_out_of_bounds,
                to_forward + "w of shape 19x7, and reads 20x7 of it; pass all that is read.");
    }
    SUBCASE("null pointers") {
        CHECK(kept.allocate({x, nullptr, b}, {y}) == halide_error_code_buffer_argument_is_null);
        CHECK(kept.refusal ==
              "contract_dense_relu_residuals::allocate was given w as a null pointer; pass a buffer.");
        CHECK(kept.bytes() == 0);
        REQUIRE(kept.allocate({x, w, b}, {y}) == 0);
        CHECK(kept.refusal.empty());
        CHECK(kept.forward({nullptr, w, b}, {y}) == halide_error_code_buffer_argument_is_null);
        CHECK(kept.refusal == to_forward + "x as a null pointer; pass a buffer.");
    }
    CHECK(told == "");  // no kernel ran, none complained
}

TEST_CASE("what is kept has no part in the hash of a contract, and what callers pass has") {
    const auto hash = [](const std::string &pair) {
        const std::string header =
                              contents(std::string(CONTRACT_HEADERS) + "/contract_" + pair + "_residuals.h"),
                          key = "// Contract ";
        const size_t at = header.find(key);
        REQUIRE(at != std::string::npos);
        return header.substr(at + key.size(), 16);
    };
    CHECK(hash("dense_relu") == "fb51db393035c195");
    CHECK(hash("dense_gelu") == hash("dense_gelu_small"));
    CHECK(hash("dense_gelu") == hash("dense_relu"));
    CHECK(hash("dense_gelu") != hash("dense_sum"));             // adds gradients
    CHECK(hash("dense_gelu") != hash("dense_gelu_reference"));  // of doubles
}

TEST_CASE("both headers begin with the table of what is kept") {
    const std::string folder = CONTRACT_HEADERS;
    for (const std::string pass : {"forward", "backward"}) {
        CHECK(contents(folder + "/contract_dense_relu_" + pass + ".h")
                  .find("// contract_dense_relu_forward keeps for contract_dense_relu_backward, shapes "
                        "innermost first:\n"
                        "//\n"
                        "//     residual_mask: uint8, (w.extent(0) - 1) / 8 + 1 x x.extent(1); mask; "
                        "1 byte an element, 1024 bytes at 16x64\n"
                        "//     1024 bytes in all\n"
                        "//\n"
                        "// Contract fb51db393035c195: what both take of callers, whatever the budget, "
                        "effort and target.\n"
                        "//\n"
                        "// struct contract_dense_relu_residuals in contract_dense_relu_residuals.h "
                        "allocates and frees them and checks every call.\n") == 0);
        CHECK(contents(folder + "/contract_log_softmax_" + pass + ".h")
                  .find("// contract_log_softmax_forward keeps for contract_log_softmax_backward nothing "
                        "beside inputs and outputs.\n") == 0);
    }
}
