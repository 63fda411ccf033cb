#include "graph/read/regions.h"

#include <algorithm>

#include "base/user_error.h"
#include "graph/read/constant_regions.h"
#include "graph/read/read_expr.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** The estimate of one output dimension, wherever the user put it: on the Func or on its buffer. What it is
 * constrained to needs none. */
Interval output_interval(const Function &f, DimId d) {
    if (const Interval fixed = constant_interval(f, d); fixed.is_bounded()) {
        return fixed;
    }
    for (const Bound &b : f.schedule().estimates()) {
        if (b.var == f.args()[d] && b.extent.defined()) {
            const Expr min = b.min.defined() ? b.min : Expr(0);
            return {simplify(min), simplify(min + b.extent - 1)};
        }
    }
    const Parameter buffer = f.output_buffers().empty() ? Parameter() : f.output_buffers()[0];
    const Expr fixed = buffer.defined() ? constant_or_undefined(buffer.extent_constraint(d)) : Expr();
    const Expr extent = fixed.defined() || !buffer.defined() ? fixed : buffer.extent_constraint_estimate(d);
    if (!extent.defined()) {
        throw UserError(
            "Output " + f.name() + " has no estimate for its dimension " + std::to_string(d) + " (" +
            f.args()[d] +
            "), and a plan needs the size to expect: call set_estimate() on it in the generator.");
    }
    const Expr estimate = buffer.min_constraint_estimate(d);
    const Expr min = estimate.defined() ? estimate : Expr(0);
    return {simplify(min), simplify(min + extent - 1)};
}

/** Merges what `e` reads into `boxes`; intervals that depend on data stay unbounded and are left out. */
void add_boxes(const Expr &e, const Scope<Interval> &scope, std::map<std::string, Box> &boxes) {
    for (const auto &[name, box] : boxes_required(e, scope)) {
        Box &into = boxes[name];
        if (into.empty()) {
            into = Box(box.size());
        }
        for (size_t d = 0; d < box.size(); d++) {
            if (!box[d].is_bounded()) {
                continue;
            }
            const Interval here{at_estimates(box[d].min), at_estimates(box[d].max)};
            if (!is_const(here.min) || !is_const(here.max)) {
                continue;
            }
            into[d] = into[d].is_bounded() ? Interval{simplify(min(into[d].min, here.min)),
                                                      simplify(max(into[d].max, here.max))}
                                           : here;
        }
    }
}

/** What an extern stage reads of `producer` is asked of it when it runs. For the estimate, it reads at its
 * own coordinates; a dimension that it does not have itself is left to the producer's own estimate. */
void add_extern_boxes(const Function &f, const Box &own, std::map<std::string, Box> &boxes) {
    for (const ExternFuncArgument &a : f.extern_arguments()) {
        if (!a.is_func()) {
            continue;
        }
        const Function producer(a.func);
        Box &into = boxes[producer.name()];
        if (into.empty()) {
            into = Box(producer.dimensions());
        }
        for (size_t d = 0; d < into.size() && d < own.size(); d++) {
            into[d] = into[d].is_bounded() ? Interval{simplify(min(into[d].min, own[d].min)),
                                                      simplify(max(into[d].max, own[d].max))}
                                           : own[d];
        }
    }
}

std::optional<int64_t> own_estimate(const Function &f, DimId d) {
    for (const Bound &b : f.schedule().estimates()) {
        if (b.var == f.args()[d] && b.extent.defined()) {
            return as_const_int(at_estimates(b.extent));
        }
    }
    return std::nullopt;
}

}  // namespace

Extents Regions::extents(const Function &f, const Call *buffer) const {
    Extents result;
    const auto it = boxes.find(f.name());
    for (DimId d = 0; d < f.dimensions(); d++) {
        const size_t i = d;
        std::optional<int64_t> extent;
        if (it != boxes.end() && i < it->second.size() && it->second[i].is_bounded()) {
            extent = as_const_int(simplify(it->second[i].max - it->second[i].min + 1));
        } else if (buffer && buffer->param.defined() &&
                   constant_or_undefined(buffer->param.extent_constraint(d)).defined()) {
            extent = as_const_int(constant_or_undefined(buffer->param.extent_constraint(d)));
        } else if (buffer && buffer->param.defined() &&
                   buffer->param.extent_constraint_estimate(d).defined()) {
            extent = as_const_int(simplify(buffer->param.extent_constraint_estimate(d)));
        } else if (buffer && buffer->image.defined()) {
            extent = buffer->image.dim(d).extent();
        }
        extent = extent ? extent : own_estimate(f, d);
        if (!extent && it == boxes.end()) {
            extent = 1;  // every read of it was simplified away
        }
        if (!extent) {
            throw UserError("The size of dimension " + std::to_string(d) + " of " + f.name() +
                            " does not follow from the estimates: give an estimate to every input dimension "
                            "and scalar parameter, or clamp the "
                            "index that reads it.");
        }
        result.push_back(std::max<int64_t>(1, *extent));
    }
    return result;
}

Regions infer_regions(const std::vector<Function> &outputs, const std::vector<Function> &functions) {
    Regions regions;
    for (const Function &f : outputs) {
        Box box(f.args().size());
        for (DimId d = 0; d < f.dimensions(); d++) {
            box[d] = output_interval(f, d);
            box[d] = {at_estimates(box[d].min), at_estimates(box[d].max)};
        }
        regions.boxes[f.name()] = box;
    }
    for (size_t i = functions.size(); i-- > 0;) {
        const Function &f = functions[i];
        const auto box = regions.boxes.find(f.name());
        if (box == regions.boxes.end() || !f.has_pure_definition()) {
            continue;
        }
        if (f.has_extern_definition()) {
            add_extern_boxes(f, box->second, regions.boxes);
            continue;
        }
        Scope<Interval> scope;
        for (size_t d = 0; d < f.args().size(); d++) {
            const Interval along = d < box->second.size() ? box->second[d] : Interval();
            scope.push(f.args()[d], along);
        }
        std::vector<Expr> exprs = f.definition().values();
        for (const Definition &u : f.updates()) {
            exprs.insert(exprs.end(), u.values().begin(), u.values().end());
            exprs.insert(exprs.end(), u.args().begin(), u.args().end());
            for (const ReductionVariable &rv : u.schedule().rvars()) {
                scope.push(rv.var, {at_estimates(rv.min), at_estimates(rv.min + rv.extent - 1)});
            }
        }
        std::map<std::string, Box> &boxes = regions.boxes;
        for (const Expr &e : exprs) {
            std::map<std::string, Box> read;
            add_boxes(at_estimates(e), scope, read);
            read.erase(f.name());
            for (auto &[name, b] : read) {
                Box &into = boxes[name];
                if (into.empty()) {
                    into = b;
                    continue;
                }
                for (size_t d = 0; d < b.size(); d++) {
                    if (b[d].is_bounded()) {
                        into[d] = into[d].is_bounded() ? Interval{simplify(min(into[d].min, b[d].min)),
                                                                  simplify(max(into[d].max, b[d].max))}
                                                       : b[d];
                    }
                }
            }
        }
    }
    return regions;
}

}  // namespace eutectic
