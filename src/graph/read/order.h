#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** Functions of a pipeline, producers first, in the order in which the outputs' expressions name them:
 * independent of Func names. */
class Order : public Halide::Internal::IRGraphVisitor {
public:
    Table<FuncId, Halide::Internal::Function> functions;
    std::map<std::string, FuncId> ids;  ///< by name

    /** `f`, after what it reads. */
    void add(const Halide::Internal::Function &f);

    /** What people call each: the name that the program gave, without the suffix by which Halide keeps names
     * apart ("z$0"), unless another Function has the same; an input by the name of its buffer or parameter,
     * without the "_im" of the Function that Halide puts around it ("x2" where a Function is called "x"). */
    Table<FuncId, std::string> readable_names() const;

private:
    std::set<std::string> begun_;
    std::map<std::string, int> stems_;  ///< names without suffix, and how many Functions have them
    using IRGraphVisitor::visit;

    std::string plain_name(const std::string &name) const;
    void visit(const Halide::Internal::Call *op) override;
};

}  // namespace eutectic
