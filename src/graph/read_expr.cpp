#include "graph/read_expr.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** "x.extent.1" of parameter x → ("extent", 1). */
bool split_size_name(const std::string &name, std::string *kind, int *dim) {
    const size_t last = name.rfind('.');
    const size_t middle = last == std::string::npos || last == 0 ? std::string::npos : name.rfind('.', last - 1);
    if (middle == std::string::npos) {
        return false;
    }
    *kind = name.substr(middle + 1, last - middle - 1);
    *dim = std::atoi(name.c_str() + last + 1);
    return true;
}

/** What does not change from call to call by what it is, and, if asked for, the rest by its estimate. */
class SubstituteSizes : public IRMutator {
public:
    explicit SubstituteSizes(bool estimates)
        : estimates_(estimates) {
    }

private:
    using IRMutator::visit;
    bool estimates_;

    Expr visit(const Variable *op) override {
        if (!op->param.defined()) {
            return op;
        }
        if (!op->param.is_buffer()) {
            const Expr estimate = estimates_ ? op->param.estimate() : Expr();
            return estimate.defined() ? cast(op->type, estimate) : Expr(op);
        }
        std::string kind;
        int dim = 0;
        if (!split_size_name(op->name, &kind, &dim) || (kind != "extent" && kind != "min")) {
            return op;
        }
        const bool extent = kind == "extent";
        const Expr always = constant_or_undefined(extent ? op->param.extent_constraint(dim) : op->param.min_constraint(dim));
        if (always.defined() || !estimates_) {
            return always.defined() ? always : Expr(op);
        }
        const Expr estimate = extent ? op->param.extent_constraint_estimate(dim) : op->param.min_constraint_estimate(dim);
        return estimate.defined() ? estimate : extent ? Expr(op)
                                                      : Expr(0);
    }
};

/** Sum of two indices. */
Index add(Index a, const Index &b, double sign) {
    const bool affine = a.affine && b.affine;
    std::vector<double> sum(a.scale.size());
    a.exact = a.exact && b.exact;
    a.cut = a.cut || b.cut;
    a.halo += b.halo;
    a.wraps = std::max(a.wraps, b.wraps);
    for (size_t d = 0; d < a.scale.size(); d++) {
        const bool changes = a.depends_on(static_cast<int>(d)) || b.depends_on(static_cast<int>(d));
        sum[d] = affine ? a.scale[d] + sign * b.scale[d] : changes ? 1
                                                                   : 0;
    }
    a.scale = sum;
    a.affine = affine;
    a.offset = a.offset && b.offset ? std::optional<double>(*a.offset + sign * *b.offset) : std::nullopt;
    return a;
}

}  // namespace

Expr constant_or_undefined(const Expr &e) {
    const Expr simple = e.defined() ? simplify(e) : e;
    return simple.defined() && is_const(simple) ? simple : Expr();
}

Expr at_estimates(const Expr &e) {
    return simplify(SubstituteSizes(true).mutate(e));
}

Expr at_constraints(const Expr &e) {
    return simplify(SubstituteSizes(false).mutate(e));
}

std::pair<std::string, int> extent_of_parameter(const Expr &e) {
    const Expr simple = simplify(e);
    const Variable *v = simple.as<Variable>();
    std::string kind;
    int dim = 0;
    if (v && v->param.defined() && v->param.is_buffer() && split_size_name(v->name, &kind, &dim) && kind == "extent") {
        return {v->param.name(), dim};
    }
    return {"", 0};
}

namespace {

Index no_index(const std::map<std::string, int> &dims, bool affine) {
    Index index;
    index.scale.assign(dims.size(), 0.0);
    index.affine = affine;
    index.exact = false;
    index.offset.reset();
    return index;
}

/** The index times a constant; `c` absent: beyond analysis, but for the loops that change it. */
Index scaled(Index index, std::optional<double> c) {
    index.affine = index.affine && c.has_value();
    for (double &s : index.scale) {
        s = c ? s * *c : s != 0;
    }
    index.halo *= std::abs(c.value_or(0));
    index.offset = index.offset && c ? std::optional<double>(*index.offset * *c) : std::nullopt;
    return index;
}

std::optional<double> constant(const Expr &e) {
    const std::optional<int64_t> c = as_const_int(e);
    return c ? std::optional<double>(static_cast<double>(*c)) : std::nullopt;
}

/** Of min(a, b) or max(a, b), the side that is not a bound. */
Index clamped(const Expr &a, const Expr &b, const std::map<std::string, int> &dims) {
    Index index = read_index(is_const(a) ? b : a, dims);
    index.exact = false;
    index.cut = true;
    return index;
}

Expr without_hints(const Expr &e) {
    const Call *call = e.as<Call>();
    return call && call->is_intrinsic({Call::likely, Call::likely_if_innermost, Call::promise_clamped, Call::unsafe_promise_clamped}) ? without_hints(call->args[0]) : e;
}

/** The buffer dimension whose range max(min(x, high), low) keeps x in, and x. */
std::optional<std::pair<std::pair<std::string, int>, Expr>> clamped_range(const Expr &index) {
    Expr x = without_hints(index), low, high;
    for (int i = 0; i < 2; i++) {
        const Max *larger = x.as<Max>();
        const Min *smaller = x.as<Min>();
        if (!larger && !smaller) {
            return std::nullopt;
        }
        (larger ? low : high) = larger ? larger->b : smaller->b;
        x = without_hints(larger ? larger->a : smaller->a);
    }
    const Expr bound = low.defined() ? simplify(low) : low;
    const Variable *min_var = bound.defined() ? bound.as<Variable>() : nullptr;
    std::string kind;
    int dim = 0;
    if (!high.defined() || !min_var || !min_var->param.defined() || !split_size_name(min_var->name, &kind, &dim) || kind != "min") {
        return std::nullopt;
    }
    const std::string name = min_var->param.name();
    const Expr extent = Variable::make(Int(32), name + ".extent." + std::to_string(dim), min_var->param);
    if (!can_prove(high == bound + extent - 1)) {
        return std::nullopt;
    }
    return std::make_pair(std::make_pair(name, dim), x);
}

}  // namespace

