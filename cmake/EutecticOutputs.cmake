# What add_halide_library makes besides code, header and library, and what it lets a function be called; included by EutecticHelpers.cmake.

# Sets OUT to the further outputs of Halide that add_eutectic_library takes, each as KEYWORD:EXTENSION:files. Of several TARGETS for CPUs, whose function is one, `each` has a file of its own, or the function has `one`;
# `alone`: one, which Halide writes where it compiles for one target. (Halide's Module.cpp says which.)
function(_eutectic_known_outputs out)
    set(${out}
        ASSEMBLY:.s:each
        BITCODE:.bc:each
        CONCEPTUAL_STMT:.conceptual.stmt:each
        CONCEPTUAL_STMT_HTML:.conceptual.stmt.html:each
        LLVM_ASSEMBLY:.ll:each
        PYTHON_EXTENSION:.py.cpp:alone
        PYTORCH_WRAPPER:.pytorch.h:alone
        REGISTRATION:.registration.cpp:one
        SCHEDULE:.schedule.h:one
        STMT:.stmt:each
        STMT_HTML:.stmt.html:each
        PARENT_SCOPE)
endfunction()

# Sets OUT to the keywords of these.
function(_eutectic_output_keywords out)
    _eutectic_known_outputs(keywords)
    list(TRANSFORM keywords REPLACE ":.*" "")
    set(${out} ${keywords} PARENT_SCOPE)
endfunction()

# Sets `outputs` to those that the caller's arguments ask for, and its made_KEYWORD to no paths yet (a macro).
macro(_eutectic_asked_outputs)
    _eutectic_known_outputs(outputs)
    foreach(keyword IN LISTS output_keywords)
        set(made_${keyword} "")
        if(NOT arg_${keyword})
            list(FILTER outputs EXCLUDE REGEX "^${keyword}:")
        endif()
    endforeach()
endmacro()

# The outputs that the generator's run in files of `variant` writes: sets run_emits, what to ask it for, alone_emits, what to ask a run for one target for, and run_files and alone_files, what these write; appends
# paths to the caller's made_KEYWORD. Reads its kernel_targets and outputs (a macro).
macro(_eutectic_variant_outputs variant)
    foreach(list run_emits alone_emits run_files alone_files)
        set(${list} "")
    endforeach()
    list(LENGTH kernel_targets _targets)
    foreach(_output IN LISTS outputs)
        string(REGEX MATCH "^(.*):(.*):(.*)$" _output "${_output}")
        set(_keyword ${CMAKE_MATCH_1})
        set(_run run)
        set(_files "${variant}${CMAKE_MATCH_2}")
        if(_targets GREATER 1 AND "${CMAKE_MATCH_3}" STREQUAL "each")
            list(TRANSFORM kernel_targets REPLACE "(.+)" "${variant}-\\1${CMAKE_MATCH_2}" OUTPUT_VARIABLE _files)
        elseif(_targets GREATER 1 AND "${CMAKE_MATCH_3}" STREQUAL "alone")
            set(_run alone)
        endif()
        string(TOLOWER "${_keyword}" _emit)
        list(APPEND ${_run}_emits ${_emit})
        list(APPEND ${_run}_files ${_files})
        list(TRANSFORM _files PREPEND "${CMAKE_CURRENT_BINARY_DIR}/")
        list(APPEND made_${_keyword} ${_files})
    endforeach()
endmacro()

# Hands its made_KEYWORD on to who called it (a macro).
macro(_eutectic_hand_on_outputs)
    foreach(keyword IN LISTS output_keywords)
        set(made_${keyword} ${made_${keyword}} PARENT_SCOPE)
    endforeach()
endmacro()

# Sets the variables that the caller's arguments name to the paths in its made_KEYWORD, for who called it (a macro).
macro(_eutectic_return_outputs)
    foreach(keyword IN LISTS output_keywords)
        if(arg_${keyword})
            set(${arg_${keyword}} ${made_${keyword}} PARENT_SCOPE)
        endif()
    endforeach()
endmacro()

# Lets add_halide_python_extension_library take the library `name`, whose function is `function`.
function(_eutectic_for_python name function extension)
    set_target_properties(${name} PROPERTIES
        Halide_LIBRARY_RUNTIME_TARGET eutectic_runtime
        Halide_LIBRARY_FUNCTION_NAME "${function}"
        Halide_LIBRARY_PYTHON_EXTENSION_CPP "${extension}")
endfunction()

