# eutectic_library, eutectic_program: how this project's own folders become targets.

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

# What files read most of, parsed once for all of them: it was a third of the time of a build. A file includes what it uses all the same: EUTECTIC_PRECOMPILED_HEADERS=OFF
# (preset dev) finds those that do not. Each file that has a header of nlohmann/json instantiates its parser, used or not (0.7 s of 1.5 that an empty file took), so that only targets that link it have that one.
set(EUTECTIC_COMMON_HEADERS <algorithm> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <sstream> <string> <vector>)
find_package(nlohmann_json REQUIRED)

# _eutectic_precompiled(NAME HEADERS... LIBRARIES...): the library eutectic_NAME, of which others reuse the precompiled headers.
function(_eutectic_precompiled name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES")
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/eutectic_${name}.cpp" CONTENT "// Common headers, parsed once.\n")
    add_library(eutectic_${name} STATIC "${PROJECT_BINARY_DIR}/eutectic_${name}.cpp")
    target_link_libraries(eutectic_${name} PRIVATE ${arg_LIBRARIES})
    target_compile_options(eutectic_${name} PRIVATE ${EUTECTIC_WARNINGS})
    target_precompile_headers(eutectic_${name} PRIVATE ${EUTECTIC_COMMON_HEADERS} ${arg_HEADERS})
endfunction()
_eutectic_precompiled(plain_pch)
_eutectic_precompiled(plain_json_pch HEADERS <nlohmann/json.hpp> LIBRARIES nlohmann_json::nlohmann_json)

# Gives TARGET the precompiled headers of KIND, plain or halide, with json where it links that.
function(_eutectic_precompile target kind)
    if(NOT EUTECTIC_PRECOMPILED_HEADERS)
        return()
    endif()
    get_target_property(libraries ${target} LINK_LIBRARIES)
    set(json "")
    if("nlohmann_json::nlohmann_json" IN_LIST libraries)
        set(json _json)
    endif()
    target_precompile_headers(${target} REUSE_FROM eutectic_${kind}${json}_pch)
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

# eutectic_use_halide(TARGET): links Halide and reuses its precompiled header.
function(eutectic_use_halide target)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE" OR type STREQUAL "MODULE_LIBRARY")
        target_link_libraries(${target} PRIVATE Halide::Halide)
    else()
        target_link_libraries(${target} PUBLIC Halide::Halide)
    endif()
    _eutectic_precompile(${target} halide)
endfunction()

# -Og for what runs once and is large, the commands, the tests, and what walks Halide's IR: they compile in two thirds of the time, and their time is spent in the planner, in Halide and in kernels.
# GCC's findings about the flow of values are for -O2; with less, it sees uses beyond the end of a vector that erase() does not make.
function(_eutectic_compile_quickly target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og -Wno-array-bounds -Wno-maybe-uninitialized>)
endfunction()

# eutectic_compile_for_speed(NAME ...): libraries of tests that go through millions of elements.
function(eutectic_compile_for_speed)
    foreach(name IN LISTS ARGN)
        target_compile_options(eutectic_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
    endforeach()
endfunction()

# eutectic_compile_with_halide(TARGET): how generators and schedulers are compiled that are no eutectic_library: they walk Halide's IR once for each kernel.
function(eutectic_compile_with_halide target)
    target_compile_options(${target} PRIVATE ${EUTECTIC_WARNINGS})
    _eutectic_unite(${target})
    _eutectic_compile_quickly(${target})
    eutectic_use_halide(${target})
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
        _eutectic_precompile(${library} plain)
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
    _eutectic_unite(${arg_NAME})
    _eutectic_compile_quickly(${arg_NAME})
    if(arg_HALIDE)
        eutectic_use_halide(${arg_NAME})
    else()
        _eutectic_precompile(${arg_NAME} plain)
    endif()
endfunction()
