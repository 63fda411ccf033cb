#pragma once

#include <map>
#include <string>

#include "fusion/plan/plan.h"

namespace eutectic {

/** What people call the Funcs of a plan, each by a name of its own. Funcs of the algorithm have their
 * author's, inputs those of their buffers (graph/read/order.h). A Func that the plan adds is called after the
 * one that it is made of and what it is, w_pack, with a number where several would be. */
class PlanNames {
public:
    PlanNames(const Graph &graph, const FusionPlan &plan);

    const std::string &operator[](FuncId func) const {
        return names_.at(func);
    }
    /** Of a dimension of `func`, one of the algorithm: its variable, or "dim(0)" of an input. */
    std::string dim(FuncId func, DimId dim) const;

private:
    const Graph &graph_;
    std::map<FuncId, std::string> names_;
};

/** The variable of a loop over `dim`, of `dims`. */
std::string variable(const Dims &dims, DimId dim);

}  // namespace eutectic
