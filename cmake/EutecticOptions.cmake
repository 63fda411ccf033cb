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

# GCC looks for what it no longer needs when it has another 300 MB, not 30 % more than the last time: 5 to 8 % of a file's compilation (measured with GCC 12).
add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=300000>)

# Programs are position independent with the flag of libraries (-fPIC, not -fPIE), since one precompiled header serves both.
add_compile_options(-fPIC)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

option(EUTECTIC_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer; the first finding ends the program" OFF)
if(EUTECTIC_SANITIZE)
    # Not optimized: what the sanitizers add takes GCC longer to optimize than the tests save.
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -Og -g1)
    add_link_options(-fsanitize=address,undefined)
    # An index beyond a table's end is found even where it happens to hit other memory of the program's.
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
    # GCC takes what the sanitizers add for uses of uninitialized members, inside <regex> for one.
    add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds)
endif()

option(EUTECTIC_FUZZ "Build the harnesses of tests/fuzz/parsers for libFuzzer, with the sanitizers; needs Clang" OFF)
if(EUTECTIC_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "EUTECTIC_FUZZ needs Clang, whose libFuzzer it links, and was given ${CMAKE_CXX_COMPILER}: use the preset fuzz.")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
option(EUTECTIC_SANITIZE_THREADS "Build with ThreadSanitizer; the first finding ends the program" OFF)
if(EUTECTIC_SANITIZE_THREADS)
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -O1)
    add_link_options(-fsanitize=thread)
endif()

option(EUTECTIC_COVERAGE "Count the lines that run, with gcov (scripts/coverage)" OFF)
if(EUTECTIC_COVERAGE)
    # Not -O2, where calls that are inlined, and branches that are merged, would count as not run; planning, which tests do
    # most, takes several times as long with -O0.
    add_compile_options(--coverage -Og)
    add_link_options(--coverage)
endif()

# Most of what a file takes is parsing headers and instantiating templates that its neighbours have, too: eight at once take 2 to 5 times less than one by one.
option(EUTECTIC_UNITY_BUILD "Compile the files of a library eight at once; a changed file takes its neighbours along" ON)

# Of files that are compiled together, what one has for itself is seen in the next.
set(shadow -Wshadow)
if(EUTECTIC_UNITY_BUILD)
    set(shadow -Wshadow=local)
endif()
# What our own code is held to; not applied to generated or installed code.
set(EUTECTIC_WARNINGS -Wall -Wextra -Wpedantic ${shadow} -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror)

# What was compiled before in a folder of the same path is not compiled again, as after a branch was left and taken up, or where nothing is kept but the cache.
find_program(EUTECTIC_CCACHE ccache)
mark_as_advanced(EUTECTIC_CCACHE)
if(EUTECTIC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers are the same when what they are made of is; GCC has to keep their #include for that.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${EUTECTIC_CCACHE}")
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
if(EUTECTIC_FUZZ OR EUTECTIC_SANITIZE_THREADS)
    set(EUTECTIC_WARNINGS "")  # those of another compiler, or of code that sanitizers add to
endif()

option(EUTECTIC_PRECOMPILED_HEADERS "Parse Halide.h, nlohmann/json.hpp and the standard library's common headers once for all files" ON)
