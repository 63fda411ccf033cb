#pragma once

#include "tests/images/subjects.h"
#include "tests/numerics/evaluate.h"

namespace eutectic::test {

/// Everything that is wrong with a planned kernel of an image generator on an image of that size: against the
/// unfused program, integers exactly, floats to the subject's tolerance of the largest value; what it wrote
/// around its buffers; other bits on one thread than on two.
numerics::Failures image_failures(const Subject &subject, const Kernel &planned, const Kernel &unfused,
                                  const Size &size);

}  // namespace eutectic::test
