#include "schedules/emit/padding.h"

#include <algorithm>

namespace eutectic {

int row_padding(const LoopTree &tree, const TreeFunc &func) {
    int widest = 0;
    for (const TreeFunc &other : tree.funcs()) {
        widest = std::max(widest, other.shared ? other.shared->widest : 0);
    }
    return func.shared ? std::max(1, widest / func.shared->narrowest) : 1;
}

}  // namespace eutectic
