# Finds Halide, makes the precompiled headers of targets that use Halide, and brings add_eutectic_library.

# Halide comes from PyPI, beside the cmake that scripts/bootstrap installs: no flag needed. Its own folder is named, since the
# one that is found through PATH (.venv/share) asks for Python's headers, which nothing here needs.
get_filename_component(site_packages "${CMAKE_ROOT}/../../../.." ABSOLUTE)
file(GLOB project_halide "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/halide/lib64/cmake/Halide")
find_package(Halide 21 REQUIRED COMPONENTS shared HINTS ${project_halide} "${site_packages}/halide/lib64/cmake/Halide")

_eutectic_precompiled(halide_pch HEADERS <Halide.h> LIBRARIES Halide::Halide)
_eutectic_precompiled(halide_json_pch HEADERS <nlohmann/json.hpp> <Halide.h> LIBRARIES Halide::Halide nlohmann_json::nlohmann_json)

include(EutecticHelpers)
