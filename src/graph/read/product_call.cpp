#include "graph/read/product_call.h"

#include <algorithm>
#include <array>

#include "graph/read/copies.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

// The arguments are those of src/library/product.h.
const std::string before = "eutectic_", after_product = "_product", after_convolution = "_convolution";
constexpr int bits_of_dim = 4, bits_of_index = 8, bits_of_steps = 16;

/** The buffer that `f` merely wraps, as an extern stage is given it. */
std::optional<ExternFuncArgument> buffer_of(const Function &f) {
    const Call *load = wrapped_buffer(f);
    if (!load) {
        return std::nullopt;
    }
    return load->param.defined() ? ExternFuncArgument(load->param) : ExternFuncArgument(load->image);
}

ExternFuncArgument argument(const Factor &factor) {
    const Function f(factor.load->func);
    return buffer_of(f).value_or(ExternFuncArgument(f.get_contents()));
}

/** What the dimensions of an operand go along, `bits` each. */
int packed(const Factor &factor, bool convolution) {
    uint32_t all = 0;
    for (size_t d = 0; d < factor.indices.size(); d++) {
        const FactorIndex &i = factor.indices[d];
        const uint32_t code = convolution ? (i.dim + 1) | (i.sum + 1) << bits_of_dim : i.dim + 1;
        all |= code << ((convolution ? bits_of_index : bits_of_dim) * d);
    }
    return static_cast<int>(all);
}

std::vector<FactorIndex> unpacked(int64_t all, int dims, bool convolution) {
    std::vector<FactorIndex> result(dims);
    for (int d = 0; d < dims; d++) {
        const auto nibble = [&](int at) { return static_cast<int>(all >> at & 0xf) - 1; };
        FactorIndex &i = result[d];
        i.dim = nibble((convolution ? bits_of_index : bits_of_dim) * d);
        i.sum = convolution ? nibble(bits_of_index * d + bits_of_dim) : i.dim < 0 ? 0 : -1;
    }
    return result;
}

int dimensions(const ExternFuncArgument &a) {
    return a.is_func()          ? Function(a.func).dimensions()
           : a.is_image_param() ? a.image_param.dimensions()
                                : a.buffer.dimensions();
}

/** Steps and offset of the window over `sum`. */
std::array<Expr, 2> window_arguments(const Factor &a, int sum) {
    for (const FactorIndex &i : a.indices) {
        if (i.sum == sum) {
            return {Expr(i.scale | i.step << bits_of_steps), i.offset};
        }
    }
    return {Expr(1 | 1 << bits_of_steps), Expr(0)};
}

std::vector<ExternFuncArgument> arguments(const MatrixProduct &product, int tasks) {
    std::vector<ExternFuncArgument> all = {argument(product.a), argument(product.b)};
    for (size_t s = 0; s < product.sums.size(); s++) {
        all.emplace_back(product.sums[s].min);
        all.emplace_back(product.sums[s].extent);
        if (s > 0) {
            for (const Expr &e : window_arguments(product.a, static_cast<int>(s))) {
                all.emplace_back(e);
            }
        }
    }
    all.emplace_back(Expr(packed(product.a, product.convolution())));
    all.emplace_back(Expr(packed(product.b, product.convolution())));
    all.emplace_back(Expr(tasks));
    return all;
}

constexpr size_t product_arguments = 7, convolution_arguments = 15;

/** Is `name` "eutectic_LIBRARY" and `after`? Then LIBRARY. */
std::optional<std::string> library_in(const std::string &name, const std::string &after) {
    if (name.size() <= before.size() + after.size() || name.compare(0, before.size(), before) != 0 ||
        name.compare(name.size() - after.size(), after.size(), after) != 0) {
        return std::nullopt;
    }
    return name.substr(before.size(), name.size() - before.size() - after.size());
}

}  // namespace

Func product_by_library(const Function &f, const MatrixProduct &product, const std::string &library,
                        int tasks) {
    std::vector<Var> args;
    for (const std::string &name : f.args()) {
        args.emplace_back(name);
    }
    const std::string &after = product.convolution() ? after_convolution : after_product;
    Func made(f.name() + after);
    made.define_extern(before + library + after, arguments(product, tasks), f.output_types()[0], args);
    return made;
}

std::optional<ProductCall> product_call(const Function &f) {
    if (!f.has_extern_definition()) {
        return std::nullopt;
    }
    const std::vector<ExternFuncArgument> &args = f.extern_arguments();
    const std::optional<std::string> product = library_in(f.extern_function_name(), after_product),
                                     convolution = library_in(f.extern_function_name(), after_convolution);
    if ((!product && !convolution) ||
        args.size() != (convolution ? convolution_arguments : product_arguments) || args[0].is_expr() ||
        args[1].is_expr() ||
        !std::all_of(args.begin() + 2, args.end(), [](const auto &a) { return a.is_expr(); })) {
        return std::nullopt;
    }
    const auto number = [&](size_t at) { return as_const_int(args[at].expr); };
    const auto a = number(args.size() - 3), b = number(args.size() - 2), tasks = number(args.size() - 1);
    if (!a || !b || !tasks) {
        return std::nullopt;
    }
    ProductCall call{product ? *product : *convolution,
                     unpacked(*a, dimensions(args[0]), convolution.has_value()),
                     unpacked(*b, dimensions(args[1]), convolution.has_value()),
                     {args[2].expr},
                     {args[3].expr},
                     *tasks > 1};
    for (size_t at = 4; at + 4 < args.size(); at += 4) {
        const int sum = static_cast<int>(call.sum_mins.size());
        call.sum_mins.push_back(args[at].expr);
        call.sum_extents.push_back(args[at + 1].expr);
        for (FactorIndex &i : call.a) {
            if (i.sum == sum) {
                const int64_t steps = number(at + 2).value_or(0);
                i.scale = static_cast<int>(steps & 0xffff);
                i.step = static_cast<int>(steps >> bits_of_steps);
                i.offset = args[at + 3].expr;
            }
        }
    }
    return call;
}

const Function *operand_of(const ExternFuncArgument &argument, const std::vector<Function> &functions) {
    for (const Function &f : functions) {
        if (argument.is_func()) {
            if (f.name() == Function(argument.func).name()) {
                return &f;
            }
            continue;
        }
        const std::optional<ExternFuncArgument> buffer = buffer_of(f);
        if (buffer &&
            (argument.is_image_param()
                 ? buffer->is_image_param() && buffer->image_param.same_as(argument.image_param)
                 : argument.is_buffer() && buffer->is_buffer() && buffer->buffer.same_as(argument.buffer))) {
            return &f;
        }
    }
    return nullptr;
}

std::optional<Function> wrapper_of(const ExternFuncArgument &argument) {
    if (argument.is_image_param()) {
        return wrapper_of(argument.image_param, argument.image_param.name() + "_buffer");
    }
    if (!argument.is_buffer()) {
        return std::nullopt;
    }
    const Buffer<> buffer(argument.buffer);
    return wrapper_of(buffer, buffer.name() + "_buffer");
}

}  // namespace eutectic
