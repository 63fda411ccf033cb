# cmake -DHELPERS=EutecticHelpers.cmake -DSCRATCH=FOLDER -P test_refusals.cmake
#
# add_eutectic_library refuses what it cannot do in one sentence.

# What ended with `status` failed, and `said` this whole sentence.
function(failed_with status said sentence what)
    # CMake wraps what it prints.
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    string(FIND "${said}" "${sentence}" place)
    if(status EQUAL 0 OR place EQUAL -1)
        message(SEND_ERROR "${what}\nshould have said: ${sentence}\nbut said: ${said}")
    endif()
endfunction()

# The call with these arguments fails, and says this whole sentence. Further arguments go to CMake.
function(refused call sentence)
    separate_arguments(arguments UNIX_COMMAND "${call}")
    file(REMOVE_RECURSE "${SCRATCH}")
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/refusals" -B "${SCRATCH}" -G Ninja
            "-DHELPERS=${HELPERS}" "-DCALL=${arguments}" ${ARGN}
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
    failed_with("${status}" "${said}" "${sentence}" "add_eutectic_library(${call})")
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
refused("dense FROM gens GRAPH none.json TARGETS host host-opencl"
    "add_eutectic_library(dense) was given GRAPH and 2 TARGETS, and makes one kernel; give one target, or make a library for each.")
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
    "add_eutectic_library(dense) was given 'FLAVOR sweet', which no keyword takes; known are FROM, GENERATOR, GRAPH, PARAMS, GRADIENT, TANGENT, HVP, WRT, OF, BATCH, OVER, BUDGET, ACCUMULATE, TORCH, TARGETS, EFFORT, COMPILE_SECONDS, NUMERICS, MACHINE, PIN, EXPECT_HASH, FEEDBACK, ARENA, LIBRARY, PACKED, UNFUSED, FUNCTION_NAME, NAMESPACE, FEATURES, C_BACKEND, ASSEMBLY, BITCODE, CONCEPTUAL_STMT, CONCEPTUAL_STMT_HTML, LLVM_ASSEMBLY, PYTHON_EXTENSION, PYTORCH_WRAPPER, REGISTRATION, SCHEDULE, STMT and STMT_HTML.")

# What add_halide_library makes besides a library, and what it does not go with.
refused("dense FROM gens STMT"
    "add_eutectic_library(dense) was given STMT without a value; add one or leave the keyword out.")
refused("dense FROM gens STMT dense.stmt"
    "add_eutectic_library(dense) was given STMT dense.stmt, which is no name of a variable; files are called after the library, and STMT sets a variable to their paths, as in STMT dense_files.")
refused("dense FROM gens STMT files ASSEMBLY files"
    "and another keyword with that variable, which holds the paths of one; give each a variable of its own.")
refused("dense FROM gens FEATURES AVX2"
    "add_eutectic_library(dense) was given FEATURES AVX2, which is no name of a feature; write it as Halide does, as in FEATURES avx2 no_asserts.")
refused("dense FROM gens FUNCTION_NAME 2dense"
    "add_eutectic_library(dense) was given FUNCTION_NAME 2dense, which is no name of C or C++; give one such as layer or nn::layer.")
refused("dense FROM gens NAMESPACE nn::"
    "add_eutectic_library(dense) was given NAMESPACE nn::, which is no namespace of C++; give one such as nn or nn::layers.")
refused("dense FROM gens GRADIENT FUNCTION_NAME d"
    "add_eutectic_library(dense) was given GRADIENT and FUNCTION_NAME, and the functions of a pair are called by NAME_residuals as NAME_forward and NAME_backward; leave FUNCTION_NAME out and call the library as the pair is to be called.")
refused("dense FROM gens GRADIENT NAMESPACE nn"
    "add_eutectic_library(dense) was given GRADIENT and NAMESPACE, and the functions of a pair are called")
refused("dense FROM gens GRADIENT PYTHON_EXTENSION files"
    "add_eutectic_library(dense) was given GRADIENT and PYTHON_EXTENSION, which Halide writes for a kernel that stands alone; leave PYTHON_EXTENSION out and take TORCH for PyTorch, or eutectic.Gradient in Python.")
refused("dense FROM gens GRADIENT PYTORCH_WRAPPER files"
    "add_eutectic_library(dense) was given GRADIENT and PYTORCH_WRAPPER, which Halide writes for a kernel that stands alone; leave PYTORCH_WRAPPER out")
foreach(keyword "NAMESPACE nn" "PYTHON_EXTENSION files" "PYTORCH_WRAPPER files" "REGISTRATION files")
    string(REGEX REPLACE " .*" "" word "${keyword}")
    refused("dense FROM gens TARGETS host host-opencl ${keyword}"
        "add_eutectic_library(dense) was given ${word} and TARGETS for cpu and opencl, whose function picks the kernel of a device and is none of Halide's; leave ${word} out, or make a library for each device.")
