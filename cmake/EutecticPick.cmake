# cmake -DNAME=dense -DFUNCTION=dense "-DVARIANTS=cpu;opencl;cuda:75" -P EutecticPick.cmake
#
# Of the headers dense_cpu.h, dense_opencl.h and dense_cuda.h, one for each variant, makes dense.h, with the same function under the name FUNCTION, and dense.pick.cpp, which defines it: each
# call goes to the variant of the device that src/device chooses. What follows the colon is 10 times the compute capability of the CUDA code.

set(bit_cpu 1)
set(bit_opencl 2)
set(bit_cuda 4)

list(GET VARIANTS 0 first)
string(REGEX REPLACE ":.*" "" first "${first}")
file(READ "${NAME}_${first}.h" header)
if(NOT header MATCHES "\nint ${NAME}_${first}\\(([^)]*)\\);")
    message(FATAL_ERROR "${NAME}_${first}.h does not declare the function ${NAME}_${first}, which another Halide may write in another way; Eutectic's helpers are made for Halide 21.")
endif()
set(parameters "${CMAKE_MATCH_1}")
string(REGEX REPLACE "(^|, )[^,]*[ *]([A-Za-z_0-9]+)" "\\1\\2" arguments "${parameters}")

set(made_for 0)
set(capability 0)
set(includes "")
set(cases "")
set(cases_argv "")
foreach(variant IN LISTS VARIANTS)
    string(REGEX MATCH "^([a-z]+)(:([0-9]+))?$" variant "${variant}")
    set(device "${CMAKE_MATCH_1}")
    if(CMAKE_MATCH_3)
        set(capability "${CMAKE_MATCH_3}")
    endif()
    math(EXPR made_for "${made_for} + ${bit_${device}}")
    string(APPEND includes "#include \"${NAME}_${device}.h\"\n")
    string(APPEND cases "    case eutectic_${device}:\n        return eutectic_end_call(\"${FUNCTION}\", device, ${NAME}_${device}(${arguments}));\n")
    string(APPEND cases_argv "    case eutectic_${device}:\n        return eutectic_end_call(\"${FUNCTION}\", device, ${NAME}_${device}_argv(args));\n")
    file(READ "${NAME}_${device}.h" other)
    string(FIND "${other}" "int ${NAME}_${device}(${parameters});" same)
    if(same EQUAL -1)
        message(FATAL_ERROR "${NAME}_${device}.h declares its function with other parameters than ${NAME}_${first}.h; make generator parameters and outputs the same for all TARGETS.")
    endif()
endforeach()

string(REPLACE "${NAME}_${first}" "${FUNCTION}" picking "${header}")
list(JOIN VARIANTS ", " variants_text)
string(REGEX REPLACE ":[0-9]+" "" variants_text "${variants_text}")
set(note "// ${FUNCTION} was made for ${variants_text}: each call runs on the device that device/device.h tells of, and a failure leaves a sentence there.\n")
file(WRITE "${NAME}.h" "${note}${picking}")

file(WRITE "${NAME}.pick.cpp" "// ${FUNCTION} for several devices. Written by add_eutectic_library.
#include <HalideRuntime.h>
#include <device/call.h>
#include <device/device.h>

#include \"${NAME}.h\"
${includes}
extern \"C\" {

int ${FUNCTION}(${parameters}) {
    const int device = eutectic_begin_call(\"${FUNCTION}\", ${made_for}, ${capability});
    switch (device) {
${cases}    default:
        return device;
    }
}

int ${FUNCTION}_argv(void **args) {
    const int device = eutectic_begin_call(\"${FUNCTION}\", ${made_for}, ${capability});
    switch (device) {
${cases_argv}    default:
        return device;
    }
}

const struct halide_filter_metadata_t *${FUNCTION}_metadata() {
    static const struct halide_filter_metadata_t metadata = [] {
        struct halide_filter_metadata_t m = *${NAME}_${first}_metadata();
        m.name = \"${FUNCTION}\";
        return m;
    }();
    return &metadata;
}
}
")
