#include "graph/read/constant_regions.h"

#include <algorithm>

#include "graph/read/read_expr.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

Interval constant_or_everything(const Expr &low, const Expr &high) {
    const Expr a = low.defined() ? constant_or_undefined(at_constraints(low)) : low,
               b = high.defined() ? constant_or_undefined(at_constraints(high)) : high;
    return a.defined() && b.defined() ? Interval(a, b) : Interval::everything();
}

/** Adds what is read of `name`; of a dimension that is not the same at every size, everything. */
void add(const std::string &name, const Box &read, std::map<std::string, Box> &regions) {
    const auto [region, first] = regions.emplace(name, read);
    for (size_t d = 0; d < read.size(); d++) {
        Interval &into = region->second[d];
        const Interval both = first ? into : Interval::make_union(into, read[d]);
        into = both.is_bounded() ? constant_or_everything(both.min, both.max) : Interval::everything();
    }
}

/** What `e`, whose variables go over `scope`, reads, but for `self`. */
void add_reads(const Expr &e, const Scope<Interval> &scope, const std::string &self,
               std::map<std::string, Box> &regions) {
    for (const auto &[name, box] : boxes_required(at_constraints(e), scope)) {
        if (name != self) {
            add(name, box, regions);
        }
    }
}

void add_reads_of(const Function &f, const Box &own, std::map<std::string, Box> &regions) {
    for (const ExternFuncArgument &a :
         f.has_extern_definition() ? f.extern_arguments() : std::vector<ExternFuncArgument>()) {
        if (a.is_func()) {
            const Function producer(a.func);
            Box all(producer.dimensions());
            std::fill(all.bounds.begin(), all.bounds.end(), Interval::everything());
            add(producer.name(), all, regions);
        }
    }
    if (f.has_extern_definition()) {
        return;
    }
    Scope<Interval> scope;
    for (DimId d = 0; d < f.dimensions(); d++) {
        scope.push(f.args()[d], own[d]);
    }
    std::vector<Expr> exprs = f.definition().values();
    for (const Definition &u : f.updates()) {
        exprs.insert(exprs.end(), u.values().begin(), u.values().end());
        exprs.insert(exprs.end(), u.args().begin(), u.args().end());
        for (const ReductionVariable &rv : u.schedule().rvars()) {
            scope.push(rv.var, constant_or_everything(rv.min, rv.min + rv.extent - 1));
        }
    }
    for (const Expr &e : exprs) {
        add_reads(e, scope, f.name(), regions);
    }
}

}  // namespace

Interval constant_interval(const Function &f, DimId d) {
    for (const Bound &b : f.schedule().bounds()) {
        if (b.var == f.args()[d] && b.min.defined() && b.extent.defined()) {
            return constant_or_everything(b.min, b.min + b.extent - 1);
        }
    }
    const Parameter buffer = f.output_buffers().empty() ? Parameter() : f.output_buffers()[0];
    const Expr min = buffer.defined() ? buffer.min_constraint(d) : Expr(),
               extent = buffer.defined() ? buffer.extent_constraint(d) : Expr();
    return min.defined() && extent.defined() ? constant_or_everything(min, min + extent - 1)
                                             : Interval::everything();
}

std::map<std::string, Box> constant_regions(const std::vector<Function> &outputs,
                                            const std::vector<Function> &functions) {
    std::map<std::string, Box> regions;
    for (const Function &f : outputs) {
        Box box(f.args().size());
        for (DimId d = 0; d < f.dimensions(); d++) {
            box[d] = constant_interval(f, d);
        }
        add(f.name(), box, regions);
    }
    for (size_t i = functions.size(); i-- > 0;) {
        const Function &f = functions[i];
        const auto own = regions.find(f.name());
        if (own == regions.end() || !(f.has_pure_definition() || f.has_extern_definition())) {
            continue;
        }
        for (DimId d = 0; d < f.dimensions(); d++) {
            if (const Interval fixed = constant_interval(f, d); fixed.is_bounded()) {
                own->second[d] = fixed;
            }
        }
        const Box box = own->second;
        add_reads_of(f, box, regions);
    }
    return regions;
}

DimFlags constant_dims(const std::map<std::string, Box> &regions, const Function &f) {
    DimFlags constant(f.dimensions(), false);
    const auto region = regions.find(f.name());
    for (DimId d = 0; region != regions.end() && d < constant.next_id(); d++) {
        constant[d] = region->second[d].is_bounded();
    }
    return constant;
}

}  // namespace eutectic
