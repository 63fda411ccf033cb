// The rewrites. One more is a file, and its lines here.

#include "base/user_error.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

const MadeRewrite &reciprocal();
const MadeRewrite &late_division();
const MadeRewrite &online_sum();
const MadeRewrite &partial_pairs();
const MadeRewrite &row_choice();
const MadeRewrite &flattened_rows();
const MadeRewrite &moved_sum();
const MadeRewrite &recomputed();
const MadeRewrite &choice();
const MadeRewrite &clamps();
const MadeRewrite &quotients();
const MadeRewrite &packed_terms();
const MadeRewrite &padded_terms();

const std::vector<const MadeRewrite *> &all_rewrites() {
    static const std::vector<const MadeRewrite *> all = {
        &choice(),     &clamps(),        &quotients(),    &reciprocal(),     &late_division(),
        &online_sum(), &partial_pairs(), &row_choice(),   &flattened_rows(), &moved_sum(),
        &recomputed(), &packed_terms(),  &padded_terms(),
    };
    return all;
}

namespace {

std::vector<Rule> rules_of(const std::vector<const Rewrite *> &rewrites) {
    std::vector<Rule> rules;
    for (const Rewrite *r : rewrites) {
        rules.push_back(*r->rule());
    }
    return rules;
}

}  // namespace

std::vector<Rule> cpu_rewrite_rules() {
    return rules_of({&reciprocal(), &late_division()});
}

std::vector<Rule> gpu_rewrite_rules() {
    return rules_of({&online_sum()});
}

const MadeRewrite &rewrite_named(const std::string &name) {
    for (const MadeRewrite *r : all_rewrites()) {
        if (r->name() == name) {
            return *r;
        }
    }
    throw UserError("A plan names the rewrite " + name +
                    ", which is unknown: give it the list that schedules/rewrites/all_rewrites.cpp has.");
}

std::vector<const PatternFinder *> pattern_finders() {
    return {all_rewrites().begin(), all_rewrites().end()};
}

}  // namespace eutectic
