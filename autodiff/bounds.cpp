#include "autodiff/bounds.h"

#include "autodiff/expr_tools.h"
#include "autodiff/extremes.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// Adds [1, inf) for each variable that is the extent of a buffer.
class KnowExtents : public IRGraphVisitor {
public:
    Scope<Interval> known;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        if (op->param.defined() && op->param.is_buffer() && op->name.find(".extent.") != std::string::npos &&
            !known.contains(op->name)) {
            known.push(op->name, Interval(1, Interval::pos_inf()));
        }
    }
};

Scope<Interval> known_extents(const Expr &e) {
    KnowExtents know;
    e.accept(&know);
    return std::move(know.known);
}

bool always(const Expr &e) {
    return can_prove(e, known_extents(e));
}

// Is e >= 0 for all values of its variables within bounds?
bool never_negative(const Expr &e, const VariableBounds &bounds) {
    const Interval range = bounds_of_expr_in_scope(simplify_index(e), bounds);
    return range.has_lower_bound() && always(range.min >= 0);
}

Interval unite(const Interval &a, const Interval &b) {
    const auto pick = [](const Expr &x, const Expr &y, bool lower) -> Expr {
        const bool finite = Interval(x, x).is_bounded() && Interval(y, y).is_bounded();
        if (!finite) {
            return lower ? Interval::neg_inf() : Interval::pos_inf();
        }
        if (never_above(x, y) || always(x <= y)) {
            return lower ? x : y;
        }
        if (never_above(y, x) || always(y <= x)) {
            return lower ? y : x;
        }
        return simplify_index(lower ? min(x, y) : max(x, y));
    };
    return {pick(a.min, b.min, true), pick(a.max, b.max, false)};
}

void include_calls(std::map<std::string, SymbolicRegion> &regions, const std::string &self, const Expr &e,
                   const VariableBounds &bounds) {
    for (const Call *call : calls_in(e)) {
        if (call->name == self || call->call_type != Call::Halide) {
            continue;
        }
        SymbolicRegion region;
        for (const Expr &arg : call->args) {
            region.push_back(index_interval(arg, bounds));
        }
        const auto [it, fresh] = regions.emplace(call->name, region);
        for (size_t d = 0; !fresh && d < region.size(); d++) {
            it->second[d] = unite(it->second[d], region[d]);
        }
    }
}

class FindExtremes : public IRGraphVisitor {
public:
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Min *) override {
        found = true;
    }
    void visit(const Max *) override {
        found = true;
    }
};

// Adds to f's own region the points that its scans write and read: updates that read f elsewhere than where
// they write.
void include_scans(SymbolicRegion &own, const Function &f) {
    const auto add = [&](const std::vector<Expr> &point, const VariableBounds &bounds) {
        for (size_t d = 0; d < own.size(); d++) {
            own[d] = unite(own[d], index_interval(point[d], bounds));
        }
    };
    for (int element = 0; element < f.outputs(); element++) {
        for (const StageBody &body : stage_bodies(f, element)) {
            VariableBounds bounds;
            add_variables(bounds, f.args(), own);
            add_variables(bounds, body.rvars);
            bool is_scan = false;
            for (const Call *call : calls_in(body.value)) {
                if (call->name == f.name() && !is_read_at(call, f, call->value_index, body.args)) {
                    is_scan = true;
                    add(call->args, bounds);
                }
            }
            if (is_scan) {
                add(body.args, bounds);
            }
        }
    }
}

// The range of the inputs that f reads at its dimension d, if every load that has to do with d is of that
// kind and all have the same range; else everything.
Interval own_range_in_inputs(const Function &f, size_t d) {
    Interval range = Interval::everything();
    if (f.has_extern_definition() || f.has_update_definition() || f.outputs() != 1 || input_of(f).defined()) {
        return range;
    }
    for (const Call *call : calls_in(f.values()[0])) {
        const Parameter input = call->call_type == Call::Halide ? input_of(callee(call)) : Parameter();
        for (size_t e = 0; e < call->args.size(); e++) {
            if (!uses_variable(call->args[e], f.args()[d])) {
                continue;
            }
            const Interval own = input.defined() && call->args[e].as<Variable>() ? whole_buffer(input)[e]
                                                                                 : Interval::everything();
            if (!own.is_bounded() || (range.is_bounded() && !same_interval(range, own))) {
                return Interval::everything();
            }
            range = own;
        }
    }
    return range;
}

}  // namespace

Expr simplify_index(const Expr &e) {
    const Expr simple = simplify(e, true, known_extents(e)), shorter = with_fewest_extremes(simple);
    return shorter.same_as(simple) ? simple : simplify(shorter, true, known_extents(shorter));
}

Interval index_interval(const Expr &index, const VariableBounds &bounds) {
    if (const Variable *v = index.as<Variable>(); v && bounds.contains(v->name)) {
        return bounds.get(v->name);
    }
    Interval range = bounds_of_expr_in_scope(simplify_index(index), bounds);
    if (range.has_lower_bound()) {
        range.min = simplify_index(range.min);
    }
    if (range.has_upper_bound()) {
        range.max = simplify_index(range.max);
    }
    return range;
}

