#include "graph/read/regions.h"

#include <algorithm>

#include "base/user_error.h"
#include "graph/read/constant_regions.h"
#include "graph/read/copies.h"
#include "graph/read/product_call.h"
#include "graph/read/read_expr.h"
#include "graph/read/value_bounds.h"

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

/** `box` at the estimates; what depends on data, or on what has none, stays unbounded. */
Box box_at_estimates(const Box &box) {
    Box result(box.size());
    for (size_t d = 0; d < box.size(); d++) {
        if (box[d].is_bounded()) {
            const Interval here{at_estimates(box[d].min), at_estimates(box[d].max)};
            result[d] = is_const(here.min) && is_const(here.max) ? here : Interval();
        }
    }
    return result;
}

void merge(const Box &from, Box &into) {
    if (into.empty()) {
        into = Box(from.size());
    }
    for (size_t d = 0; d < from.size(); d++) {
        if (from[d].is_bounded()) {
            into[d] = into[d].is_bounded() ? Interval{simplify(min(into[d].min, from[d].min)),
                                                      simplify(max(into[d].max, from[d].max))}
                                           : from[d];
        }
    }
}

/** Where an expression reads a Func at indices without bounds. */
class UnboundedIndices : public IRGraphVisitor {
public:
    UnboundedIndices(const std::string &reader, const Scope<Interval> &scope, const FuncValueBounds &values,
                     Regions &regions)
        : reader_(reader), scope_(scope), values_(values), regions_(regions) {
    }

private:
    using IRGraphVisitor::visit;
    const std::string &reader_;
    const Scope<Interval> &scope_;
    const FuncValueBounds &values_;
    Regions &regions_;

    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type != Call::Halide) {
            return;
        }
        for (DimId d = 0; d < static_cast<int>(op->args.size()); d++) {
            const Expr &index = op->args[d];
            const Interval bounds = bounds_of_expr_in_scope(index, scope_, values_);
            if (!bounds.is_bounded() || !is_const(at_estimates(bounds.min)) ||
                !is_const(at_estimates(bounds.max))) {
                regions_.unbounded.insert({{op->name, d}, {reader_, index}});
            }
        }
    }
};

/** Merges what `e`, of `reader`, reads into the regions. */
void add_reads(const Expr &e, const Function &reader, const Scope<Interval> &scope, ValueBounds &values,
               Regions &regions) {
    const auto bounded = [](const std::pair<const std::string, Box> &read) {
        for (size_t d = 0; d < read.second.size(); d++) {
            if (!read.second[d].is_bounded()) {
                return false;
            }
        }
        return true;
    };
    const auto read_with = [&](const FuncValueBounds &of_values) {
        std::map<std::string, Box> reads;
        for (const auto &[name, box] : boxes_required(e, scope, of_values)) {
            if (name != reader.name()) {
                reads[name] = box_at_estimates(box);
            }
        }
        return reads;
    };
    std::map<std::string, Box> reads = read_with(empty_func_value_bounds());
    if (!std::all_of(reads.begin(), reads.end(), bounded)) {
        reads = read_with(values.get());
        if (!std::all_of(reads.begin(), reads.end(), bounded)) {
            UnboundedIndices find(reader.name(), scope, values.get(), regions);
            e.accept(&find);
        }
    }
    for (const auto &[name, box] : reads) {
        merge(box, regions.boxes[name]);
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
        Box read(producer.dimensions());
        for (size_t d = 0; d < read.size() && d < own.size(); d++) {
            read[d] = own[d];
        }
        merge(read, boxes[producer.name()]);
    }
}

/** A product reads what its own points need. */
void add_product_boxes(const Function &f, const ProductCall &call, const Box &own,
                       const std::vector<Function> &functions, std::map<std::string, Box> &boxes) {
    const std::vector<ExternFuncArgument> &args = f.extern_arguments();
    for (const size_t operand : {0, 1}) {
        Box read;
        for (const FactorIndex &along : operand == 0 ? call.a : call.b) {
            if (along.dim >= 0 && !own[along.dim].is_bounded()) {
                read.push_back(Interval::everything());
                continue;
            }
            Interval at{along.offset, along.offset};
            if (along.dim >= 0) {
                at.min += along.scale * own[along.dim].min;
                at.max += along.scale * own[along.dim].max;
            }
            if (along.sum >= 0) {
                const Expr first = call.sum_mins[along.sum];
                at.min += along.step * first;
                at.max += along.step * (first + call.sum_extents[along.sum] - 1);
            }
            read.push_back(at);
        }
        merge(box_at_estimates(read), boxes[operand_of(args[operand], functions)->name()]);
    }
}

