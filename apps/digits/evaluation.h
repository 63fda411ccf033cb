#pragma once

#include "apps/digits/data.h"
#include "apps/digits/network.h"
#include "apps/support/kernel.h"

#include <vector>

namespace eutectic::digits {

/// The samples of these lines in `images` (pixels × lines) and, unless it is nullptr, `labels`.
void gather(const Digits &data, const std::vector<int> &lines, Floats &images,
            Halide::Runtime::Buffer<int32_t> *labels);

/// The share of these samples whose largest logit is at their label, 0 … 1.
double accuracy(Network &network, const Digits &data, const std::vector<int> &lines, const Kernel &logits);

}  // namespace eutectic::digits
