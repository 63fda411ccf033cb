#pragma once

#include <map>
#include <string>
#include <tuple>

#include "graph/data/ids.h"

namespace eutectic {

/** Ids of the Funcs that policies make, while plans are searched for: the same for the same, so that groups
 * that are found apart fit together. A plan that is complete has other numbers (Completer::plan()), which do
 * not depend on what was searched before. */
class MadeIds {
public:
    /** Of a graph of `funcs` Funcs, which have the ids below. */
    explicit MadeIds(size_t funcs) : funcs_(funcs) {
    }

    /** What is called `name` and made of or for `func`; `operand` counts those of one name and Func, and is
     * 1 for those of a sum's chunks. */
    FuncId of(const std::string &name, FuncId func, int operand = 0);

private:
    size_t funcs_;
    std::map<std::tuple<FuncId, int, std::string>, FuncId> ids_;
};

}  // namespace eutectic
