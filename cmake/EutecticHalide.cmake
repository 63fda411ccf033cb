# Finds Halide, makes eutectic_pch, the one precompiled header of targets that use Halide, and brings add_eutectic_library.

# Halide comes from PyPI, beside the cmake that scripts/bootstrap installs: no flag needed. Its own folder is named, since the
# one that is found through PATH (.venv/share) asks for Python's headers, which nothing here needs.
get_filename_component(site_packages "${CMAKE_ROOT}/../../../.." ABSOLUTE)
file(GLOB project_halide "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/halide/lib64/cmake/Halide")
find_package(Halide 21 REQUIRED COMPONENTS shared HINTS ${project_halide} "${site_packages}/halide/lib64/cmake/Halide")

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/eutectic_pch.cpp"
    CONTENT "// Halide.h and common headers, parsed once for every target that uses Halide.\n")
add_library(eutectic_pch STATIC "${PROJECT_BINARY_DIR}/eutectic_pch.cpp")
target_link_libraries(eutectic_pch PRIVATE Halide::Halide nlohmann_json::nlohmann_json)
target_compile_options(eutectic_pch PRIVATE ${EUTECTIC_WARNINGS})
target_precompile_headers(eutectic_pch PRIVATE ${EUTECTIC_COMMON_HEADERS} <Halide.h>)

include(EutecticHelpers)
