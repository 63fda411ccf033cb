# cmake -DOUTPUT=header.h "-DENTRIES=name=file;name=file" -P embed_text.cmake
#
# Writes a header with one constant string a file, so that a program carries a text made at build time and runs anywhere.

set(text "#pragma once\n")
foreach(entry IN LISTS ENTRIES)
    string(REGEX MATCH "^([^=]+)=(.*)$" matched "${entry}")
    set(name "${CMAKE_MATCH_1}")
    file(READ "${CMAKE_MATCH_2}" content)
    if(content MATCHES "\\)eutectic\"")
        message(FATAL_ERROR "${CMAKE_MATCH_2} contains the delimiter that ends an embedded text; choose another in embed_text.cmake.")
    endif()
    string(APPEND text "\ninline constexpr char ${name}[] = R\"eutectic(${content})eutectic\";\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
