#include "fusion/plan/made_ids.h"

namespace eutectic {

FuncId MadeIds::of(const std::string &name, FuncId func, int operand) {
    const FuncId next = static_cast<int>(funcs_ + ids_.size());
    return ids_.try_emplace({func, operand, name}, next).first->second;
}

}  // namespace eutectic
