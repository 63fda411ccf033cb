# Who is timed, and how each one's kernels are made. No target here is part of `all`.

# eutectic_contender(NAME KIND kind PLUGIN target|file SCHEDULER name [PARAMS autoscheduler.k=v...])
#
# A Halide autoscheduler, applied to the same generators as every other. KIND: eutectic, before, library, call, joint, unfused, manual or halide; joint has the rows of gradients alone,
# and one kernel for both passes. In PARAMS, @GENERATOR@ stands for the kernel's generator.
function(eutectic_contender name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND;PLUGIN;SCHEDULER" "PARAMS")
    set(EUTECTIC_CONTENDERS ${EUTECTIC_CONTENDERS} ${name} PARENT_SCOPE)
    set(plugin "$<TARGET_FILE:${arg_PLUGIN}>")
    if(IS_ABSOLUTE "${arg_PLUGIN}")
        set(plugin "${arg_PLUGIN}")
    endif()
    set(EUTECTIC_CONTENDER_${name} "-p;${plugin};autoscheduler=${arg_SCHEDULER};${arg_PARAMS}" PARENT_SCOPE)
    set(EUTECTIC_CONTENDER_${name}_PLUGIN ${arg_PLUGIN} PARENT_SCOPE)
    set(EUTECTIC_CONTENDER_${name}_KIND ${arg_KIND} PARENT_SCOPE)
endfunction()

set(threads autoscheduler.parallelism=${EUTECTIC_PARALLELISM})
set(eutectic_params ${threads} autoscheduler.report=@KERNEL@.report.json)
eutectic_contender(eutectic KIND eutectic PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${eutectic_params})
# Another build's plugin, given what eutectic is given. run.sh copies the one that --before names to this place; until then nobody can build these targets, and nobody else
# asks for them.
eutectic_contender(before KIND before PLUGIN "${PROJECT_BINARY_DIR}/bench/before/libautoschedule_eutectic.so" SCHEDULER Eutectic PARAMS ${eutectic_params})
eutectic_contender(joint KIND joint PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${threads})
# The same as add_eutectic_library(... ARENA) makes it.
eutectic_contender(joint_arena KIND joint PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${threads} autoscheduler.arena=1)
eutectic_contender(unfused KIND unfused PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${threads} autoscheduler.unfused=1)
eutectic_contender(manual KIND manual PLUGIN eutectic_manual SCHEDULER Manual PARAMS autoscheduler.schedule=@GENERATOR@)
eutectic_contender(Mullapudi2016 KIND halide PLUGIN Halide::Mullapudi2016 SCHEDULER Mullapudi2016 PARAMS ${threads})
eutectic_contender(Adams2019 KIND halide PLUGIN Halide::Adams2019 SCHEDULER Adams2019 PARAMS ${threads})
eutectic_contender(Li2018 KIND halide PLUGIN Halide::Li2018 SCHEDULER Li2018 PARAMS ${threads})
eutectic_contender(Anderson2021 KIND halide PLUGIN Halide::Anderson2021 SCHEDULER Anderson2021)

# Plans whose products and convolutions a library may compute, and the library by itself (library_call.cpp); where it was not found when this was configured, a note says so.
eutectic_contender(with_eigen KIND library PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${threads} autoscheduler.library=eigen)
eutectic_contender(eigen KIND call PLUGIN Eutectic::Eutectic SCHEDULER Eutectic)
eutectic_contender(with_openblas KIND library PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${threads} autoscheduler.library=openblas)
eutectic_contender(openblas KIND call PLUGIN Eutectic::Eutectic SCHEDULER Eutectic)
eutectic_contender(with_onednn KIND library PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${threads} autoscheduler.library=onednn)
eutectic_contender(onednn KIND call PLUGIN Eutectic::Eutectic SCHEDULER Eutectic)
set(built_contenders ${EUTECTIC_CONTENDERS})

# What is right: scalar, serial, every Func in memory. Not timed.
eutectic_contender(reference PLUGIN eutectic_manual SCHEDULER Manual PARAMS autoscheduler.schedule=reference)
# What is right for a GPU's kernels at sizes that take the scalar program minutes: this scheduler's for any x86-64 CPU.
eutectic_contender(cpu_reference PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS autoscheduler.parallelism=8)

# Other frameworks: nothing is built, peers/worker.py runs them.
set(EUTECTIC_CONTENDERS ${built_contenders} torch torch_compile jax)
foreach(peer torch torch_compile jax)
    set(EUTECTIC_CONTENDER_${peer}_KIND peer)
endforeach()

# Sets OUT to the members of a JSON object as KEY=VALUE; none if it is not there.
function(_eutectic_json_params out text)
    set(params "")
    string(JSON count ERROR_VARIABLE missing LENGTH "${text}" ${ARGN})
    if(NOT missing AND count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach(index RANGE ${last})
            string(JSON key MEMBER "${text}" ${ARGN} ${index})
            string(JSON value GET "${text}" ${ARGN} ${key})
            list(APPEND params "${key}=${value}")
        endforeach()
    endif()
    set(${out} "${params}" PARENT_SCOPE)
endfunction()

# Sets OUT to the elements of a JSON array of strings; none if it is not there.
function(_eutectic_json_list out text)
    set(elements "")
    string(JSON count ERROR_VARIABLE missing LENGTH "${text}" ${ARGN})
    if(NOT missing AND count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach(index RANGE ${last})
            string(JSON element GET "${text}" ${ARGN} ${index})
            list(APPEND elements "${element}")
        endforeach()
    endif()
    set(${out} "${elements}" PARENT_SCOPE)
endfunction()

# FOLDER/kernel_INDEX.o out of a generator, a part of LIBRARY, for the Halide target bench_target; a failure leaves a line in FOLDER/kernel_INDEX.failed. LIMIT: seconds that it
# may take; empty for the bench's --timeout.
function(_eutectic_bench_kernel folder library contender index executable generator params limit)
    set(target ${bench_target})
    if(contender STREQUAL "cpu_reference")
        string(REGEX REPLACE "-(cuda|opencl).*" "" target "${target}")
    endif()
    set(kernel kernel_${index})
    set(arguments ${EUTECTIC_CONTENDER_${contender}})
    list(TRANSFORM arguments REPLACE "@GENERATOR@" "${generator}")
    list(TRANSFORM arguments REPLACE "@KERNEL@" "${folder}/${kernel}")
    if(EUTECTIC_CONTENDER_${contender}_KIND STREQUAL "eutectic" AND generator MATCHES "_(forward|backward)$")
        list(APPEND arguments "differentiation_time=${folder}/${kernel}.differentiate")
    endif()
    file(MAKE_DIRECTORY "${folder}")
    set(compile "${PROJECT_SOURCE_DIR}/apps/bench/compile_kernel.sh")
    if(limit)
        set(compile "${CMAKE_COMMAND}" -E env "BENCH_TIMEOUT=${limit}" "${compile}")
    endif()
    set(use_arena "")
    if("autoscheduler.arena=1" IN_LIST arguments)
        _eutectic_arena_symbols(use_arena "${folder}/${kernel}.o")
    endif()
    add_custom_command(
        OUTPUT "${folder}/${kernel}.o"
        COMMAND ${compile} "${folder}/${kernel}.failed" "${library}"
            $<TARGET_FILE:${executable}> -g ${generator} -f ${kernel} -n ${kernel} -o "${folder}" -e object
            target=${target}-no_runtime ${arguments} ${params}
        ${use_arena}
        DEPENDS ${executable} ${EUTECTIC_CONTENDER_${contender}_PLUGIN} "${PROJECT_SOURCE_DIR}/apps/bench/compile_kernel.sh"
        COMMENT "Compiling ${generator} as ${contender}"
        VERBATIM)
endfunction()

# Adds what calls of LIBRARY link: this project's targets to LINKED_OUT, files and flags of the library to FOUND_OUT. Without the library nothing: linking then fails.
function(_eutectic_bench_library linked_out found_out library)
    if(NOT TARGET eutectic_library_${library})
        return()
    endif()
    set(${linked_out} eutectic_library_${library} eutectic_library ${${linked_out}} PARENT_SCOPE)
    string(TOUPPER "${library}" name)
    set(flags ${EUTECTIC_${name}})  # where find_library() found it
    if(library STREQUAL "onednn")
        list(APPEND flags ${OpenMP_CXX_FLAGS} ${OpenMP_CXX_LIBRARIES})
    endif()
    set(${found_out} ${${found_out}} ${flags} PARENT_SCOPE)
endfunction()

# bench.SUITE.ROW.LIBRARY: one call of LIBRARY itself, in place of generator matmul or batched_matmul with PARAMS (m=..., ...), or, of oneDNN, integer_matmul.
function(_eutectic_bench_call suite row library generator params)
    set(folder "${PROJECT_BINARY_DIR}/bench/${suite}/${row}")
    set(defined "-DPRODUCT=eutectic_${library}_product" "-DTASKS=${EUTECTIC_PARALLELISM}")
    set(transpose_a false)
    set(transpose_b false)
    set(batch 0)
    foreach(param IN LISTS params)
        string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${param}")
        set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endforeach()
    foreach(name m k n batch transpose_a transpose_b)
        string(TOUPPER "${name}" upper)
        list(APPEND defined "-D${upper}=${${name}}")
    endforeach()
    set(linked eutectic_runtime)
    set(found "")
    _eutectic_bench_library(linked found ${library})
    list(TRANSFORM linked REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE linked_files)
    set(source "${PROJECT_SOURCE_DIR}/apps/bench/library_call.cpp")
    set(included "")
    if(generator STREQUAL "integer_matmul")
        set(source "${PROJECT_SOURCE_DIR}/apps/bench/integer_library_call.cpp")
        set(included "-I${EUTECTIC_ONEDNN_HEADERS}")
    endif()
    file(MAKE_DIRECTORY "${folder}/${library}")
    set(note "${folder}/${library}/kernel_0.failed")
    set(command "${CMAKE_CXX_COMPILER}" -std=c++17 -O2 -fPIC -shared ${defined} "-I${PROJECT_SOURCE_DIR}/src" ${included}
        "-isystem$<JOIN:$<TARGET_PROPERTY:Halide::Runtime,INTERFACE_INCLUDE_DIRECTORIES>,$<SEMICOLON>-isystem>"
        -o "${folder}/${library}.so" "${source}" ${linked_files} ${found} -lpthread -ldl)
    if(NOT TARGET eutectic_library_${library})
        set(command "${CMAKE_COMMAND}" -E false)
        file(WRITE "${note}" "${library} was not found when the build was configured\n")
    else()
        file(REMOVE "${note}")
    endif()
    add_custom_command(
        OUTPUT "${folder}/${library}.so"
        COMMAND ${command}
        DEPENDS "${source}" ${linked}
        COMMENT "Compiling ${suite} ${row} ${library}"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(bench.${suite}.${row}.${library} DEPENDS "${folder}/${library}.so")
endfunction()

# The target bench.SUITE.ROW.LIBRARY: a shared library with kernels of EXECUTABLE's generators, scheduled as CONTENDER does, and one runtime.
# ROW_JSON's "options" hold further parameters by contender, its "timeouts" seconds; before has eutectic's.
function(_eutectic_bench_target suite row library contender executable kernels row_json)
    set(folder "${PROJECT_BINARY_DIR}/bench/${suite}/${row}")
    set(given ${contender})
    if(EUTECTIC_CONTENDER_${contender}_KIND STREQUAL "before")
        set(given eutectic)
    endif()
    _eutectic_json_params(options "${row_json}" options ${given})
    string(JSON limit ERROR_VARIABLE missing GET "${row_json}" timeouts ${given})
    if(missing)
        set(limit "")
    endif()
    set(objects "")
    string(JSON count LENGTH "${kernels}")
    math(EXPR last "${count} - 1")
    foreach(index RANGE ${last})
        string(JSON generator GET "${kernels}" ${index} generator)
        _eutectic_json_params(params "${kernels}" ${index} params)
        _eutectic_bench_kernel("${folder}/${library}" "${folder}/${library}.so" ${contender} ${index} ${executable} ${generator}
            "${params};${options}" "${limit}")
        list(APPEND objects "${folder}/${library}/kernel_${index}.o")
    endforeach()
    set(linked eutectic_runtime)
    set(found "")
    if("autoscheduler.arena=1" IN_LIST EUTECTIC_CONTENDER_${contender})
        list(PREPEND linked eutectic_arena)
    elseif(EUTECTIC_CONTENDER_${contender}_KIND STREQUAL "library")
        string(REGEX REPLACE "^with_" "" name "${contender}")
        _eutectic_bench_library(linked found ${name})
    endif()
    list(TRANSFORM linked REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE linked_files)
    add_custom_command(
        OUTPUT "${folder}/${library}.so"
        COMMAND "${CMAKE_CXX_COMPILER}" -shared -o "${folder}/${library}.so" ${objects} ${linked_files} ${found} -lpthread -ldl
        DEPENDS ${objects} ${linked}
        COMMENT "Linking ${suite} ${row} ${library}"
        VERBATIM)
    add_custom_target(bench.${suite}.${row}.${library} DEPENDS "${folder}/${library}.so")
endfunction()

# bench.SUITE.ROW.LIBRARY: copies memory on the device of bench_target, or, for the reference, on the host.
function(_eutectic_bench_copy suite row library elements)
    set(folder "${PROJECT_BINARY_DIR}/bench/${suite}/${row}")
    set(interface "")
    if(NOT library MATCHES "reference" AND bench_target MATCHES "-(cuda|opencl)")
        set(interface "-DDEVICE_INTERFACE=halide_${CMAKE_MATCH_1}_device_interface")
    endif()
    set(source "${PROJECT_SOURCE_DIR}/apps/bench/device_copy.cpp")
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
        OUTPUT "${folder}/${library}.so"
        COMMAND "${CMAKE_CXX_COMPILER}" -std=c++17 -O2 -fPIC -shared -DELEMENTS=${elements} ${interface}
            "-isystem$<JOIN:$<TARGET_PROPERTY:Halide::Runtime,INTERFACE_INCLUDE_DIRECTORIES>,;-isystem>"
            -o "${folder}/${library}.so" "${source}" $<TARGET_FILE:eutectic_runtime> -lpthread -ldl
        DEPENDS "${source}" eutectic_runtime
        COMMENT "Compiling ${suite} ${row} ${library}"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(bench.${suite}.${row}.${library} DEPENDS "${folder}/${library}.so")
endfunction()

# Instruction sets that --isa restricts everybody to.
set(EUTECTIC_BENCH_ISAS "${CMAKE_CURRENT_LIST_DIR}/isas.json")

# The targets of the suite of FILE, for its own target or the machine's; and of each of its "isas" as suite SUITE-ISA.
function(eutectic_bench_suite suite file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}" "${EUTECTIC_BENCH_ISAS}")
    file(READ "${file}" text)
    string(JSON bench_target ERROR_VARIABLE missing GET "${text}" target)
    set(references reference)
    if(missing)
        set(bench_target ${Halide_TARGET})
    else()
        set(references cpu_reference)
        _eutectic_add_runtime(${bench_target})
    endif()
    _eutectic_bench_rows(${suite} "${text}")
    string(JSON count ERROR_VARIABLE missing LENGTH "${text}" isas)
    if(missing)
        return()
    endif()
    file(READ "${EUTECTIC_BENCH_ISAS}" isas)
    math(EXPR last "${count} - 1")
    foreach(index RANGE ${last})
        string(JSON isa GET "${text}" isas ${index})
        string(JSON bench_target GET "${isas}" ${isa} target)
        _eutectic_bench_rows(${suite}-${isa} "${text}")
    endforeach()
endfunction()

# The targets of a suite's rows, for bench_target. Of a row with "gradient" the two halves of that generator's gradient are built, by the executable "from" or else generators; for a joint contender values and gradients as one kernel;
# for Halide's own schedulers plain_gradient.
function(_eutectic_bench_rows suite text)
    string(JSON count LENGTH "${text}" rows)
    math(EXPR last "${count} - 1")
    foreach(index RANGE ${last})
        string(JSON row GET "${text}" rows ${index})
        string(JSON name GET "${row}" name)
        string(JSON gradient ERROR_VARIABLE no_gradient GET "${row}" gradient generator)
        string(JSON executable ERROR_VARIABLE missing GET "${row}" gradient from)
        if(missing)
            set(executable generators)
        endif()
        if(no_gradient)
            string(JSON kernels GET "${row}" kernels)
        else()
            string(JSON params GET "${row}" gradient params)
            set(kernels "[{\"generator\": \"${gradient}_forward\", \"params\": ${params}}, {\"generator\": \"${gradient}_backward\", \"params\": ${params}}]")
            string(JSON params SET "${params}" of "\"${gradient}\"")
            set(plain "[{\"generator\": \"plain_gradient\", \"params\": ${params}}]")
            string(JSON params GET "${row}" gradient params)
            set(joint "[{\"generator\": \"${gradient}_gradient\", \"params\": ${params}}]")
        endif()
        # Those that the row admits (Row::admits() in suite.cpp), and what its results are compared with.
        string(JSON reference ERROR_VARIABLE no_reference GET "${row}" reference)
        _eutectic_json_list(named "${row}" contenders)
        if(NOT named)
            _eutectic_json_list(named "${text}" contenders)
        endif()
        foreach(contender IN LISTS built_contenders references)
            set(as ${contender})
            if(EUTECTIC_CONTENDER_${contender}_KIND STREQUAL "before")
                set(as eutectic)
            endif()
            if(named AND NOT as IN_LIST named AND NOT contender IN_LIST references AND NOT contender STREQUAL "${reference}")
                continue()
            endif()
            if(NOT no_gradient AND EUTECTIC_CONTENDER_${contender}_KIND STREQUAL "halide")
                _eutectic_bench_target(${suite} ${name} ${contender} ${contender} bench_gradients "${plain}" "${row}")
            elseif(EUTECTIC_CONTENDER_${contender}_KIND STREQUAL "call")
                string(JSON generator ERROR_VARIABLE missing GET "${row}" kernels 0 generator)
                if(generator MATCHES "^(batched_)?matmul$" OR (generator STREQUAL "integer_matmul" AND contender STREQUAL "onednn"))
                    _eutectic_json_params(params "${row}" kernels 0 params)
                    _eutectic_bench_call(${suite} ${name} ${contender} ${generator} "${params}")
                endif()
            elseif(EUTECTIC_CONTENDER_${contender}_KIND STREQUAL "joint")
                if(NOT no_gradient)
                    _eutectic_bench_target(${suite} ${name} ${contender} ${contender} ${executable} "${joint}" "${row}")
                endif()
            else()
                _eutectic_bench_target(${suite} ${name} ${contender} ${contender} ${executable} "${kernels}" "${row}")
            endif()
        endforeach()
        string(JSON yardstick ERROR_VARIABLE missing GET "${row}" yardstick)
        if(NOT missing AND yardstick MATCHES "\"device_copy\"")
            string(JSON elements GET "${yardstick}" params elements)
            _eutectic_bench_copy(${suite} ${name} yardstick ${elements})
            _eutectic_bench_copy(${suite} ${name} yardstick_reference ${elements})
        elseif(NOT missing)
            _eutectic_bench_target(${suite} ${name} yardstick manual bench_yardsticks "[${yardstick}]" "{}")
            _eutectic_bench_target(${suite} ${name} yardstick_reference reference bench_yardsticks "[${yardstick}]" "{}")
        endif()
    endforeach()
endfunction()
