#pragma once

#include <memory>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"
#include "graph/read/body_reader.h"

namespace eutectic {

/** What is known where patterns are looked for: all stages of what a Func reads, and of it the stages before.
 */
struct DefinitionContext {
    const Halide::Internal::Function &f;
    const Stage &stage;  ///< just read, and not in `graph` yet
    const FuncInfo &info;
    const Graph &graph;
    const Order &order;
    BodyReader &bodies;
};

/** Looks for what a rewrite can change in definitions. */
class PatternFinder {
public:
    virtual ~PatternFinder() = default;
    /** What it finds in a stage; null where that is nothing. Not asked of extern stages, nor of what cannot
     * be analysed. */
    virtual std::shared_ptr<const Pattern> find(const DefinitionContext &definition) const = 0;
};

}  // namespace eutectic
