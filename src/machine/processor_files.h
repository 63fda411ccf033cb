#pragma once

#include <vector>

namespace eutectic {

/** A file of processors/, as CMake put it into the library. */
struct ProcessorFile {
    const char *name;  ///< without its ending
    const char *text;
};

extern const std::vector<ProcessorFile> processor_files;
extern const char *const processor_families;  ///< families.txt

}  // namespace eutectic
