# cmake -DREPORT=layer.report.json -DSOURCE=layer_torch.cpp -P EutecticTorchSource.cmake
#
# Of the report of a pair, makes the source that describes the pair to pytorch/operation.h, and registers it with PyTorch.

file(READ "${REPORT}" told)

function(refuse what)
    message(FATAL_ERROR "The pair of ${REPORT} ${what}.")
endfunction()

# Sets OUT to the list at the key of an object, empty where there is none.
function(texts_of out object key)
    set(texts "")
    string(JSON count ERROR_VARIABLE none LENGTH "${object}" "${key}")
    if(NOT none AND count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach(i RANGE ${last})
            string(JSON text GET "${object}" "${key}" ${i})
            list(APPEND texts "${text}")
        endforeach()
    endif()
    set(${out} "${texts}" PARENT_SCOPE)
endfunction()

# Sets OUT to a list of texts as C++ has them.
function(quoted out)
    list(TRANSFORM ARGN REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE texts)
    list(JOIN texts ", " texts)
    set(${out} "${texts}" PARENT_SCOPE)
endfunction()

# Sets OUT to a function of what is known that returns sizes, of texts such as "(w.extent(0) - 1) / 8 + 1", which may speak of `known_names`.
function(sizes_in_cpp out made known_names)
    set(sizes "")
    foreach(text IN LISTS ARGN)
        string(REGEX MATCHALL "[A-Za-z0-9_$.]+[.](extent|min)[(][0-9]+[)]|[A-Za-z_][A-Za-z0-9_$]*|[^A-Za-z_]+" tokens "${text}")
        set(size "")
        foreach(token IN LISTS tokens)
            set(named "${token}")
            if("${token}" MATCHES "^(.+)[.](extent|min)[(]([0-9]+)[)]$")
                set(named "${CMAKE_MATCH_1}")
                string(APPEND size "known.${CMAKE_MATCH_2}(\"${named}\", ${CMAKE_MATCH_3})")
            elseif("${token}" MATCHES "^(min|max)$")
                string(APPEND size "${token}")
                continue()
            elseif("${token}" MATCHES "^[A-Za-z_]")
                string(APPEND size "known.number(\"${token}\")")
            elseif("${token}" MATCHES "^[-+*/%(), 0-9]+$")
                string(APPEND size "${token}")
                continue()
            endif()
            if(NOT "${named}" IN_LIST known_names)
                refuse("gives ${made}, whose sizes do not follow from its inputs; make it an operation in Python, by eutectic.torch.operation(..., shapes=...)")
            endif()
        endforeach()
        list(APPEND sizes "Size(${size})")
    endforeach()
    list(JOIN sizes ", " sizes)
    set(${out} "[]([[maybe_unused]] const Known &known) { return std::vector<Size>{${sizes}}; }" PARENT_SCOPE)
endfunction()

set(scalar_bool Bool)
set(scalar_uint8 Byte)
set(scalar_uint16 UInt16)
set(scalar_uint32 UInt32)
set(scalar_uint64 UInt64)
set(scalar_int8 Char)
set(scalar_int16 Short)
set(scalar_int32 Int)
set(scalar_int64 Long)
set(scalar_float16 Half)
set(scalar_bfloat16 BFloat16)
set(scalar_float32 Float)
set(scalar_float64 Double)

string(JSON version GET "${told}" version)
if(NOT version EQUAL 1)
    refuse("has a report of version ${version}, and this Eutectic reads 1; build both with one version")
endif()
string(JSON pair GET "${told}" pair)
if("${pair}" MATCHES "::")
    refuse("is in a namespace of C++, ${pair}, whose functions cannot be looked up by name; compile it without one")
endif()
foreach(key forward backward inputs gradients)
    texts_of(${key} "${told}" ${key})
    quoted(${key}_in_cpp ${${key}})
endforeach()

string(JSON count LENGTH "${told}" arguments)
math(EXPR last "${count} - 1")
set(arguments "")
set(tensor FALSE)
foreach(i RANGE ${last})
    string(JSON argument GET "${told}" arguments ${i})
    string(JSON name GET "${argument}" name)
    string(JSON type GET "${argument}" type)
    string(JSON dimensions ERROR_VARIABLE number GET "${argument}" dimensions)
    if(NOT scalar_${type} OR (number AND "${type}" MATCHES "float16$"))
        refuse("takes ${name} as ${type}, which PyTorch does not have; compute with another type")
    endif()
    if(number)
        set(dimensions is_number)
    endif()
    if("${name}" IN_LIST inputs AND (NOT number OR "${name}" IN_LIST gradients))
        set(tensor TRUE)
    endif()
    string(APPEND arguments "            {\"${name}\", c10::ScalarType::${scalar_${type}}, ${dimensions}},\n")
endforeach()
if(NOT tensor)
    refuse("takes no tensor, so that there is nothing to dispatch an operation by; give it an input that is a buffer")
endif()

set(known_names ${inputs})
foreach(kind outputs residuals)
    set(${kind}_in_cpp "")
    string(JSON count LENGTH "${told}" ${kind})
    if(count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach(i RANGE ${last})
            string(JSON made GET "${told}" ${kind} ${i})
            string(JSON name GET "${made}" name)
            texts_of(extents "${made}" extents)
            texts_of(mins "${made}" mins)
            sizes_in_cpp(extents "${name}" "${known_names}" ${extents})
            list(APPEND known_names "${name}")
            if(mins)
                sizes_in_cpp(mins "${name}" "${known_names}" ${mins})
            else()
                set(mins nullptr)
            endif()
            string(JSON differentiated ERROR_VARIABLE none GET "${made}" differentiated)
            if(differentiated STREQUAL "ON")
                set(differentiated true)
            else()
                set(differentiated false)
            endif()
            string(APPEND ${kind}_in_cpp "            {\"${name}\",\n             ${extents},\n             ${mins},\n             ${differentiated}},\n")
        endforeach()
    endif()
endforeach()

file(WRITE "${SOURCE}" "// The pair ${pair} as operations of PyTorch. Written by EutecticTorchSource.cmake of its report.
#include \"pytorch/operation.h\"

extern \"C\" {
int ${pair}_forward_argv(void **arguments);
int ${pair}_backward_argv(void **arguments);
}

namespace {

using namespace eutectic::pytorch;

Pair pair() {
    return {
        \"${pair}\",
        ${pair}_forward_argv,
        ${pair}_backward_argv,
        {
${arguments}        },
        {${forward_in_cpp}},
        {${backward_in_cpp}},
        {${inputs_in_cpp}},
        {
${outputs_in_cpp}        },
        {
${residuals_in_cpp}        },
        {${gradients_in_cpp}},
    };
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(eutectic, library) {
    register_pair(library, pair());
}
")
