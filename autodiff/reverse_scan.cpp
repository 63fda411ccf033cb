// Updates of each point once, from values at constant distances (stages.h, "scan").

#include "autodiff/stage_walk.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// at, inside v's range; `exists` becomes false where it was not. No clamp that the loops in `at` make
// needless: a scan of one point has an empty loop, whose bounds Halide asks for all the same, and the first
// point of an empty range is not there.
Expr inside(const ReductionVariable &v, const Expr &at, Expr &exists) {
    const Expr last = simplify_index(v.min + v.extent - 1);
    exists = exists && at >= v.min && at <= last;
    VariableBounds bounds;
    for (const Expr &variable : free_variables(at)) {
        const ReductionDomain &domain = variable.as<Variable>()->reduction_domain;
        add_variables(bounds, domain.defined() ? domain.domain() : std::vector<ReductionVariable>());
    }
    const Expr below = proved(at <= last, bounds) ? at : min(at, last);
    return proved(at >= v.min, bounds) ? below : max(below, simplify_index(min(v.min, last)));
}

void add(Expr &sum, const Expr &term) {
    sum = is_const_zero(term) ? sum : is_const_zero(sum) ? term : sum + term;
}

}  // namespace

// One update, taken apart.
struct StageWalk::Scan {
    UpdateStep step;
    std::vector<ScanDim> dims;
    std::vector<SelfRead> reads;
    std::vector<Function> seen;  // stand-ins for what each read sees
    std::vector<Expr> values;    // of the elements, reading the stand-ins
    Func b;                      // of stages.h

    // The point that the step at `r` writes; f's pure variables as they are.
    std::vector<Expr> point(const std::map<std::string, Expr> &r) const {
        std::vector<Expr> args;
        for (const Expr &arg : step.args) {
            args.push_back(simplify_index(replace_variables(arg, r)));
        }
        return args;
    }
    // The step that writes `point` less `distance`, if there is one: `exists` says so.
    std::map<std::string, Expr> step_at(const std::vector<Expr> &point, const std::vector<int> &distance,
                                        Expr &exists) const {
        std::map<std::string, Expr> r;
        exists = const_true();
        for (size_t d = 0; d < dims.size(); d++) {
            if (dims[d].is_pure) {
                continue;
            }
            const Expr at = simplify_index(point[d] - distance[d] - dims[d].offset);
            if (dims[d].variable < 0) {
                exists = exists && at == 0;
                continue;
            }
            const ReductionVariable &v = step.rvars[dims[d].variable];
            r[v.var] = inside(v, dims[d].sign < 0 ? simplify_index(-at) : at, exists);
        }
        return r;
    }
    // The step that reads at `distance` what the step at r writes, if there is one.
    std::map<std::string, Expr> reader_of(const std::map<std::string, Expr> &r,
                                          const std::vector<int> &distance, Expr &exists) const {
        std::map<std::string, Expr> reader;
        exists = const_true();
        for (size_t d = 0; d < dims.size(); d++) {
            if (dims[d].variable >= 0) {
                const ReductionVariable &v = step.rvars[dims[d].variable];
                reader[v.var] = inside(v, simplify_index(r.at(v.var) - dims[d].sign * distance[d]), exists);
            }
        }
        return reader;
    }
};

// What read number j sees: the version before this update, or its result.
Halide::Internal::Function StageWalk::seen_by(const Scan &scan, size_t j, size_t stage) {
    const std::vector<std::string> vars = step_vars(scan.step);
    const SelfRead read = scan.reads[j];
    const Function version = versions_[read.is_written ? stage : stage - 1];
    const Read value = [this, vars, read, version](int, const std::vector<Expr> &args) {
        std::map<std::string, Expr> at;
        for (size_t v = 0; v < vars.size(); v++) {
            at[vars[v]] = args[v];
        }
        std::vector<Expr> point;
        for (const Expr &arg : read.args) {
            point.push_back(replace_variables(arg, at));
        }
        return tape_.value_within(version, read.element, point, bounds_);
    };
    return stand_in("read", vars, step_region(scan.step), {f_.output_types()[read.element]}, value);
}

