# Who is timed, and how each one's kernels are made. No target here is part of `all`.

# eutectic_contender(NAME PLUGIN target SCHEDULER name [PARAMS autoscheduler.k=v...])
#
# A Halide autoscheduler, applied to the same generators as every other. In PARAMS, @GENERATOR@ stands for the kernel's generator.
function(eutectic_contender name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "PLUGIN;SCHEDULER" "PARAMS")
    set(EUTECTIC_CONTENDERS ${EUTECTIC_CONTENDERS} ${name} PARENT_SCOPE)
    set(EUTECTIC_CONTENDER_${name} "-p;$<TARGET_FILE:${arg_PLUGIN}>;autoscheduler=${arg_SCHEDULER};${arg_PARAMS}" PARENT_SCOPE)
    set(EUTECTIC_CONTENDER_${name}_PLUGIN ${arg_PLUGIN} PARENT_SCOPE)
endfunction()

set(threads autoscheduler.parallelism=${EUTECTIC_PARALLELISM})
eutectic_contender(eutectic PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${threads} autoscheduler.report=@KERNEL@.report.json)
eutectic_contender(unfused PLUGIN Eutectic::Eutectic SCHEDULER Eutectic PARAMS ${threads} autoscheduler.unfused=1)
eutectic_contender(manual PLUGIN eutectic_manual SCHEDULER Manual PARAMS autoscheduler.schedule=@GENERATOR@)
eutectic_contender(Mullapudi2016 PLUGIN Halide::Mullapudi2016 SCHEDULER Mullapudi2016 PARAMS ${threads})
eutectic_contender(Adams2019 PLUGIN Halide::Adams2019 SCHEDULER Adams2019 PARAMS ${threads})
eutectic_contender(Li2018 PLUGIN Halide::Li2018 SCHEDULER Li2018 PARAMS ${threads})

# What is right: scalar, serial, every Func in memory. Not timed.
set(contenders ${EUTECTIC_CONTENDERS})
eutectic_contender(reference PLUGIN eutectic_manual SCHEDULER Manual PARAMS autoscheduler.schedule=reference)
set(EUTECTIC_CONTENDERS ${contenders})

# FOLDER/kernel_INDEX.o out of a generator, a part of LIBRARY; a failure leaves a line in FOLDER/kernel_INDEX.failed.
function(_eutectic_bench_kernel folder library contender index generator params)
    set(kernel kernel_${index})
    set(arguments ${EUTECTIC_CONTENDER_${contender}})
    list(TRANSFORM arguments REPLACE "@GENERATOR@" "${generator}")
    list(TRANSFORM arguments REPLACE "@KERNEL@" "${folder}/${kernel}")
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
        OUTPUT "${folder}/${kernel}.o"
        COMMAND "${PROJECT_SOURCE_DIR}/apps/bench/compile_kernel.sh" "${folder}/${kernel}.failed" "${library}"
            $<TARGET_FILE:generators> -g ${generator} -f ${kernel} -n ${kernel} -o "${folder}" -e object
            target=${Halide_TARGET}-no_runtime ${params} ${arguments}
        DEPENDS generators ${EUTECTIC_CONTENDER_${contender}_PLUGIN} "${PROJECT_SOURCE_DIR}/apps/bench/compile_kernel.sh"
        COMMENT "Compiling ${generator} as ${contender}"
        VERBATIM)
endfunction()

# The target bench.SUITE.ROW.CONTENDER: a shared library with the row's kernels and one runtime.
function(_eutectic_bench_target suite row contender kernels)
    set(folder "${PROJECT_BINARY_DIR}/bench/${suite}/${row}")
    set(objects "")
    string(JSON count LENGTH "${kernels}")
    math(EXPR last "${count} - 1")
    foreach(index RANGE ${last})
        string(JSON generator GET "${kernels}" ${index} generator)
        set(params "")
        string(JSON param_count LENGTH "${kernels}" ${index} params)
        foreach(p RANGE 1 ${param_count})
            math(EXPR p "${p} - 1")
            string(JSON key MEMBER "${kernels}" ${index} params ${p})
            string(JSON value GET "${kernels}" ${index} params ${key})
            list(APPEND params "${key}=${value}")
        endforeach()
        _eutectic_bench_kernel("${folder}/${contender}" "${folder}/${contender}.so" ${contender} ${index} ${generator} "${params}")
        list(APPEND objects "${folder}/${contender}/kernel_${index}.o")
    endforeach()
    add_custom_command(
        OUTPUT "${folder}/${contender}.so"
        COMMAND "${CMAKE_CXX_COMPILER}" -shared -o "${folder}/${contender}.so" ${objects} $<TARGET_FILE:eutectic_runtime> -lpthread -ldl
        DEPENDS ${objects} eutectic_runtime
        COMMENT "Linking ${suite} ${row} ${contender}"
        VERBATIM)
    add_custom_target(bench.${suite}.${row}.${contender} DEPENDS "${folder}/${contender}.so")
endfunction()

# The targets of a suite's rows.
function(eutectic_bench_suite suite file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(JSON count LENGTH "${text}" rows)
    math(EXPR last "${count} - 1")
    foreach(index RANGE ${last})
        string(JSON row GET "${text}" rows ${index} name)
        string(JSON kernels GET "${text}" rows ${index} kernels)
        foreach(contender IN LISTS EUTECTIC_CONTENDERS ITEMS reference)
            _eutectic_bench_target(${suite} ${row} ${contender} "${kernels}")
        endforeach()
    endforeach()
endfunction()
