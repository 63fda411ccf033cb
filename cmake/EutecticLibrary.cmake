# eutectic_library, eutectic_program, eutectic_test: how this project's own folders become targets.

# Sets OUT to an include root that holds FOLDER and nothing else. "src/base" is reached as "base/...", every other
# folder by its own path ("schedules/...", "autodiff/rules/..."). It is one symbolic link in the build tree.
function(_eutectic_include_root out folder)
    string(REGEX REPLACE "^src/" "" name "${folder}")
    string(REPLACE "/" "-" flat "${name}")
    set(root "${PROJECT_BINARY_DIR}/roots/${flat}")
    get_filename_component(parent "${root}/${name}" DIRECTORY)
    file(MAKE_DIRECTORY "${parent}")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${root}/${name}" SYMBOLIC)
    set(${out} "${root}" PARENT_SCOPE)
endfunction()

# Sets OUT to the targets that NAMES stand for: a library of this project without its prefix, or any target.
function(_eutectic_targets out)
    set(targets "")
    foreach(name IN LISTS ARGN)
        if(name MATCHES "::" OR TARGET ${name})
            list(APPEND targets ${name})
        else()
            list(APPEND targets eutectic_${name})
        endif()
    endforeach()
    set(${out} ${targets} PARENT_SCOPE)
endfunction()

# What files without Halide read most of, parsed once for all of them: it was a third of the time of a build. A file includes what it uses all the same: EUTECTIC_PRECOMPILED_HEADERS=OFF
# (preset dev) finds those that do not.
find_package(nlohmann_json REQUIRED)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/eutectic_plain_pch.cpp" CONTENT "// Common headers, parsed once.\n")
add_library(eutectic_plain_pch STATIC "${PROJECT_BINARY_DIR}/eutectic_plain_pch.cpp")
target_link_libraries(eutectic_plain_pch PRIVATE nlohmann_json::nlohmann_json)
target_compile_options(eutectic_plain_pch PRIVATE ${EUTECTIC_WARNINGS})
set(EUTECTIC_COMMON_HEADERS <algorithm> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <sstream> <string> <vector> <nlohmann/json.hpp>)
target_precompile_headers(eutectic_plain_pch PRIVATE ${EUTECTIC_COMMON_HEADERS})

function(_eutectic_precompile target header)
    if(EUTECTIC_PRECOMPILED_HEADERS)
        target_precompile_headers(${target} REUSE_FROM ${header})
    endif()
endfunction()

# Compiles the files of TARGET eight at once, but those that eutectic_alone() has named.
function(_eutectic_unite target)
    if(EUTECTIC_UNITY_BUILD)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    endif()
endfunction()

# eutectic_alone(a.cpp b.cpp): these are compiled one by one, since what each has for itself (an unnamed namespace, using namespace Halide) has the names of others. Called where their target is made.
function(eutectic_alone)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# eutectic_use_halide(TARGET): links Halide and reuses the one precompiled header.
function(eutectic_use_halide target)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE" OR type STREQUAL "MODULE_LIBRARY")
        target_link_libraries(${target} PRIVATE Halide::Halide)
    else()
        target_link_libraries(${target} PUBLIC Halide::Halide)
    endif()
    _eutectic_precompile(${target} eutectic_pch)
endfunction()

# -O1 for what runs once and is large, the commands, the tests, and what walks Halide's IR: they compile in two thirds of the time, and their time is spent in the planner, in Halide and in kernels.
# GCC's findings about the flow of values are for -O2; with less, it sees uses beyond the end of a vector that erase() does not make.
function(_eutectic_compile_quickly target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1 -Wno-array-bounds -Wno-maybe-uninitialized>)
endfunction()

# eutectic_embed_texts(HEADER NAME=FILE...): a header, made at build time, in which the content of each file is a constant of that name; relative paths begin at the current source folder.
function(eutectic_embed_texts header)
    set(script "${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake")
    set(entries "")
    set(files "")
    foreach(entry IN LISTS ARGN)
        string(REGEX MATCH "^([^=]+)=(.*)$" entry "${entry}")
        set(name "${CMAKE_MATCH_1}")
        get_filename_component(file "${CMAKE_MATCH_2}" ABSOLUTE)
        list(APPEND entries "${name}=${file}")
        list(APPEND files "${file}")
    endforeach()
    add_custom_command(
        OUTPUT "${header}"
        COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${header}" "-DENTRIES=${entries}" -P "${script}"
        DEPENDS ${files} "${script}"
        VERBATIM)
endfunction()

