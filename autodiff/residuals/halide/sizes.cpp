#include "autodiff/residuals/halide/sizes.h"

#include "autodiff/expr_tools.h"
#include "autodiff/residuals/halide/lives.h"
#include "autodiff/residuals/halide/recomputable.h"

#include "graph/read/read_expr.h"

#include <algorithm>
#include <functional>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// The points of a dimension without an estimate: as many as make a matrix that first-level caches do not
// hold.
constexpr double unknown_extent = 512;

void add_over(std::vector<Bytes> &steps, int first, int last, Bytes bytes) {
    for (int step = first; step <= last; step++) {
        steps[step] += bytes;
    }
}

void take_larger(std::vector<Bytes> &steps, const std::vector<Bytes> &others) {
    for (size_t step = 0; step < steps.size(); step++) {
        steps[step] = std::max(steps[step], others[step]);
    }
}

}  // namespace

Sizes::Sizes(const ResidualProblem &problem, const std::vector<Function> &backward)
    : p_(problem), backward_(backward) {
    for (const Function &f : problem.order) {
        forward_.insert(f.name());
    }
}

SymbolicRegion Sizes::forward_region(const Function &f) const {
    return p_.tape.has_region(f) ? p_.tape.region(f) : SymbolicRegion();
}

double Sizes::extent(const Interval &interval) const {
    if (!interval.is_bounded()) {
        return unknown_extent;
    }
    const auto size = as_const_int(at_estimates(interval.max - interval.min + 1));
    return size ? static_cast<double>(std::max<int64_t>(*size, 0)) : -1;
}

double Sizes::points(const SymbolicRegion &region) const {
    double result = 1;
    for (const Interval &interval : region) {
        const double size = extent(interval);
        if (size < 0 && without_estimate_.empty()) {
            without_estimate_ = "some input or output";
        }
        result *= size < 0 ? unknown_extent : size;
    }
    return result;
}

Bytes Sizes::bytes(const SymbolicRegion &region, const Type &type) const {
    return static_cast<Bytes>(points(region)) * type.bytes();
}

Bytes Sizes::bytes(const Function &f, int element) const {
    return bytes(forward_region(f), f.output_types()[element]);
}

double Sizes::loop_points(const Function &f, const StageBody &body, const SymbolicRegion &region) const {
    SymbolicRegion loops;
    for (size_t d = 0; d < region.size(); d++) {
        const Variable *v = d < body.args.size() ? body.args[d].as<Variable>() : nullptr;
        if (v && v->name == f.args()[d]) {
            loops.push_back(region[d]);
        }
    }
    for (const ReductionVariable &r : body.rvars) {
        loops.emplace_back(r.min, r.min + r.extent - 1);
    }
    return points(loops);
}

Work Sizes::work_over(const Function &f, const SymbolicRegion &region) const {
    Work work;
    std::set<std::string> loaded;
    for (int element = 0; element < f.outputs(); element++) {
        work.element_bytes =
            std::max(element == 0 ? 1 : work.element_bytes, f.output_types()[element].bytes());
        for (const StageBody &body : stage_bodies(f, element)) {
            work.add(summarize(body.value), loop_points(f, body, region));
            for_each_call(body, [&](const Call *call) {
                if (forward_.count(call->name) && call->name != f.name() &&
                    loaded.insert(call->name + "." + std::to_string(call->value_index)).second) {
                    work.loads += bytes(callee(call), call->value_index);
                }
            });
        }
    }
    return work;
}

Work Sizes::work(const Function &f) const {
    return work_over(f, forward_region(f));
}

std::map<std::string, ForwardPlace> Sizes::forward_places(Bytes all) const {
    const auto is_output = [&](const Function &f) { return p_.outputs.count({f.name(), 0}) != 0; };
    const auto points = [&](const Function &f, const StageBody &body) {
        return loop_points(f, body, forward_region(f));
    };
    const Lives lives(p_.order, is_output, points, true);
    std::map<std::string, ForwardPlace> places;
    for (const Function &f : p_.order) {
        ForwardPlace &place = places[f.name()] = lives.forward_place(f.name());
        // Copies with zeros at their edges, views: nothing is saved by a tensor.
        const bool is_inlined =
            place == ForwardPlace::memory && is_cheap_body(f) && !lives.ends_update(f.name()) &&
            !is_worth_storing(p_.options.machine, work(f), bytes(f, 0), all, lives.read(f.name()));
        place = is_inlined ? ForwardPlace::inlined : place;
    }
    return places;
}

