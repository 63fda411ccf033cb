#include "machine/libraries.h"

#include <sstream>

#include "base/nearest.h"
#include "base/user_error.h"

namespace eutectic {

const std::vector<Library> &libraries() {
    static const std::vector<Library> all = {Library::eigen, Library::openblas, Library::onednn};
    return all;
}

const char *to_string(Library library) {
    switch (library) {
    case Library::openblas: return "openblas";
    case Library::onednn: return "onednn";
    case Library::eigen: break;
    }
    return "eigen";
}

Library library_named(const std::string &name) {
    for (const Library library : libraries()) {
        if (name == to_string(library)) {
            return library;
        }
    }
    throw UserError(
        "The library \"" + name + "\" was asked for, which is unknown: " +
        nearest_or(name, {"none", "onednn", "openblas", "eigen"}, "give none, onednn, openblas or eigen") +
        ".");
}

bool multiplies_doubles(Library library) {
    return library != Library::onednn;
}

LibraryRates preset_rates(Library library) {
    switch (library) {
    case Library::openblas: return {library, 0.85, 2.5e10, 5e-7};
    case Library::onednn: return {library, 0.85, 1e10, 1.5e-6};
    case Library::eigen: break;
    }
    return {library, 0.8, 1e10, 6e-7};
}

std::string to_string(const LibraryRates &rates) {
    std::ostringstream s;
    s << to_string(rates.library) << " " << rates.peak_share << " of the peak, "
      << rates.bytes_per_second / 1e9 << " GB/s, " << rates.call_seconds * 1e6 << " us a call";
    return s.str();
}

}  // namespace eutectic