# eutectic_library(NAME base FOLDER src/base SOURCES a.cpp b.cpp [DEPENDS x y] [HALIDE])
#
# Makes the static library eutectic_NAME. It sees the headers of FOLDER, of its DEPENDS (and of theirs), and no
# others; Halide.h only with HALIDE. Two libraries may name the same FOLDER. Without HALIDE it is also built where
# Halide is absent (EUTECTIC_PLAIN_ONLY), with HALIDE it is left out there.
function(eutectic_library)
    cmake_parse_arguments(PARSE_ARGV 0 arg "HALIDE" "NAME;FOLDER" "SOURCES;DEPENDS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_FOLDER OR NOT arg_SOURCES)
        message(FATAL_ERROR "eutectic_library needs NAME, FOLDER and SOURCES and was given ${ARGN}; see cmake/EutecticLibrary.cmake.")
    endif()
    if(arg_HALIDE AND EUTECTIC_PLAIN_ONLY)
        return()
    endif()
    set(library eutectic_${arg_NAME})
    _eutectic_include_root(root "${arg_FOLDER}")
    _eutectic_targets(depends ${arg_DEPENDS})
    add_library(${library} STATIC ${arg_SOURCES})
    target_include_directories(${library} PUBLIC "$<BUILD_INTERFACE:${root}>")
    target_link_libraries(${library} PUBLIC ${depends})
    set_target_properties(${library} PROPERTIES EUTECTIC_FOLDER "${arg_FOLDER}")
    target_compile_options(${library} PRIVATE ${EUTECTIC_WARNINGS})
    if(NOT arg_FOLDER MATCHES "^tests/")
        _eutectic_unite(${library})
    endif()
    if(arg_HALIDE OR arg_FOLDER MATCHES "^(apps|tests)/")
        _eutectic_compile_quickly(${library})
    endif()
    if(arg_HALIDE)
        eutectic_use_halide(${library})
    else()
        _eutectic_precompile(${library} eutectic_plain_pch)
    endif()
endfunction()

# eutectic_program(NAME digits SOURCES main.cpp [LIBRARIES base machine] [HALIDE])
#
# Makes the program NAME in bin/. LIBRARIES are libraries of this project without their prefix, or any other targets
# (kernels made by add_eutectic_library, CLI11::CLI11, ...).
function(eutectic_program)
    cmake_parse_arguments(PARSE_ARGV 0 arg "HALIDE" "NAME" "SOURCES;LIBRARIES")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "eutectic_program needs NAME and SOURCES and was given ${ARGN}; see cmake/EutecticLibrary.cmake.")
    endif()
    _eutectic_targets(libraries ${arg_LIBRARIES})
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PRIVATE ${libraries})
    target_compile_options(${arg_NAME} PRIVATE ${EUTECTIC_WARNINGS})
    _eutectic_compile_quickly(${arg_NAME})
    if(arg_HALIDE)
        eutectic_use_halide(${arg_NAME})
    else()
        _eutectic_precompile(${arg_NAME} eutectic_plain_pch)
    endif()
endfunction()

# eutectic_test(NAME test_base SOURCES test_base.cpp [LIBRARIES base machine] [LABELS plain] [HALIDE])
#
# Makes the doctest program NAME and the ctest of the same name; main() is supplied. LIBRARIES are libraries of this
# project without their prefix, or any other targets. Tests labelled plain use no Halide and also run under the
# sanitizers (preset asan-ubsan); the others are left out there. Tests run in their own binary folder.
function(eutectic_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "HALIDE" "NAME" "SOURCES;LIBRARIES;LABELS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "eutectic_test needs NAME and SOURCES and was given ${ARGN}; see cmake/EutecticLibrary.cmake.")
    endif()
    if("plain" IN_LIST arg_LABELS AND arg_HALIDE)
        message(FATAL_ERROR "eutectic_test ${arg_NAME} is labelled plain and asks for HALIDE; plain tests run without it: drop one of the two.")
    endif()
    if(EUTECTIC_PLAIN_ONLY AND NOT "plain" IN_LIST arg_LABELS)
        return()
    endif()
    _eutectic_doctest_main()
    set(halide "")
    if(arg_HALIDE)
        set(halide HALIDE)
    endif()
    eutectic_program(NAME ${arg_NAME} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES} eutectic_doctest_main ${halide})
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 900)
endfunction()

# eutectic_ptxas_test(NAME test_x SOURCES ... LIBRARIES ... [HALIDE])
#
# A test that needs the CUDA toolkit, with the label ptxas: CUDAToolkit::headers are its headers, EUTECTIC_PTXAS is defined as its assembler's path. Without the toolkit the test is there and is
# reported as skipped.
function(eutectic_ptxas_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "HALIDE" "NAME" "SOURCES;LIBRARIES")
    if(EUTECTIC_PLAIN_ONLY)
        return()
    endif()
    find_package(CUDAToolkit QUIET)
    if(CUDAToolkit_FOUND)
        find_program(EUTECTIC_PTXAS ptxas HINTS "${CUDAToolkit_BIN_DIR}")
    endif()
    if(NOT CUDAToolkit_FOUND OR NOT EUTECTIC_PTXAS)
        add_test(NAME ${arg_NAME} COMMAND "${CMAKE_COMMAND}" -E echo "Skipped: there is no CUDA toolkit with ptxas here.")
        set_tests_properties(${arg_NAME} PROPERTIES LABELS ptxas SKIP_REGULAR_EXPRESSION "Skipped:")
        return()
    endif()
    if(NOT TARGET CUDAToolkit::headers)
        add_library(CUDAToolkit::headers INTERFACE IMPORTED)
        target_include_directories(CUDAToolkit::headers INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
    endif()
    set(halide "")
    if(arg_HALIDE)
        set(halide HALIDE)
    endif()
    eutectic_test(NAME ${arg_NAME} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES} LABELS ptxas ${halide})
    target_compile_definitions(${arg_NAME} PRIVATE EUTECTIC_PTXAS="${EUTECTIC_PTXAS}")
endfunction()

# doctest's main(), compiled once.
function(_eutectic_doctest_main)
    if(TARGET eutectic_doctest_main)
        return()
    endif()
    find_package(doctest REQUIRED)
    set(source "${PROJECT_BINARY_DIR}/eutectic_doctest_main.cpp")
    file(CONFIGURE OUTPUT "${source}"
        CONTENT "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n")
    add_library(eutectic_doctest_main STATIC "${source}")
    target_link_libraries(eutectic_doctest_main PUBLIC doctest::doctest)
endfunction()