Work Sizes::work_of_made(const Func &f, const SymbolicRegion &region) const {
    Work work;
    for (const auto &[name, g] : build_environment({f.function()})) {
        if (forward_.count(name)) {
            continue;
        }
        const Work own = work_over(g, region);
        work.body += own.body;
        work.loads += own.loads;
    }
    return work;
}

std::set<Element> Sizes::forward_loads(const Func &made) const {
    std::set<Element> result, seen;
    std::vector<Function> open{made.function()};
    while (!open.empty()) {
        const Function f = open.back();
        open.pop_back();
        for (int element = 0; element < f.outputs(); element++) {
            for (const StageBody &body : stage_bodies(f, element)) {
                for_each_call(body, [&](const Call *call) {
                    const bool known = call->call_type != Call::Halide || call->name == f.name() ||
                                       input_of(callee(call)).defined();
                    if (!known && forward_.count(call->name)) {
                        result.insert({call->name, call->value_index});
                    } else if (!known && seen.insert({call->name, 0}).second) {
                        open.push_back(callee(call));
                    }
                });
            }
        }
    }
    return result;
}

Evaluations Sizes::evaluations(const Function &f, int element) const {
    const double own = std::max(1.0, points(forward_region(f)));
    // Of the readings of f in one definition.
    const auto times = [&](const StageBody &body, const SymbolicRegion &region, const Function &reader,
                           const std::function<bool(const Call *)> &is_read) {
        std::vector<Expr> places;
        for_each_call(body, [&](const Call *call) {
            const auto is_same = [&](const Expr &other) { return equal(other, Expr(call)); };
            if (is_read(call) && std::none_of(places.begin(), places.end(), is_same)) {
                places.push_back(call);
            }
        });
        return static_cast<double>(places.size()) * loop_points(reader, body, region) / own;
    };
    const auto in_backward = [&](const Call *call) {
        const auto p = p_.tape.placeholders().find(call->name);
        return p != p_.tape.placeholders().end() && !p->second.is_made && p->second.of.name() == f.name() &&
               p->second.value_index == element;
    };
    Evaluations by_backward{0, 0};
    for (const Function &reader : backward_) {
        for (int e = 0; e < reader.outputs(); e++) {
            for (const StageBody &body : stage_bodies(reader, e)) {
                const double here = times(body, p_.backward_regions.at(reader.name()), reader, in_backward);
                by_backward.times += here;
                by_backward.loops += here > 0;
            }
        }
    }
    double by_forward = 0;
    for (const Function &reader : p_.order) {
        const auto in_forward = [&](const Call *call) {
            return call->name == f.name() && call->value_index == element && reader.name() != f.name();
        };
        for (int e = 0; e < reader.outputs() && reader.has_pure_definition(); e++) {
            for (const StageBody &body : stage_bodies(reader, e)) {
                by_forward = std::max(by_forward, times(body, forward_region(reader), reader, in_forward));
            }
        }
    }
    if (by_forward > by_backward.times) {
        by_backward = {by_forward, 1};
    }
    by_backward.loops = std::max(1, by_backward.loops);
    by_backward.times = std::max(static_cast<double>(by_backward.loops), by_backward.times);
    return by_backward;
}

Bytes Sizes::tensor_bytes(const Function &f, const SymbolicRegion &region) const {
    Bytes sum = 0;
    for (const Type &type : f.output_types()) {
        sum += bytes(region, type);
    }
    return sum;
}

Bytes Sizes::in_tiles(const Function &f, const SymbolicRegion &region, double evaluated) const {
    if (evaluated <= 1.001 || region.empty()) {
        return 0;
    }
    const Bytes all = tensor_bytes(f, region),
                rows = static_cast<Bytes>(std::max(1.0, extent(region.back())));
    return region.size() == 1 ? all : std::min(all, (all + rows - 1) / rows * p_.options.machine.cores);
}