bool proved(const Expr &condition, const VariableBounds &bounds) {
    if (is_const_one(condition)) {
        return true;
    }
    if (const And *both = condition.as<And>()) {
        return proved(both->a, bounds) && proved(both->b, bounds);
    }
    if (const Or *either = condition.as<Or>()) {
        return proved(either->a, bounds) || proved(either->b, bounds);
    }
    if (const LE *le = condition.as<LE>()) {
        return le->a.type() == Int(32) && never_negative(le->b - le->a, bounds);
    }
    if (const GE *ge = condition.as<GE>()) {
        return ge->a.type() == Int(32) && never_negative(ge->a - ge->b, bounds);
    }
    if (const LT *lt = condition.as<LT>()) {
        return lt->a.type() == Int(32) && never_negative(lt->b - lt->a - 1, bounds);
    }
    if (const GT *gt = condition.as<GT>()) {
        return gt->a.type() == Int(32) && never_negative(gt->a - gt->b - 1, bounds);
    }
    return false;
}

void add_variables(VariableBounds &bounds, const std::vector<std::string> &names,
                   const SymbolicRegion &region) {
    for (size_t d = 0; d < names.size(); d++) {
        bounds.push(names[d], region[d]);
    }
}

void add_variables(VariableBounds &bounds, const std::vector<ReductionVariable> &rvars) {
    for (const ReductionVariable &v : rvars) {
        const Interval low = index_interval(v.min, bounds),
                       high = index_interval(v.min + v.extent - 1, bounds);
        bounds.push(v.var, Interval(low.min, high.max));
    }
}

bool same_interval(const Interval &a, const Interval &b) {
    return a.is_bounded() && b.is_bounded() && is_const_zero(simplify_index(a.min - b.min)) &&
           is_const_zero(simplify_index(a.max - b.max));
}

bool has_extremes(const Interval &interval) {
    FindExtremes find;
    for (const Expr &end : {interval.min, interval.max}) {
        if (Interval(end, end).is_bounded()) {
            end.accept(&find);
        }
    }
    return find.found;
}

bool is_bounded(const SymbolicRegion &region) {
    for (const Interval &i : region) {
        if (!i.is_bounded()) {
            return false;
        }
    }
    return true;
}

SymbolicRegion whole_buffer(const Parameter &buffer) {
    SymbolicRegion region;
    for (int d = 0; buffer.is_buffer() && d < buffer.dimensions(); d++) {
        const std::string suffix = "." + std::to_string(d);
        const Expr min = Variable::make(Int(32), buffer.name() + ".min" + suffix, buffer);
        const Expr extent = Variable::make(Int(32), buffer.name() + ".extent" + suffix, buffer);
        region.emplace_back(min, simplify_index(min + extent - 1));
    }
    return region;
}

Region as_min_extent(const SymbolicRegion &region) {
    Region result;
    for (const Interval &i : region) {
        result.emplace_back(i.min, simplify_index(i.max - i.min + 1));
    }
    return result;
}

Expr position(const std::vector<ReductionVariable> &rvars,
              const std::function<Expr(const std::string &)> &at) {
    Expr result = 0, stride = 1;
    for (const ReductionVariable &v : rvars) {
        result = result + (at(v.var) - v.min) * stride;
        stride = stride * v.extent;
    }
    return simplify_index(result);
}

std::map<std::string, SymbolicRegion>
needed_regions(const std::vector<Function> &order,
               const std::map<std::string, SymbolicRegion> &output_regions) {
    std::map<std::string, SymbolicRegion> regions = output_regions;
    for (auto f = order.rbegin(); f != order.rend(); ++f) {
        const auto known = regions.find(f->name());
        if (known == regions.end()) {
            continue;
        }
        if (!output_regions.count(f->name())) {
            include_scans(known->second, *f);
        }
        const SymbolicRegion own = known->second;
        for (int element = 0; element < f->outputs(); element++) {
            for (const StageBody &body : stage_bodies(*f, element)) {
                VariableBounds bounds;
                add_variables(bounds, f->args(), own);
                add_variables(bounds, body.rvars);
                include_calls(regions, f->name(), body.value, bounds);
                for (const Expr &arg : body.args) {
                    include_calls(regions, f->name(), arg, bounds);
                }
            }
        }
    }
    return regions;
}

Expr index_without_bounds(const std::vector<Function> &order,
                          const std::map<std::string, SymbolicRegion> &regions, const Function &f) {
    for (const Function &reader : order) {
        const auto region = regions.find(reader.name());
        for (int element = 0; element < reader.outputs(); element++) {
            if (region == regions.end() || reader.name() == f.name()) {
                break;
            }
            for (const StageBody &body : stage_bodies(reader, element)) {
                VariableBounds bounds;
                add_variables(bounds, reader.args(), region->second);
                add_variables(bounds, body.rvars);
                for (const Call *call : calls_in(body.value)) {
                    for (size_t d = 0; call->name == f.name() && d < call->args.size(); d++) {
                        if (!index_interval(call->args[d], bounds).is_bounded()) {
                            return call->args[d];
                        }
                    }
                }
            }
        }
    }
    return Expr();
}

void widen_to_inputs(const std::vector<Function> &order, std::map<std::string, SymbolicRegion> &regions) {
    for (const Function &f : order) {
        const auto region = regions.find(f.name());  // an integer output's Funcs have none
        for (size_t d = 0; region != regions.end() && d < region->second.size(); d++) {
            const Interval whole =
                has_extremes(region->second[d]) ? own_range_in_inputs(f, d) : Interval::everything();
            if (whole.is_bounded()) {
                region->second[d] = whole;
            }
        }
    }
}

}  // namespace eutectic
