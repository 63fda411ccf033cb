#include "autodiff/rules/rule_list.h"

namespace eutectic {

const RuleList &default_rules() {
    static const RuleList rules{
        {"softmax_xent", softmax_xent_rule},  // before what it is made of
        {"softmax", softmax_rule},
        {"log_softmax", log_softmax_rule},
        {"gelu", gelu_rule},
        {"tanh", tanh_rule},
        {"sigmoid", sigmoid_rule},
        {"relu", relu_rule},
        {"max_reduction", max_reduction_rule},
    };
    return rules;
}

}  // namespace eutectic
