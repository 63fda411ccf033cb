#pragma once

// What a user may say about residuals.

#include "autodiff/residuals/choice/budget.h"
#include "autodiff/residuals/choice/inverse.h"

#include "machine/machine.h"

#include <map>
#include <optional>
#include <string>

namespace eutectic {

/// The machine by whose rates work becomes seconds: one and the same whatever is compiled for, so that a pair
/// has one contract on all targets, and its two halves agree wherever they are compiled. Two cores with
/// 256-bit multiply-adds, as machine_from_target() describes them; what is decided are ratios of work to
/// traffic, which differ little between machines.
Machine residual_machine();

struct ResidualOptions {
    ResidualPolicy policy = ResidualPolicy::cost;
    /// Of residual bytes plus the larger peak of temporaries (ResidualChoice::peak()).
    std::optional<Bytes> budget;
    /// Ranges of inputs' elements, by the input's name: they decide which values may be computed back from
    /// results.
    std::map<std::string, ValueRange> ranges;
    Machine machine = residual_machine();
};

/// "cost", "save-all", "recompute-all". UserError for anything else.
ResidualPolicy parse_residual_policy(const std::string &text);
/// "65536", "64KiB", "1.5MiB", "2GiB". UserError for anything else, about `option` followed by the text.
Bytes parse_budget(const std::string &text, const std::string &option = "budget=");
/// "x:0.1:10,w:-1:1". UserError for anything else.
std::map<std::string, ValueRange> parse_ranges(const std::string &text);

}  // namespace eutectic