// What the step at r, where it exists, adds to the adjoint of what its read number j saw.
Expr StageWalk::through(const Scan &scan, size_t j, const std::map<std::string, Expr> &r,
                        const Expr &exists) {
    const std::vector<int> elements = float_elements();
    Expr sum = make_zero(f_.output_types()[scan.reads[j].element]);
    for (size_t place = 0; place < elements.size(); place++) {
        const Expr slope = partial(scan.values[elements[place]], scan.seen[j], 0, step_vars(scan.step),
                                   step_region(scan.step));
        if (!is_const_zero(slope)) {
            add(sum, adjoint_at(scan.b, scan.point(r), place) * replace_variables(slope, r));
        }
    }
    return is_const_zero(sum) ? sum : select(exists, sum, make_zero(sum.type()));
}

void StageWalk::define_scan_adjoint(Scan &scan) {
    const std::vector<int> elements = float_elements();
    scan.b = Func("d_" + tensor_name(f_) + "_scan");
    scan.b(variables(f_.args())) = Tuple(adjoints_or_zero([&](const Func &adjoint) {
        return tape_.guarded(adjoint, tape_.region(f_), pure_args(f_), VariableBounds());
    }));
    const std::map<std::string, Expr> back = reversed(scan.step.rvars);
    std::vector<Expr> before;
    for (size_t place = 0; place < elements.size(); place++) {
        Expr sum = adjoint_at(scan.b, scan.point(back), place);
        for (size_t j = 0; j < scan.reads.size(); j++) {
            if (scan.reads[j].element == elements[place] && scan.reads[j].is_written) {
                Expr exists;
                const auto reader = scan.reader_of(back, scan.reads[j].distance, exists);
                add(sum, through(scan, j, reader, exists));
            }
        }
        before.push_back(sum);
    }
    scan.b(scan.point(back)) = Tuple(before);
    tape_.finished_.insert(scan.b.name());
}

// The version before: its points that stay, and what steps read of it.
void StageWalk::add_before_scan(const Scan &scan, size_t stage) {
    const std::vector<int> elements = float_elements();
    const std::vector<Expr> cell = pure_args(f_);
    for (size_t place = 0; place < elements.size(); place++) {
        Expr written;
        scan.step_at(cell, std::vector<int>(scan.dims.size(), 0), written);
        const Expr result = adjoint_at(scan.b, cell, place);
        Expr sum = select(written, make_zero(result.type()), result);
        for (size_t j = 0; j < scan.reads.size(); j++) {
            if (scan.reads[j].element == elements[place]) {
                Expr exists;
                const auto r = scan.step_at(cell, scan.reads[j].distance, exists);
                add(sum, through(scan, j, r, scan.reads[j].is_written ? exists && !written : exists));
            }
        }
        tape_.parts_[{versions_[stage - 1].name(), elements[place]}].push_back({f_.args(), sum, {}, {}});
    }
}

void StageWalk::reverse_scan(size_t stage) {
    Scan scan;
    scan.step = step_of(f_, stage);
    scan.dims = scan_dims(f_, scan.step);
    scan.reads = self_reads(f_, scan.step, scan.dims);
    for (size_t j = 0; j < scan.reads.size(); j++) {
        scan.seen.push_back(seen_by(scan, j, stage));
    }
    for (const Expr &value : scan.step.values) {
        scan.values.push_back(map_calls(value, [&](const Call *call) -> Expr {
            for (size_t j = 0; j < scan.reads.size(); j++) {
                if (is_read_at(call, f_, scan.reads[j].element, scan.reads[j].args)) {
                    return Call::make(scan.seen[j], expressions(step_vars(scan.step)), 0);
                }
            }
            return Expr();
        }));
    }
    define_scan_adjoint(scan);
    std::map<std::string, Expr> here;
    for (const ReductionVariable &v : scan.step.rvars) {
        here[v.var] = Var(v.var);
    }
    differentiate_steps(scan.step, scan.values, scan.b, scan.point(here));
    add_before_scan(scan, stage);
}

}  // namespace eutectic
