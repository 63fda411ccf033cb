# cmake -DHELPERS=EutecticHelpers.cmake -DSCRATCH=FOLDER -P test_refusals.cmake
#
# add_eutectic_library refuses what it cannot do in one sentence.

# The call with these arguments fails, and says this whole sentence. Further arguments go to CMake.
function(refused call sentence)
    separate_arguments(arguments UNIX_COMMAND "${call}")
    file(REMOVE_RECURSE "${SCRATCH}")
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/refusals" -B "${SCRATCH}" -G Ninja
            "-DHELPERS=${HELPERS}" "-DCALL=${arguments}" ${ARGN}
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
    # CMake wraps what it prints.
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    string(FIND "${said}" "${sentence}" place)
    if(status EQUAL 0 OR place EQUAL -1)
        message(SEND_ERROR "add_eutectic_library(${call})\nshould have said: ${sentence}\nbut said: ${said}")
    endif()
endfunction()

refused("dense FROM gens EFFORT high"
    "add_eutectic_library(dense) has EFFORT fast and EFFORT best and was given EFFORT high; write one of them or leave EFFORT out.")
refused("dense FROM gens NUMERICS exact"
    "add_eutectic_library(dense) has NUMERICS fast and NUMERICS nan_safe and NUMERICS strict and was given NUMERICS exact; write one of them or leave NUMERICS out.")
refused("dense FROM gens MACHINE calibration.json"
    "add_eutectic_library(dense) was given MACHINE calibration.json, which is neither host, a processor such as zen3, nor a file; write that file with scripts/calibrate -o, or leave MACHINE out.")
refused("dense FROM gens BUDGET 65536"
    "add_eutectic_library(dense) was given BUDGET without GRADIENT, which it belongs to; add GRADIENT or leave BUDGET out.")
refused("dense FROM gens PIN plan.json"
    "add_eutectic_library(dense) was given PIN plan.json, which is no file; write one, or leave PIN out.")
refused("dense FROM gens GRADIENT PIN plan.json"
    "add_eutectic_library(dense) was given PIN, whose names are those of one pipeline, and makes several kernels; give the pins where one kernel is made.")
refused("dense FROM gens UNFUSED PIN plan.json"
    "add_eutectic_library(dense) was given PIN and UNFUSED, and the unfused program has no decisions to pin; leave one of them out.")
refused("dense FROM gens GRADIENT EXPECT_HASH 1f"
    "add_eutectic_library(dense) was given EXPECT_HASH, which is that of one plan, and makes several; give the hash where one kernel is made for one target.")
refused("dense FROM gens TARGETS host host-cuda-cuda_capability_75 host-cuda-cuda_capability_80"
    "add_eutectic_library(dense) was given the TARGETS host-cuda-cuda_capability_75 and host-cuda-cuda_capability_80, and makes one kernel for cuda; keep the one with the lower capability.")
refused("dense FROM gens TARGETS hosst"
    "add_eutectic_library(dense) was given the target hosst, which begins with no architecture of Halide's; begin with host, x86, arm, powerpc, hexagon, wasm or riscv, as in host-opencl or x86-64-linux-avx2.")
refused("dense FROM gens TARGETS host Host-cuda"
    "add_eutectic_library(dense) was given the target Host-cuda, which begins with no architecture of Halide's; begin with host")
refused("dense FROM gens ARENA"
    "add_eutectic_library(dense) was given ARENA, which needs objcopy, and CMake has found none; install binutils, or set CMAKE_OBJCOPY to the one for these targets.")
refused("dense FROM gens LIBRARY mkl"
    "add_eutectic_library(dense) has LIBRARY none, onednn, openblas and eigen and was given LIBRARY mkl; write one of them or leave LIBRARY out.")
refused("dense FROM gens LIBRARY onednn"
    "add_eutectic_library(dense) was given LIBRARY onednn, which was not found when Eutectic was built; install Debian's libdnnl-dev for onednn or libopenblas-pthread-dev for openblas and build Eutectic anew, or leave LIBRARY out.")
refused("dense FROM gens LIBRARY eigen NUMERICS strict"
    "add_eutectic_library(dense) was given LIBRARY eigen and strict numerics, and a library adds up the terms of a product in an order of its own; leave one of them out.")
refused("dense FROM gens PACKED"
    "add_eutectic_library(dense) was given PACKED without a value; add one or leave the keyword out.")
refused("dense FROM gens PACKED w GRADIENT"
    "add_eutectic_library(dense) was given PACKED and GRADIENT, whose kernels would each take panels of their own; make the kernel that is called often by itself, with PACKED.")
refused("dense FROM gens PACKED w TARGETS x86-64-linux-avx2 x86-64-linux"
    "add_eutectic_library(dense) was given PACKED and 2 TARGETS, and the kernel for each would take panels of its own; give one target, or make a library for each.")
