# add_eutectic_library(... PACKED w): a kernel that takes an input in panels, and what packs it; included by EutecticHelpers.cmake.
#
# The argument in panels has a dimension more than the generator's input, and a generator makes one function with the arguments that it declares:
# so the command eutectic compiles both, from the generator's pipeline.

# The kernel `name`, as _eutectic_kernel makes it, for one target. `params`: the generator's, and the scheduler's as autoscheduler.KEY=VALUE.
function(_eutectic_packed_kernel name from generator params target packed depends)
    list(JOIN packed "," packed)
    set(words "")
    foreach(param IN LISTS params)
        if(NOT "${param}" MATCHES "^autoscheduler")
            list(APPEND words "${param}")
        endif()
    endforeach()
    _eutectic_command_kernel(${name} ${from} "-g;${generator};${words};--packed;${packed}" PACKED "${params}" "${target}" "${depends}")
    _eutectic_hand_on_outputs()
endfunction()

# The kernel `name` by the command eutectic, of what the words `input` make of the generator executable `from`: `keyword` asked for it. Reads the caller's `function` and `outputs`, and appends to its
# made_KEYWORD, as _eutectic_kernel does.
function(_eutectic_command_kernel name from input keyword params target depends)
    set(options "")
    foreach(param IN LISTS params)
        if("${param}" MATCHES "^autoscheduler[.](parallelism|effort|compile_seconds|numerics|machine|pin|expect_hash|disable|search|cost_model|library)=(.*)$")
            string(REPLACE "_" "-" option "${CMAKE_MATCH_1}")
            list(APPEND options "--${option}" "${CMAKE_MATCH_2}")
        elseif("${param}" MATCHES "^autoscheduler[.](arena|feedback)=1$")
            list(APPEND options "--${CMAKE_MATCH_1}")
        elseif("${param}" MATCHES "^autoscheduler[.]")
            _eutectic_refuse("was given ${param} and ${keyword}, which do not go together; leave one of them out")
        endif()
    endforeach()
    set(kernel_targets ${target})
    _eutectic_variant_outputs(${name})
    if(run_emits)
        list(JOIN run_emits "," emits)
        list(APPEND options --emit ${emits})
    endif()
    _eutectic_add_runtime(${target})
    add_custom_command(
        OUTPUT ${name}.o ${name}.h ${name}.report.json ${run_files}
        COMMAND Eutectic::command compile $<TARGET_FILE:${from}> ${input} -f ${function} -o . --object --target ${target}-no_runtime ${options}
        DEPENDS ${from} Eutectic::Eutectic Eutectic::command ${depends}
        COMMENT "Fusing and compiling ${name}"
        VERBATIM)
    _eutectic_static_library(${name} "${name}.o" "${name}.h" "${name}.report.json" "${params}" ${run_files})
    _eutectic_hand_on_outputs()
endfunction()

# Refuses, in one sentence, what GRAPH does not go with. Reads the arguments of add_eutectic_library (a macro).
macro(_eutectic_check_graph)
    foreach(keyword GENERATOR PARAMS GRADIENT TANGENT HVP BATCH PACKED UNFUSED)
        if(arg_${keyword})
            _eutectic_refuse("was given GRAPH and ${keyword}, which do not go together; the file says what is joined and with which parameters")
        endif()
    endforeach()
    list(LENGTH arg_TARGETS target_count)
    if(target_count GREATER 1)
        _eutectic_refuse("was given GRAPH and ${target_count} TARGETS, and makes one kernel; give one target, or make a library for each")
    endif()
    get_filename_component(graph_file "${arg_GRAPH}" ABSOLUTE)
    if(NOT EXISTS "${graph_file}")
        _eutectic_refuse("was given GRAPH ${arg_GRAPH}, which is no file; write one (docs/eutectic.md)")
    endif()
endmacro()

# Refuses, in one sentence, what PACKED does not go with. Reads the arguments of add_eutectic_library (a macro).
macro(_eutectic_check_packed)
    list(LENGTH arg_TARGETS target_count)
    if(arg_GRADIENT)
        _eutectic_refuse("was given PACKED and GRADIENT, whose kernels would each take panels of their own; make the kernel that is called often by itself, with PACKED")
    endif()
    if(target_count GREATER 1)
        _eutectic_refuse("was given PACKED and ${target_count} TARGETS, and the kernel for each would take panels of its own; give one target, or make a library for each")
    endif()
    if("${arg_TARGETS}" MATCHES "-(cuda|opencl)(-|$)")
        _eutectic_refuse("was given PACKED for the target ${arg_TARGETS}, and kernels for a device copy their operands to shared memory as they are; give a target for a CPU, or leave PACKED out")
    endif()
    foreach(keyword UNFUSED FEEDBACK)
        if(arg_${keyword})
            _eutectic_refuse("was given PACKED and ${keyword}, which do not go together; leave one of them out")
        endif()
    endforeach()
    if(arg_LIBRARY AND NOT arg_LIBRARY STREQUAL "none")
        _eutectic_refuse("was given PACKED and LIBRARY ${arg_LIBRARY}, and a library takes its operands as they are; leave one of them out")
    endif()
endmacro()
