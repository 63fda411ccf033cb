#pragma once

#include <string>
#include <vector>

#include "machine/libraries.h"
#include "machine/machine.h"

struct halide_buffer_t;

namespace eutectic {

/** A library of products that this program is linked with, and its function of src/library/product.h. */
struct LinkedLibrary {
    Library library = Library::eigen;
    int (*product)(halide_buffer_t *a, halide_buffer_t *b, int k_min, int k_extent, int a_dims, int b_dims,
                   int tasks, halide_buffer_t *c) = nullptr;
};

/** Those of these names; all that there are, where none is given. Throws UserError for one that is not known,
 * or was not found when this was built. */
std::vector<LinkedLibrary> linked_libraries(const std::vector<std::string> &names = {});

/** Its rates on one core, by least squares of relative errors over products of several shapes, each timed for
 * `seconds_per_probe` or more. `machine` has the core's multiply-adds. */
LibraryRates measure_library(const LinkedLibrary &library, const Machine &machine, Seconds seconds_per_probe);

}  // namespace eutectic
