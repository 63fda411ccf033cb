#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace eutectic {

/** Libraries of products (src/library). */
enum class Library { eigen, openblas, onednn };
const std::vector<Library> &libraries();
const char *to_string(Library library);
/** Throws UserError, in one sentence, for a name that none has. */
Library library_named(const std::string &name);

/** Has it products of doubles, too? (oneDNN has none.) */
bool multiplies_doubles(Library library);

/** What a product of m × k and k × n elements takes on one core, the library's own traffic included:
 * call_seconds + 2 m n k / (peak_share of the core's multiply-adds) + (m k + k n + 2 m n) elements at
 * bytes_per_second, which is what copying operands into the library's order, and the results, takes. Three
 * numbers hold within a third from blocks of 16 rows to 1024³. */
struct LibraryRates {
    Library library = Library::eigen;
    double peak_share = 0.8;
    double bytes_per_second = 1e10;
    Seconds call_seconds = 1e-6;
};

/** As measured by `eutectic calibrate --library` on a core of an AMD EPYC 7003 at 3.3 GHz (Zen 3, AVX2),
 * November 2026, with the versions that libraries.cpp names; another machine's are in its calibration. */
LibraryRates preset_rates(Library library);

/** One line: "openblas 0.85 of the peak, 6 GB/s, 1 us a call". */
std::string to_string(const LibraryRates &rates);

}  // namespace eutectic
