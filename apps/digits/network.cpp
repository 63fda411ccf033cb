#include "apps/digits/network.h"

#include <cmath>
#include <utility>

namespace eutectic::digits {

Parameter::Parameter(std::string called, const std::vector<int> &extents)
    : name(std::move(called)),
      value(extents),
      gradient(extents),
      first_moment(extents),
      second_moment(extents) {
    for (Floats *tensor : {&value, &gradient, &first_moment, &second_moment}) {
        tensor->fill(0.0f);
        tensor->set_host_dirty();
    }
}

Parameter::~Parameter() {
    for (Floats *tensor : {&value, &gradient, &first_moment, &second_moment}) {
        forget_device(*tensor);
    }
}

Network::Network(const std::vector<int> &widths, Random &random) {
    for (size_t layer = 1; layer < widths.size(); layer++) {
        const int inputs = widths[layer - 1], outputs = widths[layer];
        const std::string number = std::to_string(layer);
        Parameter weights("w" + number, {outputs, inputs});
        const float bound = std::sqrt(6.0f / static_cast<float>(inputs));
        weights.value.for_each_value([&](float &weight) { weight = bound * random.symmetric(); });
        weights.value.set_host_dirty();
        parameters.push_back(std::move(weights));
        parameters.emplace_back("b" + number, std::vector<int>{outputs});
    }
}

}  // namespace eutectic::digits
