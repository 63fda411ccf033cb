#include "autodiff/output_copies.h"

#include "autodiff/expr_tools.h"
#include "autodiff/validate.h"

#include "graph/read/read_expr.h"

#include <algorithm>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

bool same_at_estimates(const Interval &a, const Interval &b) {
    const auto same = [](const Expr &x, const Expr &y) {
        const auto known_x = as_const_int(at_estimates(x)), known_y = as_const_int(at_estimates(y));
        return known_x && known_y && *known_x == *known_y;
    };
    return same_interval(a, b) ||
           (a.is_bounded() && b.is_bounded() && same(a.min, b.min) && same(a.max, b.max));
}

bool same_region(const std::map<std::string, SymbolicRegion> &regions, const Function &a, const Function &b) {
    const auto of_a = regions.find(a.name()), of_b = regions.find(b.name());
    return of_a != regions.end() && of_b != regions.end() &&
           std::equal(of_a->second.begin(), of_a->second.end(), of_b->second.begin(), of_b->second.end(),
                      same_at_estimates);
}

}  // namespace

void read_outputs_for_copies(const DifferentiationProblem &problem,
                             const std::map<std::string, SymbolicRegion> &regions, Tape &tape) {
    const std::set<std::string> outputs = output_funcs(problem);
    for (const NamedOutput &output : problem.outputs) {
        const Function f = output.func.function();
        if (f.has_update_definition() || !f.has_pure_definition() || f.outputs() != 1 ||
            !is_identity_call(f.values()[0], f.args())) {
            continue;
        }
        const Call *copied = f.values()[0].as<Call>();
        const Function of = callee(copied);
        if (!input_of(of).defined() && outputs.count(of.name()) == 0 && same_region(regions, f, of)) {
            tape.read_as({of.name(), copied->value_index}, f);
        }
    }
}

}  // namespace eutectic