endforeach()
refused("dense FROM gens TARGETS host host-opencl FUNCTION_NAME nn::dense"
    "add_eutectic_library(dense) was given FUNCTION_NAME nn::dense and TARGETS for cpu and opencl, whose function picks the kernel of a device and is one of C; leave its namespace out, or make a library for each device.")
refused("dense FROM gens C_BACKEND TARGETS x86-64-linux-avx2 x86-64-linux"
    "add_eutectic_library(dense) was given C_BACKEND and 2 TARGETS, and the compiler of this build makes code for one CPU; give one target, or make a library for each.")
refused("dense FROM gens C_BACKEND TARGETS host FEATURES opencl"
    "add_eutectic_library(dense) was given C_BACKEND for host-opencl, and C++ that is compiled for a CPU has no kernels for a device; give a target for a CPU, or leave C_BACKEND out.")
refused("dense FROM gens C_BACKEND NUMERICS nan_safe"
    "add_eutectic_library(dense) was given C_BACKEND and strict numerics, and what the compiler of this build contracts is not Halide's to say; leave one of them out.")
refused("dense FROM gens C_BACKEND TARGETS host FEATURES strict_float"
    "add_eutectic_library(dense) was given C_BACKEND and strict numerics,")
refused("dense FROM gens C_BACKEND ARENA"
    "add_eutectic_library(dense) was given C_BACKEND and ARENA, which renames what Halide's own objects call; leave one of them out."
    -DCMAKE_OBJCOPY=objcopy)
refused("dense FROM gens C_BACKEND LIBRARY eigen"
    "add_eutectic_library(dense) was given C_BACKEND and LIBRARY eigen, whose calls are made for Halide's own objects; leave one of them out."
    -DWITH_LIBRARY=eigen)
foreach(keyword "PACKED w" "GRAPH CMakeLists.txt")
    string(REGEX REPLACE " .*" "" word "${keyword}")
    refused("dense FROM gens ${keyword} FUNCTION_NAME d"
        "add_eutectic_library(dense) was given ${word} and FUNCTION_NAME, and the command eutectic, which makes such kernels, calls files after the function; leave FUNCTION_NAME out and call the library as the function is to be called.")
    refused("dense FROM gens ${keyword} C_BACKEND"
        "add_eutectic_library(dense) was given ${word} and C_BACKEND, and the command eutectic, which makes such kernels, writes Halide's own object; leave one of them out.")
endforeach()
refused("dense FROM gens GRADIENT TORCH TARGETS host FEATURES cuda"
    "add_eutectic_library(dense) was given TORCH for host-cuda, and registers operations for tensors on the CPU; give a target for a CPU, or leave TORCH out.")
refused("dense FROM gens"
    "add_eutectic_library(dense) needs the scheduler, target Eutectic::Eutectic, which is not there yet; call find_package(Eutectic) first."
    -DWITHOUT_SCHEDULER=ON)

# A build of the library `call` with a generator executable that has stencil, as HALIDE_REGISTER_GENERATOR makes it, and dense with dense_forward, which fails, ends with this sentence.
function(build_refused call sentence)
    separate_arguments(arguments UNIX_COMMAND "${call}")
    file(REMOVE_RECURSE "${SCRATCH}")
    file(WRITE "${SCRATCH}/gens" "#!/bin/sh\nif [ $# -gt 0 ]; then echo \"This generator fails: $2\" >&2; exit 1; fi\nprintf 'generators:\\n    dense\\n    dense_forward\\n    stencil\\n' >&2\nexit 1\n")
    file(CHMOD "${SCRATCH}/gens" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/refusals" -B "${SCRATCH}/build" -G Ninja
            "-DHELPERS=${HELPERS}" "-DGENS=${SCRATCH}/gens" "-DCALL=${arguments}"
        COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET ERROR_QUIET)
    execute_process(
        COMMAND "${CMAKE_COMMAND}" --build "${SCRATCH}/build"
        RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
    failed_with("${status}" "${said}" "${sentence}" "building add_eutectic_library(${call})")
endfunction()

foreach(call "GRADIENT:forward" "TANGENT:tangent" "HVP:hvp" "BATCH 8 OVER x:batched")
    string(REGEX MATCH "^(.*):(.*)$" parts "${call}")
    build_refused("stencil FROM gens ${CMAKE_MATCH_1} TARGETS x86-64-linux"
        "The generator stencil of ${SCRATCH}/gens is not registered as differentiable, and stencil_${CMAKE_MATCH_2} was asked for: register it with EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, stencil) of autodiff/register.h in place of HALIDE_REGISTER_GENERATOR, and link Eutectic::autodiff.")
endforeach()
build_refused("dense FROM gens GRADIENT TARGETS x86-64-linux" "This generator fails: dense_forward")
build_refused("dense FROM gens GRADIENT TARGETS x86-64-linux" "The generator dense_forward of ${SCRATCH}/gens failed: what it said is above.")
