// c(j, i) = e(j, i); c(j, i) += s * a(k, i) * b(j, k)   →   c(j, i) = e(j, i) + s * c_product(j, i), which is
// a library's; convolutions likewise.

#include "base/user_error.h"
#include "graph/read/product_call.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

void multiply_by(const std::string &library, Pipeline pipeline,
                 const std::vector<std::pair<int, int>> &products) {
    std::vector<Func> funcs;  // all before the first change, which adds to what get_func() counts
    for (const auto &product : products) {
        funcs.push_back(pipeline.get_func(product.first));
    }
    for (size_t p = 0; p < products.size(); p++) {
        Internal::Function f = funcs[p].function();
        const std::optional<MatrixProduct> product = matrix_product(f);
        if (!product) {
            throw UserError(
                f.name() + " was to be multiplied by " + library +
                ", but is not the sum of products of two Funcs over one reduction variable, nor a "
                "convolution: leave it as it is.");
        }
        const Func made = product_by_library(f, *product, library, products[p].second);
        std::vector<Expr> args;
        for (const Var &v : funcs[p].args()) {
            args.emplace_back(v);
        }
        Expr value = Internal::Call::make(made.function(), args);
        if (!Internal::is_const_one(product->scale)) {
            value = product->scale * value;
        }
        f.definition().values()[0] = product->from_zero ? value : product->start + value;
        drop_updates(f);
    }
}

}  // namespace

void multiply_by_eigen(Pipeline pipeline, const std::vector<std::pair<int, int>> &products) {
    multiply_by("eigen", std::move(pipeline), products);
}

void multiply_by_openblas(Pipeline pipeline, const std::vector<std::pair<int, int>> &products) {
    multiply_by("openblas", std::move(pipeline), products);
}

void multiply_by_onednn(Pipeline pipeline, const std::vector<std::pair<int, int>> &products) {
    multiply_by("onednn", std::move(pipeline), products);
}

}  // namespace eutectic
