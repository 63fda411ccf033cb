#include "graph/read/product.h"

#include <algorithm>

#include "graph/data/ids.h"
#include "graph/read/accumulation.h"
#include "graph/read/copies.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

constexpr int bits_of_dim = 4;  // of src/library/product.h
const std::string before = "eutectic_", after = "_product";

/** `e` as a load of a Func whose indices are distinct variables: arguments of `f`, or `sum`. */
std::optional<Factor> factor(const Function &f, const std::string &sum, const Expr &e) {
    const Call *load = e.as<Call>();
    if (!load || load->call_type != Call::Halide || !load->func.defined() ||
        load->args.size() > static_cast<size_t>(most_product_dims) || load->type != f.output_types()[0] ||
        Function(load->func).outputs() != 1) {
        return std::nullopt;
    }
    Factor found{load, {}};
    for (const Expr &arg : load->args) {
        const Variable *v = arg.as<Variable>();
        const auto at = v ? std::find(f.args().begin(), f.args().end(), v->name) : f.args().end();
        if (!v || (v->name != sum && at == f.args().end())) {
            return std::nullopt;
        }
        const int dim = v->name == sum ? -1 : static_cast<int>(at - f.args().begin());
        if (std::find(found.dims.begin(), found.dims.end(), dim) != found.dims.end()) {
            return std::nullopt;
        }
        found.dims.push_back(dim);
    }
    return found;
}

bool has(const Factor &factor, int dim) {
    return std::find(factor.dims.begin(), factor.dims.end(), dim) != factor.dims.end();
}

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

int packed(const std::vector<int> &dims) {
    int all = 0;
    for (size_t d = 0; d < dims.size(); d++) {
        all |= (dims[d] + 1) << (bits_of_dim * static_cast<int>(d));
    }
    return all;
}

std::vector<int> unpacked(int64_t all, int dims) {
    std::vector<int> result;
    for (int d = 0; d < dims; d++) {
        result.push_back(static_cast<int>(all >> (bits_of_dim * d) & 0xf) - 1);
    }
    return result;
}

int dimensions(const ExternFuncArgument &a) {
    return a.is_func()          ? Function(a.func).dimensions()
           : a.is_image_param() ? a.image_param.dimensions()
                                : a.buffer.dimensions();
}

}  // namespace

std::optional<MatrixProduct> matrix_product(const Function &f) {
    const std::optional<Accumulation> sum = sum_update(f);
    if (!sum || f.dimensions() > most_product_dims || f.dimensions() == 0) {
        return std::nullopt;
    }
    const Type type = f.output_types()[0];
    const Definition &update = f.updates()[0];
    const Mul *product = sum->term.as<Mul>();
    const std::vector<ReductionVariable> &rvars = update.schedule().rvars();
    if ((type != Float(32) && type != Float(64)) || !product || rvars.size() != 1 ||
        !is_const_one(update.predicate())) {
        return std::nullopt;
    }
    const std::optional<Factor> a = factor(f, rvars[0].var, product->a),
                                b = factor(f, rvars[0].var, product->b);
    if (!a || !b || !has(*a, -1) || !has(*b, -1)) {
        return std::nullopt;
    }
    for (int d = 0; d < f.dimensions(); d++) {
        if (!has(*a, d) && !has(*b, d)) {
            return std::nullopt;
        }
    }
    const Expr start = f.definition().values()[0];
    return MatrixProduct{*a, *b, rvars[0], start, is_const_zero(simplify_shared(start))};
}

Func product_by_library(const Function &f, const MatrixProduct &product, const std::string &library,
                        int tasks) {
    std::vector<Var> args;
    for (const std::string &name : f.args()) {
        args.emplace_back(name);
    }
    Func made(f.name() + "_product");
    made.define_extern(before + library + after,
                       {argument(product.a), argument(product.b), product.sum.min, product.sum.extent,
                        Expr(packed(product.a.dims)), Expr(packed(product.b.dims)), Expr(tasks)},
                       f.output_types()[0], args);
    return made;
}

std::optional<ProductCall> product_call(const Function &f) {
    const std::string &name = f.has_extern_definition() ? f.extern_function_name() : std::string();
    const std::vector<ExternFuncArgument> &args = f.extern_arguments();
    if (name.size() <= before.size() + after.size() || name.compare(0, before.size(), before) != 0 ||
        name.compare(name.size() - after.size(), after.size(), after) != 0 || args.size() != 7) {
        return std::nullopt;
    }
    const auto number = [&](size_t at) {
        return args[at].is_expr() ? as_const_int(args[at].expr) : std::nullopt;
    };
    const auto a = number(4), b = number(5), tasks = number(6);
    if (!a || !b || !tasks || args[0].is_expr() || args[1].is_expr()) {
        return std::nullopt;
    }
    return ProductCall{name.substr(before.size(), name.size() - before.size() - after.size()),
                       unpacked(*a, dimensions(args[0])), unpacked(*b, dimensions(args[1])), args[3].expr,
                       *tasks > 1};
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
    if (!argument.is_image_param() && !argument.is_buffer()) {
        return std::nullopt;
    }
    const bool parameter = argument.is_image_param();
    Func wrapper((parameter ? argument.image_param.name() : argument.buffer.name()) + "_buffer");
    std::vector<Var> vars;
    std::vector<Expr> at;
    for (int d = 0; d < dimensions(argument); d++) {
        vars.push_back(Var::implicit(d));
        at.emplace_back(vars.back());
    }
    wrapper(vars) =
        parameter ? Call::make(argument.image_param, at) : Call::make(Buffer<>(argument.buffer), at);
    Function made = wrapper.function();
    made.lock_loop_levels();  // nobody schedules it
    return made;
}

}  // namespace eutectic
