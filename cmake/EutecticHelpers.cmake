# add_eutectic_library: ahead-of-time kernels, scheduled by Eutectic. The same file serves this project's own build
# and, installed, every project that says find_package(Eutectic).

include("${CMAKE_CURRENT_LIST_DIR}/EutecticArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/EutecticKernel.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/EutecticOutputs.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/EutecticPacked.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/EutecticTorch.cmake")

if(NOT DEFINED CACHE{EUTECTIC_PARALLELISM})
    execute_process(COMMAND nproc OUTPUT_VARIABLE cores OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT cores MATCHES "^[1-9][0-9]*$")
        cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
    endif()
    set(EUTECTIC_PARALLELISM "${cores}" CACHE STRING
        "Threads that kernels made by add_eutectic_library are scheduled for (default: the configuring host's cores)")
endif()

define_property(TARGET PROPERTY EUTECTIC_REPORT
    BRIEF_DOCS "On a library made by add_eutectic_library: the path of its JSON report (several for GRADIENT and for several TARGETS)")

# add_eutectic_library(NAME FROM gens
#     [GENERATOR g|GRAPH file] [PARAMS k=v...] [TANGENT|HVP|GRADIENT [WRT input...] [OF output...] [BUDGET bytes] [ACCUMULATE] [TORCH]] [BATCH n OVER input...] [TARGETS t...]
#     [EFFORT fast|best] [COMPILE_SECONDS s] [NUMERICS fast|nan_safe|strict] [MACHINE host|file] [PIN file] [EXPECT_HASH h] [FEEDBACK] [ARENA] [LIBRARY none|onednn|openblas|eigen]
#     [PACKED input...] [UNFUSED] [FUNCTION_NAME f] [NAMESPACE ns] [FEATURES feature...] [C_BACKEND]
#     [ASSEMBLY var] [BITCODE var] [CONCEPTUAL_STMT var] [CONCEPTUAL_STMT_HTML var] [LLVM_ASSEMBLY var] [PYTHON_EXTENSION var] [PYTORCH_WRAPPER var] [REGISTRATION var] [SCHEDULE var] [STMT var] [STMT_HTML var])
#
# Makes the static library NAME (function NAME, header NAME.h) out of generator g (default: NAME) of the generator
# executable gens, scheduled by Eutectic::Eutectic, and NAME.report.json beside it: what was fused, and why.
#
#   PARAMS    generator parameters; autoscheduler.KEY=VALUE goes to the scheduler.
#   GRAPH     makes NAME out of several generators of gens, outputs bound to inputs, as one plan and one kernel: a training step of a network, its gradients and its
#             optimizer. The file says which, docs/eutectic.md how; relative paths begin at the current source folder. For one target. PIN names
#             Funcs as the report does, NODE_FUNC.
#   GRADIENT  makes NAME_forward and NAME_backward out of generators g_forward and g_backward (see
#             EUTECTIC_REGISTER_DIFFERENTIABLE); NAME then links both. WRT: the inputs to differentiate by
#             (default: every float buffer that the generator does not mark by eutectic::not_differentiable). OF: the outputs to differentiate (default: every float output).
#             NAME_residuals.h comes with them: struct NAME_residuals allocates and frees what NAME_forward keeps
#             for NAME_backward, and calls both when all fits; NAME.report.json says what the pair takes and gives, for frameworks such
#             as PyTorch (eutectic.torch.operation of the Python module).
#   TANGENT   makes NAME out of generator g_tangent: takes the inputs, then a direction t_INPUT for each of WRT, and gives the outputs, then
#             t_OUTPUT for each of OF: the outputs' derivatives along it (forward mode).
#   HVP       makes NAME out of generator g_hvp: takes the inputs, upstream gradients d_OUTPUT, then directions t_INPUT, and gives the outputs, d_INPUT, then
#             t_d_INPUT: the product of second derivatives with t (forward over reverse).
#   BUDGET    bounds what is kept between the two plus the larger estimated peak of temporaries: 65536, 64KiB, 1.5MiB. Default:
#             by cost (autodiff/residuals/README.md).
#   ACCUMULATE  NAME_backward adds the gradients to what their buffers hold, each point once. For CPUs.
#   TORCH     makes NAME_torch, too, a shared library that registers the pair with PyTorch: add_eutectic_torch_library in EutecticTorch.cmake says how it is used.
#   BATCH     for a batch of n examples (any number at run time): each has of its own what OVER names, whose last dimension counts the examples, as does that of what
#             depends on it. Out of generator g_batched, or, with one of the above, before differentiation: gradients of what is shared are sums over the batch.
#             PARAMS transforms=differentiate,batch makes gradients for each example, out of GENERATOR g_gradient.
#   TARGETS   Halide targets. With several, the header and the function are one, and the reports are NAME-TARGET.report.json. Of several
#             for CPUs the first that the CPU supports is called at run time. With host-cuda or host-opencl among them, each call runs on a device that
#             can be used: device/device.h says which, how to force another, and what errors there are. CUDA without a capability is compiled
#             for 7.5, which newer devices take. One target a device. Default: Halide_TARGET.
#   EFFORT    best: search the plan for some seconds instead of taking the greedy one. Default: fast.
#   COMPILE_SECONDS  what compiling one kernel may take, estimated; plans that would take longer are planned again with
#             smaller code. Default: a minute, or three times what the unfused program takes.
#   NUMERICS  strict: the bits of the scalar, unfused program, for any number of threads; nan_safe: its NaN, infinities and
#             signed zeros, with the terms of sums in any order. Both add the feature strict_float to every target. Default: fast, or strict where a target has that feature.
#   MACHINE   host: plan for this machine's cores and caches instead of all processors that the target's code runs on;
#             zen3 or another file of src/machine/processors: for that one. A file: for the
#             machine that scripts/calibrate measured; relative paths begin at the current source folder.
#   PIN       a JSON file of decisions that a person made, {"mm": "inline"}, "root" or {"at": ["y", "j"]}, which the planner completes;
#             docs/eutectic.md describes it. Relative paths begin at the current source folder. For one kernel.
#   EXPECT_HASH  the plan_hash of a report, or its last part: the build fails, and says what changed, when the plan's decisions
#             have another. For one kernel and one target.
#   FEEDBACK  the kernels of targets with cuda are assembled by the CUDA toolkit's ptxas (EUTECTIC_PTXAS in the build's environment names another than the one that is found), and what spills is
#             planned again; the reports say what it told. Without a toolkit the estimates stand. The plan then depends on the toolkit, too.
#             On CPUs LLVM's libraries read the code (Debian's llvm-19-dev, where Eutectic was built), and tiles that spill are planned again; without them the plan stays, and the report says so.
#   ARENA     temporaries come from an arena that keeps their pages between calls (arena/arena.h, which the library brings along: how to reserve,
#             trim and limit it), and the plan is made for that. NAME.h stays as it is; a caller that wants an arena of its own for a call adds
#             the feature user_context to TARGETS. Other kernels of the program allocate as before.
#   LIBRARY   products of matrices may become calls of that library, on a block or on the whole, wherever that is predicted faster
#             (library/product.h): NAME then links it, target Eutectic::library_eigen, Eutectic::library_openblas or
#             Eutectic::library_onednn; the last two are there where Debian's libopenblas-pthread-dev, libdnnl-dev
#             were when Eutectic was built. Not for strict numerics. Default: none.
#   PACKED    inputs, each the operand of one product or convolution, that callers hand over in panels for the kernel's tiles. NAME_pack_INPUT(INPUT, packed), in the
#             same library, packs one once for many calls, and NAME takes what it made, with one dimension more. NAME.h says how it lies and has
#             NAME_pack_INPUT_extents(), its sizes; so do the reports. What cannot be packed fails at the build, with the reason. For one target, a CPU's.
#   UNFUSED   every Func in memory under the same policies: the opponent in benchmarks.
#
# As add_halide_library has them:
#
#   FUNCTION_NAME  the function's name, C++ namespaces included, where it is not NAME; the files are called NAME all the same. Not for GRADIENT, GRAPH and PACKED.
#   NAMESPACE  the function is in this C++ namespace, nn or nn::layers; its target then has the feature c_plus_plus_name_mangling, which is added. Not for GRADIENT and several devices.
#   FEATURES  Halide's target features for every one of TARGETS.
#   C_BACKEND  NAME.halide_generated.cpp is compiled by this build's compiler in place of Halide's own object. For one target, a CPU's; not with strict numerics, ARENA, LIBRARY, GRAPH and PACKED.
#   STMT, STMT_HTML, CONCEPTUAL_STMT, CONCEPTUAL_STMT_HTML, ASSEMBLY, LLVM_ASSEMBLY, BITCODE, SCHEDULE  the lowered program, as text and as a page, the same before loops and
#             buffers are Halide's own (it reads like the schedule), the code of the CPU, LLVM's, the same in binary, and the schedule as C++: each names a variable, which is set to the paths of NAME.stmt, NAME.stmt.html, NAME.conceptual.stmt, NAME.conceptual.stmt.html,
#             NAME.s, NAME.ll, NAME.bc, NAME.schedule.h. A library of several kernels has a file for each: NAME_forward.stmt and NAME_backward_kernel.stmt, NAME_cuda.stmt, NAME-TARGET.stmt.
#   REGISTRATION  the same of NAME.registration.cpp, which a program of it, NAME and Halide::RunGenMain runs and times NAME with (of a pair, NAME_forward and NAME_backward_kernel). Not for several devices.
#   PYTHON_EXTENSION  the same of NAME.py.cpp: a module for Python, by itself (Python_add_library) or with others (add_halide_python_extension_library). As REGISTRATION; not for GRADIENT.
#   PYTORCH_WRAPPER  the same of NAME.pytorch.h: NAME_th_(), which takes PyTorch's tensors. As PYTHON_EXTENSION.
#
# Kernels come without Halide's runtime and link one, target eutectic_runtime, so that any number of them go into one
# program; give it as USE_RUNTIME to an add_halide_library in the same program. Each knows its reports by the target
# property EUTECTIC_REPORT.
function(add_eutectic_library name)
    _eutectic_output_keywords(output_keywords)
    cmake_parse_arguments(PARSE_ARGV 1 arg
        "GRADIENT;TANGENT;HVP;ACCUMULATE;TORCH;FEEDBACK;ARENA;UNFUSED;C_BACKEND"
        "FROM;GENERATOR;GRAPH;BATCH;BUDGET;EFFORT;COMPILE_SECONDS;NUMERICS;MACHINE;PIN;EXPECT_HASH;LIBRARY;FUNCTION_NAME;NAMESPACE;${output_keywords}"
        "PARAMS;WRT;OF;OVER;TARGETS;PACKED;FEATURES")
    if(NOT arg_TARGETS)
        set(arg_TARGETS "${Halide_TARGET}")
    endif()
    foreach(feature IN LISTS arg_FEATURES)
        list(TRANSFORM arg_TARGETS APPEND "-${feature}")
    endforeach()
    _eutectic_check_arguments()
    if(NOT arg_GENERATOR)
        set(arg_GENERATOR "${name}")
    endif()
    list(TRANSFORM arg_TARGETS REPLACE "^cmake" "${Halide_CMAKE_TARGET}")

    set(params ${arg_PARAMS} autoscheduler=Eutectic "autoscheduler.parallelism=${EUTECTIC_PARALLELISM}")
    set(features "")
    if(arg_EFFORT)
        list(APPEND params "autoscheduler.effort=${arg_EFFORT}")
    endif()
    if(arg_COMPILE_SECONDS)
        list(APPEND params "autoscheduler.compile_seconds=${arg_COMPILE_SECONDS}")
    endif()
    if(arg_NUMERICS)
        list(APPEND params "autoscheduler.numerics=${arg_NUMERICS}")
    endif()
    if(arg_NUMERICS MATCHES "^(nan_safe|strict)$")
        set(features -strict_float)
    endif()
    set(function "${name}")
    if(arg_FUNCTION_NAME)
        set(function "${arg_FUNCTION_NAME}")
    endif()
    if(arg_NAMESPACE)
        set(function "${arg_NAMESPACE}::${function}")
    endif()
    if("${function}" MATCHES "::" AND NOT "${arg_TARGETS}" MATCHES "-c_plus_plus_name_mangling")
        string(PREPEND features -c_plus_plus_name_mangling)
    endif()
    _eutectic_asked_outputs()
    set(machine_file "")
    # host, and the names of processors, are the scheduler's to look up.
    if(arg_MACHINE AND (EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${arg_MACHINE}" OR NOT arg_MACHINE MATCHES "^[a-z0-9_]+$"))
        get_filename_component(machine_file "${arg_MACHINE}" ABSOLUTE)
        if(NOT EXISTS "${machine_file}")
            _eutectic_refuse("was given MACHINE ${arg_MACHINE}, which is neither host, a processor such as zen3, nor a file; write that file with scripts/calibrate -o, or leave MACHINE out")
        endif()
        set(arg_MACHINE "${machine_file}")
    endif()
    if(arg_MACHINE)
        list(APPEND params "autoscheduler.machine=${arg_MACHINE}")
    endif()
    if(arg_PIN)
        get_filename_component(pin_file "${arg_PIN}" ABSOLUTE)
        if(NOT EXISTS "${pin_file}")
            _eutectic_refuse("was given PIN ${arg_PIN}, which is no file; write one, or leave PIN out")
        endif()
        list(APPEND params "autoscheduler.pin=${pin_file}")
        list(APPEND machine_file "${pin_file}")
    endif()
    if(arg_EXPECT_HASH)
        list(APPEND params "autoscheduler.expect_hash=${arg_EXPECT_HASH}")
    endif()
    if(arg_UNFUSED)
        list(APPEND params autoscheduler.unfused=1)
    endif()
    if(arg_FEEDBACK)
        list(APPEND params autoscheduler.feedback=1)
    endif()
    if(arg_ARENA)
        list(APPEND params autoscheduler.arena=1)
    endif()

    if(arg_LIBRARY)
        list(APPEND params "autoscheduler.library=${arg_LIBRARY}")
    endif()

    if(arg_GRAPH)
        _eutectic_command_kernel(${name} "${arg_FROM}" "--graph;${graph_file}" GRAPH "${params}" "${arg_TARGETS}${features}" "${machine_file};${graph_file}")
        _eutectic_return_outputs()
        return()
    endif()
    if(arg_PACKED)
        _eutectic_packed_kernel(${name} "${arg_FROM}" "${arg_GENERATOR}" "${params}" "${arg_TARGETS}" "${arg_PACKED}" "${machine_file}")
        _eutectic_return_outputs()
        return()
    endif()
    foreach(keyword WRT OF)
        if(arg_${keyword})
            string(TOLOWER "${keyword}" parameter)
            list(JOIN arg_${keyword} "," names)
            list(PREPEND params "gradient_${parameter}=${names}")
        endif()
    endforeach()
    if(arg_BATCH)
        list(JOIN arg_OVER "," names)
        list(PREPEND params "batched=${arg_BATCH}" "batched_over=${names}")
        if(NOT arg_GRADIENT AND NOT arg_TANGENT AND NOT arg_HVP AND NOT "${arg_GENERATOR}" MATCHES "_(gradient|tangent|hvp)$")
            string(APPEND arg_GENERATOR "_batched")
        endif()
    endif()
    foreach(derived TANGENT HVP)
        if(arg_${derived})
            string(TOLOWER "_${derived}" suffix)
            string(APPEND arg_GENERATOR "${suffix}")
        endif()
    endforeach()
    if(NOT arg_GRADIENT)
        _eutectic_kernel(${name} "${arg_FROM}" "${arg_GENERATOR}" "${params}" "${arg_TARGETS}" "${machine_file}" "${features}")
        _eutectic_return_outputs()
        return()
    endif()
    if(arg_BUDGET)
        list(PREPEND params "budget=${arg_BUDGET}")
    endif()
    if(arg_ACCUMULATE)
        list(PREPEND params accumulate=true)
    endif()
    add_library(${name} INTERFACE)
    foreach(pass forward backward)
        set(function ${name}_${pass})
        _eutectic_kernel(${name}_${pass} "${arg_FROM}" "${arg_GENERATOR}_${pass}" "${params}" "${arg_TARGETS}" "${machine_file}" "${features}" ${name}_residuals.h)
        target_link_libraries(${name}_${pass} PUBLIC Eutectic::pair)
        target_link_libraries(${name} INTERFACE ${name}_${pass})
        get_target_property(reports ${name}_${pass} EUTECTIC_REPORT)
        set_property(TARGET ${name} APPEND PROPERTY EUTECTIC_REPORT ${reports})
    endforeach()
    _eutectic_return_outputs()
    if(arg_TORCH)
        _eutectic_torch_library(${name}_torch "${CMAKE_CURRENT_BINARY_DIR}/${name}.report.json" ${name})
        add_dependencies(${name}_torch ${name}_forward.files)
    endif()
endfunction()
