#include "autodiff/estimates.h"

#include "autodiff/expr_tools.h"

#include "graph/read/read_expr.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

using By = std::function<Expr(const Parameter &, const std::string &, int)>;

class ReplaceExtents : public IRGraphMutator {
public:
    explicit ReplaceExtents(const By &by) : by_(by) {
    }

private:
    using IRGraphMutator::visit;
    Expr visit(const Variable *op) override {
        const size_t last = op->name.rfind('.');
        const size_t middle =
            last == std::string::npos || last == 0 ? std::string::npos : op->name.rfind('.', last - 1);
        if (!op->param.defined() || !op->param.is_buffer() || middle == std::string::npos) {
            return op;
        }
        const Expr e = by_(op->param, op->name.substr(middle + 1, last - middle - 1),
                           std::stoi(op->name.substr(last + 1)));
        return e.defined() ? e : Expr(op);
    }
    const By &by_;
};

}  // namespace

Expr replace_buffer_extents(const Expr &e, const By &by) {
    return ReplaceExtents(by).mutate(e);
}

Expr size_of(const Parameter &buffer, const std::string &what, int d) {
    return Variable::make(Int(32), buffer.name() + "." + what + "." + std::to_string(d), buffer);
}

void copy_constraints(const Parameter &from, Parameter to) {
    for (int d = 0; d < from.dimensions(); d++) {
        to.set_min_constraint(d, from.min_constraint(d));
        to.set_extent_constraint(d, from.extent_constraint(d));
        to.set_min_constraint_estimate(d, from.min_constraint_estimate(d));
        to.set_extent_constraint_estimate(d, from.extent_constraint_estimate(d));
    }
}

namespace {

/** The buffer `to` has the size that `from` has at every call. */
template<typename Buffer>
void copy_bounds(const Parameter &from, int d, Buffer to) {
    const Expr min = from.min_constraint(d), extent = from.extent_constraint(d);
    if (min.defined() && extent.defined() && is_const(simplify(min)) && is_const(simplify(extent))) {
        to.dim(d).set_bounds(simplify(min), simplify(extent));
    }
}

}  // namespace

void copy_sizes(Func from, int element, ImageParam to) {
    copy_sizes(from.output_buffers()[element].parameter(), to);
}

void copy_sizes(const Parameter &p, ImageParam to) {
    for (int d = 0; d < to.dimensions(); d++) {
        if (p.min_constraint_estimate(d).defined() && p.extent_constraint_estimate(d).defined()) {
            to.dim(d).set_estimate(p.min_constraint_estimate(d), p.extent_constraint_estimate(d));
        }
        copy_bounds(p, d, to);
    }
}

void copy_sizes(const Parameter &from, Func to, int element) {
    for (int d = 0; d < from.dimensions(); d++) {
        if (from.min_constraint_estimate(d).defined() && from.extent_constraint_estimate(d).defined()) {
            to.set_estimate(to.args()[d], from.min_constraint_estimate(d),
                            from.extent_constraint_estimate(d));
        }
        copy_bounds(from, d, to.output_buffers()[element]);
    }
}

std::vector<std::int64_t> estimate_region(const SymbolicRegion &region, ImageParam backward, Func forward) {
    std::vector<std::int64_t> shape;
    for (size_t d = 0; d < region.size(); d++) {
        const Expr low = at_estimates(region[d].min),
                   extent = at_estimates(region[d].max - region[d].min + 1);
        if (!as_const_int(low) || !as_const_int(extent)) {
            shape.push_back(-1);
            continue;
        }
        shape.push_back(*as_const_int(extent));
        backward.dim(static_cast<int>(d)).set_estimate(low, extent);
        forward.set_estimate(forward.args()[d], low, extent);
    }
    return shape;
}

}  // namespace eutectic
