#pragma once

#include "Halide.h"

#include <functional>
#include <string>
#include <vector>

namespace eutectic::bench {

/// A pipeline whose planning is measured.
struct PlanRow {
    std::string name;   ///< the interface: what --only takes and results are compared by
    std::string about;  ///< a few words
    /// A new one each time, with estimates and without any directive; empty for a generator's.
    std::function<Halide::Pipeline()> build;
    std::string generator;                ///< its name; empty for a pipeline that `build` makes
    std::vector<std::string> parameters;  ///< of the generator: "widths=64,10"
};

/// Chains, fans, trees, sorting networks and expressions that share.
std::vector<PlanRow> structure_rows();
/// Stencils and pyramids.
std::vector<PlanRow> stencil_rows();
/// As large as the table of limits says (docs/trust.md): chains, fans and expressions.
std::vector<PlanRow> limit_rows();
/// All but those, and training steps.
std::vector<PlanRow> fixed_rows();

/// A row for each generator that the program lists, gradients among them: generators/NAME. Throws UserError
/// if it is no generator program.
std::vector<PlanRow> generator_rows(const std::string &program);

/// The rows that the patterns name, "*" standing for any text; all without a pattern. Throws UserError for
/// one that names none.
std::vector<PlanRow> choose_rows(const std::vector<PlanRow> &rows, const std::vector<std::string> &patterns);

}  // namespace eutectic::bench
