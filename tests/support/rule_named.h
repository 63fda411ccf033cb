#pragma once

#include <stdexcept>
#include <string>

#include "fusion/rules/rule.h"

namespace eutectic::test {

/** The rule of that name, of any list; rewrites have theirs in patterns.h. */
inline Rule rule_named(const std::string &name) {
    for (const std::vector<Rule> &rules : {cpu_rules(), gpu_rules()}) {
        for (const Rule &rule : rules) {
            if (rule.name == name) {
                return rule;
            }
        }
    }
    throw std::logic_error("no list has a rule named " + name);
}

}  // namespace eutectic::test
