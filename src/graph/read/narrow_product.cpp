#include "graph/read/narrow_product.h"

#include "graph/read/accumulation.h"
#include "graph/read/quotients.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** The type that values of `e` need: unsigned where none is negative and 8 bits do. */
std::optional<Type> narrow_type(const Expr &e) {
    const ConstantInterval values = constant_integer_bounds(e);
    if (!values.is_bounded()) {
        return std::nullopt;
    }
    for (const Type &type : {UInt(8), Int(8), Int(16)}) {
        const Expr least = type.min(), most = type.max();
        if (values.min >= (type.is_int() ? *as_const_int(least) : 0) &&
            values.max <=
                (type.is_int() ? *as_const_int(most) : static_cast<int64_t>(*as_const_uint(most)))) {
            return type;
        }
    }
    return std::nullopt;
}

/** The only load in `e`, where nothing else varies; null: there is no such one. */
const Call *only_load(const Expr &e) {
    const Call *load = nullptr;
    bool only = true;
    for_each_node(e, [&](const Expr &node) {
        const Call *call = node.as<Call>();
        if (call && call->call_type == Call::Halide) {
            only = only && !load;
            load = call;
            return false;
        }
        only = only && !(call && !call->is_pure()) && !(node.as<Variable>() && varies(node));
        return true;
    });
    return only ? load : nullptr;
}

/** `e` without what rfactor() says of the range of its variables. */
Expr without_promise(const Expr &e) {
    const Call *call = e.as<Call>();
    const bool promise = call && (call->is_intrinsic(Call::promise_clamped) ||
                                  call->is_intrinsic(Call::unsafe_promise_clamped));
    return promise ? call->args[0] : e;
}

/** The dimension of `load` that the reduction variable `r` alone goes along, and that goes along nothing
 * else; nothing where `r` is in other indices, too. */
std::optional<int> dim_along(const Call &load, const std::string &r) {
    std::optional<int> dim;
    Contains uses = uses_variable(r);
    for (size_t d = 0; d < load.args.size(); d++) {
        const Expr index = without_promise(load.args[d]);
        const Variable *v = index.as<Variable>();
        if (v && v->name == r && !dim) {
            dim = static_cast<int>(d);
        } else if (uses(load.args[d])) {
            return std::nullopt;
        }
    }
    return dim;
}

std::optional<NarrowFactor> factor(const Expr &e) {
    const std::optional<Type> type = narrow_type(e);
    const Call *load = type ? only_load(e) : nullptr;
    if (!load || !load->func.defined() || Function(load->func).outputs() != 1) {
        return std::nullopt;
    }
    return NarrowFactor{e, load, 0, *type};
}

}  // namespace

std::optional<NarrowProduct> narrow_product(const Function &f) {
    const std::optional<Accumulation> sum = sum_of_integers(f);
    const Mul *product = sum ? sum->term.as<Mul>() : nullptr;
    if (!product || f.output_types()[0] != Int(32) || !is_const_one(f.updates()[0].predicate())) {
        return std::nullopt;
    }
    const std::optional<NarrowFactor> a = factor(product->a), b = factor(product->b);
    if (!a || !b || a->load->name == b->load->name) {
        return std::nullopt;
    }
    NarrowProduct found{*a, *b, 0};
    for (const ReductionVariable &r : f.updates()[0].schedule().rvars()) {
        const std::optional<int> in_a = dim_along(*a->load, r.var), in_b = dim_along(*b->load, r.var);
        if (in_a && in_b) {
            found.a.dim = *in_a;
            found.b.dim = *in_b;
            return found;
        }
        found.variable++;
    }
    return std::nullopt;
}

}  // namespace eutectic
