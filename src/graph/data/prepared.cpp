#include "graph/data/prepared.h"

namespace eutectic {

bool reassociates(const Prepared &call) {
    return call.call == "winograd_2x2" || call.call == "winograd_4x4";
}

}  // namespace eutectic
