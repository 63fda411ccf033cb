# Pairs as operations of PyTorch, for C++ and for torch.ops.load_library: add_eutectic_library(... GRADIENT TORCH) and add_eutectic_torch_library; included by EutecticHelpers.cmake.

# add_eutectic_torch_library(NAME REPORT file)
#
# Makes the shared library NAME that registers the pair of a report NAME.report.json, which `eutectic grad` or add_eutectic_library(... GRADIENT) wrote beside the pair's
# code, with PyTorch, when it is loaded: operations eutectic::PAIR, PAIR_forward and PAIR_backward (pytorch/operation.h says how they take tensors). In Python,
# torch.ops.load_library("libNAME.so"), then torch.ops.eutectic.PAIR(...).
#
# PyTorch is the one that find_package(Torch) has found; without that call, the one of EUTECTIC_TORCH, the folder torch/ of a Python's packages (default: the one
# that python3 imports). It is not needed to configure a project without such libraries.
function(add_eutectic_torch_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "REPORT" "")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_REPORT)
        message(FATAL_ERROR "add_eutectic_torch_library(${name}) takes REPORT and the path of a pair's report, and was given '${ARGN}'; write add_eutectic_torch_library(${name} REPORT FILE).")
    endif()
    get_filename_component(report "${arg_REPORT}" ABSOLUTE)
    if(NOT EXISTS "${report}")
        message(FATAL_ERROR "add_eutectic_torch_library(${name}) was given REPORT ${arg_REPORT}, which is no file; write it with eutectic grad first.")
    endif()
    file(READ "${report}" told)
    string(JSON count ERROR_VARIABLE no_pair LENGTH "${told}" files)
    if(no_pair)
        message(FATAL_ERROR "add_eutectic_torch_library(${name}) was given REPORT ${arg_REPORT}, which is no report of a pair; name the one that stands beside NAME_forward.report.json.")
    endif()
    get_filename_component(folder "${report}" DIRECTORY)
    set(code "")
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
        string(JSON file GET "${told}" files ${i})
        list(APPEND code "${folder}/${file}")
    endforeach()
    _eutectic_torch_library(${name} "${report}" "${code}")
endfunction()

# The shared library `name` of the pair with this report, whose code the targets or files `code` are.
function(_eutectic_torch_library name report code)
    _eutectic_add_pytorch(${name})
    add_custom_command(
        OUTPUT ${name}.cpp
        COMMAND Eutectic::command torch "${report}" -o ${name}.cpp
        DEPENDS "${report}" Eutectic::command
        VERBATIM)
    add_library(${name} MODULE "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
    # Each such library has a Halide runtime of its own, which must not be taken for another's.
    target_link_libraries(${name} PRIVATE eutectic_pytorch ${code} Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,defs)
endfunction()

# eutectic_pytorch: what all such libraries of a build have in common, compiled with PyTorch's headers.
function(_eutectic_add_pytorch name)
    if(TARGET eutectic_pytorch)
        return()
    endif()
    set(torch "${EUTECTIC_TORCH}")
    if(NOT torch)
        set(torch "${TORCH_INSTALL_PREFIX}")
    endif()
    if(NOT torch)
        execute_process(COMMAND python3 -c "import torch; print(torch.__path__[0])" OUTPUT_VARIABLE torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    if(NOT EXISTS "${torch}/include/torch/library.h")
        set(which "")
        if(EUTECTIC_TORCH)
            set(which " in EUTECTIC_TORCH=${EUTECTIC_TORCH}")
        endif()
        message(FATAL_ERROR "${name} is a library for PyTorch, whose headers were not found${which}; install torch, call find_package(Torch), or set EUTECTIC_TORCH to the folder torch of a Python's packages.")
    endif()
    set(sources "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pytorch")  # installed
    set(threads "${sources}/threads.c")
    if(NOT EXISTS "${sources}")
        set(sources "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../src/pytorch")
        set(threads "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../apps/python/eutectic/torch/threads.c")
    endif()
    get_filename_component(root "${sources}/.." ABSOLUTE)
    set(files call operation register size)
    list(TRANSFORM files REPLACE "(.+)" "${sources}/\\1.cpp")
    set_source_files_properties("${threads}" PROPERTIES LANGUAGE CXX)
    add_library(eutectic_pytorch STATIC EXCLUDE_FROM_ALL ${files} "${threads}")
    set_target_properties(eutectic_pytorch PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    target_compile_features(eutectic_pytorch PUBLIC cxx_std_20)  # PyTorch's headers
    target_include_directories(eutectic_pytorch PUBLIC "${root}")
    target_include_directories(eutectic_pytorch SYSTEM PUBLIC "${torch}/include" "${torch}/include/torch/csrc/api/include")
    target_link_libraries(eutectic_pytorch PUBLIC Halide::Runtime "${torch}/lib/libtorch_cpu.so" "${torch}/lib/libc10.so")
endfunction()
