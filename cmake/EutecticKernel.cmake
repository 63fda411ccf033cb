# How add_eutectic_library makes one kernel: the generator's runs, the functions before it, its library; included by EutecticHelpers.cmake.

# One kernel for these targets, to each of which the text `features` is added: makes library, header and reports. For one of a pair, ARGN is the
# header of its contract: the forward's run writes that, and the headers of both say at their top what is in it. Reads the caller's `function`, what callers know the kernel by, arg_C_BACKEND and `outputs`
# (EutecticOutputs.cmake), and appends to its made_KEYWORD.
function(_eutectic_kernel name from generator params targets machine_file features)
    _eutectic_add_runtime(${targets})
    _eutectic_devices(devices "${targets}")
    list(LENGTH devices device_count)
    set(contract ${ARGN})
    # Behind the function whose arguments have an order of their own.
    set(kernel ${name})
    if("${name}" MATCHES "_backward$" AND NOT "${contract}" STREQUAL "")
        set(kernel ${name}_kernel)
        set(function ${kernel})
    endif()
    set(all_outputs "")

    if(device_count EQUAL 1)
        _eutectic_variant(${kernel} ${name} "${contract}")
    else()
        set(pick_variants "")
        set(variant_headers "")
        set(variant_files "")
        set(all_targets ${targets})
        set(picking ${function})
        foreach(device IN LISTS devices)
            set(targets ${all_targets})
            _eutectic_of_device(targets ${device})
            set(function ${kernel}_${device})
            _eutectic_variant(${kernel}_${device} ${name} "${contract}")
            set(contract "")
            set(capability "")
            if("${kernel_targets}" MATCHES "cuda_capability_([0-9]+)")
                set(capability ":${CMAKE_MATCH_1}")
            endif()
            list(APPEND pick_variants ${device}${capability})
            list(APPEND variant_headers ${kernel}_${device}.h)
            list(APPEND variant_files ${headers})
        endforeach()
        set(pick "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EutecticPick.cmake")
        _eutectic_say_contract(say_contract ${name} ${ARGN})
        if(NOT "${kernel}" STREQUAL "${name}")
            set(say_contract "")  # the function before it says it
        endif()
        add_custom_command(
            OUTPUT ${kernel}.h ${kernel}.pick.cpp
            COMMAND "${CMAKE_COMMAND}" "-DNAME=${kernel}" "-DFUNCTION=${picking}" "-DVARIANTS=${pick_variants}" -P "${pick}"
            ${say_contract}
            DEPENDS ${variant_headers} "${pick}"
            VERBATIM)
        set(headers ${kernel}.h ${variant_files})
    endif()

    set(objects ${all_objects})
    if(device_count GREATER 1)
        list(APPEND objects ${kernel}.pick.cpp)
    endif()
    if(NOT "${kernel}" STREQUAL "${name}")
        list(APPEND objects ${name}.cpp)
    endif()
    _eutectic_static_library(${name} "${objects}" "${headers}" "${all_reports}" "${params}" ${all_outputs})
    if(device_count GREATER 1)
        target_link_libraries(${name} PUBLIC Eutectic::device)
    endif()
    if(arg_C_BACKEND)
        target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wno-psabi>)
    endif()
    _eutectic_hand_on_outputs()
endfunction()

# The static library of these objects and sources, which are made in the current binary folder like its headers, its reports and, ARGN, what else comes with it.
function(_eutectic_static_library name objects headers reports params)
    set(directory "${CMAKE_CURRENT_BINARY_DIR}")
    set(others ${ARGN})
    foreach(list objects headers reports others)
        list(TRANSFORM ${list} PREPEND "${directory}/")
    endforeach()
    add_library(${name} STATIC ${objects})
    # Whoever links the library waits for its header, and gets its reports.
    list(FILTER objects EXCLUDE REGEX "[.]cpp$")
    add_custom_target(${name}.files DEPENDS ${objects} ${headers} ${reports} ${others})
    add_dependencies(${name} ${name}.files)
    set_target_properties(${name} PROPERTIES
        LINKER_LANGUAGE CXX
        POSITION_INDEPENDENT_CODE ON
        ARCHIVE_OUTPUT_DIRECTORY "${directory}"
        EUTECTIC_REPORT "${reports}")
    if(made_PYTHON_EXTENSION)
        _eutectic_for_python(${name} ${function} "${made_PYTHON_EXTENSION}")
    endif()
    if("autoscheduler.arena=1" IN_LIST params)
        target_link_libraries(${name} PUBLIC Eutectic::arena)
    endif()
    if("${params}" MATCHES "(^|;)autoscheduler[.]library=(onednn|openblas|eigen)")
        target_link_libraries(${name} PUBLIC Eutectic::library_${CMAKE_MATCH_2})
    endif()
    target_sources(${name} INTERFACE FILE_SET HEADERS BASE_DIRS "${directory}" FILES ${headers})
    target_link_libraries(${name} PUBLIC eutectic_runtime)
