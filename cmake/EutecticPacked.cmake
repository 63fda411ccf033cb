# add_eutectic_library(... PACKED w): a kernel that takes an input in panels, and what packs it; included by EutecticHelpers.cmake.
#
# The argument in panels has a dimension more than the generator's input, and a generator makes one function with the arguments that it declares:
# so the command eutectic compiles both, from the generator's pipeline.

# The kernel `name`, as _eutectic_kernel makes it, for one target. `params`: the generator's, and the scheduler's as autoscheduler.KEY=VALUE.
function(_eutectic_packed_kernel name from generator params target packed depends)
    list(JOIN packed "," packed)
    set(words "")
    set(options --packed "${packed}")
    foreach(param IN LISTS params)
        if(NOT "${param}" MATCHES "^autoscheduler")
            list(APPEND words "${param}")
        elseif("${param}" MATCHES "^autoscheduler[.](parallelism|effort|compile_seconds|numerics|machine|pin|expect_hash|disable)=(.*)$")
            string(REPLACE "_" "-" option "${CMAKE_MATCH_1}")
            list(APPEND options "--${option}" "${CMAKE_MATCH_2}")
        elseif("${param}" STREQUAL "autoscheduler.arena=1")
            list(APPEND options --arena)
        elseif(NOT "${param}" MATCHES "^autoscheduler(=|[.]library=none$)")
            _eutectic_refuse("was given ${param} and PACKED, which do not go together; leave one of them out")
        endif()
    endforeach()
    _eutectic_add_runtime(${target})
    add_custom_command(
        OUTPUT ${name}.o ${name}.h ${name}.report.json
        COMMAND Eutectic::command compile $<TARGET_FILE:${from}> -g ${generator} ${words} -f ${name} -o . --object --target ${target}-no_runtime ${options}
        DEPENDS ${from} Eutectic::Eutectic Eutectic::command ${depends}
        COMMENT "Fusing and compiling ${name} and what packs for it"
        VERBATIM)
    _eutectic_static_library(${name} "${name}.o" "${name}.h" "${name}.report.json" "${params}")
endfunction()

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