Bytes Sizes::in_tiles(const Function &f, double evaluated) const {
    return in_tiles(f, forward_region(f), evaluated);
}

// What a scheduler inlines is not known here: at each step, the more of what either way takes.
void Sizes::add_scratch(BuiltGraph &built) const {
    built.graph.backward_scratch.assign(backward_.size(), 0);
    built.graph.forward_scratch.assign(p_.order.size(), 0);
    for (const bool inlines_shared : {false, true}) {
        add_backward_scratch(built, inlines_shared);
        add_forward_scratch(built, inlines_shared);
    }
}

void Sizes::add_backward_scratch(BuiltGraph &built, bool inlines_shared) const {
    std::set<std::string> gradients;
    for (const Func &g : p_.gradients) {
        gradients.insert(g.name());
    }
    const auto is_output = [&](const Function &f) { return gradients.count(f.name()) != 0; };
    const auto points = [&](const Function &f, const StageBody &body) {
        return loop_points(f, body, p_.backward_regions.at(f.name()));
    };
    const Lives lives(backward_, is_output, points, inlines_shared);
    std::vector<Bytes> steps(backward_.size(), 0);
    for (const Function &f : backward_) {
        if (gradients.count(f.name())) {
            continue;
        }
        if (lives.is_tensor(f.name())) {
            add_over(steps, lives.place(f.name()), lives.last_read(f.name()),
                     tensor_bytes(f, p_.backward_regions.at(f.name())));
        } else {
            const int step = lives.at_work(lives.place(f.name()));
            add_over(steps, step, step,
                     in_tiles(f, p_.backward_regions.at(f.name()), lives.evaluated(f.name())));
        }
    }
    take_larger(built.graph.backward_scratch, steps);
    for (const Function &reader : backward_) {
        for (int e = 0; e < reader.outputs(); e++) {
            for (const StageBody &body : stage_bodies(reader, e)) {
                for_each_call(body, [&](const Call *call) {
                    const int v = value_read(built, call);
                    if (v >= 0) {
                        built.graph.values[v].uses.push_back(lives.at_work(lives.place(reader.name())));
                    }
                });
            }
        }
    }
}

void Sizes::add_forward_scratch(BuiltGraph &built, bool inlines_shared) const {
    const auto is_output = [&](const Function &f) { return p_.outputs.count({f.name(), 0}) != 0; };
    const auto points = [&](const Function &f, const StageBody &body) {
        return loop_points(f, body, forward_region(f));
    };
    const Lives lives(p_.order, is_output, points, inlines_shared);
    std::vector<Bytes> steps(p_.order.size(), 0);
    for (const Function &f : p_.order) {
        if (input_of(f).defined() || is_output(f)) {
            continue;
        }
        const bool is_tensor = lives.is_tensor(f.name());
        const Bytes size =
            is_tensor ? tensor_bytes(f, forward_region(f)) : in_tiles(f, lives.evaluated(f.name()));
        const int last = lives.last_read(f.name()), first = is_tensor ? lives.place(f.name()) : last;
        const auto v = built.of_element.find({f.name(), 0});
        if (v == built.of_element.end()) {
            add_over(steps, first, last, size);
        } else if (ResidualValue &value = built.graph.values[v->second]; size >= value.forward_bytes) {
            value.made = value.forward_bytes == size ? std::min(value.made, first) : first;
            value.forward_bytes = size;
            value.last_read = std::max(value.last_read, last);
        }
    }
    take_larger(built.graph.forward_scratch, steps);
}

// The value of the graph that a call of the backward reads; -1: none.
int Sizes::value_read(const BuiltGraph &built, const Call *call) const {
    const auto p = p_.tape.placeholders().find(call->name);
    if (p != p_.tape.placeholders().end() && !p->second.is_made) {
        return built.of_element.at({p->second.of.name(), p->second.value_index});
    }
    const auto named = built.of_placeholder.find(call->name);
    return named != built.of_placeholder.end() ? named->second : -1;
}

}  // namespace eutectic
