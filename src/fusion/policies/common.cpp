#include "fusion/policies/policy.h"

namespace eutectic {

std::optional<Group> cheaper(std::optional<Group> a, std::optional<Group> b) {
    if (!a) {
        return b;
    }
    return b && b->cost.total() < a->cost.total() ? b : a;
}

std::vector<int64_t> vector_widths(const Machine &machine, int element_bytes, int64_t extent) {
    std::vector<int64_t> widths;
    for (int64_t w = machine.lanes(element_bytes); w >= 2; w /= 2) {
        if (w <= extent) {
            widths.push_back(w);
            // A half or quarter is worth a look only where whole vectors leave a remainder.
            if (extent % w == 0 || widths.size() == 3) {
                break;
            }
        }
    }
    if (widths.empty()) {
        widths.push_back(1);
    }
    return widths;
}

}  // namespace eutectic