refused("dense FROM gens PACKED w TARGETS host-opencl"
    "add_eutectic_library(dense) was given PACKED for the target host-opencl, and kernels for a device copy their operands to shared memory as they are; give a target for a CPU, or leave PACKED out.")
refused("dense FROM gens PACKED w UNFUSED"
    "add_eutectic_library(dense) was given PACKED and UNFUSED, which do not go together; leave one of them out.")
refused("dense FROM gens PACKED w LIBRARY eigen"
    "add_eutectic_library(dense) was given PACKED and LIBRARY eigen, and a library takes its operands as they are; leave one of them out.")
refused("dense FROM gens PACKED w PARAMS autoscheduler.priced=p.json"
    "add_eutectic_library(dense) was given autoscheduler.priced=p.json and PACKED, which do not go together; leave one of them out.")
refused("dense FROM gens GRAPH none.json"
    "add_eutectic_library(dense) was given GRAPH none.json, which is no file; write one (docs/eutectic.md).")
refused("dense FROM gens GRAPH none.json GRADIENT"
    "add_eutectic_library(dense) was given GRAPH and GRADIENT, which do not go together; the file says what is joined and with which parameters.")
refused("dense FROM gens GRADIENT ACCUMULATE TARGETS host-cuda"
    "add_eutectic_library(dense) was given ACCUMULATE for host-cuda, and adds to gradients in kernels for CPUs; give a target for a CPU, or leave ACCUMULATE out.")
refused("dense FROM gens ACCUMULATE"
    "add_eutectic_library(dense) was given ACCUMULATE without GRADIENT, which it belongs to; add GRADIENT or leave ACCUMULATE out.")
refused("dense FROM gens WRT w"
    "add_eutectic_library(dense) was given WRT without GRADIENT, TANGENT or HVP, one of which it belongs to; add one of them or leave WRT out.")
refused("dense FROM gens OF loss"
    "add_eutectic_library(dense) was given OF without GRADIENT, TANGENT or HVP, one of which it belongs to; add one of them or leave OF out.")
refused("dense FROM gens TORCH"
    "add_eutectic_library(dense) was given TORCH without GRADIENT, which it belongs to; add GRADIENT or leave TORCH out.")
refused("dense FROM gens BATCH 8"
    "add_eutectic_library(dense) was given one of BATCH and OVER, which belong together; give the number of examples and the inputs that each has of its own.")
refused("dense FROM gens BATCH many OVER x"
    "add_eutectic_library(dense) was given BATCH many, which is no number of examples; give 1 or more.")
refused("dense FROM gens GRADIENT HVP"
    "add_eutectic_library(dense) was given GRADIENT and HVP, and makes one of them; make the others in calls of their own.")
refused("dense FROM gens GRADIENT TORCH TARGETS host-cuda"
    "add_eutectic_library(dense) was given TORCH for host-cuda, and registers operations for tensors on the CPU; give a target for a CPU, or leave TORCH out.")
refused("dense FROM gens GENERATOR"
    "add_eutectic_library(dense) was given GENERATOR without a value; add one or leave the keyword out.")
refused("dense FROM gens PARAMS m=1 autoscheduler=Li2018"
    "add_eutectic_library(dense) always schedules with Eutectic and was given another autoscheduler in PARAMS; use add_halide_library for that one.")
refused("dense GENERATOR g"
    "add_eutectic_library(dense) needs FROM and the target of a generator executable, and was given '', which is no target; make it with add_executable and Halide::Generator first.")
refused("dense FROM nothing"
    "add_eutectic_library(dense) needs FROM and the target of a generator executable, and was given 'nothing', which is no target; make it with add_executable and Halide::Generator first.")
refused("taken FROM gens"
    "add_eutectic_library(taken) would make the target taken, which exists already; give the kernel another name and this generator by GENERATOR.")
refused("dense FROM gens FLAVOR sweet"
    "add_eutectic_library(dense) was given 'FLAVOR sweet', which no keyword takes; known are FROM, GENERATOR, GRAPH, PARAMS, GRADIENT, TANGENT, HVP, WRT, OF, BATCH, OVER, BUDGET, ACCUMULATE, TORCH, TARGETS, EFFORT, COMPILE_SECONDS, NUMERICS, MACHINE, PIN, EXPECT_HASH, FEEDBACK, ARENA, LIBRARY, PACKED and UNFUSED.")
refused("dense FROM gens"
    "add_eutectic_library(dense) needs the scheduler, target Eutectic::Eutectic, which is not there yet; call find_package(Eutectic) first."
    -DWITHOUT_SCHEDULER=ON)
