#pragma once

// Tables of what a rule allows and refuses: a pipeline, an edge, a sentence.

#include <functional>
#include <string>
#include <vector>

#include "fusion/rules/rule.h"
#include "tests/support/graphs.h"

namespace eutectic::test {

/** A matmul `mm` of 32 x 16 with its two inputs. */
FuncId add_matmul(Sketch &s);

struct Row {
    const char *what;
    std::function<void(Sketch &)> make;
    const char *producer;
    const char *refusal;  ///< "": allowed
};

/** The site of `rule` about `producer`, as it matches on the unfused program. */
std::vector<Site> sites_about(const Rule &rule, const Graph &g, const std::string &producer);

/** The row's edge is one site of `rule`, which allows or refuses it as the row says. */
void check(const Rule &rule, const Row &row);

}  // namespace eutectic::test
