#include "schedules/hlpipe/strip.h"

#include <algorithm>

#include "graph/read/outputs.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

Dim loop(const std::string &var, DimType type, ForType kind = ForType::Serial) {
    return {var, kind, DeviceAPI::None, type, Partition::Auto};
}

/** The loops of a definition as Halide makes them: reduction variables innermost, then the pure ones that it
 * writes at their own coordinates. */
StageSchedule plain_loops(const Function &f, const Definition &d) {
    const std::vector<ReductionVariable> rvars = d.schedule().rvars();
    std::vector<Dim> dims;
    for (const ReductionVariable &rv : rvars) {
        dims.push_back(loop(rv.var, can_parallelize_rvar(rv.var, f.name(), d) ? DimType::PureRVar
                                                                              : DimType::ImpureRVar));
    }
    for (size_t i = 0; i < f.args().size(); i++) {
        const Variable *written = d.is_init() || i >= d.args().size() ? nullptr : d.args()[i].as<Variable>();
        if (d.is_init() || (written && written->name == f.args()[i])) {
            // An extern stage goes over them itself: as loops, each point would be a call.
            dims.push_back(loop(f.args()[i], DimType::PureVar,
                                f.has_extern_definition() ? ForType::Extern : ForType::Serial));
        }
    }
    dims.push_back(loop(Var::outermost().name(), DimType::PureVar));
    return StageSchedule(rvars, {}, dims, {}, FuseLoopLevel(), {}, false, false, false, false);
}

void strip_definition(const Function &f, Definition d) {
    d.schedule() = plain_loops(f, d);
    d.specializations().clear();
}

void strip_function(Function f) {
    FuncSchedule plain;
    for (const std::string &arg : f.args()) {
        StorageDim dim{};
        dim.var = arg;
        plain.storage_dims().push_back(dim);
    }
    plain.estimates() = f.schedule().estimates();
    for (const Bound &b : f.schedule().bounds()) {
        if (b.extent.defined()) {
            plain.bounds().push_back(b);  // what align_bounds() gave has no extent
        }
    }
    f.schedule() = plain;
    if (f.has_pure_definition() || f.has_extern_definition()) {
        strip_definition(f, f.definition());
    }
    for (size_t u = 0; u < f.updates().size(); u++) {
        strip_definition(f, f.update(static_cast<int>(u)));
    }
}

}  // namespace

void strip(const Pipeline &pipeline) {
    for (const auto &[name, f] : build_environment(output_functions(pipeline))) {
        strip_function(f);
    }
}

}  // namespace eutectic
