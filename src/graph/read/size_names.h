#pragma once

#include <cstdlib>
#include <string>

#include "graph/data/ids.h"

namespace eutectic {

/** "x.extent.1", as Halide names a size of the parameter x → ("extent", 1). False for names of another
 * form, which leave `kind` and `dim` as they are. */
inline bool split_size_name(const std::string &name, std::string *kind, DimId *dim) {
    const size_t last = name.rfind('.');
    const size_t middle =
        last == std::string::npos || last == 0 ? std::string::npos : name.rfind('.', last - 1);
    if (middle == std::string::npos) {
        return false;
    }
    *kind = name.substr(middle + 1, last - middle - 1);
    *dim = std::atoi(name.c_str() + last + 1);
    return true;
}

}  // namespace eutectic