# Refuses, in one sentence, what these keywords, FUNCTION_NAME, NAMESPACE, FEATURES and C_BACKEND do not go with. Reads the arguments of add_eutectic_library (a macro).
macro(_eutectic_check_outputs)
    _eutectic_check_output_variables()
    foreach(feature IN LISTS arg_FEATURES)
        if(NOT feature MATCHES "^[a-z0-9_]+(-[a-z0-9_]+)*$")
            _eutectic_refuse("was given FEATURES ${feature}, which is no name of a feature; write it as Halide does, as in FEATURES avx2 no_asserts")
        endif()
    endforeach()
    if(arg_FUNCTION_NAME AND NOT arg_FUNCTION_NAME MATCHES "^([A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*$")
        _eutectic_refuse("was given FUNCTION_NAME ${arg_FUNCTION_NAME}, which is no name of C or C++; give one such as layer or nn::layer")
    endif()
    if(arg_NAMESPACE AND NOT arg_NAMESPACE MATCHES "^([A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*$")
        _eutectic_refuse("was given NAMESPACE ${arg_NAMESPACE}, which is no namespace of C++; give one such as nn or nn::layers")
    endif()
    if(arg_GRADIENT)
        foreach(keyword FUNCTION_NAME NAMESPACE)
            if(arg_${keyword})
                _eutectic_refuse("was given GRADIENT and ${keyword}, and the functions of a pair are called by NAME_residuals as NAME_forward and NAME_backward; leave ${keyword} out and call the library as the pair is to be called")
            endif()
        endforeach()
        foreach(keyword PYTHON_EXTENSION PYTORCH_WRAPPER)
            if(arg_${keyword})
                _eutectic_refuse("was given GRADIENT and ${keyword}, which Halide writes for a kernel that stands alone; leave ${keyword} out and take TORCH for PyTorch, or eutectic.Gradient in Python")
            endif()
        endforeach()
    endif()
    _eutectic_check_devices_of_outputs()
    if(arg_C_BACKEND)
        _eutectic_check_c_backend()
    endif()
    foreach(keyword GRAPH PACKED)
        if(arg_${keyword})
            if(arg_FUNCTION_NAME)
                _eutectic_refuse("was given ${keyword} and FUNCTION_NAME, and the command eutectic, which makes such kernels, calls files after the function; leave FUNCTION_NAME out and call the library as the function is to be called")
            endif()
            if(arg_C_BACKEND)
                _eutectic_refuse("was given ${keyword} and C_BACKEND, and the command eutectic, which makes such kernels, writes Halide's own object; leave one of them out")
            endif()
        endif()
    endforeach()
endmacro()

# The same of the variables that files are told in.
macro(_eutectic_check_output_variables)
    set(_variables "")
    foreach(keyword IN LISTS output_keywords)
        set(_variable "${arg_${keyword}}")
        if(_variable AND NOT _variable MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
            _eutectic_refuse("was given ${keyword} ${_variable}, which is no name of a variable; files are called after the library, and ${keyword} sets a variable to their paths, as in ${keyword} ${name}_files")
        endif()
        if(_variable AND _variable IN_LIST _variables)
            _eutectic_refuse("was given ${keyword} ${_variable}, and another keyword with that variable, which holds the paths of one; give each a variable of its own")
        endif()
        list(APPEND _variables ${_variable})
    endforeach()
endmacro()

# The same of TARGETS for several devices, whose function picks one of several kernels.
macro(_eutectic_check_devices_of_outputs)
    _eutectic_devices(_devices "${arg_TARGETS}")
    list(LENGTH _devices _device_count)
    if(_device_count GREATER 1)
        list(JOIN _devices " and " _devices)
        foreach(keyword NAMESPACE PYTHON_EXTENSION PYTORCH_WRAPPER REGISTRATION)
            if(arg_${keyword})
                _eutectic_refuse("was given ${keyword} and TARGETS for ${_devices}, whose function picks the kernel of a device and is none of Halide's; leave ${keyword} out, or make a library for each device")
            endif()
        endforeach()
        if(arg_FUNCTION_NAME MATCHES "::")
            _eutectic_refuse("was given FUNCTION_NAME ${arg_FUNCTION_NAME} and TARGETS for ${_devices}, whose function picks the kernel of a device and is one of C; leave its namespace out, or make a library for each device")
        endif()
    endif()
endmacro()

# The same of C_BACKEND.
macro(_eutectic_check_c_backend)
    list(LENGTH arg_TARGETS target_count)
    if(target_count GREATER 1)
        _eutectic_refuse("was given C_BACKEND and ${target_count} TARGETS, and the compiler of this build makes code for one CPU; give one target, or make a library for each")
    endif()
    if("${arg_TARGETS}" MATCHES "-(cuda|opencl)(-|$)")
        _eutectic_refuse("was given C_BACKEND for ${arg_TARGETS}, and C++ that is compiled for a CPU has no kernels for a device; give a target for a CPU, or leave C_BACKEND out")
    endif()
    if(arg_NUMERICS MATCHES "^(nan_safe|strict)$" OR "${arg_TARGETS}" MATCHES "strict_float")
        _eutectic_refuse("was given C_BACKEND and strict numerics, and what the compiler of this build contracts is not Halide's to say; leave one of them out")
    endif()
    if(arg_ARENA)
        _eutectic_refuse("was given C_BACKEND and ARENA, which renames what Halide's own objects call; leave one of them out")
    endif()
    if(arg_LIBRARY AND NOT arg_LIBRARY STREQUAL "none")
        _eutectic_refuse("was given C_BACKEND and LIBRARY ${arg_LIBRARY}, whose calls are made for Halide's own objects; leave one of them out")
    endif()
endmacro()