std::pair<std::string, int> clamped_to_buffer(const Expr &index, const std::map<std::string, int> &dims, int *dim) {
    if (const auto range = clamped_range(index)) {
        *dim = read_index(range->second, dims).equals_dim();
        if (*dim >= 0) {
            return range->first;
        }
    }
    return {"", 0};
}

Index read_index(const Expr &e, const std::map<std::string, int> &dims) {
    if (const Variable *v = e.as<Variable>()) {
        const auto it = dims.find(v->name);
        Index index = no_index(dims, true);
        index.exact = it != dims.end();  // otherwise a scalar parameter: constant while the pipeline runs
        if (index.exact) {
            index.scale[static_cast<size_t>(it->second)] = 1;
            index.offset = 0;
        }
        return index;
    }
    if (is_const(e)) {
        Index index = no_index(dims, true);
        index.exact = is_const_zero(e);
        index.offset = constant(e);
        return index;
    }
    if (const Add *add_op = e.as<Add>()) {
        return add(read_index(add_op->a, dims), read_index(add_op->b, dims), 1);
    }
    if (const Sub *sub = e.as<Sub>()) {
        return add(read_index(sub->a, dims), read_index(sub->b, dims), -1);
    }
    if (const Cast *cast_op = e.as<Cast>()) {
        return read_index(cast_op->value, dims);
    }
    if (const Mul *mul = e.as<Mul>()) {
        return constant(mul->b) ? scaled(read_index(mul->a, dims), constant(mul->b)) : scaled(read_index(mul->b, dims), constant(mul->a));
    }
    if (const Div *div = e.as<Div>()) {
        const std::optional<double> c = constant(div->b);
        Index index = scaled(read_index(div->a, dims), c && *c != 0 ? std::optional<double>(1 / *c) : std::nullopt);
        index.exact = false;
        index.cut = true;
        index.halo += 1;
        index.offset.reset();
        return index;
    }
    if (const Mod *mod = e.as<Mod>()) {
        const std::optional<double> period = constant(mod->b);
        Index index = scaled(read_index(mod->a, dims), period && *period != 0 ? std::optional<double>(1) : std::nullopt);
        index.exact = false;
        index.cut = true;
        index.wraps = std::abs(period.value_or(0));
        index.offset.reset();
        return index;
    }
    if (const Min *min_op = e.as<Min>()) {
        return clamped(min_op->a, min_op->b, dims);
    }
    if (const Max *max_op = e.as<Max>()) {
        return clamped(max_op->a, max_op->b, dims);
    }
    const Call *call = e.as<Call>();
    if (call && call->is_intrinsic({Call::likely, Call::likely_if_innermost, Call::promise_clamped, Call::unsafe_promise_clamped})) {
        return read_index(call->args[0], dims);
    }
    Index loaded = no_index(dims, false);
    for (const auto &[name, dim] : dims) {
        loaded.scale[static_cast<size_t>(dim)] = expr_uses_var(e, name) ? 1 : 0;
    }
    return loaded;
}

namespace {

/** Visits each node once: a shared load counts once, two equal loads are two mentions. */
class Loads : public IRGraphVisitor {
public:
    explicit Loads(const std::function<void(const Call *)> &f)
        : found(f) {
    }

private:
    const std::function<void(const Call *)> &found;
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            found(op);
        }
        IRGraphVisitor::visit(op);
    }
};

void collect_factors(const Expr &e, std::vector<Expr> &factors) {
    if (const Mul *m = e.as<Mul>()) {
        collect_factors(m->a, factors);
        collect_factors(m->b, factors);
    } else if (const Cast *c = e.as<Cast>()) {
        collect_factors(c->value, factors);
    } else {
        factors.push_back(e);
    }
}

}  // namespace

void for_each_load(const Expr &e, const std::function<void(const Call *)> &visit) {
    Loads loads(visit);
    e.accept(&loads);
}

bool is_product_with_reuse(const Expr &e, const std::vector<std::string> &pure_vars) {
    std::vector<Expr> factors;
    collect_factors(e, factors);
    std::vector<std::set<std::string>> used;
    for (const Expr &f : factors) {
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
        used.push_back(vars);
    }
    if (used.size() < 2) {
        return false;
    }
    return std::any_of(used.begin(), used.end(), [&](const std::set<std::string> &u) { return u != used.front() || u.size() < pure_vars.size(); });
}

}  // namespace eutectic