/** What its author says of a Func's dimension: bound(), else an estimate. */
std::optional<int64_t> own_extent(const Function &f, DimId d) {
    for (const Bound &b : f.schedule().bounds()) {
        if (b.var == f.args()[d] && b.extent.defined()) {
            if (const std::optional<int64_t> extent = as_const_int(at_estimates(b.extent))) {
                return extent;
            }
        }
    }
    for (const Bound &b : f.schedule().estimates()) {
        if (b.var == f.args()[d] && b.extent.defined()) {
            return as_const_int(at_estimates(b.extent));
        }
    }
    return std::nullopt;
}

/** In 64 bits: the points of 0 … 2^31 - 1 are more than an int holds. */
std::optional<int64_t> points_between(const Interval &interval) {
    const std::optional<int64_t> low = as_const_int(interval.min), high = as_const_int(interval.max);
    return low && high ? std::optional(*high - *low + 1) : std::nullopt;
}

/** A plan is for some points. (Kernels take empty buffers, whatever they were planned for.) */
void refuse_empty(const std::string &name, DimId d, std::optional<int64_t> points) {
    if (points && *points < 1) {
        throw UserError("The estimate of dimension " + std::to_string(d) + " of " + name + " is " +
                        std::to_string(*points) +
                        " points, and there is no plan for none: give the size to expect, at least 1.");
    }
}

std::string beginning_of(const Expr &e) {
    constexpr size_t readable = 120;  // characters
    const std::string text = text_of(e);
    return text.size() <= readable ? text : text.substr(0, readable) + " …";
}

}  // namespace

std::string Regions::remedy(const Function &f, DimId d, bool buffer) const {
    const std::string estimates = "give an estimate to every input dimension and scalar parameter";
    const auto found = unbounded.find({f.name(), d});
    if (buffer || found == unbounded.end()) {
        return estimates + ", or clamp the index that reads it.";
    }
    const auto &[reader, index] = found->second;
    return reader + " reads it at " + beginning_of(index) +
           ", which nothing bounds; clamp that index there, as in clamp(INDEX, 0, SIZE - 1), or " +
           estimates + ".";
}

Extents Regions::extents(const Function &f, const Call *buffer) const {
    Extents result;
    const auto it = boxes.find(f.name());
    for (DimId d = 0; d < f.dimensions(); d++) {
        const size_t i = d;
        std::optional<int64_t> extent;
        if (buffer && buffer->param.defined() && buffer->param.extent_constraint_estimate(d).defined()) {
            refuse_empty(buffer->param.name(), d,
                         as_const_int(simplify(buffer->param.extent_constraint_estimate(d))));
        }
        if (it != boxes.end() && i < it->second.size() && it->second[i].is_bounded()) {
            extent = points_between(it->second[i]);
        } else if (buffer && buffer->param.defined() &&
                   constant_or_undefined(buffer->param.extent_constraint(d)).defined()) {
            extent = as_const_int(constant_or_undefined(buffer->param.extent_constraint(d)));
        } else if (buffer && buffer->param.defined() &&
                   buffer->param.extent_constraint_estimate(d).defined()) {
            extent = as_const_int(simplify(buffer->param.extent_constraint_estimate(d)));
        } else if (buffer && buffer->image.defined()) {
            extent = buffer->image.dim(d).extent();
        }
        extent = extent ? extent : own_extent(f, d);
        if (!extent && it == boxes.end()) {
            extent = 1;  // every read of it was simplified away
        }
        if (!extent) {
            throw UserError("The size of dimension " + std::to_string(d) + " of " +
                            (input_name(f).empty() ? f.name() : input_name(f)) +
                            " does not follow from the estimates: " + remedy(f, d, buffer != nullptr));
        }
        result.push_back(std::max<int64_t>(1, *extent));
    }
    return result;
}

Regions infer_regions(const std::vector<Function> &outputs, const std::vector<Function> &functions) {
    Regions regions;
    ValueBounds values(functions);
    for (const Function &f : outputs) {
        Box box(f.args().size());
        for (DimId d = 0; d < f.dimensions(); d++) {
            box[d] = output_interval(f, d);
            box[d] = {at_estimates(box[d].min), at_estimates(box[d].max)};
            refuse_empty(f.name(), d, points_between(box[d]));
        }
        regions.boxes[f.name()] = box;
    }
    for (size_t i = functions.size(); i-- > 0;) {
        const Function &f = functions[i];
        const auto box = regions.boxes.find(f.name());
        if (box == regions.boxes.end() || !f.has_pure_definition()) {
            continue;
        }
        if (const std::optional<ProductCall> call = product_call(f)) {
            add_product_boxes(f, *call, box->second, functions, regions.boxes);
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
        for (const Expr &e : exprs) {
            add_reads(at_estimates(e), f, scope, values, regions);
        }
    }
    return regions;
}

}  // namespace eutectic
