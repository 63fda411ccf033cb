#include "pytorch/size.h"

#include <c10/util/Exception.h>

namespace eutectic::pytorch {

Size operator/(const Size &a, const Size &b) {
    const auto dividend = a.value_.maybe_as_int(), divisor = b.value_.maybe_as_int();
    TORCH_CHECK(divisor != 0, "a size is divided by 0");
    if (!dividend || !divisor) {
        return Size(a.value_ / b.value_);  // rounded down, where there are symbols
    }
    const int64_t quotient = *dividend / *divisor;
    const bool below = *dividend % *divisor != 0 && (*dividend < 0) != (*divisor < 0);
    return below ? quotient - 1 : quotient;
}

Size Known::extent(const std::string &name, int d) const {
    const auto found = sizes_.find(name);
    TORCH_CHECK(found != sizes_.end() && d < static_cast<int>(found->second.size()), "the size of ", name,
                " is not known");
    return Size(found->second[found->second.size() - 1 - d]);
}

Size Known::number(const std::string &name) const {
    const auto found = numbers_.find(name);
    TORCH_CHECK(found != numbers_.end(), "the number ", name, " is not known");
    return Size(found->second);
}

}  // namespace eutectic::pytorch
