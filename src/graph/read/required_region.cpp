#include "graph/read/required_region.h"

#include <algorithm>
#include <map>

#include "graph/read/calls.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

using Regions = std::map<std::string, Box>;

/** Nodes of the longest expression that is kept: bounds of bounds may double from Func to Func, and each is
 * computed wherever it is used. Chosen, not measured. */
constexpr int most_nodes = 64;

bool is_short(const Expr &e) {
    int nodes = 0;
    for_each_node(e, [&](const Expr &) { return ++nodes <= most_nodes; });
    return nodes <= most_nodes;
}

Interval known_or_everything(const Interval &i) {
    if (!i.is_bounded()) {
        return Interval::everything();
    }
    const Interval simple{simplify(i.min), simplify(i.max)};
    const auto known = [](const Expr &e) { return is_short(e) && !depends_on_data(e); };
    return known(simple.min) && known(simple.max) ? simple : Interval::everything();
}

void add(const std::string &name, const Box &read, Regions &regions) {
    const auto [region, first] = regions.emplace(name, read);
    for (size_t d = 0; d < read.size(); d++) {
        Interval &into = region->second[d];
        into = known_or_everything(first ? into : Interval::make_union(into, read[d]));
    }
}

Box everything(int dimensions) {
    Box box(dimensions);
    std::fill(box.bounds.begin(), box.bounds.end(), Interval::everything());
    return box;
}

/** What its caller's buffer says. */
Box region_of_output(const Function &f) {
    Box box = everything(f.dimensions());
    for (int d = 0; d < f.dimensions() && !f.output_buffers().empty(); d++) {
        const Parameter buffer = f.output_buffers()[0];
        const auto size = [&](const std::string &property) {
            return Variable::make(Int(32), buffer.name() + "." + property + "." + std::to_string(d), buffer);
        };
        box[d] = {size("min"), simplify(size("min") + size("extent") - 1)};
    }
    return box;
}

void add_reads_of(const Function &f, Regions &regions) {
    for (const ExternFuncArgument &a :
         f.has_extern_definition() ? f.extern_arguments() : std::vector<ExternFuncArgument>()) {
        if (a.is_func()) {
            add(Function(a.func).name(), everything(Function(a.func).dimensions()), regions);
        }
    }
    if (f.has_extern_definition()) {
        return;
    }
    Box own = regions.at(f.name());
    for (int d = 0; d < f.dimensions(); d++) {
        for (const Bound &b : f.schedule().bounds()) {
            if (b.var == f.args()[d]) {
                own[d] = b.min.defined() && b.extent.defined() ? Interval{b.min, b.min + b.extent - 1}
                                                               : Interval::everything();
            }
        }
    }
    Scope<Interval> scope;
    for (int d = 0; d < f.dimensions(); d++) {
        scope.push(f.args()[d], own[d]);
    }
    std::vector<Expr> exprs = f.definition().values();
    for (const Definition &u : f.updates()) {
        exprs.insert(exprs.end(), u.values().begin(), u.values().end());
        exprs.insert(exprs.end(), u.args().begin(), u.args().end());
        exprs.push_back(u.predicate());
        for (const ReductionVariable &rv : u.schedule().rvars()) {
            scope.push(rv.var, {rv.min, rv.min + rv.extent - 1});
        }
    }
    for (const Expr &e : exprs) {
        for (const auto &[name, box] : boxes_required(e, scope)) {
            if (name != f.name()) {
                add(name, box, regions);
            }
        }
    }
}

}  // namespace

std::optional<Box> required_region(const std::vector<Function> &outputs, const Function &f) {
    const std::map<std::string, Function> all = build_environment(outputs);
    Regions regions;
    for (const Function &output : outputs) {
        add(output.name(), region_of_output(output), regions);
    }
    std::vector<std::string> order = topological_order(outputs, all);  // producers first
    for (; !order.empty() && order.back() != f.name(); order.pop_back()) {
        if (regions.count(order.back()) > 0) {
            add_reads_of(all.at(order.back()), regions);
        }
    }
    const auto found = regions.find(f.name());
    return found == regions.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace eutectic
