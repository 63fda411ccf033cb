#include "graph/read/read_expr.h"

#include <algorithm>
#include <set>

#include "graph/read/shared.h"
#include "graph/read/size_names.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** What does not change from call to call by what it is, and, if asked for, the rest by its estimate. */
class SubstituteSizes : public IRGraphMutator {
public:
    explicit SubstituteSizes(bool estimates) : estimates_(estimates) {
    }

private:
    using IRGraphMutator::visit;
    bool estimates_;

    /** Strict arithmetic of constants has one value. Halide leaves it as it is. */
    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *call = e.as<Call>();
        if (!estimates_ || !call || !call->is_strict_float_intrinsic() || call->args.size() != 2) {
            return e;
        }
        const Expr a = simplify(call->args[0]), b = simplify(call->args[1]);
        if (!is_const(a) || !is_const(b)) {
            return e;
        }
        return call->is_intrinsic(Call::strict_add)   ? simplify(a + b)
               : call->is_intrinsic(Call::strict_sub) ? simplify(a - b)
               : call->is_intrinsic(Call::strict_mul) ? simplify(a * b)
               : call->is_intrinsic(Call::strict_div) ? simplify(a / b)
               : call->is_intrinsic(Call::strict_min) ? simplify(min(a, b))
               : call->is_intrinsic(Call::strict_max) ? simplify(max(a, b))
                                                      : e;
    }

    Expr visit(const Variable *op) override {
        if (!op->param.defined()) {
            return op;
        }
        if (!op->param.is_buffer()) {
            const Expr estimate = estimates_ ? op->param.estimate() : Expr();
            return estimate.defined() ? cast(op->type, estimate) : Expr(op);
        }
        const std::optional<SizeOfBuffer> size = size_of_buffer(op);
        if (!size || (size->kind != "extent" && size->kind != "min")) {
            return op;
        }
        const DimId dim = size->dim;
        const bool extent = size->kind == "extent";
        const Expr always =
            constant_or_undefined(extent ? op->param.extent_constraint(dim) : op->param.min_constraint(dim));
        if (always.defined() || !estimates_) {
            return always.defined() ? always : Expr(op);
        }
        const Expr estimate =
            extent ? op->param.extent_constraint_estimate(dim) : op->param.min_constraint_estimate(dim);
        return estimate.defined() ? estimate : extent ? Expr(op) : Expr(0);
    }
};

}  // namespace

Expr constant_or_undefined(const Expr &e) {
    const Expr simple = e.defined() ? simplify_shared(e) : e;
    return simple.defined() && is_const(simple) ? simple : Expr();
}

Expr at_estimates(const Expr &e) {
    return simplify_shared(SubstituteSizes(true).mutate(e));
}

Expr at_constraints(const Expr &e) {
    return simplify_shared(SubstituteSizes(false).mutate(e));
}

Expr SizeOfBuffer::variable(const std::string &other) const {
    return Variable::make(Int(32), buffer.name() + "." + other + "." + std::to_string(dim), buffer);
}

std::optional<SizeOfBuffer> size_of_buffer(const Expr &e) {
    const Variable *v = e.as<Variable>();
    std::string kind;
    DimId dim = 0;
    if (!v || !v->param.defined() || !v->param.is_buffer() || !split_size_name(v->name, &kind, &dim)) {
        return std::nullopt;
    }
    return SizeOfBuffer{v->param, kind, dim};
}

std::pair<std::string, DimId> extent_of_parameter(const Expr &e) {
    const std::optional<SizeOfBuffer> size = size_of_buffer(simplify_shared(e));
    return size && size->kind == "extent" ? std::make_pair(size->buffer.name(), size->dim)
                                          : std::make_pair(std::string(), DimId(0));
}

namespace {

/** The operands of maxima (Op: Max) or minima of maxima or minima. */
template<class Op>
std::vector<Expr> operands_of(const Expr &e) {
    std::vector<Expr> operands, open{e};
    while (!open.empty()) {
        const Expr next = open.back();
        open.pop_back();
        if (const Op *op = next.as<Op>()) {
            open.insert(open.end(), {op->b, op->a});
        } else {
            operands.push_back(next);
        }
    }
    return operands;
}

}  // namespace

std::vector<std::pair<std::string, DimId>> extents_within(const Expr &e) {
    if (auto extent = extent_of_parameter(e); !extent.first.empty()) {
        return {std::move(extent)};
    }
    const Expr simple = is_small(e) ? simplify(e) : Expr();
    const Sub *range = simple.defined() ? simple.as<Sub>() : nullptr;
    std::vector<std::pair<std::string, DimId>> found;
    if (!range || !range->a.as<Max>() || !range->b.as<Min>()) {
        return found;
    }
    const std::vector<Expr> ends = operands_of<Max>(range->a);
    for (const Expr &begin : operands_of<Min>(range->b)) {
        const std::optional<SizeOfBuffer> size = size_of_buffer(begin);
        if (!size || size->kind != "min") {
            continue;
        }
        const Expr end = begin + size->variable("extent");
        if (std::any_of(ends.begin(), ends.end(), [&](const Expr &x) { return can_prove(x == end); })) {
            found.emplace_back(size->buffer.name(), size->dim);
        }
    }
    return found;
}

namespace {

/** The factors of a product. */
struct Factors {
    std::vector<Expr> all;          ///< each node once
    std::set<const IRNode *> more;  ///< those of them that are met again: squares, and powers
};

Factors factors_of(const Expr &e) {
    Factors factors;
    std::set<const IRNode *> met;
    // What is in a product that is met again is met again as well: a second visit is enough to know.
    std::set<const IRNode *> met_again;
    for (std::vector<Expr> open{e}; !open.empty();) {
        const Expr node = open.back();
        open.pop_back();
        const bool again = !met.insert(node.get()).second;
        if (again && !met_again.insert(node.get()).second) {
            continue;
        }
        const Mul *m = node.as<Mul>();
        const Cast *c = node.as<Cast>();
        if (m) {
            open.push_back(m->b);
            open.push_back(m->a);
        } else if (c) {
            open.push_back(c->value);
        } else if (again) {
            factors.more.insert(node.get());
        } else {
            factors.all.push_back(node);
        }
    }
    return factors;
}

}  // namespace

void for_each_load(const Expr &e, const std::function<void(const Call *)> &visit) {
    // A shared load counts once, two equal loads are two mentions.
    for_each_node(e, [&](const Expr &node) {
        const Call *op = node.as<Call>();
        if (op && (op->call_type == Call::Halide || op->call_type == Call::Image)) {
            visit(op);
        }
        return true;
    });
}

bool is_product_with_reuse(const Expr &e, const std::vector<std::string> &pure_vars) {
    const Factors factors = factors_of(e);
    std::vector<std::set<std::string>> used;
    for (const Expr &f : factors.all) {
        bool loads = false;
        for_each_load(f, [&](const Call *) { loads = true; });
        if (!loads) {
            continue;
        }
        std::set<std::string> vars;
        for (const std::string &v : pure_vars) {
            if (expr_uses_var(f, v)) {
                vars.insert(v);
            }
        }
        used.insert(used.end(), factors.more.count(f.get()) ? 2 : 1, vars);
    }
    if (used.size() < 2) {
        return false;
    }
    return std::any_of(used.begin(), used.end(), [&](const std::set<std::string> &u) {
        return u != used.front() || u.size() < pure_vars.size();
    });
}

}  // namespace eutectic
