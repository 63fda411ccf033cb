#include "schedules/mechanisms.h"

#include <algorithm>

#include "fusion/policies/policy.h"
#include "fusion/rules/rule.h"
#include "machine/terms.h"
#include "schedules/prepare.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

namespace {

/** Names that occur twice are one mechanism. */
void add(std::vector<Mechanism> &all, const std::string &name, const char *kind) {
    if (std::none_of(all.begin(), all.end(), [&](const Mechanism &m) { return m.name == name; })) {
        all.push_back({name, kind});
    }
}

}  // namespace

std::vector<Mechanism> mechanisms(bool gpu) {
    std::vector<Mechanism> all;
    for (const Preparation &preparation : preparations()) {
        if (!gpu || preparation.on_gpus) {
            add(all, preparation.name, "preparation");
        }
    }
    if (!gpu) {
        add(all, "winograd", "preparation");
        add(all, "vectorize_functions", "preparation");
    } else {
        add(all, "approximate_functions", "preparation");
    }
    const std::vector<Rule> rewrites = gpu ? gpu_rewrite_rules() : cpu_rewrite_rules();
    for (const Rule &rule : gpu ? gpu_rules(rewrites) : cpu_rules(rewrites)) {
        const std::string name = rule.name;
        const bool rewrite =
            std::any_of(rewrites.begin(), rewrites.end(), [&](const Rule &r) { return r.name == name; });
        add(all, name, rewrite ? "rewrite" : "rule");
    }
    for (const Policy &policy : gpu ? gpu_policies() : cpu_policies()) {
        if (!policy.last_resort) {
            add(all, policy.name, "policy");
        }
    }
    for (const PriceTerm &term : price_terms(gpu)) {
        add(all, term.name, "term");
    }
    return all;
}

std::vector<Mechanism> all_mechanisms() {
    std::vector<Mechanism> all = mechanisms(false);
    for (const Mechanism &m : mechanisms(true)) {
        add(all, m.name, m.kind.c_str());
    }
    return all;
}

}  // namespace eutectic
