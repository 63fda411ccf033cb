#pragma once

#include <string>
#include <vector>

namespace eutectic {

/** Something that the scheduler does, which `disable=` leaves out. */
struct Mechanism {
    std::string name;
    std::string kind;  ///< "preparation": before anything is planned; "rule", "rewrite", "policy": a way to
                       ///< run a group's loops; "term": of the prices
};

/** All that may act on a target, for a GPU or not, in the order in which they act. This is the one list of
 * them: a preparation, a rule, a rewrite, a policy or a term of a price more is in it by itself. */
std::vector<Mechanism> mechanisms(bool gpu);

/** Those of either kind of target, each once. */
std::vector<Mechanism> all_mechanisms();

}  // namespace eutectic
