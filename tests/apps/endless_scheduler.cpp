// A plugin in the place of this project's, which never comes to an end of its planning.

#include "Halide.h"

namespace {

using namespace Halide;

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("Eutectic", [](auto &&...) {
            for (volatile int i = 0;; i = i ^ 1) {
            }
        });
    }
} registration;

}  // namespace
