// What callers write of a pair, and what changes it: nothing.

#include "contract_dense_gelu_reference_residuals.h"
#include "contract_dense_gelu_residuals.h"
#include "contract_dense_gelu_small_residuals.h"
#include "contract_dense_relu_residuals.h"
#include "contract_dense_sum_residuals.h"

#include "tests/numerics/contract_tensors.h"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

using namespace eutectic::test;

TEST_CASE("what the backward does not read may be null, and freed") {
    Tensor<float> x = drawn<float>({7, 13}, {0, 0}, 1), w = drawn<float>({20, 7}, {0, 0}, 2),
                  b = drawn<float>({20}, {0}, 3), d_y = drawn<float>({20, 13}, {0, 0}, 4), y = like(d_y);
    Tensor<float> d_x = like(x), d_w = like(w), d_b = like(b), other_x = like(x), other_w = like(w),
                  other_b = like(b);
    contract_dense_relu_residuals kept;
    REQUIRE(kept.allocate({x, w, b}, {y}) == 0);
    REQUIRE(kept.forward({x, w, b}, {y}) == 0);
    REQUIRE(kept.backward({x, w, b}, {y}, {d_y}, {d_x, d_w, d_b}) == 0);
    b.deallocate();
    y.deallocate();
    REQUIRE(kept.backward({x, w, b}, {y}, {d_y}, {other_x, other_w, other_b}) == 0);
    check_same(other_x, d_x);
    contract_dense_relu_inputs inputs{x, w, nullptr};
    other_x.fill(NAN);
    REQUIRE(kept.backward(inputs, {}, {d_y}, {other_x, other_w, other_b}) == 0);
    check_same(other_x, d_x);
    check_same(other_w, d_w);
    check_same(other_b, d_b);
    inputs.w = nullptr;
    CHECK(kept.backward(inputs, {}, {d_y}, {d_x, d_w, d_b}) == halide_error_code_buffer_argument_is_null);
    CHECK(kept.refusal == "contract_dense_relu_backward was given w as a null pointer; pass a buffer.");
}

TEST_CASE("budgets change what is kept, and nothing else of what callers write") {
    static_assert(
        std::is_same_v<decltype(&contract_dense_gelu_backward),
                       int (*)(halide_buffer_t *, halide_buffer_t *, halide_buffer_t *,  // x, w, b
                               halide_buffer_t *, halide_buffer_t *,                     // y, d_y
                               halide_buffer_t *, halide_buffer_t *, halide_buffer_t *,  // gradients
                               halide_buffer_t *)>,                                      // z
        "residuals are last");
    static_assert(
        std::is_same_v<decltype(&contract_dense_gelu_small_backward),
                       int (*)(halide_buffer_t *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *,
                               halide_buffer_t *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *)>,
        "nothing is kept");
    for (const auto &[m, k, n] : {std::tuple<int, int, int>{64, 96, 128}, {13, 7, 5}, {1, 2, 3}}) {
        contract_dense_gelu_small_residuals kept;
        check_close(dense<float>(kept, m, k, n, 4, -7),
                    dense<double>(contract_dense_gelu_reference_residuals(), m, k, n, 4, -7));
        CHECK(kept.bytes() == 0);
    }
}

TEST_CASE("gradients are added to what their buffers hold") {
    for (const auto &[m, k, n] :
         {std::tuple<int, int, int>{64, 96, 128}, {13, 7, 5}, {1, 8, 3}, {31, 33, 63}, {65, 97, 130}}) {
        CAPTURE(n);
        const Tensors<float> wanted = dense<float>(contract_dense_relu_residuals(), m, k, n, 0, 0);
        Tensor<float> x = drawn<float>({k, m}, {0, 0}, 1), w = drawn<float>({n, k}, {0, 0}, 2),
                      b = drawn<float>({n}, {0}, 3), d_y = drawn<float>({n, m}, {0, 0}, 4), y = like(d_y);
        const Tensors<float> before = {drawn<float>({k, m}, {0, 0}, 5), drawn<float>({n, k}, {0, 0}, 6),
                                       drawn<float>({n}, {0}, 7)};
        Tensors<float> gradients;
        for (const Tensor<float> &t : before) {
            gradients.push_back(t.copy());
        }
        contract_dense_sum_residuals kept;
        REQUIRE(kept.allocate({x, w, b}, {y}) == 0);
        REQUIRE(kept.forward({x, w, b}, {y}) == 0);
        for (int times = 1; times <= 2; times++) {
            REQUIRE(kept.backward({x, w, b}, {y}, {d_y}, {gradients[0], gradients[1], gradients[2]}) == 0);
            for (size_t i = 0; i < 3; i++) {
                int wrong = 0;
                gradients[i].for_each_element([&](const int *at) {
                    const float sum = before[i](at) + static_cast<float>(times) * wanted[i + 1](at);
                    wrong += !(std::abs(gradients[i](at) - sum) <= 1e-4f * (1 + std::abs(sum)));
                });
                CHECK(wrong == 0);
            }
        }
    }
}

TEST_CASE("a pair's functions by pointers, and what they say of their arguments") {
    const halide_filter_metadata_t *told = contract_dense_gelu_backward_metadata();
    const std::vector<std::string> names{"x", "w", "b", "y", "d_y", "d_x", "d_w", "d_b", "residual_z"};
    REQUIRE(told->num_arguments == static_cast<int>(names.size()));
    CHECK(std::string(told->name) == "contract_dense_gelu_backward");
    for (size_t i = 0; i < names.size(); i++) {
        CHECK(told->arguments[i].name == names[i]);
        CHECK((told->arguments[i].kind == halide_argument_kind_output_buffer) == (i >= 5 && i < 8));
    }
    Tensor<float> x = drawn<float>({7, 13}, {0, 0}, 1), w = drawn<float>({20, 7}, {0, 0}, 2),
                  b = drawn<float>({20}, {0}, 3), d_y = drawn<float>({20, 13}, {0, 0}, 4), y = like(d_y),
                  z = like(d_y);
    Tensor<float> d_x = like(x), d_w = like(w), d_b = like(b), other_x = like(x), other_w = like(w),
                  other_b = like(b);
    REQUIRE(contract_dense_gelu_forward(x, w, b, y, z) == 0);
    REQUIRE(contract_dense_gelu_backward(x, w, b, y, d_y, d_x, d_w, d_b, z) == 0);
    void *arguments[] = {x.raw_buffer(),
                         w.raw_buffer(),
                         nullptr,
                         nullptr,
                         d_y.raw_buffer(),
                         other_x.raw_buffer(),
                         other_w.raw_buffer(),
                         other_b.raw_buffer(),
                         z.raw_buffer()};
    REQUIRE(contract_dense_gelu_backward_argv(arguments) == 0);
    check_same(other_x, d_x);
    check_same(other_w, d_w);
    check_same(other_b, d_b);
}
