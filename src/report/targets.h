#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace eutectic {

/** Where one Func is in one plan, and why. */
struct FuncPlace {
    std::string decision;  ///< as to_string(Placement::Kind)
    std::string of;        ///< in whose loops it is computed; empty: in its own, or inlined
    std::string policy;    ///< of the loops that compute it; empty where these are several
    std::string reason;  ///< for its decision, a sentence for each Func that reads it, the same one once; and
                         ///< what the next best would cost
    bool operator==(const FuncPlace &o) const {
        return decision == o.decision && of == o.of;
    }
};

/** One pipeline's plans for several targets. */
struct TargetComparison {
    struct Plan {
        std::string target, machine, hash;
        Seconds total = 0;
        size_t groups = 0, kernels = 0;  ///< kernels: 0 on CPUs
    };
    struct Row {
        std::string func;
        std::vector<FuncPlace> places;  ///< one for each plan
        bool differs = false;           ///< in decision or in whose loops
    };
    std::vector<Plan> plans;
    std::vector<Row> rows;  ///< one for each Func that is no input, producers first
};

/** Of reports on the same pipeline; at least one. Funcs are found by their names; one that a plan does not
 * have has an empty place. */
TargetComparison compare_targets(const std::vector<Report> &reports);

/** Keys: targets (target, machine, total_seconds, groups, kernels, plan_hash), funcs (func, differs, places:
 * target, decision, of: null or a name, policy, reason). */
nlohmann::ordered_json to_json(const TargetComparison &comparison);

/** The same for people: the plans, a table, then each difference with the reasons on each side. */
std::string to_text(const TargetComparison &comparison);

}  // namespace eutectic