endfunction()

# Sets OUT to COMMANDs that let the temporaries of these objects come from arenas (src/arena/README.md says why so).
function(_eutectic_arena_symbols out)
    set(commands "")
    foreach(object IN LISTS ARGN)
        list(APPEND commands COMMAND "${CMAKE_OBJCOPY}" --redefine-sym halide_malloc=eutectic_arena_malloc --redefine-sym halide_free=eutectic_arena_free ${object})
    endforeach()
    set(${out} ${commands} PARENT_SCOPE)
endfunction()

# Sets OUT to COMMAND and its arguments, which put the text of the contract on top of NAME.h; empty for a kernel that is none of a pair.
function(_eutectic_say_contract out name)
    set(${out} "" PARENT_SCOPE)
    if(ARGN)
        set(${out} COMMAND "${CMAKE_COMMAND}" -DTEXT=${name}.h.txt -DHEADER=${name}.h -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EutecticPrepend.cmake" PARENT_SCOPE)
    endif()
endfunction()

# Sets OUT to the devices of targets, each once: cpu, opencl, cuda.
function(_eutectic_devices out targets)
    set(devices "")
    foreach(device cpu opencl cuda)
        set(of_device ${targets})
        _eutectic_of_device(of_device ${device})
        if(of_device)
            list(APPEND devices ${device})
        endif()
    endforeach()
    set(${out} ${devices} PARENT_SCOPE)
endfunction()

# Leaves in the list of targets those of a device.
macro(_eutectic_of_device list device)
    if("${device}" STREQUAL "cpu")
        list(FILTER ${list} EXCLUDE REGEX "-(cuda|opencl)(-|$)")
    else()
        list(FILTER ${list} INCLUDE REGEX "-${device}(-|$)")
    endif()
endmacro()

# The declared outputs of the generator's runs for `targets`, all of one device, as the function `function` in files of `variant` of the kernel `name`. Appends to the caller's all_objects, all_reports and all_outputs and
# sets `headers`; reads its from, generator, function, params, machine_file, features, outputs and arg_C_BACKEND (a macro). `contract` is as for _eutectic_kernel, or empty; `kernel` is the function that all variants are picked for.
macro(_eutectic_variant variant name contract)
    list(TRANSFORM targets APPEND "-no_runtime${features}" OUTPUT_VARIABLE kernel_targets)
    list(TRANSFORM kernel_targets REPLACE "(-strict_float.*)-strict_float$" "\\1")
    if(NOT "${targets}" MATCHES "-cl_doubles")
        list(TRANSFORM kernel_targets REPLACE "-opencl-" "-opencl-cl_doubles-")
    endif()
    # The oldest that CUDA 13's tools and this project's checks know.
    if(NOT "${targets}" MATCHES "-cuda_capability_")
        list(TRANSFORM kernel_targets REPLACE "-cuda-" "-cuda-cuda_capability_75-")
    endif()
    list(LENGTH targets target_count)
    set(run $<TARGET_FILE:${from}> -g ${generator} -p $<TARGET_FILE:Eutectic::Eutectic> -o .)
    set(code object)
    _eutectic_variant_outputs(${variant})
    # Where the macro that makes such a generator was not used, Halide only says that it is not found.
    set(or_say_why "")
    if("${generator}" MATCHES "_(forward|backward|gradient|tangent|hvp|batched)$")
        set(or_say_why || "${CMAKE_COMMAND}" "-DGENERATORS=$<TARGET_FILE:${from}>" -DGENERATOR=${generator} -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EutecticUnregistered.cmake")
    endif()

    if(target_count EQUAL 1)
        set(objects ${variant}.o)
        if(arg_C_BACKEND)
            set(code c_source)
            set(objects ${variant}.halide_generated.cpp)
        endif()
        set(reports ${name}.report.json)
        if(NOT "${variant}" STREQUAL "${kernel}")
            set(reports ${name}-${targets}.report.json)
        endif()
        set(report_param autoscheduler.report=${reports})
        set(written_with_objects ${reports})
    else()
        # Halide compiles all targets in one run and hands each the same parameters: the reports need runs of their
        # own, which stop at the schedule.
        list(TRANSFORM kernel_targets REPLACE "(.+)" "${variant}-\\1.o" OUTPUT_VARIABLE objects)
        list(APPEND objects ${variant}_wrapper.o)
        list(TRANSFORM targets REPLACE "(.+)" "${name}-\\1.report.json" OUTPUT_VARIABLE reports)
        set(report_param "")
        set(written_with_objects "")
        foreach(target kernel_target report IN ZIP_LISTS targets kernel_targets reports)
            add_custom_command(
                OUTPUT ${report}
                BYPRODUCTS ${name}-${target}.schedule.h
                COMMAND ${run} -f ${name}-${target} -n ${name}-${target} -e schedule target=${kernel_target} ${params} autoscheduler.report=${report} ${or_say_why}
                DEPENDS ${from} Eutectic::Eutectic ${machine_file}
                COMMENT "Explaining ${name} for ${target}"
                VERBATIM)
        endforeach()
        if(alone_emits)
            list(JOIN alone_emits "," emits)
            list(GET kernel_targets -1 target)
            add_custom_command(
                OUTPUT ${alone_files}
                COMMAND ${run} -f ${function} -n ${variant} -e ${emits} target=${target} ${params}
                DEPENDS ${from} Eutectic::Eutectic ${machine_file}
                COMMENT "Writing what calls ${variant}"
                VERBATIM)
        endif()
    endif()

    set(headers ${variant}.h)
    set(contract_params "")
    set(say_contract "")
    if(NOT "${contract}" STREQUAL "")
        if(NOT "${kernel}" STREQUAL "${name}")
            set(contract_params backward_interface=${name}.h)
            list(APPEND headers ${name}.h)
            list(APPEND written_with_objects ${name}.cpp)
        else()
            set(contract_params residual_comment=${name}.h.txt)
            _eutectic_say_contract(say_contract ${name} ${contract})
            if(NOT "${variant}" STREQUAL "${name}")
                set(say_contract "")  # the header that picks says it
            endif()
            list(APPEND written_with_objects ${name}.h.txt)
        endif()
        if("${name}" MATCHES "_forward$")
            # The pair's report, beside the archives that it names.
            string(REGEX REPLACE "_residuals[.]h$" "" pair "${contract}")
            list(TRANSFORM pair REPLACE "(.+)" "${CMAKE_STATIC_LIBRARY_PREFIX}\\1_forward${CMAKE_STATIC_LIBRARY_SUFFIX},${CMAKE_STATIC_LIBRARY_PREFIX}\\1_backward${CMAKE_STATIC_LIBRARY_SUFFIX}" OUTPUT_VARIABLE pair_files)
            list(APPEND contract_params residual_header=${contract} pair_report=${pair}.report.json pair_files=${pair_files})
            list(APPEND headers ${contract})
            list(APPEND written_with_objects ${pair}.report.json)
        endif()
    endif()

    set(use_arena "")
    if("autoscheduler.arena=1" IN_LIST params)
        _eutectic_arena_symbols(use_arena ${objects})
    endif()
    list(JOIN kernel_targets "," joined_targets)
    list(PREPEND run_emits ${code} c_header)
    list(JOIN run_emits "," emits)
    add_custom_command(
        OUTPUT ${objects} ${headers} ${written_with_objects} ${run_files}
        COMMAND ${run} -f ${function} -n ${variant} -e ${emits} target=${joined_targets} ${params} ${report_param} ${contract_params} ${or_say_why}
        ${use_arena}
        ${say_contract}
        DEPENDS ${from} Eutectic::Eutectic ${machine_file}
        COMMENT "Fusing and compiling ${variant}"
        VERBATIM)
    list(APPEND all_objects ${objects})
    list(APPEND all_reports ${reports})
    list(APPEND all_outputs ${run_files} ${alone_files})
endmacro()

# eutectic_runtime: the one Halide runtime that all kernels of a build link, made for what all their targets share.
function(_eutectic_add_runtime)
    if(NOT TARGET eutectic_runtime)
        add_halide_runtime(eutectic_runtime NO_DEFAULT_TARGETS TARGETS ${ARGN})
        set_target_properties(eutectic_runtime PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    set_property(TARGET eutectic_runtime APPEND PROPERTY Halide_RT_TARGETS ${ARGN})
endfunction()
