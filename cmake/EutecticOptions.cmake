# Language level, flags and output folders for every target of this project.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Generated kernels carry the speed; our own code needs no more than -O2, and a build folder without debug information stays small.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g0 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")

# Programs are position independent with the flag of libraries (-fPIC, not -fPIE), since one precompiled header serves both.
add_compile_options(-fPIC)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

option(EUTECTIC_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer; the first finding ends the program" OFF)
if(EUTECTIC_SANITIZE)
    # Not optimized: what the sanitizers add takes GCC longer to optimize than the tests save.
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O0)
    add_link_options(-fsanitize=address,undefined)
    # An index beyond a table's end is found even where it happens to hit other memory of the program's.
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
    # GCC takes what the sanitizers add for uses of uninitialized members, inside <regex> for one.
    add_compile_options(-Wno-maybe-uninitialized)
endif()

# What our own code is held to; not applied to generated or installed code.
set(EUTECTIC_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror)

option(EUTECTIC_PRECOMPILED_HEADERS "Parse Halide.h, nlohmann/json.hpp and the standard library's common headers once for all files" ON)
