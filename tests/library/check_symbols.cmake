# cmake -DNM=nm -DARCHIVE=FILE [-DSYMBOL=name] -P check_symbols.cmake
#
# The kernels in the archive ask for this one symbol of src/library, and no other; without SYMBOL, for none.
execute_process(COMMAND "${NM}" -u "${ARCHIVE}" OUTPUT_VARIABLE undefined RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NM} cannot read ${ARCHIVE}")
endif()
string(REGEX MATCHALL "eutectic_[a-z_]+" found "${undefined}")
list(REMOVE_DUPLICATES found)
if(NOT "${found}" STREQUAL "${SYMBOL}")
    message(FATAL_ERROR "${ARCHIVE} asks for '${found}', and should ask for '${SYMBOL}'")
endif()
